//! Messages as services and clients send them.

use super::kinds::KINDS;
use monju_engine::{EnteringKingRule, Game, GameRules};
use monju_proto::v1::{self, consult_request, consult_response, think_request, think_response};
use prost::Message;
use std::num::NonZeroU32;

pub fn corpus() -> Vec<Vec<u8>> {
    fn input(name: &str, message: &impl Message) -> Vec<u8> {
        let kind = KINDS.iter().position(|kind| kind.message == name);
        let mut bytes = vec![kind.expect("a kind") as u8];
        message.encode(&mut bytes).expect("a growing buffer");
        bytes
    }
    let game = Game::from_usi("startpos moves 7g7f 3c3d").expect("a position");
    let position = v1::Position::from(&game.with_rules(GameRules {
        entering_king: EnteringKingRule::CSARule24,
        maximum_plies: NonZeroU32::new(256),
        ..GameRules::default()
    }));
    let claim = Some(v1::Claim {
        session: "0123456789abcdef".to_owned(),
        holder: "monju usi on pc-1".to_owned(),
        purpose: v1::Purpose::Game.into(),
        lease_ms: 60_000,
    });
    let limits = Some(v1::Limits {
        nodes: Some(1_000),
        depth: Some(9),
        time_ms: Some(500),
        clock: Some(v1::Clock {
            black_ms: 600_000,
            white_ms: 590_000,
            byoyomi_ms: 10_000,
            ..v1::Clock::default()
        }),
        multi_pv: Some(3),
        ponder: true,
    });
    let player = v1::PlayerInfo {
        name: "a".to_owned(),
        engine: "monju".to_owned(),
        sigma: 50.0,
        lanes: 4,
        weight: Some(1.0),
        settings: vec![v1::Setting {
            name: "USI_Hash".to_owned(),
            value: "64".to_owned(),
        }],
        ..v1::PlayerInfo::default()
    };
    let line = v1::Line {
        r#move: "2g2f".to_owned(),
        depth: 3,
        nodes: 100,
        pv: vec!["2g2f".to_owned(), "8c8d".to_owned()],
        ..v1::Line::default()
    };
    let ballot = v1::Ballot {
        id: 1,
        game_id: "game".to_owned(),
        position: Some(position.clone()),
        votes: vec![v1::Vote {
            player: Some(player.clone()),
            line: Some(line.clone()),
            legal: true,
            counted: true,
            win_rate: Some(0.5),
            ..v1::Vote::default()
        }],
        tally: vec![v1::Tally {
            r#move: "2g2f".to_owned(),
            votes: 1,
        }],
        decision: Some(v1::Decision {
            r#move: "2g2f".to_owned(),
            ponder: "8c8d".to_owned(),
            rule: "majority".to_owned(),
            ..v1::Decision::default()
        }),
        ..v1::Ballot::default()
    };
    let go = v1::Go {
        player: "a".to_owned(),
        game_id: "game".to_owned(),
        position: Some(position.clone()),
        limits,
        claim: claim.clone(),
        search_moves: vec!["2g2f".to_owned(), "9g9f".to_owned()],
        ..v1::Go::default()
    };
    let begin = v1::Begin {
        game_id: "game".to_owned(),
        position: Some(position),
        limits,
        rule: "majority".to_owned(),
        time_policy: "agreement".to_owned(),
        overhead_ms: 50,
        minimum_ms: 100,
        whole_seconds: true,
        claim: claim.clone(),
        search_moves: vec!["2g2f".to_owned()],
        ..v1::Begin::default()
    };
    let roster = v1::RosterResponse {
        rule: "majority".to_owned(),
        time_policy: "agreement".to_owned(),
        held_by: "monju usi at 192.0.2.7".to_owned(),
        workers: vec![v1::WorkerStatus {
            name: "pc-1".to_owned(),
            address: "http://pc-1:7411".to_owned(),
            connected: true,
            players: vec![player.clone()],
            round_trip_us: 900,
            last_failure: "refused".to_owned(),
            ..v1::WorkerStatus::default()
        }],
        attendance: vec![v1::PlayerAttendance {
            player: "a#2".to_owned(),
            asked: 50,
            in_time: 49,
            nodes_per_second: 400_000,
            ..v1::PlayerAttendance::default()
        }],
        ..v1::RosterResponse::default()
    };
    let progress = think_response::Message::Progress(line.clone());
    let result = think_response::Message::Result(v1::ThinkResult {
        line: Some(line),
        noise_seed: Some(3),
    });
    let standing = consult_response::Message::Standing(ballot.clone());
    vec![
        input(
            "ThinkRequest",
            &v1::ThinkRequest {
                message: Some(think_request::Message::Go(go)),
            },
        ),
        input(
            "ThinkResponse",
            &v1::ThinkResponse {
                message: Some(progress),
            },
        ),
        input(
            "ThinkResponse",
            &v1::ThinkResponse {
                message: Some(result),
            },
        ),
        input(
            "DescribeResponse",
            &v1::DescribeResponse {
                name: "pc-1".to_owned(),
                players: vec![player],
                ..Default::default()
            },
        ),
        input(
            "ConsultRequest",
            &v1::ConsultRequest {
                message: Some(consult_request::Message::Begin(begin)),
            },
        ),
        input(
            "ConsultResponse",
            &v1::ConsultResponse {
                message: Some(standing),
            },
        ),
        input(
            "WatchResponse",
            &v1::WatchResponse {
                ballot: Some(ballot),
                missed: true,
            },
        ),
        input(
            "DescribeRequest",
            &v1::DescribeRequest {
                claim: claim.clone(),
            },
        ),
        input(
            "PrepareGameRequest",
            &v1::PrepareGameRequest {
                game_id: "game".to_owned(),
                claim: claim.clone(),
            },
        ),
        input(
            "HoldRequest",
            &v1::HoldRequest {
                claim: claim.clone(),
            },
        ),
        input(
            "ReleaseRequest",
            &v1::ReleaseRequest {
                session: "0123".to_owned(),
            },
        ),
        input(
            "ExamineResponse",
            &v1::ExamineResponse {
                doubts: vec!["a doubt".to_owned()],
                errors: vec!["error: no such file".to_owned()],
                warnings: vec!["warning: slow".to_owned()],
                ..Default::default()
            },
        ),
        input(
            "NewGameResponse",
            &v1::NewGameResponse {
                problems: vec!["b: not ready".to_owned()],
            },
        ),
        input(
            "NewGameRequest",
            &v1::NewGameRequest {
                game_id: "game".to_owned(),
                patience_ms: Some(5),
                claim,
            },
        ),
        input("RosterResponse", &roster),
        input("RosterRequest", &v1::RosterRequest {}),
        input("WatchRequest", &v1::WatchRequest { standings: true }),
        input("EnrolRequest", &v1::EnrolRequest { port: 7_411 }),
        input("EnrolResponse", &v1::EnrolResponse {}),
        input("DrainRequest", &v1::DrainRequest { resume: true }),
        input(
            "DrainResponse",
            &v1::DrainResponse {
                name: "pc-1".to_owned(),
                questions: 2,
                notice_ms: 3_000,
            },
        ),
        input(
            "FinishGameRequest",
            &v1::FinishGameRequest {
                game_id: "game".to_owned(),
                outcome: v1::GameOutcome::WhiteWon.into(),
            },
        ),
        input("FinishGameResponse", &v1::FinishGameResponse {}),
        input(
            "PrepareGameResponse",
            &v1::PrepareGameResponse {
                problems: vec!["worker pc-2 is not connected: refused".to_owned()],
            },
        ),
        input("HoldResponse", &v1::HoldResponse {}),
        input("ReleaseResponse", &v1::ReleaseResponse {}),
        input(
            "ExamineRequest",
            &v1::ExamineRequest {
                player: "a".to_owned(),
            },
        ),
    ]
}
