//! Tests of replaying ballots.

use super::*;
use crate::record::read::Log;
use monju_proto::v1::{
    Arrival, Bound, Line, PlayerInfo, Position, Score, TieBreak, Vote, score::Kind,
};
use std::path::Path;

fn vote(name: &str, sigma: f64, mv: &str, cp: i32) -> Vote {
    Vote {
        player: Some(PlayerInfo {
            name: name.to_owned(),
            engine: "monju".to_owned(),
            evaluator: "material".to_owned(),
            sigma,
            ..PlayerInfo::default()
        }),
        line: Some(Line {
            r#move: mv.to_owned(),
            score: Some(Score {
                kind: Some(Kind::Cp(cp)),
                bound: Bound::Exact.into(),
            }),
            ..Line::default()
        }),
        arrival: Arrival::Final.into(),
        legal: true,
        counted: true,
        ..Vote::default()
    }
}

fn ballot(id: u64, mv: &str, votes: Vec<Vote>) -> Ballot {
    Ballot {
        id,
        game_id: "game".to_owned(),
        position: Some(Position {
            start: "startpos".to_owned(),
            moves: Vec::new(),
            ..Position::default()
        }),
        seed: 1,
        votes,
        decision: Some(Decision {
            r#move: mv.to_owned(),
            rule: "majority".to_owned(),
            tie_break: TieBreak::None.into(),
            ..Decision::default()
        }),
        ..Ballot::default()
    }
}

/// Three ballots: an agreement, a vote of two against one, and a decision by the rules of the game.
fn ballots() -> Vec<Ballot> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/replay/three-ballots.jsonl");
    Log::read([path.as_path()]).expect("a log").ballots
}

#[test]
fn the_recorded_rule_changes_nothing() {
    let report = Replay::default().run(&ballots());
    assert_eq!((report.ballots, report.voted), (3, 2));
    assert!(report.changes.is_empty());
    assert_eq!(report.recorded_rules["majority"], 3);
    assert_eq!(report.grounds["none"], 2);
}

#[test]
fn another_rule_changes_decisions() {
    let replay = Replay {
        rule: Some(Rule::Optimistic),
        ..Replay::default()
    };
    let report = replay.run(&ballots());
    assert_eq!(report.changes.len(), 1);
    let change = &report.changes[0];
    assert_eq!(
        (change.id, &*change.recorded, &*change.replayed),
        (2, "7g7f", "2g2f")
    );
    assert_eq!(report.would_change["optimistic"], 1);
    assert_eq!(report.would_change["majority"], 0);
    let followed = |member: usize| {
        let member = &report.members[member];
        (member.votes, member.followed_as_recorded, member.followed)
    };
    assert_eq!([0, 1, 2].map(followed), [(2, 2, 1), (2, 1, 2), (2, 2, 1)]);
}

#[test]
fn another_primary_changes_decisions() {
    let replay = |primary| Replay {
        rule: Some(Rule::Single),
        primary,
    };
    let changes = |primary| replay(primary).run(&ballots()).changes.len();
    assert_eq!(changes(Primary::AsRecorded), 0, "the first player's move");
    assert_eq!(changes(Primary::Named("b".to_owned())), 1);
}

#[test]
fn a_lead_is_handed_over_within_a_game() {
    let votes = |of_a: i32| {
        vec![
            vote("a", 25.0, "7g7f", of_a),
            vote("b", 25.0, "2g2f", 0),
            vote("c", 50.0, "2g2f", 0),
        ]
    };
    let mut ballots: Vec<Ballot> = (1..)
        .zip([100, 0, -250, 300])
        .map(|(id, of_a)| ballot(id, "2g2f", votes(of_a)))
        .collect();
    let mut other = ballot(5, "2g2f", votes(-900));
    other.game_id = "another".to_owned();
    ballots.push(other);
    let replay = Replay {
        rule: Some(Rule::HandOver),
        ..Replay::default()
    };
    let led_by_a: Vec<u64> = replay.run(&ballots).changes.iter().map(|c| c.id).collect();
    assert_eq!(led_by_a, [1, 2, 5], "b leads after the drop of a's score");
}

#[test]
fn agreement_and_diversity_are_counted() {
    let report = Replay::default().run(&ballots());
    let row = |index: usize| report.agreement[index].clone();
    assert_eq!(row(0), [Some(1.0), Some(0.5), Some(1.0)]);
    assert_eq!(row(1), [Some(0.5), Some(1.0), Some(0.5)]);
    let [all, quiet] = &report.diversity[..] else {
        panic!("one noise has one player only: {:?}", report.diversity)
    };
    assert_eq!((all.sigma, all.players, all.mean), (None, 3.0, 1.5));
    assert_eq!((quiet.sigma, quiet.players), (Some(25.0), 2.0));
    assert_eq!(all.ballots[..3], [1, 1, 0]);
}

#[test]
fn ballots_of_a_rule_that_is_not_known_are_counted_by_its_name_alone() {
    let mut unknown = ballots();
    for ballot in &mut unknown {
        if let Some(decision) = &mut ballot.decision {
            decision.rule = "of-a-later-version".to_owned();
        }
    }
    let report = Replay::default().run(&unknown);
    assert_eq!((report.ballots, report.voted), (3, 0));
    assert!(report.would_change.values().all(|&count| count == 0));
    assert_eq!(report.recorded_rules["of-a-later-version"], 3);
    let rule = Some(Rule::Optimistic);
    let again = Replay {
        rule,
        ..Replay::default()
    }
    .run(&unknown);
    assert_eq!((again.voted, again.would_change["optimistic"]), (2, 1));
}

#[test]
fn empty_logs_give_an_empty_report() {
    let report = Replay::default().run(&[]);
    assert_eq!((report.ballots, report.voted), (0, 0));
    assert!(report.members.is_empty() && report.diversity.is_empty());
}
