-- On what machine, in words, and when a game was played, in milliseconds since 1970 by the database's clock; empty and
-- 0 for games that are older than this.
ALTER TABLE games ADD COLUMN machine TEXT NOT NULL DEFAULT '';
ALTER TABLE games ADD COLUMN finished INTEGER NOT NULL DEFAULT 0;
-- What is known of each of its moves, as milliseconds:score; nothing for games that are older than this.
ALTER TABLE records ADD COLUMN notes TEXT NOT NULL DEFAULT '';
