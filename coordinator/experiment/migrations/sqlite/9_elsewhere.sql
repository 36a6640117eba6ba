-- Games of a cell that are in another store alone: the bundle from which the experiment was imported only counts them.
ALTER TABLE cells ADD COLUMN elsewhere INTEGER NOT NULL DEFAULT 0;
