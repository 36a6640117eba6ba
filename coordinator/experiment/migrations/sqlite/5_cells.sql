-- A cell is known by its parameters and by the hash of everything else that its games depend on, so that unlike games
-- are never in one cell; the hash is empty for cells that are older than this. The references of pairs hold again when
-- the rows are back.
PRAGMA defer_foreign_keys = ON;
CREATE TABLE older_cells AS SELECT id, experiment, label, closed FROM cells;
DROP TABLE cells;
CREATE TABLE cells (
    id INTEGER PRIMARY KEY,
    experiment INTEGER NOT NULL REFERENCES experiments (id),
    label TEXT NOT NULL,
    -- Set by a stopping rule: no pair is handed out any more.
    closed INTEGER NOT NULL DEFAULT 0,
    specification TEXT NOT NULL DEFAULT '',
    UNIQUE (experiment, label, specification)
);
INSERT INTO cells (id, experiment, label, closed) SELECT id, experiment, label, closed FROM older_cells;
DROP TABLE older_cells;
-- The builds whose games a cell may hold, and since when, in milliseconds since 1970 (0: unknown).
CREATE TABLE cell_builds (
    cell INTEGER NOT NULL REFERENCES cells (id),
    build TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (cell, build)
);
INSERT INTO cell_builds (cell, build, since) SELECT DISTINCT cell, build, 0 FROM games;
-- A cell with a pair under way is not empty.
CREATE INDEX pairs_under_way ON pairs (cell) WHERE state = 1;
