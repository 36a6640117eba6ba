//! The kinds of messages, and the way of each through the checks of its receiver.

use monju_coordinator::{
    choices::ConsultationChoices,
    clock::{Budget, ClockRules, TimePolicy, budget},
    door,
    record::{
        read::Log,
        schema::{GameResult, LogLine},
    },
};
use monju_engine::{Color, Game, Limits};
use monju_host::{GoForm, plan};
use monju_proto::{
    convert::{read_question_at_once, read_search_moves},
    reservation::Reservation,
    text::is_plain,
    v1::{self, consult_request, consult_response, think_request, think_response},
};
use monju_usi::fuzzing;
use prost::Message;
use std::{path::Path, time::Duration};

/// A message that a call takes or gives.
pub struct MessageKind {
    /// Its name.
    pub message: &'static str,
    /// Lets its receiver take it.
    pub take: fn(&[u8]),
    /// Tells whether bytes are such a message.
    #[cfg(test)]
    pub is_one: fn(&[u8]) -> bool,
}

macro_rules! kinds {
    ($($message:ident => $receive:expr,)*) => {
        /// All kinds; the place of one is the first byte of its inputs.
        pub static KINDS: [MessageKind; [$(stringify!($message)),*].len()] = [$(MessageKind {
            message: stringify!($message),
            take: |bytes| {
                if let Ok(message) = v1::$message::decode(bytes) {
                    $receive(message);
                }
            },
            #[cfg(test)]
            is_one: |bytes| v1::$message::decode(bytes).is_ok(),
        }),*];
    };
}

kinds! {
    // What workers take and give.
    DescribeRequest => |request: v1::DescribeRequest| claimed(request.claim.as_ref()),
    DescribeResponse => |response| described(&response),
    NewGameRequest => |request: v1::NewGameRequest| claimed(request.claim.as_ref()),
    NewGameResponse => |response: v1::NewGameResponse| told(response.problems),
    ThinkRequest => |request: v1::ThinkRequest| {
        if let Some(think_request::Message::Go(go)) = request.message {
            asked(&go);
        }
    },
    // The votes of accepted lines are fuzzed by the target `votes`.
    ThinkResponse => |response: v1::ThinkResponse| match response.message {
        Some(think_response::Message::Progress(line)) => drop(door::line_within(line)),
        Some(think_response::Message::Result(result)) => drop(door::result(result)),
        None => {}
    },
    // Its player is looked up, and has no other use.
    ExamineRequest => nothing_more,
    ExamineResponse => examined,
    ReleaseRequest => |request: v1::ReleaseRequest| {
        assert!(!Reservation::default().release(&request.session));
    },
    ReleaseResponse => nothing_more,
    DrainRequest => nothing_more,
    DrainResponse => |response| {
        let response = door::drained(response);
        assert!(response.name.chars().all(is_plain), "{response:?}");
    },
    // What coordinators take and give besides.
    ConsultRequest => |request: v1::ConsultRequest| match request.message {
        Some(consult_request::Message::Begin(begin)) => begun(&begin),
        Some(consult_request::Message::PonderHit(hit)) => hit_at(hit.clock),
        _ => {}
    },
    ConsultResponse => |response: v1::ConsultResponse| match response.message {
        Some(consult_response::Message::Standing(ballot) | consult_response::Message::Ballot(ballot)) => {
            answered(&ballot);
        }
        None => {}
    },
    RosterRequest => nothing_more,
    RosterResponse => |response| monju_page::fuzzing::roster(&response),
    WatchRequest => nothing_more,
    WatchResponse => |response: v1::WatchResponse| {
        if let Some(ballot) = response.ballot {
            answered(&ballot);
            monju_page::fuzzing::ballot(&ballot);
        }
    },
    PrepareGameRequest => |request: v1::PrepareGameRequest| claimed(request.claim.as_ref()),
    PrepareGameResponse => |response: v1::PrepareGameResponse| fuzzing::problems(response.problems),
    FinishGameRequest => finished,
    FinishGameResponse => nothing_more,
    HoldRequest => |request: v1::HoldRequest| claimed(request.claim.as_ref()),
    HoldResponse => nothing_more,
    EnrolRequest => |request: v1::EnrolRequest| {
        let port = door::port(&request).map_or(0, u32::from);
        assert!(port == request.port || !(1..=65_535).contains(&request.port));
    },
    EnrolResponse => nothing_more,
}

/// The receiver of a message that has nothing to check.
fn nothing_more<M>(_: M) {}

fn described(response: &v1::DescribeResponse) {
    if door::description(response).is_ok() {
        for player in &response.players {
            assert!(player.sigma.is_finite() && player.lanes <= 16);
        }
    }
}

fn examined(response: v1::ExamineResponse) {
    let shown = door::examined(response);
    for trial in &shown.trials {
        assert!(trial.failure.chars().all(is_plain));
    }
}

/// A coordinator's way with the problems of a worker.
fn told(problems: Vec<String>) {
    for problem in door::problems(problems) {
        assert!(problem.chars().all(is_plain));
    }
}

/// A result is read again as it was logged.
fn finished(request: v1::FinishGameRequest) {
    let Some(result) = GameResult::of(request) else {
        return;
    };
    let line = LogLine::Result(result.clone());
    let text = line.render().expect("a line");
    let mut log = Log::default();
    let read = log.extend(text.as_bytes(), Path::new("ballots.jsonl"));
    assert!(read.is_ok(), "{read:?} of {text}");
    assert_eq!(log.results, [result]);
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

/// A coordinator's way with a clock after a ponder hit.
fn hit_at(clock: Option<v1::Clock>) {
    let limits = v1::Limits {
        clock,
        ..v1::Limits::default()
    };
    budgeted(&limits, ClockRules::default());
}

fn budgeted(limits: &v1::Limits, rules: ClockRules) -> Vec<Budget> {
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
        assert!(held.holder.chars().all(is_plain), "{held:?}");
    }
}
