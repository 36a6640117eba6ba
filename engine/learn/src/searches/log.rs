//! The text of logs.
//!
//! A game is `game`, its position command, and a line for each search of it:
//! `search PLY NODES MOVE ITERATION …`, where the move is that of the whole search, and an iteration is
//! `DEPTH,NODES,CENTIPAWNS,EFFORT,PV`: the share of its nodes below the best move in parts of a thousand, or
//! `-`, and the moves of the line with colons between them. Lines of samples may follow a search:
//! `reduction REDUCED FULL FEATURES`, the results of both searches as 0 or 1, and the features with commas between
//! them; `margin SURPLUS BEATS FEATURES`, a number of centipawns and a result; or
//! `order STAGE LAST CAPTURES MOVES SFEN`, a node that a move has cut: the stage in which the move came, the
//! destination of the move before it, or `-`, 1 if that captured or promoted, the moves of the stage as `MOVE:SCORE`
//! with commas between them, the one that cut first, and the position. `end` ends the game.

use monju_engine::{
    rules::{Game, GameError, Move, MoveList, Position, Square},
    search::{
        FEATURES, Iteration, LastMove, Line, MoveSample, OrderSample, SampleOutcome, SearchSample,
    },
};
use std::fmt::Write as _;

/// Moves of a line that are kept.
const LONGEST_LINE: usize = 9;

/// Most nodes of a search; it would take years.
const MOST_NODES: u64 = 1_000_000_000_000_000;

/// Greatest score of an iteration to either side, in centipawns.
const GREATEST_SCORE: u32 = 2_000;

/// The first word of the line of a sampled late move.
const REDUCTION: &str = "reduction";

/// The first word of the line of a move near the margin of futility pruning.
const MARGIN: &str = "margin";

/// The first word of the line of a node that a move has cut.
const ORDER: &str = "order";

/// The line that ends a game.
pub(super) const END: &str = "end\n";

/// A game with the searches for its moves.
#[derive(Clone, Debug)]
pub struct LoggedGame {
    /// The moves.
    pub game: Game,
    /// The searches, by ply.
    pub searches: Vec<LoggedSearch>,
}

/// One search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedSearch {
    /// Moves of the game before it.
    pub ply: usize,
    /// All its nodes.
    pub nodes: u64,
    /// The move that it ended with.
    pub mv: Move,
    /// The iterations that it has finished.
    pub iterations: Vec<Iteration>,
    /// The samples that it has taken.
    pub samples: Vec<SearchSample>,
}

/// Error of reading a log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// A line is not one of a log.
    #[error("line {0} is not one of a log of searches; make one with 'monju learn searches'")]
    Line(usize),
    /// A number is one that no search has.
    #[error("line {line}: {reason}; make the log anew with 'monju learn searches'")]
    Number {
        /// Number of the line, counted from 1.
        line: usize,
        /// The number, and what it must be.
        reason: String,
    },
    /// A game is impossible.
    #[error("line {line}")]
    Game {
        /// Number of the line, counted from 1.
        line: usize,
        /// Reason.
        source: GameError,
    },
}

impl LoggedSearch {
    /// Returns the iteration that a line ends, with the first moves of its variation.
    pub(super) fn iteration(line: &Line) -> Option<Iteration> {
        let mut iteration = Iteration::of(line)?;
        iteration.pv.truncate(LONGEST_LINE);
        Some(iteration)
    }
}

/// Writes a game.
pub(super) fn text_of(game: &LoggedGame) -> String {
    let mut text = format!("game {}\n", game.game.to_usi());
    for search in &game.searches {
        let LoggedSearch { ply, nodes, mv, .. } = search;
        let _ = write!(text, "search {ply} {nodes} {mv}");
        for iteration in &search.iterations {
            let effort = iteration.effort.map(|effort| effort.to_string());
            let pv: Vec<String> = iteration.pv.iter().map(Move::to_string).collect();
            let _ = write!(
                text,
                " {},{},{},{},{}",
                iteration.depth,
                iteration.nodes,
                iteration.score,
                effort.as_deref().unwrap_or("-"),
                pv.join(":")
            );
        }
        text.push('\n');
        for sample in &search.samples {
            write_sample(&mut text, sample);
        }
    }
    text + END
}

fn write_sample(text: &mut String, sample: &SearchSample) {
    let _ = match sample {
        SearchSample::Late(MoveSample { features, outcome }) => {
            let features: Vec<String> = features.iter().map(u16::to_string).collect();
            let features = features.join(",");
            match outcome {
                SampleOutcome::Reduction {
                    reduced_beats,
                    full_beats,
                } => {
                    let [reduced, full] = [reduced_beats, full_beats].map(|&beats| u8::from(beats));
                    writeln!(text, "{REDUCTION} {reduced} {full} {features}")
                }
                SampleOutcome::Margin { surplus, beats } => {
                    writeln!(text, "{MARGIN} {surplus} {} {features}", u8::from(*beats))
                }
            }
        }
        SearchSample::Order(sample) => {
            let OrderSample {
                position,
                stage,
                last,
                moves,
            } = &**sample;
            let moves: Vec<String> = (moves.iter())
                .map(|(mv, score)| format!("{mv}:{score}"))
                .collect();
            let (last, captures) = match last {
                Some(last) => (last.to.to_string(), u8::from(last.captures)),
                None => ("-".into(), 0),
            };
            let moves = moves.join(",");
            writeln!(text, "{ORDER} {stage} {last} {captures} {moves} {position}")
        }
    };
}

/// Reads the whole games of a log.
///
/// # Errors
/// A line is not one of a log, or has a number that no search has.
pub fn read_logs(text: &str) -> Result<Vec<LoggedGame>, LogError> {
    // A run that was killed may have written a part of its last line.
    let text = match text.ends_with("\nend") {
        true => text,
        false => &text[..text.rfind('\n').map_or(text.len(), |at| at + 1)],
    };
    let mut games = Vec::new();
    let mut open: Option<LoggedGame> = None;
    for (index, line) in text.lines().enumerate() {
        let bad = || LogError::Line(index + 1);
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, &mut open) {
            ("game", _) => {
                let game = Game::from_usi(rest).map_err(|source| LogError::Game {
                    line: index + 1,
                    source,
                })?;
                open = Some(LoggedGame {
                    game,
                    searches: Vec::new(),
                });
            }
            ("search", Some(game)) => {
                let search = search(rest).ok_or_else(bad)?;
                if search.ply >= game.game.moves().len() {
                    return Err(bad());
                }
                if let Some(reason) = impossible(&search) {
                    let line = index + 1;
                    return Err(LogError::Number { line, reason });
                }
                game.searches.push(search);
            }
            (REDUCTION | MARGIN | ORDER, Some(game)) => {
                let sample = match word {
                    ORDER => order_sample(rest).map(|sample| SearchSample::Order(Box::new(sample))),
                    _ => late_sample(word, rest).map(SearchSample::Late),
                };
                let sample = sample.ok_or_else(bad)?;
                let search = game.searches.last_mut().ok_or_else(bad)?;
                search.samples.push(sample);
            }
            ("end", Some(_)) => games.extend(open.take()),
            _ => return Err(bad()),
        }
    }
    Ok(games)
}

fn search(text: &str) -> Option<LoggedSearch> {
    let mut words = text.split(' ');
    Some(LoggedSearch {
        ply: words.next()?.parse().ok()?,
        nodes: words.next()?.parse().ok()?,
        mv: words.next()?.parse().ok()?,
        iterations: words.map(iteration).collect::<Option<_>>()?,
        samples: Vec::new(),
    })
}

/// Returns what is impossible about the numbers of a search.
fn impossible(search: &LoggedSearch) -> Option<String> {
    let nodes = search.nodes;
    if !(1..=MOST_NODES).contains(&nodes) {
        return Some(format!(
            "a search has from 1 to {MOST_NODES} nodes, not {nodes}"
        ));
    }
    let mut before = 1;
    for iteration in &search.iterations {
        let (depth, passed, score) = (iteration.depth, iteration.nodes, iteration.score);
        if !(before..=nodes).contains(&passed) {
            return Some(format!(
                "the iteration of depth {depth} must end after {before} to {nodes} nodes, not {passed}"
            ));
        }
        if score.unsigned_abs() > GREATEST_SCORE {
            return Some(format!(
                "the score at depth {depth} must be from -{GREATEST_SCORE} to {GREATEST_SCORE}, not {score}"
            ));
        }
        before = passed;
    }
    None
}

fn late_sample(word: &str, text: &str) -> Option<MoveSample> {
    let mut words = text.split(' ');
    let mut next = || words.next();
    let outcome = match word {
        REDUCTION => SampleOutcome::Reduction {
            reduced_beats: flag(next()?)?,
            full_beats: flag(next()?)?,
        },
        _ => SampleOutcome::Margin {
            surplus: next()?.parse().ok()?,
            beats: flag(next()?)?,
        },
    };
    let feature = |text: &str| {
        let feature = text.parse().ok()?;
        (usize::from(feature) < FEATURES).then_some(feature)
    };
    let features = words
        .next()?
        .split(',')
        .map(feature)
        .collect::<Option<_>>()?;
    words
        .next()
        .is_none()
        .then_some(MoveSample { features, outcome })
}

fn order_sample(text: &str) -> Option<OrderSample> {
    let mut words = text.splitn(5, ' ');
    let stage = words.next()?.parse().ok()?;
    let to = match words.next()? {
        "-" => None,
        square => Some(square_of(square)?),
    };
    let captures = flag(words.next()?)?;
    let moves: Vec<(Move, i32)> = words
        .next()?
        .split(',')
        .map(|text| {
            let (mv, score) = text.split_once(':')?;
            Some((mv.parse().ok()?, score.parse().ok()?))
        })
        .collect::<Option<_>>()?;
    let position = Position::from_sfen(words.next()?).ok()?;
    let legal = MoveList::legal(&position);
    let is_legal = moves.iter().all(|(mv, _)| legal.contains(mv));
    is_legal.then_some(OrderSample {
        position,
        stage,
        last: to.map(|to| LastMove { to, captures }),
        moves,
    })
}

/// Returns what 0 or 1 stands for.
fn flag(word: &str) -> Option<bool> {
    match word {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// Returns the square with a name like `5e`.
fn square_of(name: &str) -> Option<Square> {
    let &[file, rank] = name.as_bytes() else {
        return None;
    };
    Square::parse(file, rank)
}

fn iteration(text: &str) -> Option<Iteration> {
    let mut fields = text.split(',');
    let mut next = || fields.next();
    Some(Iteration {
        depth: next()?.parse().ok()?,
        nodes: next()?.parse().ok()?,
        score: next()?.parse().ok()?,
        effort: match next()? {
            "-" => None,
            effort => Some(effort.parse().ok()?),
        },
        pv: next()?
            .split(':')
            .map(|mv| mv.parse().ok())
            .collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::search::{Bound, OrderStage, Score};

    #[test]
    fn a_log_is_read_back_and_a_broken_one_refused() {
        let game = Game::from_usi("startpos moves 7g7f 3c3d 2g2f").expect("a game");
        let pv = ["7g7f", "3c3d"].map(|mv| mv.parse().expect("a move"));
        let iteration = Iteration {
            depth: 1,
            nodes: 30,
            score: -12,
            effort: Some(970),
            pv: pv.to_vec(),
        };
        let unknown = Iteration {
            depth: 2,
            effort: None,
            ..iteration.clone()
        };
        let logged = LoggedGame {
            game,
            searches: vec![LoggedSearch {
                ply: 0,
                nodes: 99,
                mv: pv[0],
                iterations: vec![iteration, unknown],
                samples: vec![
                    SearchSample::Late(MoveSample {
                        features: vec![3, 14, 159],
                        outcome: SampleOutcome::Reduction {
                            reduced_beats: false,
                            full_beats: true,
                        },
                    }),
                    SearchSample::Late(MoveSample {
                        features: vec![2],
                        outcome: SampleOutcome::Margin {
                            surplus: -71,
                            beats: true,
                        },
                    }),
                    SearchSample::Order(Box::new(OrderSample {
                        position: Position::startpos(),
                        stage: OrderStage::Quiet,
                        last: Square::at(6, 6).map(|to| LastMove { to, captures: true }),
                        moves: vec![(pv[0], -5), ("2g2f".parse().expect("a move"), 77)],
                    })),
                    SearchSample::Order(Box::new(OrderSample {
                        position: Position::startpos(),
                        stage: OrderStage::Evasion,
                        last: None,
                        moves: vec![(pv[0], 0)],
                    })),
                ],
            }],
        };
        let text = text_of(&logged);
        let read = read_logs(&format!("{text}{text}game startpos\n")).expect("whole games");
        assert_eq!(read.len(), 2, "a game without an end is left out");
        // So is one that was broken off within a line.
        let torn = read_logs(&format!("{text}game startpos moves 7g7f\nsearch 0 "));
        assert_eq!(torn.expect("a whole game").len(), 1);
        let by_hand = read_logs(text.trim_end());
        assert_eq!(by_hand.expect("a whole game").len(), 1);
        assert!(read_logs("a text of one line").is_err());
        assert_eq!(read[0].searches, logged.searches);
        assert_eq!(read[0].game.to_usi(), logged.game.to_usi());
        for (broken, line) in [
            ("search 0 9 7g7f\n", 1),
            ("game startpos moves 7g7f\nsearch 1 9 7g7f\n", 2),
            ("game startpos moves 7g7f\nsearch 0 9 7g7f 1,2,3\n", 2),
            ("game startpos moves 7g7e\n", 1),
            ("game startpos moves 7g7f\nreduction 0 1 3,14\n", 2),
            (
                "game startpos moves 7g7f\nsearch 0 9 7g7f\nreduction 0 2 3,14\n",
                3,
            ),
            (
                "game startpos moves 7g7f\nsearch 0 9 7g7f\nreduction 0 1 3,65535\n",
                3,
            ),
            (
                "game startpos moves 7g7f\nsearch 0 9 7g7f\norder quiet - 0 7g7e:3 startpos\n",
                3,
            ),
        ] {
            let error = read_logs(broken).expect_err(broken).to_string();
            assert!(error.contains(&format!("line {line}")), "{error}");
        }
    }

    #[test]
    fn numbers_that_no_search_has_are_refused() {
        let read = |search: &str| read_logs(&format!("game startpos moves 7g7f\n{search}\nend\n"));
        let sound = "search 0 9 7g7f 1,1,2000,-,7g7f 2,1,-2000,-,7g7f 3,9,0,-,7g7f";
        assert_eq!(read(sound).expect("possible").len(), 1);
        for (search, words) in [
            ("search 0 0 7g7f", "1000000000000000 nodes, not 0;"),
            (
                "search 0 18446744073709551615 7g7f",
                "nodes, not 18446744073709551615;",
            ),
            (
                "search 0 9 7g7f 1,0,0,-,7g7f",
                "depth 1 must end after 1 to 9 nodes, not 0;",
            ),
            (
                "search 0 9 7g7f 1,7,0,-,7g7f 2,5,0,-,7g7f",
                "depth 2 must end after 7 to 9 nodes, not 5;",
            ),
            ("search 0 9 7g7f 1,10,0,-,7g7f", "nodes, not 10;"),
            (
                "search 0 9 7g7f 1,1,-2147483648,-,7g7f",
                "-2000 to 2000, not -2147483648;",
            ),
            ("search 0 9 7g7f 1,1,2001,-,7g7f", "not 2001;"),
        ] {
            let error = read(search).expect_err(search).to_string();
            assert!(
                error.starts_with("line 2: ") && error.contains(words),
                "{error}"
            );
        }
        // The greatest score that is written is that of a mate.
        let pv = vec!["7g7f".parse().expect("a move")];
        let mut line = Line::unsearched(pv, Score::Mate(1), Bound::Exact);
        line.ends_iteration = true;
        let iteration = LoggedSearch::iteration(&line).expect("an iteration");
        assert_eq!(iteration.score.unsigned_abs(), GREATEST_SCORE);
    }
}
