//! The search on real middlegames, with debug assertions on.

use monju_engine::{
    Answer, Bound, Control, EvaluatorKind, Game, Limits, Line, Model, Player, PlayerSettings, Score,
};
use std::{fs, path::Path};

/// A killer move of a sibling may stand on a square that is empty here: asking whether it is noisy
/// before asking whether it is legal once ended the search.
#[test]
fn middlegames_are_searched_to_the_end() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/openings/taya_36ply.sfen");
    let text = fs::read_to_string(path).expect("the openings");
    for line in text.lines().step_by(25) {
        let game = Game::from_usi(line).expect("a legal opening");
        let mut player = Player::new(PlayerSettings {
            sigma: 50.0,
            hash_mib: 16,
            ..PlayerSettings::default()
        })
        .expect("good settings");
        player.new_game(1);
        let limits = Limits {
            nodes: Some(100_000),
            ..Limits::default()
        };
        let outcome = player.think(&game, &limits, &Control::new(), &mut |_| {});
        let Answer::Move(mv) = outcome.answer else {
            panic!("{:?} in {line}", outcome.answer);
        };
        assert!(game.legal_moves().contains(&mv), "{mv} in {line}");
        assert_eq!(outcome.line.pv.first(), Some(&mv), "{line}");
        let mut played = game.clone();
        for mv in outcome.line.pv {
            played
                .play(mv)
                .unwrap_or_else(|error| panic!("{error}: {line}"));
        }
    }
}

/// The clock has to know that the best move is in trouble before another one is found.
#[test]
fn a_best_move_that_falls_is_told_before_the_search_goes_on() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/openings/taya_36ply.sfen");
    let text = fs::read_to_string(path).expect("the openings");
    let mut falls = 0;
    for line in text.lines().step_by(100) {
        let game = Game::from_usi(line).expect("a legal opening");
        let mut player = Player::new(PlayerSettings {
            evaluator: Model::embedded(EvaluatorKind::Material).expect("values"),
            hash_mib: 16,
            ..PlayerSettings::default()
        })
        .expect("good settings");
        let limits = Limits {
            depth: Some(10),
            ..Limits::default()
        };
        let mut before: Option<Line> = None;
        let mut hear = |line: &Line| {
            if line.bound == Bound::Upper {
                let before = before.as_ref().expect("an iteration that ended");
                assert_eq!(line.pv.first(), before.pv.first());
                let [Score::Cp(now), Score::Cp(then)] = [line.score, before.score] else {
                    return;
                };
                assert!(now < then || before.bound == Bound::Upper, "{now} {then}");
                falls += 1;
            }
            before = Some(line.clone());
        };
        let outcome = player.think(&game, &limits, &Control::new(), &mut hear);
        assert_eq!(outcome.line.bound, Bound::Exact, "{line}");
    }
    assert!(falls > 0);
}

/// Far beyond the depth that so few nodes come to.
#[test]
fn long_mates_are_found() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/mate/mates.tsv");
    let text = fs::read_to_string(path).expect("the problems");
    let problems = text.lines().filter(|line| line.ends_with("\t11"));
    let mut player = Player::new(PlayerSettings {
        hash_mib: 16,
        ..PlayerSettings::default()
    })
    .expect("good settings");
    let (mut found, mut all) = (0, 0);
    for line in problems.step_by(8) {
        let sfen = line.split('\t').next().unwrap_or_default();
        let game = Game::from_usi(&format!("sfen {sfen}")).expect("a position");
        player.new_game(1);
        let limits = Limits {
            nodes: Some(50_000),
            ..Limits::default()
        };
        let outcome = player.think(&game, &limits, &Control::new(), &mut |_| {});
        assert!(outcome.line.nodes <= 50_000, "{sfen}");
        found += usize::from(matches!(outcome.line.score, Score::Mate(plies) if plies > 0));
        all += 1;
    }
    assert!(found * 10 >= all * 6, "{found} of {all}");
}
