//! The `monju.v1.Coordinator` service.

mod attendance;
mod descriptors;
mod ponders;
mod watchers;

use attendance::Attendance;
use descriptors::Descriptors;
use ponders::Ponders;
use watchers::Watchers;

use crate::{
    ballot::{BallotHeader, Lead, lead},
    book::OpeningBook,
    calibration::Calibration,
    choices::{ConsultationChoices, ConsultationSettings},
    clock::{ClockRules, TimePolicy},
    consultation::{
        ConsultationCommand, ConsultationOutcome, ConsultationSetup, HitClock, KeptSearches,
        PonderTargets, consult,
    },
    door,
    fallback::FallbackSearcher,
    games::PerSide,
    pondering::Pondering,
    record::{Recorder, schema::GameResult},
    resignation::{Resignation, ResignationPolicy},
    roster::{AddressError, EnrolError, GameReadiness, PlayerSlot, Roster, ballot_name},
    voting::{RANKED_MOVES, Rule},
};
use monju_engine::{Answer, Color};
use monju_proto::build;
use monju_proto::convert::{milliseconds, read_question, read_search_moves, short_milliseconds};
use monju_proto::reservation::{Held, Pass, Reservation};
use monju_proto::serve::descriptors::Shares;
use monju_proto::text::brief;
use monju_proto::v1::{
    Ballot, Begin, Claim, ConsultRequest, ConsultResponse, EnrolRequest, EnrolResponse,
    FinishGameRequest, FinishGameResponse, HoldRequest, HoldResponse, PrepareGameRequest,
    PrepareGameResponse, Purpose, ReleaseRequest, ReleaseResponse, RosterRequest, RosterResponse,
    WatchRequest, WatchResponse, consult_request, consult_response::Message,
    coordinator_server::Coordinator,
};
use std::{
    mem,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Semaphore, mpsc},
    time::{Instant, sleep, timeout},
};
use tokio_stream::{Stream, StreamExt, wrappers::ReceiverStream};
use tonic::{Request, Response, Status, Streaming};
use tracing::warn;

/// Time of the workers to prepare for a game: foreign engines read files, clear tables, and may start a
/// GPU. Less than the 30 s after which the proxy goes on without an answer.
const PREPARATION: Duration = Duration::from_secs(25);

/// Time for workers to be found, from the start of the coordinator.
pub const SETTLING: Duration = Duration::from_secs(3);

/// Time that the preparation of a game waits for the lease of a session that may have ended, at the coordinator and
/// at its workers: a little more than the leases of front ends.
const LEASE_PATIENCE: Duration = Duration::from_secs(5);

/// Interval at which the lease is looked at meanwhile.
const LEASE_POLL: Duration = Duration::from_millis(200);

/// Time for the first message of a consultation, which clients send with the call.
const BEGIN_PATIENCE: Duration = Duration::from_secs(10);

/// Time of the workers to hear that their players are free.
const RELEASE_PATIENCE: Duration = Duration::from_millis(300);

/// Interval at which a consultation looks for players that have not been found yet.
const NEWCOMER_POLL: Duration = Duration::from_millis(20);

/// Divisor of a move's time that a coordinator which has just been started takes at most to find its workers.
const SETTLING_SHARE: u32 = 4;

/// Number of consultations at once, such as those of the games of a runner. It bounds the memory of those under
/// way: the one fallback search does one after the other.
const CONSULTATIONS: usize = 256;

/// Greatest length of a game's name, in bytes; those of experiments have the parameters of their cells.
const LONGEST_GAME_ID: usize = 4_096;

/// Greatest length of a player's name in a request, in bytes.
const LONGEST_NAME: usize = 256;

/// Number of commands of one consultation that may wait.
const COMMANDS: usize = 4;

/// Number of ballots that may wait for the client: one standing, and the decision.
const BALLOTS: usize = 2;

/// The way in which an ensemble decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Ensemble {
    /// Settings that a consultation may override.
    pub settings: ConsultationSettings,
    /// Ballot name of the primary player.
    pub primary: Option<String>,
    /// Time lost between a decision and the GUI's clock.
    pub overhead: Duration,
    /// Win rates of scores, which make those of different engines comparable.
    pub calibration: Arc<Calibration>,
    /// The condition of a resignation; without one the team never resigns.
    pub resignation: Option<ResignationPolicy>,
    /// The opening book.
    pub book: Option<OpeningBook>,
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
    /// Absent in a process that serves nobody else.
    descriptors: OnceLock<Descriptors>,
    reservation: Reservation,
    consultations: AtomicU64,
    /// Room for further consultations at once.
    places: Arc<Semaphore>,
    /// No further consultations are begun.
    is_ending: AtomicBool,
    watchers: Arc<Watchers>,
    ponders: Ponders,
    attendance: Attendance,
    resignation: Resignation,
    leads: PerSide<Lead>,
    recorder: Option<Arc<Recorder>>,
    fallback: Arc<dyn FallbackSearcher>,
}

impl Service {
    /// A coordinator of these workers. A recorder keeps its ballots; `fallback` searches when no player
    /// has a move.
    pub fn new(
        ensemble: Ensemble,
        roster: Roster,
        recorder: Option<Arc<Recorder>>,
        fallback: Arc<dyn FallbackSearcher>,
    ) -> Self {
        let reservation = Reservation::of_workers();
        roster.claim_for(&reservation);
        Self {
            inner: Arc::new(Inner {
                begun: Instant::now(),
                resignation: Resignation::new(ensemble.resignation),
                recorder,
                fallback,
                ensemble,
                roster,
                descriptors: OnceLock::new(),
                reservation,
                consultations: AtomicU64::new(1),
                places: Arc::new(Semaphore::new(CONSULTATIONS)),
                is_ending: AtomicBool::new(false),
                watchers: Arc::default(),
                ponders: Ponders::default(),
                attendance: Attendance::default(),
                leads: PerSide::default(),
            }),
        }
    }

    /// Replaces the list of workers; see [`Roster::list`]. Where the file descriptors are counted, they are counted
    /// again.
    ///
    /// # Errors
    /// A URL is wrong; the list stays as it was.
    pub fn list_workers(&self, urls: &[String]) -> Result<(), AddressError> {
        self.inner.roster.list(urls)?;
        if let Some(descriptors) = self.inner.descriptors.get() {
            descriptors.count(&self.inner.roster);
        }
        Ok(())
    }

    /// Counts the file descriptors from now on, of which the process needs `others` beside those of its workers. As
    /// many workers may enrol themselves as there are descriptors for.
    pub(crate) fn count_descriptors(&self, others: usize) -> Shares {
        let descriptors = (self.inner.descriptors).get_or_init(|| Descriptors::new(others));
        descriptors.count(&self.inner.roster)
    }

    /// Waits until no consultation is under way, at most `patience`. Others are refused from now on, so that a proxy
    /// asks another coordinator.
    pub async fn drained(&self, patience: Duration) {
        self.inner.is_ending.store(true, Ordering::Release);
        let all = self.inner.places.acquire_many(CONSULTATIONS as u32);
        // Those that are left are cut off.
        let _ = timeout(patience, all).await;
    }

    /// Tells whether a vote is possible: a worker with a player is connected. `None` when the service is gone.
    pub fn is_ready(&self) -> impl Fn() -> Option<bool> + Send + Sync + 'static {
        let inner = Arc::downgrade(&self.inner);
        move || {
            let slots = inner.upgrade()?.roster.slots();
            Some(slots.iter().any(|slot| slot.access.is_ok()))
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
        if ballot_name(&slots, primary).is_none() {
            warn!(primary, "the primary player is on no worker");
        }
    }

    /// Resolves a request; the ensemble's settings replace absent ones.
    async fn setup(&self, begin: Begin) -> Result<ConsultationSetup, Status> {
        let choices = ConsultationChoices::of(&begin)
            .map_err(|error| Status::invalid_argument(brief(error)))?;
        check_game_id(&begin.game_id)?;
        if begin.primary.len() > LONGEST_NAME {
            let refusal = format!("the primary player's name is longer than {LONGEST_NAME} bytes");
            return Err(Status::invalid_argument(refusal));
        }
        let position = begin
            .position
            .ok_or_else(|| Status::invalid_argument("begin has no position"))?;
        let game = read_question(position.clone())
            .await
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        let ensemble = &self.inner.ensemble;
        let ConsultationSettings {
            rule,
            pondering,
            without_book,
            book_plies,
            ..
        } = choices.over(ensemble.settings);
        let book = ensemble.book.clone().filter(|_| !without_book);
        let mut limits = begin.limits.unwrap_or_default();
        if rule.ranks_moves() {
            limits.multi_pv.get_or_insert(RANKED_MOVES);
        }
        let ponder_targets = match pondering {
            Pondering::Spread if limits.ponder => {
                PonderTargets::Replies((self.inner.ponders).predictions(&begin.game_id, &position))
            }
            Pondering::Spread | Pondering::Predicted => PonderTargets::default(),
            Pondering::Opponent => PonderTargets::OpponentsPosition,
        };
        let measured = Duration::from_millis(begin.overhead_ms.into());
        let side = game.position().side_to_move();
        Ok(ConsultationSetup {
            search_moves: read_search_moves(&game, &begin.search_moves),
            header: BallotHeader {
                lead: self.inner.leads.get(&begin.game_id, side),
                id: self.inner.consultations.fetch_add(1, Ordering::Relaxed),
                game_id: begin.game_id,
                seed: begin.seed,
                rule,
                primary: choices.primary.or_else(|| ensemble.primary.clone()),
                calibration: Arc::clone(&ensemble.calibration),
            },
            claim: None,
            game,
            time_policy: TimePolicy::of_consultation(
                choices.time_policy,
                ensemble.settings.time_policy,
                &limits,
            ),
            limits,
            waited: Duration::ZERO,
            clock_rules: ClockRules {
                overhead: ensemble.overhead.max(measured).into(),
                minimum: Duration::from_millis(begin.minimum_ms.into()),
                whole_seconds: begin.whole_seconds,
            },
            margin: Duration::from_millis(begin.margin_ms.into()),
            ponder_targets,
            book: book.map(|book| book.within(book_plies)),
            fallback: Arc::clone(&self.inner.fallback),
        })
    }
}

impl Inner {
    /// Returns the primary player by its name on the ballot: the one that was asked for, or that of the ensemble where
    /// no player that is known has this name.
    fn primary_among(&self, slots: &[PlayerSlot], asked: Option<String>) -> Option<String> {
        let mut names = asked.iter().chain(&self.ensemble.primary);
        names.find_map(|name| ballot_name(slots, name)).or(asked)
    }

    /// Returns the players to ask. A coordinator that has just been started may not have found its workers, and gives
    /// them a part of the move's time. A ponder, and a search that nothing but a stop ends, wait for the first player.
    /// All wait until the caller says something or has gone.
    async fn slots_for(
        &self,
        setup: &ConsultationSetup,
        commands: &mpsc::Receiver<ConsultationCommand>,
        standings: &mpsc::Sender<Ballot>,
    ) -> Vec<PlayerSlot> {
        let needs_players = Answer::by_rules(&setup.game).is_none();
        let settled_at = self.settled_at(setup);
        loop {
            let is_settling = Instant::now() < settled_at && !self.roster.is_settled();
            let slots = self.roster.slots();
            let has_time = setup.limits.ponder || setup.is_endless();
            let waits = is_settling || slots.is_empty() && has_time;
            let is_left = commands.is_closed() || standings.is_closed();
            if !needs_players || !waits || !commands.is_empty() || is_left {
                return slots;
            }
            sleep(NEWCOMER_POLL).await;
        }
    }

    /// Returns the moment until which a consultation that begins now waits for workers to be found.
    fn settled_at(&self, setup: &ConsultationSetup) -> Instant {
        let settled_at = self.begun + SETTLING;
        let share = setup.normal_time().map(|time| time / SETTLING_SHARE);
        share.map_or(settled_at, |share| settled_at.min(Instant::now() + share))
    }

    /// Remembers the player that leads the game, under `hand-over`.
    fn note_lead(&self, ballot: &Ballot, side: Color) {
        let rule = ballot.decision.as_ref().map(|decision| &*decision.rule);
        if rule != Some(Rule::HandOver.name()) {
            return;
        }
        let previous = self.leads.get(&ballot.game_id, side);
        let primary = Some(&*ballot.primary).filter(|primary| !primary.is_empty());
        if let Some(lead) = lead(previous.as_ref(), primary, &ballot.votes) {
            self.leads.update(&ballot.game_id, side, |_| lead);
        }
    }
}

impl Service {
    /// Lets a session in.
    fn enter(&self, claim: Option<&Claim>, peer: Option<SocketAddr>) -> Result<Pass, Held> {
        let pass = self.inner.reservation.enter(claim, peer)?;
        if self.inner.reservation.is_unconfirmed() {
            self.inner.roster.tell_claim();
        }
        Ok(pass)
    }

    /// Lets a session in, and waits for the lease of another one whose process may have ended: its GUI may
    /// have started it again.
    async fn enter_in_time(
        &self,
        claim: Option<&Claim>,
        peer: Option<SocketAddr>,
    ) -> Result<Pass, Held> {
        let latest = Instant::now() + lease_patience(claim);
        loop {
            match self.enter(claim, peer) {
                Err(_) if Instant::now() < latest => sleep(LEASE_POLL).await,
                entered => return entered,
            }
        }
    }

    /// Returns the searches kept by a missed ponder, unless this is another ponder.
    fn kept_for(&self, setup: &ConsultationSetup) -> Option<KeptSearches> {
        let kept = self.inner.ponders.take(&setup.header.game_id)?;
        (!setup.limits.ponder).then_some(kept)
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
        let peer = request.remote_addr();
        let mut upstream = request.into_inner();
        let first = timeout(BEGIN_PATIENCE, upstream.message()).await;
        let first =
            first.map_err(|_| Status::deadline_exceeded("begin did not come in time"))??;
        let first = first.and_then(|first| first.message);
        let Some(consult_request::Message::Begin(mut begin)) = first else {
            return Err(Status::invalid_argument(
                "the first message of a consultation must be begin",
            ));
        };
        if self.inner.is_ending.load(Ordering::Acquire) {
            return Err(Status::unavailable("this coordinator is about to end"));
        }
        let claim = begin.claim.take();
        let place = Arc::clone(&self.inner.places).try_acquire_owned();
        let place = place.map_err(|_| {
            Status::resource_exhausted(format!(
                "{CONSULTATIONS} consultations are under way; ask again when one has ended"
            ))
        })?;
        let mut setup = self.setup(begin).await?;
        let mut pass = self.enter(claim.as_ref(), peer)?;
        let is_of_game = is_of_game(claim.as_ref());
        setup.claim = pass.claim();
        let kept = self.kept_for(&setup);
        let (ballots, downstream) = mpsc::channel(BALLOTS);
        // Standings leave the last place to it.
        let decision = ballots.clone().try_reserve_owned();
        let decision = decision.map_err(|_| Status::internal("no place for the decision"))?;
        let (failure, failed) = mpsc::channel(1);
        let (commands, receiver) = mpsc::channel(COMMANDS);
        let least_overhead = self.inner.ensemble.overhead;
        let listener = tokio::spawn(listen(upstream, commands, least_overhead));
        let inner = Arc::clone(&self.inner);
        let watched = inner.watchers.ballot();
        let decided = watched.clone();
        tokio::spawn(async move {
            let _place = place;
            let game_id = setup.header.game_id.clone();
            let side = setup.game.position().side_to_move();
            let outcome = tokio::select! {
                outcome = async {
                    let begun = Instant::now();
                    let slots = inner.slots_for(&setup, &receiver, &ballots).await;
                    setup.waited = begun.elapsed();
                    setup.header.primary = inner.primary_among(&slots, setup.header.primary);
                    consult(setup, &slots, receiver, ballots, kept).await
                } => outcome,
                held = pass.taken() => {
                    // There is room for one failure, and the caller may have hung up.
                    let _ = failure.try_send(Err(held.into()));
                    ConsultationOutcome::default()
                }
            };
            listener.abort();
            let ConsultationOutcome {
                ballot,
                kept,
                missed,
            } = outcome;
            if let Some(kept) = kept {
                inner.ponders.keep(&game_id, kept);
            }
            if let Some(mut ballot) = ballot {
                inner.ponders.remember(&ballot);
                // The game has not reached the position of a missed ponder.
                if !missed {
                    inner.attendance.note(&ballot);
                    inner.note_lead(&ballot, side);
                    if is_of_game {
                        inner.resignation.consider(&mut ballot, side);
                    }
                    if let Some(recorder) = &inner.recorder {
                        recorder.ballot(&ballot);
                    }
                }
                match missed {
                    true => decided.show_missed(&ballot),
                    false => decided.show_decided(&ballot),
                }
                // The caller may have hung up, or read nothing: it finds the decision when it reads.
                decision.send(ballot);
            }
        });
        let responses = ReceiverStream::new(downstream).map(move |ballot: Ballot| {
            let message = match &ballot.decision {
                Some(_) => Message::Ballot(ballot),
                None => {
                    watched.show_standing(&ballot);
                    Message::Standing(ballot)
                }
            };
            let message = Some(message);
            Ok(ConsultResponse { message })
        });
        let responses = responses.chain(ReceiverStream::new(failed));
        Ok(Response::new(Box::pin(responses)))
    }

    async fn roster(&self, _: Request<RosterRequest>) -> Result<Response<RosterResponse>, Status> {
        let Ensemble {
            settings,
            primary,
            overhead,
            ..
        } = &self.inner.ensemble;
        let (decisions, fallbacks) = self.inner.attendance.decisions();
        Ok(Response::new(RosterResponse {
            decisions,
            fallbacks,
            rule: settings.rule.name().to_owned(),
            primary: primary.clone().unwrap_or_default(),
            workers: self.inner.roster.statuses(),
            overhead_ms: short_milliseconds(*overhead),
            time_policy: settings.time_policy.name().to_owned(),
            held_by: (self.inner.reservation.held()).map_or(String::new(), |held| held.holder),
            attendance: self.inner.attendance.players(),
            up_ms: milliseconds(self.inner.begun.elapsed()),
            build: build::name().to_owned(),
            calibration: self.inner.ensemble.calibration.to_curves(),
        }))
    }

    type WatchStream = Downstream<WatchResponse>;

    async fn watch(
        &self,
        request: Request<WatchRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let responses = self.inner.watchers.watch(request.into_inner().standings)?;
        Ok(Response::new(Box::pin(responses)))
    }

    async fn prepare_game(
        &self,
        request: Request<PrepareGameRequest>,
    ) -> Result<Response<PrepareGameResponse>, Status> {
        let peer = request.remote_addr();
        let PrepareGameRequest { game_id, claim } = request.into_inner();
        check_game_id(&game_id)?;
        let pass = self.enter_in_time(claim.as_ref(), peer).await?;
        self.inner.ponders.end_all();
        // An aborted game may be played again under its name.
        self.inner.leads.forget(&game_id);
        self.inner.resignation.forget(&game_id);
        let roster = &self.inner.roster;
        // A coordinator that was just started serves before it has found its workers.
        roster
            .settle(SETTLING.saturating_sub(self.inner.begun.elapsed()))
            .await;
        let is_claimed = claim.is_some();
        let claim = pass.claim();
        if is_claimed
            && claim.is_none()
            && let Some(held) = self.inner.reservation.held()
        {
            return Err(held.into());
        }
        // After a restart the workers are still held by the session before it.
        let lease_patience = lease_patience(claim.as_ref());
        let told = roster.new_game(&game_id, claim.as_ref(), PREPARATION, lease_patience);
        let GameReadiness { problems, refusal } = told.await;
        if let (Some(refusal), Some(claim)) = (refusal, &claim) {
            // A game goes on through another coordinator, or did before this one was started again. It keeps its team,
            // and may come here.
            self.inner.reservation.release(&claim.session);
            return Err(Status::failed_precondition(refusal));
        }
        Ok(Response::new(PrepareGameResponse { problems }))
    }

    async fn finish_game(
        &self,
        request: Request<FinishGameRequest>,
    ) -> Result<Response<FinishGameResponse>, Status> {
        let result = GameResult::of(request.into_inner())
            .ok_or_else(|| Status::invalid_argument("the outcome says nothing"))?;
        check_game_id(&result.game_id)?;
        if let Some(recorder) = &self.inner.recorder {
            recorder.result(result);
        }
        Ok(Response::new(FinishGameResponse {}))
    }

    async fn hold(&self, request: Request<HoldRequest>) -> Result<Response<HoldResponse>, Status> {
        let peer = request.remote_addr();
        let claim = request.into_inner().claim;
        self.enter(claim.as_ref(), peer)?;
        Ok(Response::new(HoldResponse {}))
    }

    async fn release(
        &self,
        request: Request<ReleaseRequest>,
    ) -> Result<Response<ReleaseResponse>, Status> {
        let session = request.into_inner().session;
        if self.inner.reservation.release(&session) {
            self.inner.ponders.end_all();
            self.inner.roster.release(&session, RELEASE_PATIENCE).await;
        }
        Ok(Response::new(ReleaseResponse {}))
    }

    async fn enrol(
        &self,
        request: Request<EnrolRequest>,
    ) -> Result<Response<EnrolResponse>, Status> {
        let peer = request.remote_addr();
        let port = door::port(&request.into_inner());
        let (Some(peer), Ok(port)) = (peer, port) else {
            return Err(Status::invalid_argument(
                "a worker enrols itself over TCP, with its port",
            ));
        };
        let address = (peer.ip().to_canonical(), port).into();
        match self.inner.roster.enrol(address) {
            Ok(()) => Ok(Response::new(EnrolResponse {})),
            Err(error @ EnrolError::Closed) => Err(Status::permission_denied(error.to_string())),
            Err(error) => Err(Status::resource_exhausted(error.to_string())),
        }
    }
}

/// Refuses names of games that are too long to be kept.
fn check_game_id(game_id: &str) -> Result<(), Status> {
    match game_id.len() > LONGEST_GAME_ID {
        true => Err(Status::invalid_argument(format!(
            "the name of the game is longer than {LONGEST_GAME_ID} bytes"
        ))),
        false => Ok(()),
    }
}

/// Returns the time that a session waits for the lease of another one: only a game does.
fn lease_patience(claim: Option<&Claim>) -> Duration {
    match is_of_game(claim) {
        true => LEASE_PATIENCE,
        false => Duration::ZERO,
    }
}

/// Tells whether a call belongs to a game, rather than to an analysis or a look.
fn is_of_game(claim: Option<&Claim>) -> bool {
    claim.is_some_and(|claim| claim.purpose() == Purpose::Game)
}

/// Passes on the commands of a client until its stream ends. `least_overhead` is set aside of every clock.
async fn listen(
    mut upstream: Streaming<ConsultRequest>,
    commands: mpsc::Sender<ConsultationCommand>,
    least_overhead: Duration,
) {
    let mut is_told = false;
    while let Ok(Some(request)) = upstream.message().await {
        let command = match request.message {
            Some(consult_request::Message::Stop(_)) => ConsultationCommand::Stop,
            Some(consult_request::Message::PonderHit(hit)) => {
                let told = |ms: u32| least_overhead.max(Duration::from_millis(ms.into()));
                ConsultationCommand::PonderHit(HitClock {
                    clock: hit.clock,
                    overhead: hit.overhead_ms.map(told),
                })
            }
            Some(consult_request::Message::Begin(_)) => {
                if !mem::replace(&mut is_told, true) {
                    warn!("further begins within one consultation ignored");
                }
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
