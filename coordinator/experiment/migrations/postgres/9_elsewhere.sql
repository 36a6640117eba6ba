-- Games of a cell that are in another store alone: the bundle from which the experiment was imported only counts them.
ALTER TABLE cells ADD COLUMN elsewhere BIGINT NOT NULL DEFAULT 0;
