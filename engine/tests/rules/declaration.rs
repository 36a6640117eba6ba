//! Declaration of a win with an entering king, by the 27-point rule.

use crate::support::{data, game, objects};

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
