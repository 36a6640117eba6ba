-- One row an experiment; several may share a database.
CREATE TABLE experiments (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    specification TEXT NOT NULL,
    build TEXT NOT NULL
);

-- The cells of its grid, known by their parameters.
CREATE TABLE cells (
    id INTEGER PRIMARY KEY,
    experiment INTEGER NOT NULL REFERENCES experiments (id),
    label TEXT NOT NULL,
    -- Set by a stopping rule: no pair is handed out any more.
    closed INTEGER NOT NULL DEFAULT 0,
    UNIQUE (experiment, label)
);

-- One opening with both colours. state: 0 open, 1 leased, 2 finished, 3 given up.
CREATE TABLE pairs (
    cell INTEGER NOT NULL REFERENCES cells (id),
    number INTEGER NOT NULL,
    dispatch INTEGER NOT NULL,
    state INTEGER NOT NULL DEFAULT 0,
    token TEXT NOT NULL DEFAULT '',
    runner TEXT NOT NULL DEFAULT '',
    -- Milliseconds since 1970, by the database's clock.
    expires INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    -- Half points of the first side, 0 to 4.
    points INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (cell, number)
);
CREATE INDEX pairs_by_dispatch ON pairs (dispatch, cell, number) WHERE state IN (0, 1);

-- What reports count.
CREATE TABLE games (
    cell INTEGER NOT NULL,
    pair INTEGER NOT NULL,
    -- 0: the first side has Black; 1: White.
    game INTEGER NOT NULL,
    -- Of the first side: win, draw, loss.
    result TEXT NOT NULL,
    ending TEXT NOT NULL,
    plies INTEGER NOT NULL,
    first_nodes INTEGER NOT NULL,
    second_nodes INTEGER NOT NULL,
    first_ms INTEGER NOT NULL,
    second_ms INTEGER NOT NULL,
    first_moves INTEGER NOT NULL,
    second_moves INTEGER NOT NULL,
    -- Votes by number of different moves, as count:positions.
    first_variety TEXT NOT NULL,
    second_variety TEXT NOT NULL,
    runner TEXT NOT NULL,
    build TEXT NOT NULL,
    PRIMARY KEY (cell, pair, game)
);

-- The moves and the ballots, apart because they are large.
CREATE TABLE records (
    cell INTEGER NOT NULL,
    pair INTEGER NOT NULL,
    game INTEGER NOT NULL,
    opening_plies INTEGER NOT NULL,
    -- As after `position`.
    moves TEXT NOT NULL,
    -- JSON lines, gzip; empty where they are not kept.
    ballots BLOB NOT NULL,
    PRIMARY KEY (cell, pair, game)
);

-- What went wrong: failures of the machinery, and faults that cost a game.
CREATE TABLE incidents (
    id INTEGER PRIMARY KEY,
    cell INTEGER NOT NULL,
    pair INTEGER NOT NULL,
    game INTEGER NOT NULL,
    cause TEXT NOT NULL,
    side TEXT NOT NULL,
    detail TEXT NOT NULL,
    runner TEXT NOT NULL
);
CREATE INDEX incidents_by_cell ON incidents (cell);
