//! The output of a consultation.

use super::*;
use monju_proto::v1::{Decision, Line, PlayerInfo, Score, Tally, Vote, WorkerStatus, score::Kind};

fn vote(name: &str, mv: &str, kind: Kind, arrival: Arrival) -> Vote {
    Vote {
        player: Some(PlayerInfo {
            name: name.to_owned(),
            engine: "monju".to_owned(),
            evaluator: "material".to_owned(),
            sigma: 50.0,
            worker: "worker".to_owned(),
            ..PlayerInfo::default()
        }),
        line: Some(Line {
            r#move: mv.to_owned(),
            score: Some(Score {
                kind: Some(kind),
                bound: 1,
            }),
            depth: 9,
            nodes: 1_234_567,
            time_ms: 980,
            pv: vec![mv.to_owned(), "3c3d".to_owned()],
            ..Line::default()
        }),
        arrival: arrival.into(),
        arrived_ms: 981,
        legal: true,
        counted: true,
        noise_seed: Some(2748),
        ..Vote::default()
    }
}

fn ballot() -> Ballot {
    let mut foreign = vote("gpsusi", "2g2f", Kind::Mate(7), Arrival::Provisional);
    foreign.noise_seed = None;
    let player = foreign.player.as_mut().expect("a player");
    player.engine = "gpsshogi".to_owned();
    player.evaluator = String::new();
    let silent = Vote {
        player: Some(PlayerInfo {
            name: "fairy".to_owned(),
            engine: "Fairy-Stockfish".to_owned(),
            ..PlayerInfo::default()
        }),
        arrival: Arrival::Failed.into(),
        failure: "worker attic is not connected: refused".to_owned(),
        ..Vote::default()
    };
    Ballot {
        id: 1,
        seed: 1,
        votes: vec![
            vote("monju-1", "7g7f", Kind::Cp(-42), Arrival::Final),
            vote("monju-2", "7g7f", Kind::Cp(105), Arrival::Final),
            foreign,
            silent,
        ],
        tally: vec![
            Tally {
                r#move: "7g7f".to_owned(),
                votes: 2,
            },
            Tally {
                r#move: "2g2f".to_owned(),
                votes: 1,
            },
        ],
        decision: Some(Decision {
            r#move: "7g7f".to_owned(),
            ponder: "3c3d".to_owned(),
            rule: "majority".to_owned(),
            tie_break: TieBreak::None.into(),
            elapsed_ms: 1_002,
            win_rate: None,
            book: false,
        }),
        ..Ballot::default()
    }
}

#[test]
fn the_table() {
    let expected = "\
position  startpos

player   made of          move                score  depth      nodes     time  arrival
monju-1  σ=50 seed=2748   7g7f  ▲７六歩(77)     -42      9  1,234,567  0.980 s  final
monju-2  σ=50 seed=2748   7g7f  ▲７六歩(77)    +105      9  1,234,567  0.980 s  final
gpsusi   gpsshogi         2g2f  ▲２六歩(27)  mate 7      9  1,234,567  0.980 s  provisional
fairy    Fairy-Stockfish  -                       -      -          -        -  failed

fairy: worker attic is not connected: refused
tally     7g7f ▲７六歩(77) 2, 2g2f ▲２六歩(27) 1
line      ▲７六歩(77) △３四歩(33)
decision  7g7f ▲７六歩(77) by majority: 2 of 3 votes; 1.002 s
";
    assert_eq!(table::render(&Game::startpos(), &ballot(), None), expected);
}

#[test]
fn columns_without_room_on_the_terminal_are_left_out() {
    let headings = |columns| {
        let text = table::render(&Game::startpos(), &ballot(), Some(columns));
        let rows: Vec<&str> = text.lines().skip(2).take(5).collect();
        let widest = rows
            .iter()
            .map(|row| console::measure_text_width(row))
            .max();
        assert!(columns < 47 || widest <= Some(columns), "{text}");
        rows[0].split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let whole = "player made of move score depth nodes time arrival";
    assert_eq!(headings(91), whole);
    assert_eq!(headings(80), whole.replace("made of ", ""));
    assert_eq!(headings(65), "player move score depth time arrival");
    assert_eq!(headings(60), "player move score depth arrival");
    for narrow in [50, 20] {
        assert_eq!(headings(narrow), "player move score arrival");
    }
}

#[test]
fn what_the_rules_decide_is_not_said_of_the_vote() {
    let game = Game::from_usi("sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1").expect("a position");
    let mated = Ballot {
        decision: Some(Decision {
            r#move: "resign".to_owned(),
            rule: "majority".to_owned(),
            tie_break: TieBreak::Rules.into(),
            elapsed_ms: 2,
            ..Decision::default()
        }),
        ..Ballot::default()
    };
    let text = table::render(&game, &mated, None);
    assert!(
        text.ends_with("decision  resign: mated; 0.002 s\n"),
        "{text}"
    );
}

#[test]
fn a_standing_fits_into_the_terminal() {
    let game = Game::startpos();
    let mut standing = ballot();
    standing.decision = None;
    let lead = "\
tally     7g7f ▲７六歩(77) 2, 2g2f ▲２六歩(27) 1
line      ▲７六歩(77) △３四歩(33)
";
    let whole = table::standing(&game, &standing, (24, 200));
    assert!(
        whole.starts_with("player ") && whole.ends_with(lead),
        "{whole}"
    );
    assert!(whole.lines().count() < 24);
    assert_eq!(table::standing(&game, &standing, (8, 200)), lead);
    assert_eq!(table::standing(&game, &Ballot::default(), (24, 200)), "");
}

#[test]
fn the_json() {
    let text =
        serde_json::to_string(&BallotRecord::of(&Game::startpos(), &ballot())).expect("JSON");
    let object: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(object["position"], "startpos");
    let first = &object["votes"][0];
    assert_eq!(first["player"], "monju-1");
    assert_eq!(first["move"], "7g7f");
    assert_eq!(first["score"], serde_json::json!({ "cp": -42 }));
    assert_eq!(first["pv"], serde_json::json!(["7g7f", "3c3d"]));
    assert_eq!(first["arrival"], "final");
    assert_eq!(
        (&first["depth"], &first["nodes"], &first["time_ms"]),
        (&9.into(), &1_234_567.into(), &980.into())
    );
    assert_eq!(
        (&first["legal"], &first["counted"]),
        (&true.into(), &true.into())
    );
    assert_eq!(
        object["votes"][2]["score"],
        serde_json::json!({ "mate": 7 })
    );
    assert_eq!(object["votes"][3]["move"], serde_json::Value::Null);
    assert_eq!(
        object["tally"].to_string(),
        r#"{"7g7f":2,"2g2f":1}"#,
        "most votes first"
    );
    let decision = &object["decision"];
    assert_eq!(decision["move"], "7g7f");
    assert_eq!(decision["rule"], "majority");
    assert_eq!(decision["tie_break"], "none");
    assert_eq!(decision["elapsed_ms"], 1_002);
}

#[test]
fn a_ballot_without_votes_says_why() {
    let lost = WorkerStatus {
        name: "attic".to_owned(),
        address: "http://attic:7411".to_owned(),
        failure: "refused".to_owned(),
        ..WorkerStatus::default()
    };
    let roster = RosterResponse {
        workers: vec![lost],
        ..RosterResponse::default()
    };
    assert_eq!(
        why_no_votes(&Ballot::default(), &roster, &[]),
        "no player has a vote: worker http://attic:7411 is not connected: refused"
    );
    let mut late = ballot();
    late.votes.truncate(1);
    late.votes[0].arrival = Arrival::Late.into();
    late.votes[0].counted = false;
    assert_eq!(
        why_no_votes(
            &late,
            &RosterResponse::default(),
            &["attic is slow".to_owned()]
        ),
        "no player has a vote: monju-1 is late; give it more time; attic is slow"
    );
}

#[test]
fn the_last_votes_of_players_that_were_all_lost_are_told() {
    let lost = Vote {
        counted: true,
        failure: "connection refused".to_owned(),
        ..vote("one", "7g7f", Kind::Cp(10), Arrival::Failed)
    };
    let ballot = Ballot {
        votes: vec![lost],
        ..Ballot::default()
    };
    let text = why_no_votes(&ballot, &RosterResponse::default(), &[]);
    let expected =
        "all players were lost: one was lost after its vote for 7g7f: connection refused";
    assert_eq!(text, expected);
}
