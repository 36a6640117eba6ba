//! Tests of what is kept out, and of the players that go on beside an offender.

use super::*;
use crate::{
    roster::Roster,
    testing::{FakeWorker, PlayerStep},
};
use monju_proto::v1::{Score, Setting};
use std::time::Duration;

fn honest() -> PlayerInfo {
    PlayerInfo {
        name: "monju-1".to_owned(),
        engine: "monju".to_owned(),
        evaluator: "nnue".to_owned(),
        sigma: 50.0,
        weight: Some(0.0),
        clock_share: Some(0.5),
        lanes: 16,
        settings: vec![Setting {
            name: "EvalDir".to_owned(),
            value: "/home/文殊/eval dir".to_owned(),
        }],
        ..PlayerInfo::default()
    }
}

fn told(change: impl Fn(&mut DescribeResponse, &mut PlayerInfo)) -> Result<(), Offence> {
    let (mut response, mut info) = (DescribeResponse::default(), honest());
    change(&mut response, &mut info);
    response.players.push(info);
    description(&response)
}

#[test]
fn a_worker_says_what_a_configuration_can_say() {
    type DescriptionChange = fn(&mut DescribeResponse, &mut PlayerInfo);
    assert_eq!(told(|_, _| ()), Ok(()));
    let lies: [(DescriptionChange, &str); 19] = [
        (
            |response, _| response.loading = vec!["one".to_owned(); 2],
            "2 players that load",
        ),
        (
            |all, _| all.name = "w\u{1b}[2J".to_owned(),
            "its name has control",
        ),
        (|all, _| all.name = "w".repeat(3 << 20), "3145728 bytes"),
        (|all, _| all.version = "1\n".to_owned(), "its version"),
        (|all, _| all.held_by = "\u{202e}".to_owned(), "the holder"),
        (|all, _| all.players = vec![honest(); 1_000], "1001 players"),
        (|_, info| info.name.clear(), "not one word"),
        (|_, info| info.name.push_str(" b"), "not one word"),
        (
            |_, info| info.name = "文".repeat(81),
            "the name of a player",
        ),
        (|_, info| info.engine.push('\u{7}'), "the engine of monju-1"),
        (|_, info| info.sigma = f64::NAN, "sigma of monju-1 is NaN"),
        (
            |_, info| info.weight = Some(f64::NAN),
            "weight of monju-1 is NaN",
        ),
        (|_, info| info.weight = Some(f64::INFINITY), "is inf"),
        (|_, info| info.weight = Some(1e6 + 1.0), "is 1000001"),
        (
            |_, info| info.clock_share = Some(0.0),
            "clock_share of monju-1 is 0",
        ),
        (
            |_, info| info.lanes = 17,
            "17 lanes of monju-1, of at most 16",
        ),
        (
            |_, info| info.settings = vec![Setting::default(); 501],
            "501 settings",
        ),
        (
            |_, info| {
                let value = "x".repeat(4_000);
                let name = "Style".to_owned();
                info.settings = vec![Setting { name, value }; 17];
            },
            "bytes of settings of monju-1",
        ),
        (
            |_, info| info.settings[0].value.push('\0'),
            "a setting of monju-1",
        ),
    ];
    for (lie, words) in lies {
        let offence = told(lie).expect_err(words).to_string();
        assert!(offence.contains(words) && offence.len() < 200, "{offence}");
    }
}

#[test]
fn each_virtual_player_of_a_worker_is_a_vote() {
    let lanes = |lanes| PlayerInfo { lanes, ..honest() };
    let of = |players: Vec<PlayerInfo>| DescribeResponse {
        name: "attic".to_owned(),
        players,
        ..DescribeResponse::default()
    };
    let large = of(vec![lanes(16); 16]);
    assert_eq!(votes_within(&large, MOST_VOTES_ENROLLED), Ok(()));
    let many = of([vec![lanes(16); 16], vec![lanes(0)]].concat());
    let offence = votes_within(&many, MOST_VOTES_ENROLLED).expect_err("too many");
    let words = "quarantined: 257 votes of worker attic, of at most 256";
    assert_eq!(offence.to_string(), words);
    let largest = of(vec![lanes(1); MOST_PLAYERS as usize]);
    assert_eq!(votes_within(&largest, MOST_VOTES_LISTED), Ok(()));
}

#[test]
fn a_line_is_what_a_search_can_say() {
    let of = |change: fn(&mut Line)| {
        let mut told = Line {
            r#move: "7g7f".to_owned(),
            pv: vec!["7g7f".to_owned(), "8b2b+".to_owned()],
            depth: 30,
            ..Line::default()
        };
        change(&mut told);
        line(&told)
    };
    assert_eq!(of(|_| ()), Ok(()));
    assert_eq!(of(|line| line.r#move = "resign".to_owned()), Ok(()));
    type LineChange = fn(&mut Line);
    let lies: [(LineChange, &str); 8] = [
        (|line| line.r#move = "\u{1b}[2J".to_owned(), "is no move"),
        (|line| line.pv[1] = "x".repeat(1 << 20), "is no move"),
        (
            |line| line.pv = vec!["7g7f".to_owned(); 1_025],
            "1025 moves",
        ),
        (
            |line| line.lanes = vec![Candidate::default(); 17],
            "by lane",
        ),
        (
            |line| line.candidates = vec![Candidate::default(); 594],
            "594",
        ),
        (|line| line.depth = u32::MAX, "depth"),
        (|line| line.nodes = u64::MAX, "nodes"),
        (|line| line.time_ms = u64::MAX, "time"),
    ];
    for (lie, words) in lies {
        let offence = of(lie).expect_err(words).to_string();
        assert!(offence.contains(words) && offence.len() < 200, "{offence}");
    }
}

#[test]
fn scores_are_brought_into_their_range() {
    let score = |kind| Score {
        kind: Some(kind),
        ..Score::default()
    };
    for (said, kept) in [
        (Kind::Cp(i32::MIN), Kind::Cp(-1_000_000)),
        (Kind::Cp(32_600), Kind::Cp(32_600)),
        (Kind::Mate(i32::MIN), Kind::Mate(-1_000)),
        (Kind::Mate(i32::MAX), Kind::Mate(1_000)),
        (Kind::Mate(-7), Kind::Mate(-7)),
    ] {
        let candidate = Candidate {
            r#move: "7g7f".to_owned(),
            score: Some(score(said)),
            ..Candidate::default()
        };
        let line = line_within(Line {
            r#move: "7g7f".to_owned(),
            score: Some(score(said)),
            candidates: vec![candidate.clone()],
            lanes: vec![candidate],
            ..Line::default()
        });
        let line = line.expect("a line");
        let scores = [line.score, line.candidates[0].score, line.lanes[0].score];
        assert_eq!(scores, [Some(score(kept)); 3]);
    }
}

#[test]
fn variations_are_shortened_to_what_a_ballot_has_room_for() {
    let mv = || "7g7f".to_owned();
    let candidate = |length| Candidate {
        r#move: mv(),
        pv: vec![mv(); length],
        ..Candidate::default()
    };
    let told = |candidates, length| {
        let said = Line {
            r#move: mv(),
            pv: vec![mv(); length],
            candidates: vec![candidate(length); candidates],
            ..Line::default()
        };
        let kept = line_within(said.clone()).expect("a line");
        let lengths = kept.candidates.iter().map(|it| it.pv.len());
        (kept == said, kept.pv.len() + lengths.sum::<usize>(), kept)
    };
    // A long mate, and a ranking as analyses have it.
    for (candidates, length) in [(0, 1_024), (1, 1_024), (40, 40)] {
        assert!(told(candidates, length).0, "{candidates} of {length}");
    }
    for (candidates, length) in [(42, 1_024), (593, 30)] {
        let (same, moves, kept) = told(candidates, length);
        assert!(!same && moves <= 2_048, "{moves} of {candidates}");
        assert_eq!(kept.candidates.len(), candidates);
        assert!(kept.pv.len() >= 2, "a move and its reply");
    }
}

#[tokio::test(start_paused = true)]
async fn an_offender_is_quarantined_by_name_and_the_rest_plays_on() {
    let liar = FakeWorker::named("attic")
        .player("many", &[PlayerStep::Answer("7g7f")])
        .with_lanes(100_000);
    let (liar, _liar) = liar.link();
    let honest = FakeWorker::named("desk").player("a", &[PlayerStep::Answer("7g7f")]);
    let (honest, _honest) = honest.link();
    let roster = Roster::new(vec![liar, honest]);
    roster.settle(Duration::from_secs(3)).await;
    let players: Vec<String> = roster
        .slots()
        .into_iter()
        .map(|slot| slot.info.name)
        .collect();
    assert_eq!(players, ["a"]);
    let statuses = roster.statuses();
    assert!(statuses[1].connected);
    assert_eq!(
        (statuses[0].connected, &*statuses[0].failure),
        (false, "quarantined: 100000 lanes of many, of at most 16")
    );
}
