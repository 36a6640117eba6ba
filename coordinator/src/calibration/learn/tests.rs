//! Curves are found again in logs that were made by them.

use super::*;
use crate::{record::schema::VERSION, seed};
use monju_proto::v1::{Bound, Decision, Line, Position, Score, score::Kind};

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
        }),
        votes,
        decision: Some(Decision {
            r#move: "7g7f".to_owned(),
            ..Decision::default()
        }),
        ..Ballot::default()
    }
}

/// Games whose odds of a win for Black are e^x; engine "one" says 200 x, "two" says 800 x - 40 from
/// the side to move, both with an error.
fn log(games: u64) -> (Log, Vec<Winner>) {
    let mut dice = Dice(1);
    let mut log = Log::default();
    let mut winners = Vec::new();
    for game in 0..games {
        let game = format!("game-{game}");
        let truth = (dice.roll() - 0.5) * 6.0;
        for black_to_move in [true, false, true, false] {
            let sign = if black_to_move { 1.0 } else { -1.0 };
            let mut heard = || sign * truth + (dice.roll() - 0.5) * 0.2;
            let votes = vec![
                vote("one", Kind::Cp((200.0 * heard()) as i32)),
                vote("two", Kind::Cp((800.0 * heard() - 40.0) as i32)),
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

fn curve<'a>(lesson: &'a Lesson, name: &str) -> &'a EngineCurve {
    let mut curves = lesson.curves.iter().map(|(curve, _)| curve);
    curves.find(|curve| curve.name == name).expect("a curve")
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} is not {expected} within {tolerance}"
    );
}

#[test]
fn scales_are_found_from_results() {
    let (mut log, winners) = log(2_000);
    for (game, winner) in winners.into_iter().enumerate() {
        log.results.push(result(game, winner));
    }
    let lesson = learn(&log);
    assert_eq!((lesson.games, lesson.left_out.len()), (2_000, 0));
    let (one, two) = (curve(&lesson, "one"), curve(&lesson, "two"));
    assert_near(one.scale, 200.0, 20.0);
    assert_near(two.scale, 800.0, 80.0);
    assert_near(two.offset, 40.0, 30.0);
    assert_eq!((one.against.as_str(), one.votes), ("results", 8_000));
    for (_, loss) in &lesson.curves {
        assert!(*loss < std::f64::consts::LN_2, "{loss}");
    }
}

#[test]
fn an_engine_without_results_is_compared_with_one_that_has_them() {
    let (mut log, winners) = log(2_000);
    for (game, winner) in winners.into_iter().enumerate().take(1_000) {
        log.results.push(result(game, winner));
    }
    // "two" is seen only where no result is known.
    for ballot in &mut log.ballots[..4_000] {
        ballot.votes.truncate(1);
    }
    let lesson = learn(&log);
    let (one, two) = (curve(&lesson, "one"), curve(&lesson, "two"));
    assert_eq!((&*one.against, &*two.against), ("results", "one"));
    assert_near(two.scale / one.scale, 4.0, 0.2);
}

#[test]
fn without_any_result_the_last_clear_scores_of_games_serve() {
    let (log, _) = log(500);
    let lesson = learn(&log);
    assert_eq!(lesson.games, 0);
    let mut against: Vec<&str> = lesson
        .curves
        .iter()
        .map(|(curve, _)| &*curve.against)
        .collect();
    against.sort_unstable();
    assert_eq!(against, ["last scores", "two"], "{lesson:?}");
}

#[test]
fn the_last_ballot_of_a_game_may_say_who_won() {
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
    // One who does not see the mate leaves it open.
    let votes = vec![vote("one", Kind::Mate(3)), vote("two", even)];
    assert_eq!(winner_after(&ballot("g", true, votes)), None);
}

#[test]
fn what_is_too_little_is_said() {
    let (mut log, _) = log(3);
    log.ballots[0].votes.truncate(1);
    let lesson = learn(&log);
    assert!(lesson.curves.is_empty());
    assert_eq!(
        lesson.left_out,
        [("one", 12), ("two", 11)].map(|(engine, votes)| {
            let why = format!("{votes} scores are too few; 50 are the least");
            (engine.to_owned(), why)
        })
    );
    assert_eq!(learn(&Log::default()), Lesson::default());
}

#[test]
fn games_that_all_ended_alike_and_games_that_were_broken_off_teach_nothing() {
    let mut log = Log::default();
    for ply in 0..60 {
        let votes = vec![vote("one", Kind::Cp(100 + ply))];
        log.ballots.push(ballot("game-0", true, votes));
    }
    log.results.push(result(0, Winner::Black));
    let lesson = learn(&log);
    assert_eq!((lesson.games, lesson.curves.len()), (1, 0));
    let [(engine, why)] = &lesson.left_out[..] else {
        panic!("{lesson:?}")
    };
    assert!(
        engine == "one" && why.contains("all won, or all lost"),
        "{why}"
    );

    log.results[0].winner = Winner::Draw;
    assert_eq!(
        learn(&log).games,
        0,
        "the GUI says so of games that were broken off"
    );
    log.results[0].reason = "repetition".to_owned();
    assert_eq!(learn(&log).games, 1);
}
