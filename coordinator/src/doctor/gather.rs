//! Gathering facts: the doctor calls every worker, lets every player make a test move, and examines every
//! foreign engine.

use super::facts::{CallTimes, Facts, PlayerFacts, WorkerFacts};
use crate::{
    ballot::BallotHeader,
    clock::TimePolicy,
    consultation::{ConsultationSetup, PonderTargets, consult},
    door,
    fallback::FirstLegalMove,
    roster::{PlayerSlot, ReachError, Roster},
    service::Ensemble,
    voting::RANKED_MOVES,
};
use monju_engine::Game;
use monju_proto::build;
use monju_proto::convert::milliseconds;
use monju_proto::v1::{
    Ballot, DescribeRequest, ExamineRequest, ExamineResponse, Limits, WorkerStatus,
};
use std::{
    process,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout},
};
use tonic::transport::Channel;

/// Time for workers to be found.
const SETTLING: Duration = Duration::from_secs(5);

/// Time for engines to load.
const PREPARATION: Duration = Duration::from_secs(120);

/// Time for an examination, which starts an engine up to eight times.
const EXAMINATION: Duration = Duration::from_secs(180);

/// Time for a worker to answer a call.
const ANSWER_PATIENCE: Duration = Duration::from_secs(2);

/// Time within which the roster calls every worker once.
const NEWS: Duration = Duration::from_millis(1_500);

/// Number of calls over which the round trip is measured.
const CALLS: usize = 9;

/// Gathers the facts about a team. Foreign engines are examined one after the other, so that they do
/// not slow each other down.
pub async fn gather(roster: &Roster, ensemble: &Ensemble, test_time: Duration) -> Facts {
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
    // A new game makes every engine load before the clock runs.
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanoseconds = since.map_or(0, |since| since.as_nanos());
    let game_id = format!("doctor-{}-{nanoseconds}", process::id());
    (roster.new_game(&game_id, None, PREPARATION, Duration::ZERO)).await;
    // Engines tell their names only after they started.
    sleep(NEWS).await;
    let slots = roster.slots();
    let ballot = test_moves(&slots, ensemble, game_id, test_time).await;
    let mut players = Vec::new();
    let mut votes = ballot.votes.into_iter();
    for slot in &slots {
        // One search may have several votes; the first represents all.
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
        build: build::name().to_owned(),
        rule: ensemble.settings.rule,
        primary: ensemble.primary.clone(),
        test_time,
        workers,
        players,
    }
}

fn worker_facts(status: WorkerStatus, round_trip: Option<CallTimes>) -> WorkerFacts {
    WorkerFacts {
        name: status.name,
        address: status.address,
        failure: match (status.connected, status.failure) {
            (true, _) => String::new(),
            (false, failure) if failure.is_empty() => "not connected".to_owned(),
            (false, failure) => failure,
        },
        is_draining: status.draining,
        version: status.version,
        build: status.build,
        players: status.players.len(),
        round_trip,
    }
}

/// Measures the round trip; `None` if a call fails.
async fn round_trip(channel: Channel) -> Option<CallTimes> {
    let mut client = door::worker_client(channel);
    let mut times = Vec::new();
    for _ in 0..CALLS {
        let asked = Instant::now();
        let answer = timeout(ANSWER_PATIENCE, client.describe(DescribeRequest::default()));
        answer.await.ok()?.ok()?;
        times.push(asked.elapsed());
    }
    times.sort_unstable();
    Some(CallTimes {
        median: times[CALLS / 2],
        longest: times[CALLS - 1],
    })
}

/// Holds one consultation of all players, as in a game.
async fn test_moves(
    slots: &[PlayerSlot],
    ensemble: &Ensemble,
    game_id: String,
    test_time: Duration,
) -> Ballot {
    let setup = ConsultationSetup {
        header: BallotHeader {
            id: 0,
            game_id,
            seed: 1,
            rule: ensemble.settings.rule,
            primary: ensemble.primary.clone(),
            lead: None,
            calibration: Arc::clone(&ensemble.calibration),
        },
        search_moves: Vec::new(),
        claim: None,
        game: Game::startpos(),
        limits: Limits {
            time_ms: Some(milliseconds(test_time)),
            multi_pv: ensemble.settings.rule.ranks_moves().then_some(RANKED_MOVES),
            ..Limits::default()
        },
        waited: Duration::ZERO,
        clock_rules: ensemble.overhead.into(),
        time_policy: TimePolicy::Fixed,
        // With a margin, lost players are not asked again but reported.
        margin: Duration::from_millis(1),
        ponder_targets: PonderTargets::default(),
        book: None,
        fallback: Arc::new(FirstLegalMove),
    };
    let (_commands, heard) = mpsc::channel(1);
    let (standings, _unread) = mpsc::channel(1);
    // A ballot is missing only if the caller hangs up, and both channels are held here.
    consult(setup, slots, heard, standings, None)
        .await
        .ballot
        .unwrap_or_default()
}

async fn examined(slot: &PlayerSlot) -> Result<ExamineResponse, ReachError> {
    slot.access.clone()?;
    let request = ExamineRequest {
        player: slot.called.clone(),
    };
    let mut client = door::worker_client(slot.channel.clone());
    match timeout(EXAMINATION, client.examine(request)).await {
        Ok(Ok(response)) => Ok(door::examined(response.into_inner())),
        Ok(Err(status)) => Err(ReachError::Later(Box::new(status))),
        Err(_) => Err(ReachError::Silent(EXAMINATION)),
    }
}
