-- The plans by which an experiment was played: one row for each change of the file, with the moment of the first run by
-- it, in milliseconds since 1970 by the database's clock, and the finished games of its cells at that moment.
CREATE TABLE plans (
    id INTEGER PRIMARY KEY,
    experiment INTEGER NOT NULL REFERENCES experiments (id),
    since INTEGER NOT NULL,
    finished INTEGER NOT NULL,
    -- Games in every cell.
    planned INTEGER NOT NULL,
    -- The stopping rule in words; empty for none.
    stop TEXT NOT NULL,
    specification TEXT NOT NULL,
    -- The file.
    file TEXT NOT NULL
);
-- The commit of the program that played, and whether its code was changed; empty for games that are older than this.
ALTER TABLE games ADD COLUMN source TEXT NOT NULL DEFAULT '';
