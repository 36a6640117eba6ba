//! An ensemble of three different programs.

use monju_tests::{
    alone,
    command::json_of,
    data::{assert_legal, config, opening},
    foreign::{fairy_stockfish, gpsusi},
};
use std::collections::BTreeSet;

#[test]
fn three_programs_vote_on_five_middlegame_positions() {
    let _alone = alone();
    if gpsusi().is_none() || fairy_stockfish().is_none() {
        return;
    }
    let config = config("heterogeneous.toml");
    let config = config.to_str().expect("a path in UTF-8");
    let mut engines = BTreeSet::new();
    for index in [0, 100, 200, 300, 400] {
        let position = opening(index);
        let ballot = json_of(&[
            "consult", &position, "--config", config, "--time", "3000", "--json",
        ]);
        let votes = ballot["votes"].as_array().expect("votes");
        assert_eq!(votes.len(), 3, "{ballot}");
        for vote in votes {
            let arrival = vote["arrival"].as_str();
            assert!(matches!(arrival, Some("final" | "provisional")), "{vote}");
            assert_eq!(vote["counted"], true, "{vote}");
            assert_legal(&position, vote["move"].as_str().expect("a move"));
            assert!(
                vote["nodes"].as_u64().is_some_and(|nodes| nodes > 0),
                "{vote}"
            );
            assert!(
                vote["depth"].as_u64().is_some_and(|depth| depth > 0),
                "{vote}"
            );
            engines.insert(vote["player"].as_str().expect("a name").to_owned());
        }
        let decision = ballot["decision"]["move"].as_str().expect("a decision");
        assert_legal(&position, decision);
    }
    assert_eq!(engines.len(), 3, "{engines:?}");
}
