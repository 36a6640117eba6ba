//! Every message of monju.v1 that a service or a client takes: from its bytes through the checks of its
//! receiver.

use crate::fuzz_target::FuzzTarget;
use monju_coordinator::{
    choices::ConsultationChoices,
    clock::{ClockRules, TimePolicy, budget},
    door,
};
use monju_engine::{Color, EnteringKingRule, Game, GameRules, Limits};
use monju_host::{GoForm, plan};
use monju_proto::{
    convert::{read_question_at_once, read_search_moves},
    reservation::Reservation,
    v1::{self, consult_request, consult_response, think_request, think_response},
};
use monju_usi::fuzzing;
use prost::Message;
use std::{num::NonZeroU32, time::Duration};

pub const TARGET: FuzzTarget = FuzzTarget {
    name: "messages",
    run,
    corpus,
    words: &[
        "startpos",
        "7g7f",
        "sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1",
        "majority",
        "agreement",
        "spread",
        "resign",
        "\u{ff}",
        "\u{0}",
        "\u{1b}[2J",
        "CSARule27",
        "NoEnteringKing",
    ],
    mutations: 400_000,
};

/// Number of the kinds of messages.
const KINDS: u8 = 14;

fn run(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else {
        return;
    };
    match kind % KINDS {
        0 => take(rest, |request: v1::ThinkRequest| {
            if let Some(think_request::Message::Go(go)) = request.message {
                asked(&go);
            }
        }),
        1 => take(rest, |response: v1::ThinkResponse| {
            // The votes of accepted lines are fuzzed by the target `votes`.
            match response.message {
                Some(think_response::Message::Progress(line)) => drop(door::line(&line)),
                Some(think_response::Message::Result(result)) => drop(door::result(&result)),
                None => {}
            }
        }),
        2 => take(rest, |response: v1::DescribeResponse| {
            if door::description(&response).is_ok() {
                for player in &response.players {
                    assert!(player.sigma.is_finite() && player.lanes <= 16);
                }
            }
        }),
        3 => take(rest, |request: v1::ConsultRequest| match request.message {
            Some(consult_request::Message::Begin(begin)) => begun(&begin),
            Some(consult_request::Message::PonderHit(hit)) => {
                let limits = v1::Limits {
                    clock: hit.clock,
                    ..v1::Limits::default()
                };
                budgeted(&limits, ClockRules::default());
            }
            _ => {}
        }),
        4 => take(rest, |response: v1::ConsultResponse| {
            let (Some(consult_response::Message::Standing(ballot))
            | Some(consult_response::Message::Ballot(ballot))) = response.message
            else {
                return;
            };
            answered(&ballot);
        }),
        5 => take(rest, |response: v1::WatchResponse| {
            if let Some(ballot) = response.ballot {
                answered(&ballot);
            }
        }),
        6 => take(rest, |request: v1::DescribeRequest| {
            claimed(request.claim.as_ref())
        }),
        7 => take(rest, |request: v1::PrepareGameRequest| {
            claimed(request.claim.as_ref())
        }),
        8 => take(rest, |request: v1::HoldRequest| {
            claimed(request.claim.as_ref())
        }),
        9 => take(rest, |request: v1::ReleaseRequest| {
            assert!(!Reservation::default().release(&request.session));
        }),
        10 => take(rest, |response: v1::ExamineResponse| {
            let shown = door::examined(response);
            for trial in &shown.trials {
                assert!(trial.failure.chars().all(monju_proto::text::is_plain));
            }
        }),
        11 => take(rest, |response: v1::NewGameResponse| {
            for problem in door::problems(response.problems) {
                assert!(problem.chars().all(monju_proto::text::is_plain));
            }
        }),
        12 => take(rest, |request: v1::NewGameRequest| {
            claimed(request.claim.as_ref())
        }),
        _ => take(rest, |response: v1::RosterResponse| drop(response)),
    }
}

fn take<M: Message + Default>(bytes: &[u8], receive: impl Fn(M)) {
    if let Ok(message) = M::decode(bytes) {
        receive(message);
    }
}

/// A worker's way with a question.
fn asked(go: &v1::Go) {
    claimed(go.claim.as_ref());
    let limits = go.limits.as_ref().map(Limits::from).unwrap_or_default();
    for forms in [
        GoForm::ALL,
        &[],
        &[GoForm::Byoyomi],
        &[GoForm::Nodes, GoForm::Depth],
    ] {
        let plan = plan(&limits, forms);
        assert!(plan.command.starts_with("go "), "{plan:?}");
    }
    if let Some(game) = go.position.as_ref().map(read_question_at_once)
        && let Ok(game) = game
    {
        let again = v1::Position::from(&game);
        let again = read_question_at_once(&again).expect("a position that was read");
        assert_eq!(again, game);
        chosen_among(&game, &go.search_moves);
    }
}

/// The only moves to choose from are legal, and each is there once.
fn chosen_among(game: &Game, texts: &[String]) {
    let moves = read_search_moves(game, texts);
    for (index, mv) in moves.iter().enumerate() {
        assert!(
            game.is_legal(*mv) && texts.contains(&mv.to_string()),
            "{mv}"
        );
        assert!(!moves[..index].contains(mv), "{mv} twice");
    }
}

/// A coordinator's way with a question.
fn begun(begin: &v1::Begin) {
    claimed(begin.claim.as_ref());
    let Ok(choices) = ConsultationChoices::of(begin) else {
        return;
    };
    let limits = begin.limits.unwrap_or_default();
    let policy = choices.time_policy;
    let policy = TimePolicy::of_consultation(policy, TimePolicy::default(), &limits);
    let rules = ClockRules {
        overhead: Duration::from_millis(begin.overhead_ms.into()).into(),
        minimum: Duration::from_millis(begin.minimum_ms.into()),
        whole_seconds: begin.whole_seconds,
    };
    for budget in budgeted(&limits, rules) {
        let target = policy.target(&budget, None);
        assert!(target <= policy.longest(&budget), "{budget:?}");
    }
    // A refused position is told to the client.
    if let Some(Ok(game)) = begin.position.as_ref().map(read_question_at_once) {
        chosen_among(&game, &begin.search_moves);
    }
}

fn budgeted(limits: &v1::Limits, rules: ClockRules) -> Vec<monju_coordinator::clock::Budget> {
    let sides = [Color::Black, Color::White];
    let budgets: Vec<_> = sides
        .into_iter()
        .filter_map(|side| budget(limits, side, rules))
        .collect();
    for budget in &budgets {
        assert!(
            budget.least <= budget.normal && budget.normal <= budget.most,
            "{budget:?}"
        );
    }
    budgets
}

/// The proxy's way with a ballot about the position that it asked about.
fn answered(ballot: &v1::Ballot) {
    let position = ballot.position.as_ref();
    if let Some(Ok(game)) = position.map(read_question_at_once) {
        fuzzing::ballot(&game, ballot);
    }
}

fn claimed(claim: Option<&v1::Claim>) {
    let reservation = Reservation::default();
    if reservation.enter(claim, None).is_ok()
        && let Some(held) = reservation.held()
    {
        assert!(
            held.holder.chars().all(monju_proto::text::is_plain),
            "{held:?}"
        );
    }
}

fn corpus() -> Vec<Vec<u8>> {
    fn input(kind: u8, message: &impl Message) -> Vec<u8> {
        let mut bytes = vec![kind];
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
    let progress = think_response::Message::Progress(line.clone());
    let result = think_response::Message::Result(v1::ThinkResult {
        line: Some(line),
        noise_seed: Some(3),
    });
    let standing = consult_response::Message::Standing(ballot.clone());
    vec![
        input(
            0,
            &v1::ThinkRequest {
                message: Some(think_request::Message::Go(go)),
            },
        ),
        input(
            1,
            &v1::ThinkResponse {
                message: Some(progress),
            },
        ),
        input(
            1,
            &v1::ThinkResponse {
                message: Some(result),
            },
        ),
        input(
            2,
            &v1::DescribeResponse {
                name: "pc-1".to_owned(),
                players: vec![player],
                ..Default::default()
            },
        ),
        input(
            3,
            &v1::ConsultRequest {
                message: Some(consult_request::Message::Begin(begin)),
            },
        ),
        input(
            4,
            &v1::ConsultResponse {
                message: Some(standing),
            },
        ),
        input(
            5,
            &v1::WatchResponse {
                ballot: Some(ballot),
            },
        ),
        input(
            6,
            &v1::DescribeRequest {
                claim: claim.clone(),
            },
        ),
        input(
            7,
            &v1::PrepareGameRequest {
                game_id: "game".to_owned(),
                claim: claim.clone(),
            },
        ),
        input(
            8,
            &v1::HoldRequest {
                claim: claim.clone(),
            },
        ),
        input(
            9,
            &v1::ReleaseRequest {
                session: "0123".to_owned(),
            },
        ),
        input(
            10,
            &v1::ExamineResponse {
                doubts: vec!["a doubt".to_owned()],
                ..Default::default()
            },
        ),
        input(
            11,
            &v1::NewGameResponse {
                problems: vec!["b: not ready".to_owned()],
            },
        ),
        input(
            12,
            &v1::NewGameRequest {
                game_id: "game".to_owned(),
                patience_ms: Some(5),
                claim,
            },
        ),
        input(
            13,
            &v1::RosterResponse {
                rule: "majority".to_owned(),
                ..Default::default()
            },
        ),
    ]
}
