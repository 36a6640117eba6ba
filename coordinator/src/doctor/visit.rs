//! Gathering facts: every worker is called, every player makes a test move, every foreign engine is
//! examined.

use super::{Facts, PlayerFacts, RoundTrip, WorkerFacts};
use crate::{
    ballot::BallotHeader,
    clock::TimePolicy,
    consultation::{Question, consult},
    fallback::FirstLegalMove,
    roster::{PlayerSlot, Roster, reason},
    service::Ensemble,
    voting::RANKED_MOVES,
};
use monju_engine::Game;
use monju_proto::convert::milliseconds;
use monju_proto::v1::{
    Ballot, DescribeRequest, ExamineRequest, ExamineResponse, Limits, WorkerStatus,
    worker_client::WorkerClient,
};
use std::{
    collections::HashMap,
    process,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout},
};
use tonic::transport::Channel;

/// Workers get this long to be found.
const SETTLING: Duration = Duration::from_secs(5);

/// Engines get this long to load.
const PREPARATION: Duration = Duration::from_secs(120);

/// An examination starts an engine up to eight times.
const EXAMINATION: Duration = Duration::from_secs(180);

/// A worker that does not answer a call within this time is lost.
const ANSWER_PATIENCE: Duration = Duration::from_secs(2);

/// Within this time the roster has asked every worker anew.
const NEWS: Duration = Duration::from_millis(1_500);

/// How many calls the round trip is measured over.
const CALLS: usize = 9;

/// Visits everybody. Foreign engines are examined one after the other, so that they do not slow each
/// other down.
pub async fn visit(roster: &Roster, ensemble: &Ensemble, test_time: Duration) -> Facts {
    roster.settle(SETTLING).await;
    let slots = roster.slots();
    let mut workers = Vec::new();
    for (index, status) in roster.statuses().into_iter().enumerate() {
        let mut of_it = slots.iter().filter(|slot| slot.worker == index);
        let slot = of_it.find(|slot| slot.access.is_ok());
        let round_trip = match slot {
            Some(slot) => round_trip(slot.channel.clone()).await,
            None => None,
        };
        workers.push(worker_facts(status, round_trip));
    }
    // A fresh name, so that every engine gets a new game and has loaded before the clock runs.
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanoseconds = since.map_or(0, |since| since.as_nanos());
    let game_id = format!("doctor-{}-{nanoseconds}", process::id());
    roster.new_game(&game_id, PREPARATION).await;
    // What engines call themselves is known only now that they have started.
    sleep(NEWS).await;
    let slots = roster.slots();
    let ballot = test_moves(&slots, ensemble, game_id, test_time).await;
    let mut players = Vec::new();
    let mut votes = ballot.votes.into_iter();
    for slot in &slots {
        // One search may have several votes; the first stands for all.
        let others = slot.info.lanes.max(1) as usize - 1;
        let Some(vote) = votes.next() else { break };
        votes.by_ref().take(others).for_each(drop);
        players.push(PlayerFacts {
            is_calibrated: ensemble.calibration.knows(&slot.info),
            examined: examined(slot).await,
            vote,
        });
    }
    Facts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        rule: ensemble.rule,
        primary: ensemble.primary.clone(),
        test_time,
        workers,
        players,
    }
}

fn worker_facts(status: WorkerStatus, round_trip: Option<RoundTrip>) -> WorkerFacts {
    WorkerFacts {
        name: status.name,
        address: status.address,
        failure: match (status.connected, status.failure) {
            (true, _) => String::new(),
            (false, failure) if failure.is_empty() => "not connected".to_owned(),
            (false, failure) => failure,
        },
        version: status.version,
        players: status.players.len(),
        round_trip,
    }
}

/// `None` when a call is lost.
async fn round_trip(channel: Channel) -> Option<RoundTrip> {
    let mut client = WorkerClient::new(channel);
    let mut times = Vec::new();
    for _ in 0..CALLS {
        let asked = Instant::now();
        let answer = timeout(ANSWER_PATIENCE, client.describe(DescribeRequest {}));
        answer.await.ok()?.ok()?;
        times.push(asked.elapsed());
    }
    times.sort_unstable();
    Some(RoundTrip {
        median: times[CALLS / 2],
        longest: times[CALLS - 1],
    })
}

/// One consultation of everybody at once, as in a game.
async fn test_moves(
    slots: &[PlayerSlot],
    ensemble: &Ensemble,
    game_id: String,
    test_time: Duration,
) -> Ballot {
    let question = Question {
        header: BallotHeader {
            id: 0,
            game_id,
            seed: 1,
            rule: ensemble.rule,
            primary: ensemble.primary.clone(),
            lead: None,
            calibration: Arc::clone(&ensemble.calibration),
        },
        game: Game::startpos(),
        limits: Limits {
            time_ms: Some(milliseconds(test_time)),
            multi_pv: ensemble.rule.ranks_moves().then_some(RANKED_MOVES),
            ..Limits::default()
        },
        overhead: ensemble.overhead,
        time_policy: TimePolicy::Fixed,
        // A game asks the lost again; here they are to be told of.
        margin: Duration::from_millis(1),
        predictions: HashMap::new(),
        fallback: Arc::new(FirstLegalMove),
    };
    let (_commands, heard) = mpsc::channel(1);
    let (standings, _unread) = mpsc::channel(1);
    // It ends early only when nobody wants it any more, and both ends are held here.
    consult(question, slots, heard, standings, None)
        .await
        .ballot
        .unwrap_or_default()
}

async fn examined(slot: &PlayerSlot) -> Result<ExamineResponse, String> {
    slot.access.clone()?;
    let request = ExamineRequest {
        player: slot.called.clone(),
    };
    let mut client = WorkerClient::new(slot.channel.clone());
    match timeout(EXAMINATION, client.examine(request)).await {
        Ok(Ok(response)) => Ok(response.into_inner()),
        Ok(Err(status)) => Err(reason(&status)),
        Err(_) => Err(format!("no answer within {} s", EXAMINATION.as_secs())),
    }
}
