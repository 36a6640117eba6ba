//! Tests that learning finds the curves that logs were generated from.

use super::*;
use crate::{record::schema::VERSION, seed};
use monju_proto::v1::{Bound, Decision, Line, PlayerInfo, Position, Score, score::Kind};

/// A sequence of uniform numbers from 0 to 1.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 += 1;
        seed::spread(self.0) as f64 / u64::MAX as f64
    }
}

fn vote(engine: &str, kind: Kind) -> Vote {
    Vote {
        player: Some(PlayerInfo {
            name: engine.to_owned(),
            engine: engine.to_owned(),
            ..PlayerInfo::default()
        }),
        line: Some(Line {
            r#move: "7g7f".to_owned(),
            score: Some(Score {
                kind: Some(kind),
                bound: Bound::Exact.into(),
            }),
            ..Line::default()
        }),
        counted: true,
        ..Vote::default()
    }
}

fn ballot(game: &str, black_to_move: bool, votes: Vec<Vote>) -> Ballot {
    let moves = match black_to_move {
        true => Vec::new(),
        false => vec!["7g7f".to_owned()],
    };
    Ballot {
        game_id: game.to_owned(),
        position: Some(Position {
            start: "startpos".to_owned(),
            moves,
            ..Position::default()
        }),
        votes,
        decision: Some(Decision {
            r#move: "7g7f".to_owned(),
            ..Decision::default()
        }),
        ..Ballot::default()
    }
}

/// Games whose odds of a win for Black are e^x; from the side to move, engine "one" scores 200 x and
/// "two" 800 x - 40, both with an error.
fn log(games: u64) -> (Log, Vec<Winner>) {
    let mut dice = Dice(1);
    let mut log = Log::default();
    let mut winners = Vec::new();
    for game in 0..games {
        let game = format!("game-{game}");
        let truth = (dice.roll() - 0.5) * 6.0;
        for black_to_move in [true, false, true, false] {
            let sign = if black_to_move { 1.0 } else { -1.0 };
            let mut estimate = || sign * truth + (dice.roll() - 0.5) * 0.2;
            let votes = vec![
                vote("one", Kind::Cp((200.0 * estimate()) as i32)),
                vote("two", Kind::Cp((800.0 * estimate() - 40.0) as i32)),
            ];
            log.ballots.push(ballot(&game, black_to_move, votes));
        }
        let black_wins = dice.roll() < 1.0 / (1.0 + (-truth).exp());
        winners.push(match black_wins {
            true => Winner::Black,
            false => Winner::White,
        });
    }
    (log, winners)
}

fn result(game: usize, winner: Winner) -> GameResult {
    GameResult {
        version: VERSION,
        game_id: format!("game-{game}"),
        winner,
        reason: "gameover".to_owned(),
    }
}

fn curve<'a>(learned: &'a LearnedCurves, name: &str) -> &'a EngineCurve {
    let mut curves = learned.curves.iter().map(|(curve, _)| curve);
    curves.find(|curve| curve.name == name).expect("a curve")
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} is not {expected} within {tolerance}"
    );
}

#[test]
fn curves_are_learned_from_results() {
    let (mut log, winners) = log(2_000);
    for (game, winner) in winners.into_iter().enumerate() {
        log.results.push(result(game, winner));
    }
    let learned = learn(&log);
    assert_eq!((learned.games, learned.left_out.len()), (2_000, 0));
    let (one, two) = (curve(&learned, "one"), curve(&learned, "two"));
    assert_near(one.scale, 200.0, 20.0);
    assert_near(two.scale, 800.0, 80.0);
    assert_near(two.offset, 40.0, 30.0);
    assert_eq!((one.against.as_str(), one.votes), ("results", 8_000));
    for (_, loss) in &learned.curves {
        assert!(*loss < std::f64::consts::LN_2, "{loss}");
    }
}

#[test]
fn an_engine_without_results_is_compared_with_one_that_has_them() {
    let (mut log, winners) = log(2_000);
    for (game, winner) in winners.into_iter().enumerate().take(1_000) {
        log.results.push(result(game, winner));
    }
    // "two" votes only in games without a known result.
    for ballot in &mut log.ballots[..4_000] {
        ballot.votes.truncate(1);
    }
    let learned = learn(&log);
    let (one, two) = (curve(&learned, "one"), curve(&learned, "two"));
    assert_eq!((&*one.against, &*two.against), ("results", "one"));
    assert_near(two.scale / one.scale, 4.0, 0.2);
}

#[test]
fn without_results_the_last_clear_scores_of_games_are_used() {
    let (log, _) = log(500);
    let learned = learn(&log);
    assert_eq!(learned.games, 0);
    let mut against: Vec<&str> = learned
        .curves
        .iter()
        .map(|(curve, _)| &*curve.against)
        .collect();
    against.sort_unstable();
    assert_eq!(against, ["last scores", "two"], "{learned:?}");
}

#[test]
fn the_last_ballot_of_a_game_may_tell_the_winner() {
    let ends = |mv: &str, kind, black_to_move| {
        let mut last = ballot("g", black_to_move, vec![vote("one", kind)]);
        last.decision.as_mut().expect("decided").r#move = mv.to_owned();
        winner_after(&last)
    };
    let even = Kind::Cp(0);
    assert_eq!(ends("resign", even, true), Some(Winner::White));
    assert_eq!(ends("win", even, false), Some(Winner::White));
    assert_eq!(ends("7g7f", Kind::Mate(3), true), Some(Winner::Black));
    assert_eq!(ends("7g7f", Kind::Mate(-2), true), Some(Winner::White));
    assert_eq!(ends("7g7f", even, true), None);
    // A vote without the mate leaves the result open.
    let votes = vec![vote("one", Kind::Mate(3)), vote("two", even)];
    assert_eq!(winner_after(&ballot("g", true, votes)), None);
}

#[test]
fn engines_with_too_few_scores_are_reported() {
    let (mut log, _) = log(3);
    log.ballots[0].votes.truncate(1);
    let learned = learn(&log);
    assert!(learned.curves.is_empty());
    assert_eq!(
        learned.left_out,
        [("one", 12), ("two", 11)].map(|(engine, votes)| {
            let why = format!("{votes} scores are too few; 50 are the least");
            (engine.to_owned(), why)
        })
    );
    assert_eq!(learn(&Log::default()), LearnedCurves::default());
}

#[test]
fn games_with_one_result_and_aborted_games_teach_nothing() {
    let mut log = Log::default();
    for ply in 0..60 {
        let votes = vec![vote("one", Kind::Cp(100 + ply))];
        log.ballots.push(ballot("game-0", true, votes));
    }
    log.results.push(result(0, Winner::Black));
    let learned = learn(&log);
    assert_eq!((learned.games, learned.curves.len()), (1, 0));
    let [(engine, why)] = &learned.left_out[..] else {
        panic!("{learned:?}")
    };
    assert!(
        engine == "one" && why.contains("all won, or all lost"),
        "{why}"
    );

    log.results[0].winner = Winner::Draw;
    assert_eq!(
        learn(&log).games,
        0,
        "the GUI reports aborted games as drawn"
    );
    log.results[0].reason = "repetition".to_owned();
    assert_eq!(learn(&log).games, 1);
}
