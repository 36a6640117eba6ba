-- By which specification and seed a game was played; empty for games that are older than this.
ALTER TABLE games ADD COLUMN specification TEXT NOT NULL DEFAULT '';
ALTER TABLE games ADD COLUMN seed TEXT NOT NULL DEFAULT '';
