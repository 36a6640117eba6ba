//! The search on real middlegames, with debug assertions on.

use monju_engine::{
    Answer, Bound, Control, EnteringKingRule, EvaluatorKind, Game, GameRules, Limits, Line, Model,
    Move, Player, PlayerSettings, Score, SearchOption, SearchOptions,
};
use std::{fs, path::Path};

/// Regression test: a killer move of a sibling may start from an empty square, and a test for noisy
/// moves before the test for legality once panicked there.
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

#[test]
fn a_mate_is_reported_with_its_whole_line() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/mate/mates.tsv");
    let text = fs::read_to_string(path).expect("the problems");
    let limits = Limits {
        nodes: Some(10_000),
        ..Limits::default()
    };
    let mut player = Player::new(PlayerSettings {
        hash_mib: 4,
        ..PlayerSettings::default()
    })
    .expect("good settings");
    let mut mates = 0;
    for problem in text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .step_by(20)
    {
        let sfen = problem.split('\t').next().expect("a position");
        let game = Game::from_usi(&format!("sfen {sfen}")).expect("a legal position");
        player.new_game(1);
        let line = player
            .think(&game, &limits, &Control::new(), &mut |_| {})
            .line;
        let Score::Mate(plies) = line.score else {
            continue;
        };
        mates += 1;
        assert_eq!(plies, line.pv.len() as i32, "{line:?} of {sfen}");
        let mut end = game;
        for mv in line.pv {
            end.play(mv).unwrap();
        }
        assert!(end.legal_moves().is_empty(), "{sfen}");
    }
    assert!(mates > 80, "{mates} mates");
}

/// The time policy must know of a failing best move before another one is found.
#[test]
fn a_failing_best_move_is_reported_before_the_search_goes_on() {
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
        let mut progress = |line: &Line| {
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
        let outcome = player.think(&game, &limits, &Control::new(), &mut progress);
        assert_eq!(outcome.line.bound, Bound::Exact, "{line}");
    }
    assert!(falls > 0);
}

/// A GUI ponders on the second move of the last line, which a limit may end at any moment.
#[test]
fn a_move_that_fails_keeps_the_reply_of_its_last_line() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/openings/taya_36ply.sfen");
    let text = fs::read_to_string(path).expect("the openings");
    let (mut rises, mut falls) = (0, 0);
    for line in text.lines().step_by(100) {
        let game = Game::from_usi(line).expect("a legal opening");
        let mut player = Player::new(PlayerSettings {
            hash_mib: 16,
            ..PlayerSettings::default()
        })
        .expect("good settings");
        let limits = Limits {
            nodes: Some(50_000),
            ..Limits::default()
        };
        let mut before: Vec<Move> = Vec::new();
        let mut progress = |line: &Line| {
            if line.bound != Bound::Exact && before.starts_with(&line.pv) {
                assert_eq!(line.pv, before);
                rises += i32::from(line.bound == Bound::Lower);
                falls += i32::from(line.bound == Bound::Upper);
            }
            before.clone_from(&line.pv);
        };
        player.think(&game, &limits, &Control::new(), &mut progress);
    }
    assert!(rises > 0 && falls > 0);
}

/// The mates are much longer than the depth of so few nodes.
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

/// Returns the reports of a search, by which different searches are distinguished.
fn reports(search: &str, position: &str) -> Vec<(u32, u64, Score)> {
    let mut player = Player::new(PlayerSettings {
        evaluator: Model::embedded(EvaluatorKind::Material).expect("values"),
        hash_mib: 4,
        search: search.parse().expect("a search option"),
        ..PlayerSettings::default()
    })
    .expect("good settings");
    let game = Game::from_usi(position).expect("a position");
    let limits = Limits {
        nodes: Some(12_000),
        ..Limits::default()
    };
    let mut reports = Vec::new();
    let outcome = player.think(&game, &limits, &Control::new(), &mut |line| {
        reports.push((line.depth, line.nodes, line.score));
    });
    let Answer::Move(mv) = outcome.answer else {
        panic!("{:?} with {search}", outcome.answer);
    };
    assert!(game.is_legal(mv), "{mv} with {search}");
    reports
}

/// Every option changes a short search on one thread, except those for several threads, virtual
/// players or searches.
#[test]
fn every_search_option_changes_the_search() {
    const ELSEWHERE: [&str; 5] = [
        "split_depth",
        "split_early",
        "split_patience",
        "split_waiting",
        "table_persistence",
    ];
    /// Numbers that only longer searches read, with the feature `tuning`.
    const DEEP: [&str; 4] = [
        "aspiration_open",
        "null_move_verified",
        "reduction_tt_pv_depth_cut",
        "singular_not_singular",
    ];
    /// Options that switch on a part that is off by default, so that its numbers matter.
    const OFF: [(&str, &[&str]); 1] = [("mate_search_", &["mate_search=2", "mate_search_depth=3"])];
    // Two middlegames, an endgame, and a mate in 7.
    let positions = [
        "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
        "ln1gk1snl/6gb1/p2p1pppp/1rP1p4/9/1SpP1P3/PP2PSP1P/2GS3R1/LN2KG1NL b Pbp 55",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "ln1r3n1/4g4/p1p1p1sk1/1p1p5/P4N1G1/2PS5/1PNPPP2+l/3Gb1G2/LKb2r+p2 w 2S2Pl4p 94",
    ];
    let mut idle = Vec::new();
    for SearchOption { name, range, .. } in SearchOptions::all() {
        let switched_on = OFF.iter().find(|(part, _)| name.starts_with(part));
        let others = switched_on.map_or(&[][..], |(_, others)| others);
        let own = format!("{name}=");
        let others = others.iter().filter(|other| !other.starts_with(&own));
        let others: String = others.map(|other| format!("{other},")).collect();
        let changes = positions.iter().any(|position| {
            let reports_at = |value: i32| reports(&format!("{others}{name}={value}"), position);
            let low = *range.start();
            let [least, more, most] = [low, low + 1, *range.end()].map(reports_at);
            least != more || more != most
        });
        if changes == ELSEWHERE.contains(&name) && !DEEP.contains(&name) {
            idle.push(name);
        }
    }
    assert!(idle.is_empty(), "{idle:?}");
}

/// Two plies deep, White seems to be ahead by far more than it can keep.
#[test]
fn a_leaf_that_cannot_keep_its_material_is_searched_deeper() {
    let position = "l7l/6gk1/3pp1g2/p1pssP1pp/3n2B2/P1PBS1PPP/5GN2/2+r3GK1/LN2R3L w 4Psn2p 76";
    let score = |options, depth| {
        let text = format!("sfen {position}");
        match searched_with(options, &text, GameRules::default(), depth).1 {
            Score::Cp(score) => score,
            mate => panic!("{mate:?}"),
        }
    };
    assert!(score("", 2) > 1_000);
    assert!(score("danger=4000", 2) < 600);
    assert!(score("", 5) < 600);
}

fn searched(text: &str, rules: GameRules, depth: u32) -> (Answer, Score) {
    searched_with("", text, rules, depth)
}

fn searched_with(options: &str, text: &str, rules: GameRules, depth: u32) -> (Answer, Score) {
    let game = Game::from_usi(text).expect("a game").with_rules(rules);
    let mut player = Player::new(PlayerSettings {
        evaluator: Model::embedded(EvaluatorKind::Material).expect("values"),
        search: options.parse().expect("options"),
        hash_mib: 4,
        ..PlayerSettings::default()
    })
    .expect("good settings");
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let outcome = player.think(&game, &limits, &Control::new(), &mut |_| {});
    (outcome.answer, outcome.line.score)
}

#[test]
fn a_game_is_drawn_by_its_maximum_of_plies_unless_the_last_one_mates() {
    let most = |plies| GameRules {
        maximum_plies: std::num::NonZeroU32::new(plies),
        ..GameRules::default()
    };
    // Black has a rook more.
    let ahead = "sfen 4k4/9/9/9/9/9/9/9/4K3R b - 11";
    for plies in [0, 300] {
        let (_, score) = searched(ahead, most(plies), 4);
        assert!(matches!(score, Score::Cp(500..)), "{plies}: {score:?}");
    }
    for plies in [11, 12] {
        assert_eq!(searched(ahead, most(plies), 4).1, Score::Cp(0), "{plies}");
    }
    let worth = |plies| GameRules {
        draw_values: [-50, 30],
        ..most(plies)
    };
    assert_eq!(searched(ahead, worth(12), 4).1, Score::Cp(-50));
    let behind = "sfen 4k4/9/9/9/9/9/9/9/4K3R w - 12";
    assert_eq!(searched(behind, worth(13), 4).1, Score::Cp(30));
    // A mate in one, and one in three.
    let in_one = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 11";
    assert_eq!(searched(in_one, most(11), 4).1, Score::Mate(1));
    let in_three = "sfen 4k4/9/9/4P4/9/9/9/9/4K4 b RG2S 11";
    let Score::Mate(length) = searched(in_three, most(0), 8).1 else {
        panic!("no mate");
    };
    assert!(length > 1, "{length}");
    let length = u32::try_from(length).expect("a mate by Black");
    assert_eq!(searched(in_three, most(10 + length - 1), 8).1, Score::Cp(0));
    assert_eq!(
        searched(in_three, most(10 + length), 8).1,
        Score::Mate(length as i32)
    );
}

#[test]
fn the_search_sees_a_try_coming() {
    let rules = GameRules {
        entering_king: EnteringKingRule::TryRule,
        ..GameRules::default()
    };
    let (answer, score) = searched("sfen 9/4K4/9/9/9/9/9/9/4k4 b - 1", rules, 4);
    assert_eq!(answer.to_string(), "5b5a");
    assert_eq!(score, Score::Mate(1));
    // From the third rank every way is one move longer; Black is first.
    let (_, score) = searched("sfen 9/9/4K4/9/9/9/4k4/9/9 b - 1", rules, 6);
    assert!(
        matches!(score, Score::Mate(length) if length > 0),
        "{score:?}"
    );
}

#[test]
fn a_try_may_answer_a_check() {
    let rules = GameRules {
        entering_king: EnteringKingRule::TryRule,
        ..GameRules::default()
    };
    // White cannot keep the king from 5a; the rook's check on 1b puts nothing off.
    let (_, score) = searched("sfen 8p/4K4/9/9/9/9/9/4p4/k7r w - 1", rules, 4);
    assert_eq!(score, Score::Mate(-2));
    // G*3i would mate, but for the king's way to 5i.
    let text = "sfen K5R2/9/9/9/9/9/9/R8/2G2k3 b 2G 1";
    let (answer, _) = searched(text, GameRules::default(), 4);
    assert!(try_after(text, answer), "a mate by the other rules");
    let (answer, _) = searched(text, rules, 4);
    assert!(!try_after(text, answer), "{answer}");
}

/// Tells whether the side to move wins by the try rule after a move.
fn try_after(text: &str, answer: Answer) -> bool {
    let mut game = Game::from_usi(text).expect("a game");
    let Answer::Move(mv) = answer else {
        panic!("{answer} is no move");
    };
    game.play(mv).expect("a legal move");
    let position = game.position();
    position.winning_try(EnteringKingRule::TryRule).is_some()
}
