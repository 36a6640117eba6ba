-- Longest stall of the machine during a move that lost on time, in milliseconds, where it was longer than the move was
-- late; 0 elsewhere, and for incidents that are older than this.
ALTER TABLE incidents ADD COLUMN stall_ms BIGINT NOT NULL DEFAULT 0;
