//! One consultation: everything that players send, in any order, up to the logged ballot.

use crate::fuzz_target::FuzzTarget;
use monju_coordinator::{
    ballot::{BallotDecision, BallotHeader, OpenBallot, lead},
    calibration::{Calibration, Curve},
    door,
    record::{
        read::Log,
        schema::{LogLine, LoggedBallot},
    },
    resignation::{Resignation, ResignationPolicy},
    voting::Rule,
};
use monju_engine::{Answer, Game};
use monju_proto::v1::{
    Arrival, Candidate, Decision, Line, PlayerInfo, Score, ThinkResponse, ThinkResult, score::Kind,
    think_response::Message as Response,
};
use monju_usi::fuzzing;
use prost::Message as _;
use std::{path::Path, sync::Arc, time::Duration};

pub const TARGET: FuzzTarget = FuzzTarget {
    name: "votes",
    run,
    corpus,
    words: &[
        "7g7f",
        "2g2f",
        "3c3d",
        "resign",
        "win",
        "0000",
        "8h2b+",
        "P*5e",
        "\u{0}\u{0}",
        "\n\u{4}7g7f",
    ],
    mutations: 8_000,
};

const POSITIONS: [&str; 4] = [
    "startpos",
    "startpos moves 7g7f 3c3d",
    // The side to move has one legal move.
    "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves G*5b",
    "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1",
];

fn corpus() -> Vec<Vec<u8>> {
    let line = |moves: &[&str], kind: Kind| Line {
        r#move: moves[0].to_owned(),
        score: Some(Score {
            kind: Some(kind),
            bound: 1,
        }),
        depth: 9,
        nodes: 1_000,
        time_ms: 20,
        pv: moves.iter().map(|mv| (*mv).to_owned()).collect(),
        candidates: ["7g7f", "2g2f"]
            .map(|mv| Candidate {
                r#move: mv.to_owned(),
                score: None,
                pv: vec![mv.to_owned()],
            })
            .to_vec(),
        ..Line::default()
    };
    let progress = |moves: &[&str], kind| Response::Progress(line(moves, kind));
    let result = |moves: &[&str], kind| {
        Response::Result(ThinkResult {
            line: Some(line(moves, kind)),
            noise_seed: Some(3),
        })
    };
    let sequences = [
        vec![
            progress(&["7g7f", "3c3d"], Kind::Cp(30)),
            progress(&["2g2f"], Kind::Cp(-5)),
            result(&["7g7f"], Kind::Cp(31)),
            result(&["2g2f", "8c8d"], Kind::Mate(9)),
            result(&["7g7f"], Kind::MateOfUnknownLength(false)),
        ],
        vec![
            result(&["resign"], Kind::Cp(-3_000)),
            result(&["win"], Kind::Cp(0)),
            result(&["9i9h"], Kind::Cp(1)),
        ],
        vec![Response::Result(ThinkResult::default())],
    ];
    let mut inputs = Vec::new();
    for (index, rule) in (0..).zip(Rule::ALL) {
        for (position, sequence) in (0..).zip(&sequences) {
            let mut input = vec![index, position, rule.name().len() as u8];
            for (player, message) in (0..).zip(sequence) {
                input.push(player);
                let message = ThinkResponse {
                    message: Some(message.clone()),
                };
                input.extend(message.encode_length_delimited_to_vec());
            }
            inputs.push(input);
        }
    }
    inputs
}

fn players() -> Vec<(PlayerInfo, u64)> {
    let player = |name: &str, lanes, sigma| PlayerInfo {
        name: name.to_owned(),
        engine: "monju".to_owned(),
        lanes,
        sigma,
        ..PlayerInfo::default()
    };
    vec![
        (player("a", 0, 50.0), 1),
        (player("b", 3, 25.0), 2),
        (player("c", 0, 0.0), 3),
    ]
}

/// Whatever the players send, the decision is one that the rules allow, the ballot can be logged and read
/// again, and the GUI hears plain lines.
fn run(bytes: &[u8]) {
    let Some((&[rule, position, seed], mut rest)) = bytes.split_first_chunk::<3>() else {
        return;
    };
    let position = POSITIONS[usize::from(position) % POSITIONS.len()];
    let game = Game::from_usi(position).expect("a game");
    let curve = Curve {
        scale: 300.0,
        offset: 0.0,
    };
    let header = BallotHeader {
        id: 1,
        game_id: "fuzz".to_owned(),
        seed: seed.into(),
        rule: Rule::ALL[usize::from(rule) % Rule::ALL.len()],
        primary: (seed % 2 == 0).then(|| "b".to_owned()),
        lead: None,
        calibration: Arc::new(Calibration::new([("monju".to_owned(), curve)])),
    };
    let players = players();
    let count = players.len();
    let mut ballot = OpenBallot::new(header, game.clone(), players);
    let mut at = Duration::ZERO;
    while let Some((player, mut behind)) = rest.split_first() {
        let Ok(response) = ThinkResponse::decode_length_delimited(&mut behind) else {
            break;
        };
        rest = behind;
        at += Duration::from_millis(1);
        let is_again = player & 0x80 != 0;
        let player = usize::from(player & 0x7f) % count;
        if is_again {
            ballot.ask_again(player);
        }
        match response.message {
            Some(Response::Progress(line)) => match door::line_within(line) {
                Ok(line) => ballot.progress(player, line, at),
                Err(offence) => {
                    ballot.fail(player, offence.to_string(), at);
                }
            },
            Some(Response::Result(result)) => match door::result(result) {
                Ok(result) => ballot.result(player, result, at),
                Err(offence) => {
                    ballot.fail(player, offence.to_string(), at);
                }
            },
            None => ballot.call_back(player),
        }
        fuzzing::ballot(&game, &ballot.standing());
    }
    let decision = match ballot.decide() {
        BallotDecision::Decided {
            mv,
            ponder,
            tie_break,
        } => {
            assert!(
                Answer::parse_allowed(&game, &mv).is_ok(),
                "{mv} in {position}"
            );
            Decision {
                r#move: mv,
                ponder,
                tie_break: tie_break.into(),
                ..Decision::default()
            }
        }
        BallotDecision::NoVotes => Decision {
            r#move: Answer::any(&game).to_string(),
            ..Decision::default()
        },
    };
    let mut closed = ballot.close(decision);
    let counted = closed.votes.iter().filter(|vote| vote.counted);
    for vote in counted.clone() {
        assert!(vote.legal && vote.arrival() != Arrival::Late, "{vote:?}");
        assert!(game.parse_move(vote.chosen()).is_ok(), "{vote:?}");
    }
    let tallied: u32 = closed.tally.iter().map(|tally| tally.votes).sum();
    assert_eq!(tallied as usize, counted.count());
    let _ = lead(None, Some("a"), &closed.votes);
    let side = game.position().side_to_move();
    let policy = ResignationPolicy {
        below: 0.05,
        after: 1,
    };
    Resignation::new(Some(policy)).consider(&mut closed, side);
    fuzzing::ballot(&game, &closed);
    logged_and_read(&closed);
}

fn logged_and_read(ballot: &monju_proto::v1::Ballot) {
    let logged = LoggedBallot::of(ballot, 0).expect("a position");
    let text = LogLine::Ballot(Box::new(logged)).render().expect("a line");
    let mut log = Log::default();
    let read = log.extend(text.as_bytes(), Path::new("ballots.jsonl"));
    assert!(read.is_ok(), "{read:?} of {text}");
    assert_eq!(log.ballots.len(), 1, "{text}");
}
