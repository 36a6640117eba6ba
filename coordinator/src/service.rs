//! The `monju.v1.Coordinator` service.

mod ponders;

use ponders::Ponders;

use crate::{
    ballot::{BallotHeader, Lead, lead},
    calibration::Calibration,
    clock::TimePolicy,
    consultation::{Command, Kept, Outcome, Question, consult},
    fallback::FallbackSearcher,
    games::PerSide,
    pondering::Pondering,
    record::{
        Recorder,
        schema::{GAME_OVER, GameResult, VERSION, Winner},
    },
    resignation::{Policy, Resignation},
    roster::Roster,
    voting::{RANKED_MOVES, Rule},
};
use monju_engine::{Color, Game};
use monju_proto::convert::short_milliseconds;
use monju_proto::v1::{
    Ballot, Begin, ConsultRequest, ConsultResponse, FinishGameRequest, FinishGameResponse,
    GameOutcome, PrepareGameRequest, PrepareGameResponse, RosterRequest, RosterResponse,
    WatchRequest, WatchResponse, consult_request, consult_response::Message,
    coordinator_server::Coordinator,
};
use std::{
    collections::HashMap,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{broadcast, mpsc},
    time::Instant,
};
use tokio_stream::{
    Stream, StreamExt,
    wrappers::{BroadcastStream, ReceiverStream},
};
use tonic::{Request, Response, Status, Streaming};
use tracing::warn;

/// Workers get this long to prepare for a game: foreign engines read files, clear tables, and may bring a
/// GPU up. Less than the 30 s after which the proxy goes on without an answer.
const PREPARATION: Duration = Duration::from_secs(25);

/// Workers get this long to be found, from the beginning of the coordinator.
pub const SETTLING: Duration = Duration::from_secs(3);

/// Ballots that a slow watcher may lag behind before it loses some.
const WATCH_BACKLOG: usize = 64;

/// Commands of one consultation on their way.
const COMMANDS: usize = 4;

/// A ballot on its way to the client: one standing, and the decision behind it.
const BALLOTS: usize = 2;

/// How an ensemble decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Ensemble {
    /// The voting rule, unless a consultation names another.
    pub rule: Rule,
    /// Ballot name of the primary player.
    pub primary: Option<String>,
    /// What is lost between a decision and the GUI's clock.
    pub overhead: Duration,
    /// How the time on a clock is spent, unless a consultation says otherwise.
    pub time_policy: TimePolicy,
    /// What is pondered on, unless a consultation says otherwise.
    pub pondering: Pondering,
    /// What makes the scores of its engines comparable.
    pub calibration: Arc<Calibration>,
    /// When the team resigns; never, unless told.
    pub resignation: Option<Policy>,
}

/// The coordinator as a gRPC service; clones serve the same ensemble.
#[derive(Clone, Debug)]
pub struct Service {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    begun: Instant,
    ensemble: Ensemble,
    roster: Roster,
    consultations: AtomicU64,
    decided: broadcast::Sender<Ballot>,
    ponders: Ponders,
    resignation: Resignation,
    leads: PerSide<Lead>,
    recorder: Option<Arc<Recorder>>,
    fallback: Arc<dyn FallbackSearcher>,
}

impl Service {
    /// A coordinator of these workers, which records its ballots if it is given a recorder. `fallback`
    /// searches when no player has a move.
    pub fn new(
        ensemble: Ensemble,
        roster: Roster,
        recorder: Option<Arc<Recorder>>,
        fallback: Arc<dyn FallbackSearcher>,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                begun: Instant::now(),
                resignation: Resignation::new(ensemble.resignation),
                recorder,
                fallback,
                ensemble,
                roster,
                consultations: AtomicU64::new(1),
                decided: broadcast::Sender::new(WATCH_BACKLOG),
                ponders: Ponders::default(),
                leads: PerSide::default(),
            }),
        }
    }

    /// Waits until every worker has described itself, at most [`SETTLING`].
    pub async fn settle(&self) {
        self.inner.roster.settle(SETTLING).await;
        let inner = &self.inner;
        let Some(primary) = &inner.ensemble.primary else {
            return;
        };
        let slots = inner.roster.slots();
        if slots.iter().all(|slot| slot.info.name != *primary) {
            warn!(primary, "the primary player is on no worker");
        }
    }

    fn question(&self, begin: Begin) -> Result<Question, Status> {
        let position = begin
            .position
            .ok_or_else(|| Status::invalid_argument("begin has no position"))?;
        let game = Game::try_from(&position)
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        let ensemble = &self.inner.ensemble;
        let rule = match begin.rule.as_str() {
            "" => ensemble.rule,
            rule => rule
                .parse()
                .map_err(|error| Status::invalid_argument(format!("{error}")))?,
        };
        let named = match begin.time_policy.as_str() {
            "" => None,
            time_policy => Some(
                time_policy
                    .parse()
                    .map_err(|error| Status::invalid_argument(format!("{error}")))?,
            ),
        };
        let pondering = match begin.pondering.as_str() {
            "" => ensemble.pondering,
            pondering => pondering
                .parse()
                .map_err(|error| Status::invalid_argument(format!("{error}")))?,
        };
        let mut limits = begin.limits.unwrap_or_default();
        if rule.ranks_moves() {
            limits.multi_pv.get_or_insert(RANKED_MOVES);
        }
        let predictions = match pondering {
            Pondering::Spread if limits.ponder => {
                self.inner.ponders.predictions(&begin.game_id, &position)
            }
            Pondering::Spread | Pondering::Predicted => HashMap::new(),
        };
        let measured = Duration::from_millis(begin.overhead_ms.into());
        let side = game.position().side_to_move();
        Ok(Question {
            header: BallotHeader {
                lead: self.inner.leads.get(&begin.game_id, side),
                id: self.inner.consultations.fetch_add(1, Ordering::Relaxed),
                game_id: begin.game_id,
                seed: begin.seed,
                rule,
                primary: ensemble.primary.clone(),
                calibration: Arc::clone(&ensemble.calibration),
            },
            game,
            time_policy: TimePolicy::of_consultation(named, ensemble.time_policy, &limits),
            limits,
            overhead: ensemble.overhead.max(measured),
            margin: Duration::from_millis(begin.margin_ms.into()),
            predictions,
            fallback: Arc::clone(&self.inner.fallback),
        })
    }
}

impl Inner {
    /// Remembers who leads the game now, under the rule that asks.
    fn note_lead(&self, ballot: &Ballot, side: Color) {
        let rule = ballot.decision.as_ref().map(|decision| &*decision.rule);
        if rule != Some(Rule::HandOver.name()) {
            return;
        }
        let previous = self.leads.get(&ballot.game_id, side);
        let primary = self.ensemble.primary.as_deref();
        if let Some(lead) = lead(previous.as_ref(), primary, &ballot.votes) {
            self.leads.update(&ballot.game_id, side, |_| lead);
        }
    }
}

impl Service {
    /// Searches that a missed ponder has left, if the question is about their position.
    fn kept_for(&self, question: &Question) -> Option<Kept> {
        let kept = self.inner.ponders.take(&question.header.game_id)?;
        (!question.limits.ponder).then_some(kept)
    }
}

type Downstream<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl Coordinator for Service {
    type ConsultStream = Downstream<ConsultResponse>;

    async fn consult(
        &self,
        request: Request<Streaming<ConsultRequest>>,
    ) -> Result<Response<Self::ConsultStream>, Status> {
        let mut upstream = request.into_inner();
        let first = upstream.message().await?.and_then(|first| first.message);
        let Some(consult_request::Message::Begin(begin)) = first else {
            return Err(Status::invalid_argument(
                "the first message of a consultation must be begin",
            ));
        };
        let question = self.question(begin)?;
        let kept = self.kept_for(&question);
        let (ballots, downstream) = mpsc::channel(BALLOTS);
        let (commands, receiver) = mpsc::channel(COMMANDS);
        let listener = tokio::spawn(listen(upstream, commands));
        let inner = Arc::clone(&self.inner);
        tokio::spawn(async move {
            let slots = inner.roster.slots();
            let game_id = question.header.game_id.clone();
            let side = question.game.position().side_to_move();
            let outcome = consult(question, &slots, receiver, ballots.clone(), kept).await;
            listener.abort();
            let Outcome {
                ballot,
                kept,
                missed,
            } = outcome;
            if let Some(kept) = kept {
                inner.ponders.keep(&game_id, kept);
            }
            if let Some(mut ballot) = ballot {
                inner.ponders.remember(&ballot);
                // The game has never come to the position of a ponder that missed.
                if !missed {
                    inner.note_lead(&ballot, side);
                    inner.resignation.consider(&mut ballot, side);
                    if let Some(recorder) = &inner.recorder {
                        recorder.ballot(&ballot);
                    }
                }
                // Watchers and the caller may both have left.
                let _ = inner.decided.send(ballot.clone());
                let _ = ballots.send(ballot).await;
            }
        });
        let responses = ReceiverStream::new(downstream).map(|ballot: Ballot| {
            let message = match &ballot.decision {
                Some(_) => Message::Ballot(ballot),
                None => Message::Standing(ballot),
            };
            let message = Some(message);
            Ok(ConsultResponse { message })
        });
        Ok(Response::new(Box::pin(responses)))
    }

    async fn roster(&self, _: Request<RosterRequest>) -> Result<Response<RosterResponse>, Status> {
        let Ensemble {
            rule,
            primary,
            overhead,
            time_policy,
            ..
        } = &self.inner.ensemble;
        Ok(Response::new(RosterResponse {
            rule: rule.name().to_owned(),
            primary: primary.clone().unwrap_or_default(),
            workers: self.inner.roster.statuses(),
            overhead_ms: short_milliseconds(*overhead),
            time_policy: time_policy.name().to_owned(),
        }))
    }

    type WatchStream = Downstream<WatchResponse>;

    async fn watch(&self, _: Request<WatchRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let ballots = BroadcastStream::new(self.inner.decided.subscribe());
        let responses = ballots.filter_map(|ballot| match ballot {
            Ok(ballot) => Some(Ok(WatchResponse {
                ballot: Some(ballot),
            })),
            Err(lag) => {
                warn!(%lag, "a watcher is too slow and misses ballots");
                None
            }
        });
        Ok(Response::new(Box::pin(responses)))
    }

    async fn prepare_game(
        &self,
        request: Request<PrepareGameRequest>,
    ) -> Result<Response<PrepareGameResponse>, Status> {
        let game_id = request.into_inner().game_id;
        self.inner.ponders.end_all();
        // A game that was broken off may be played again under its name.
        self.inner.leads.forget(&game_id);
        self.inner.resignation.forget(&game_id);
        let roster = &self.inner.roster;
        // A coordinator that has just begun serves before it has found its workers.
        roster
            .settle(SETTLING.saturating_sub(self.inner.begun.elapsed()))
            .await;
        let problems = roster.new_game(&game_id, PREPARATION).await;
        Ok(Response::new(PrepareGameResponse { problems }))
    }

    async fn finish_game(
        &self,
        request: Request<FinishGameRequest>,
    ) -> Result<Response<FinishGameResponse>, Status> {
        let request = request.into_inner();
        let winner = match request.outcome() {
            GameOutcome::BlackWon => Winner::Black,
            GameOutcome::WhiteWon => Winner::White,
            GameOutcome::Drawn => Winner::Draw,
            GameOutcome::Unspecified => {
                return Err(Status::invalid_argument("the outcome says nothing"));
            }
        };
        if let Some(recorder) = &self.inner.recorder {
            recorder.result(GameResult {
                version: VERSION,
                game_id: request.game_id,
                winner,
                reason: GAME_OVER.to_owned(),
            });
        }
        Ok(Response::new(FinishGameResponse {}))
    }
}

/// Passes on what travels upstream, until it ends.
async fn listen(mut upstream: Streaming<ConsultRequest>, commands: mpsc::Sender<Command>) {
    while let Ok(Some(request)) = upstream.message().await {
        let command = match request.message {
            Some(consult_request::Message::Stop(_)) => Command::Stop,
            Some(consult_request::Message::PonderHit(hit)) => Command::PonderHit(hit.clock),
            Some(consult_request::Message::Begin(_)) => {
                warn!("a second begin within one consultation ignored");
                continue;
            }
            None => continue,
        };
        if commands.send(command).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
