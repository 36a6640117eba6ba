-- Finished pairs of each cell by half points of the first side, kept by the database itself, so that nobody counts
-- them pair by pair. A cell has several rows for the same points, its slots, so that runners that finish pairs of one
-- cell at the same moment seldom wait for each other.
CREATE TABLE tallies (
    cell INTEGER NOT NULL REFERENCES cells (id),
    slot INTEGER NOT NULL,
    points INTEGER NOT NULL,
    pairs INTEGER NOT NULL,
    PRIMARY KEY (cell, slot, points)
);
INSERT INTO tallies (cell, slot, points, pairs)
SELECT cell, number % 8, points, COUNT(*) FROM pairs WHERE state = 2 GROUP BY cell, number % 8, points;
CREATE TRIGGER pairs_tallied AFTER UPDATE OF state ON pairs WHEN NEW.state = 2 AND OLD.state <> 2
BEGIN
    INSERT INTO tallies (cell, slot, points, pairs) VALUES (NEW.cell, NEW.number % 8, NEW.points, 1)
    ON CONFLICT (cell, slot, points) DO UPDATE SET pairs = pairs + 1;
END;
-- The next pair is the first of those whose lease is over, or else the first open one: neither is looked for among the
-- pairs under way.
DROP INDEX pairs_by_dispatch;
CREATE INDEX pairs_open ON pairs (experiment, dispatch, cell, number) WHERE state = 0;
CREATE INDEX pairs_by_expiry ON pairs (experiment, expires) WHERE state = 1;
-- Pairs under way and pairs given up are few, and are counted.
DROP INDEX pairs_under_way;
CREATE INDEX pairs_apart ON pairs (cell, state, number) WHERE state IN (1, 3);
-- The game under way, 0 or 1, and its position as after `position`; empty where none has been told.
ALTER TABLE pairs ADD COLUMN game INTEGER NOT NULL DEFAULT 0;
ALTER TABLE pairs ADD COLUMN position TEXT NOT NULL DEFAULT '';
