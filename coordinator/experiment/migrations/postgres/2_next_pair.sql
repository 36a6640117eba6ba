-- Finding the next pair costs the same whatever else the store holds: an experiment does not walk
-- over the pairs of the others that share the store, nor over those of its closed cells.
ALTER TABLE pairs ADD COLUMN experiment BIGINT NOT NULL DEFAULT 0;
UPDATE pairs SET experiment = (SELECT cells.experiment FROM cells WHERE cells.id = pairs.cell);
-- A further state, 4: nobody has played it, and nobody will, because its cell is closed.
UPDATE pairs SET state = 4
WHERE state = 0 AND cell IN (SELECT id FROM cells WHERE closed = 1);
DROP INDEX pairs_by_dispatch;
CREATE INDEX pairs_by_dispatch ON pairs (experiment, dispatch, cell, number) WHERE state IN (0, 1);
