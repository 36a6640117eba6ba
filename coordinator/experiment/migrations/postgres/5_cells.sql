-- A cell is known by its parameters and by the hash of everything else that its games depend on, so that unlike games
-- are never in one cell; the hash is empty for cells that are older than this.
ALTER TABLE cells ADD COLUMN specification TEXT NOT NULL DEFAULT '';
ALTER TABLE cells DROP CONSTRAINT cells_experiment_label_key;
ALTER TABLE cells ADD UNIQUE (experiment, label, specification);
-- The builds whose games a cell may hold, and since when, in milliseconds since 1970 (0: unknown).
CREATE TABLE cell_builds (
    cell BIGINT NOT NULL REFERENCES cells (id),
    build TEXT NOT NULL,
    since BIGINT NOT NULL,
    PRIMARY KEY (cell, build)
);
INSERT INTO cell_builds (cell, build, since) SELECT DISTINCT cell, build, 0 FROM games;
-- A cell with a pair under way is not empty.
CREATE INDEX pairs_under_way ON pairs (cell) WHERE state = 1;
