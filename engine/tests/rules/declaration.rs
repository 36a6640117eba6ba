//! Wins by an entering king.

use crate::support::{data, game, objects};
use monju_engine::{EnteringKingRule, Game, GameRules};

fn under(rule: EnteringKingRule, sfen: &str) -> Game {
    game(sfen).with_rules(GameRules {
        entering_king: rule,
        ..GameRules::default()
    })
}

#[test]
fn a_win_may_be_declared_exactly_by_the_27_point_rule() {
    let vectors = objects(&data("rules/declaration.jsonl"));
    assert_eq!(vectors.len(), 22);
    let mut handicap_games = 0;
    for vector in &vectors {
        let id = vector["id"].as_str().expect("an id");
        let sfen = vector["sfen"].as_str().expect("a sfen");
        // The source credits the upper side of a handicap game with the missing pieces. Monju uses
        // the rule of the even game, which does not.
        let verified = vector["verified"].as_bool().expect("a flag");
        let expected = if verified {
            &vector["expect27"]
        } else {
            handicap_games += 1;
            &vector["oracle27"]
        };
        assert_eq!(
            game(sfen).can_declare_win(),
            expected.as_bool().expect("a verdict"),
            "{id}: {sfen}"
        );
    }
    assert_eq!(handicap_games, 5);
}

#[test]
fn the_rule_for_handicap_games_credits_white_with_the_missing_pieces() {
    let vectors = objects(&data("rules/declaration.jsonl"));
    // The rows that are not verified are those of handicap games.
    for vector in vectors.iter().filter(|vector| vector["verified"] == false) {
        let sfen = vector["sfen"].as_str().expect("a sfen");
        let is_win = |rule| under(rule, sfen).can_declare_win();
        let by_27_points = is_win(EnteringKingRule::CSARule27H);
        assert_eq!(Some(by_27_points), vector["expect27"].as_bool(), "{sfen}");
        let by_24_points = is_win(EnteringKingRule::CSARule24H);
        assert_eq!(by_24_points, vector["expect24"] == "win", "{sfen}");
    }
    // In an even game nobody is credited with anything.
    let mut white_lacks_a_point = false;
    for vector in vectors.iter().filter(|vector| vector["verified"] == true) {
        let sfen = vector["sfen"].as_str().expect("a sfen");
        for (credited, plain) in [
            (EnteringKingRule::CSARule27H, EnteringKingRule::CSARule27),
            (EnteringKingRule::CSARule24H, EnteringKingRule::CSARule24),
        ] {
            let is_win = |rule| under(rule, sfen).can_declare_win();
            assert_eq!(is_win(credited), is_win(plain), "{credited}: {sfen}");
        }
        white_lacks_a_point |= sfen.contains(" w ") && vector["points_white"] == 26;
    }
    assert!(white_lacks_a_point);
}

#[test]
fn by_the_24_point_rule_31_points_win() {
    let mut wins = 0;
    for vector in &objects(&data("rules/declaration.jsonl")) {
        let sfen = vector["sfen"].as_str().expect("a sfen");
        let expected = vector["oracle24"] == "win";
        wins += u32::from(expected);
        let is_win = under(EnteringKingRule::CSARule24, sfen).can_declare_win();
        assert_eq!(is_win, expected, "{sfen}");
        assert!(!under(EnteringKingRule::NoEnteringKing, sfen).can_declare_win());
        assert!(!under(EnteringKingRule::TryRule, sfen).can_declare_win());
    }
    assert!(wins > 0);
}

#[test]
fn a_try_wins_where_the_king_is_safe() {
    for (sfen, expected) in [
        ("9/4K4/9/9/9/9/9/9/4k4 b - 1", Some("5b5a")),
        ("9/4K4/9/9/9/9/9/9/4k4 w - 1", None),
        ("4K4/9/9/9/9/9/9/4k4/9 w - 2", Some("5h5i")),
        // The square is guarded, taken, too far away, or the king's already.
        ("3g5/4K4/9/9/9/9/9/9/4k4 b - 1", None),
        ("4G4/4K4/9/9/9/9/9/9/4k4 b - 1", None),
        ("9/9/4K4/9/9/9/9/9/4k4 b - 1", None),
        ("4K4/9/9/9/9/9/9/9/4k4 b - 1", None),
    ] {
        let mv = under(EnteringKingRule::TryRule, sfen).winning_try();
        assert_eq!(mv.map(|mv| mv.to_string()).as_deref(), expected, "{sfen}");
        assert_eq!(game(sfen).winning_try(), None);
    }
}
