//! Statements that both databases understand.

/// Every pair of a cell up to a number: cell, pairs, position of the cell, cells, block.
pub(super) const PLAN: &str = "
    INSERT INTO pairs (cell, number, dispatch)
    WITH RECURSIVE n (i) AS (SELECT $6 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $2)
    SELECT $1, i, (i / $5) * $5 * $4 + $3 * $5 + i % $5 FROM n WHERE i < $2
    ON CONFLICT (cell, number) DO NOTHING";

/// Finishes a pair: cell, pair, token, points.
pub(super) const FINISH: &str = "
    UPDATE pairs SET state = 2, points = $4
    WHERE cell = $1 AND number = $2 AND token = $3 AND state = 1";

/// Counts a failure: cell, pair, token, attempts.
pub(super) const FAIL: &str = "
    UPDATE pairs SET failures = failures + 1, token = '',
        state = CASE WHEN failures + 1 >= $4 THEN 3 ELSE 0 END
    WHERE cell = $1 AND number = $2 AND token = $3 AND state = 1";

/// Frees a pair: cell, pair, token.
pub(super) const GIVE_BACK: &str = "
    UPDATE pairs SET state = 0, token = ''
    WHERE cell = $1 AND number = $2 AND token = $3 AND state = 1";

/// Pairs that are over: cell, first number.
pub(super) const OUTCOMES: &str = "
    SELECT number, state, points FROM pairs
    WHERE cell = $1 AND number >= $2 AND state IN (2, 3) ORDER BY number";

/// One game.
pub(super) const INSERT_GAME: &str = "
    INSERT INTO games (cell, pair, game, result, ending, plies, first_nodes, second_nodes,
        first_ms, second_ms, first_moves, second_moves, first_variety, second_variety, runner, build)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";

/// Its moves.
pub(super) const INSERT_RECORD: &str = "
    INSERT INTO records (cell, pair, game, opening_plies, moves, ballots)
    VALUES ($1, $2, $3, $4, $5, $6)";

/// One incident.
pub(super) const INSERT_INCIDENT: &str = "
    INSERT INTO incidents (cell, pair, game, cause, side, detail, runner)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// Games of one cell.
pub(super) const GAMES: &str = "
    SELECT pair, game, result, ending, plies, first_nodes, second_nodes, first_ms, second_ms,
        first_moves, second_moves, first_variety, second_variety, runner, build
    FROM games WHERE cell = $1 ORDER BY pair, game";

/// Moves and ballots of one cell: cell, first pair, number of games.
pub(super) const RECORDS: &str = "
    SELECT pair, game, opening_plies, moves, ballots
    FROM records WHERE cell = $1 AND pair >= $2 ORDER BY pair, game LIMIT $3";

/// Incidents of one cell.
pub(super) const INCIDENTS: &str = "
    SELECT pair, game, cause, side, detail FROM incidents WHERE cell = $1 ORDER BY id";
