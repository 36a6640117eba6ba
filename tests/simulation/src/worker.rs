//! A simulated worker: one player whose lines, times and lies are drawn by its name and the position.

use crate::draw::Draws;
use monju_engine::{Game, Move};
use monju_proto::{
    build,
    convert::read_question_at_once,
    reservation::Reservation,
    v1::{
        DescribeRequest, DescribeResponse, DrainRequest, DrainResponse, ExamineRequest,
        ExamineResponse, Go, Line, NewGameRequest, NewGameResponse, PlayerInfo, ReleaseRequest,
        ReleaseResponse, ThinkRequest, ThinkResponse, ThinkResult, think_request::Message as Asked,
        think_response::Message as Told, worker_server::Worker,
    },
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

/// Longest pause between two lines of a search, in milliseconds.
const LONGEST_PAUSE_MS: u64 = 250;

/// A simulated worker.
#[derive(Clone, Debug)]
pub struct SimulatedWorker {
    /// Its name, and that of its player.
    pub name: String,
    /// All that it does.
    pub draws: Draws,
    /// It lies, and breaks every rule that a worker has.
    pub is_hostile: bool,
    /// Speed of its clock in percent.
    pub clock_percent: u32,
    /// Time after which it answers by itself, in milliseconds; without it, it thinks as long as it may.
    pub answers_after_ms: Option<u64>,
    /// Hears of every answer, when it is sent.
    pub answered: Option<mpsc::UnboundedSender<Instant>>,
    reservation: Reservation,
    /// Number of times that it was asked to describe itself.
    descriptions: Arc<AtomicU64>,
}

/// The way in which a hostile worker treats one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    None,
    IllegalMove,
    NoMove,
    HugeLine,
    Error,
    EarlyEnd,
    DeafToStop,
    Flood,
}

const LIES: [Lie; 8] = [
    Lie::None,
    Lie::IllegalMove,
    Lie::NoMove,
    Lie::HugeLine,
    Lie::Error,
    Lie::EarlyEnd,
    Lie::DeafToStop,
    Lie::Flood,
];

/// The way in which a hostile worker describes itself once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FalseDescription {
    ManyLanes,
    ManyPlayers,
    LongName,
    ControlCharacters,
    NoNumber,
    Silence,
}

const FALSE_DESCRIPTIONS: [FalseDescription; 6] = [
    FalseDescription::ManyLanes,
    FalseDescription::ManyPlayers,
    FalseDescription::LongName,
    FalseDescription::ControlCharacters,
    FalseDescription::NoNumber,
    FalseDescription::Silence,
];

impl SimulatedWorker {
    /// A worker that has just been started.
    pub fn new(name: String, draws: Draws, is_hostile: bool, clock_percent: u32) -> Self {
        Self {
            name,
            draws,
            is_hostile,
            clock_percent,
            answers_after_ms: None,
            answered: None,
            reservation: Reservation::default(),
            descriptions: Arc::default(),
        }
    }

    /// Returns the lie of this description. Every second hostile worker lies in every fourth of them: one
    /// that always did would never be asked to think.
    fn false_description(&self) -> Option<FalseDescription> {
        let number = self.descriptions.fetch_add(1, Ordering::Relaxed);
        let draws = self.draws.at(60_000);
        let lies = self.is_hostile && draws.chance(0, 500) && draws.chance(number + 1, 250);
        lies.then(|| {
            let kinds = FALSE_DESCRIPTIONS.len() as u64;
            FALSE_DESCRIPTIONS[draws.at(1).below(number, kinds) as usize]
        })
    }

    async fn answer(
        &self,
        upstream: &mut Streaming<ThinkRequest>,
        told: &mpsc::Sender<Result<ThinkResponse, Status>>,
    ) -> Result<(), Status> {
        let first = upstream.message().await?.and_then(|first| first.message);
        let Some(Asked::Go(go)) = first else {
            return Err(Status::invalid_argument("no go"));
        };
        let mut pass = self.reservation.enter(go.claim.as_ref(), None)?;
        let position = go.position.clone().unwrap_or_default();
        let game = read_question_at_once(&position)
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        tokio::select! {
            biased;
            held = pass.taken() => Err(held.into()),
            thought = self.search(&go, &game, upstream, told) => thought,
        }
    }

    async fn search(
        &self,
        go: &Go,
        game: &Game,
        upstream: &mut Streaming<ThinkRequest>,
        told: &mpsc::Sender<Result<ThinkResponse, Status>>,
    ) -> Result<(), Status> {
        let draws = self
            .draws
            .at(game.position().key())
            .at(game.moves().len() as u64);
        let lie = match self.is_hostile {
            true => LIES[draws.below(0, LIES.len() as u64) as usize],
            false => Lie::None,
        };
        let moves = game.legal_moves();
        let limits = go.limits.unwrap_or_default();
        let time_ms = limits.time_ms.filter(|_| !limits.ponder);
        let time_ms = match self.answers_after_ms {
            Some(ms) => Some(1 + draws.below(u64::MAX, ms)),
            None => time_ms,
        };
        let end = time_ms.filter(|_| lie != Lie::DeafToStop).map(|ms| {
            let by_own_clock = ms.saturating_mul(100) / u64::from(self.clock_percent);
            Instant::now() + Duration::from_millis(by_own_clock)
        });
        let begun = Instant::now();
        let mut best = None;
        for number in 1.. {
            let pause = match lie {
                Lie::Flood => 1,
                _ => 1 + draws.below(number, LONGEST_PAUSE_MS),
            };
            let next = Instant::now() + Duration::from_millis(pause);
            let is_over = tokio::select! {
                biased;
                asked = upstream.message() => match asked?.and_then(|asked| asked.message) {
                    Some(Asked::Stop(_)) => lie != Lie::DeafToStop,
                    Some(Asked::PonderHit(_)) => false,
                    // The caller has hung up.
                    _ => return Ok(()),
                },
                () = sleep_until(end.map_or(next, |end| end.min(next))) => {
                    end.is_some_and(|end| Instant::now() >= end)
                }
            };
            if is_over {
                break;
            }
            // Most searches change their minds a few times, early.
            if best.is_none() || draws.chance(2 * number, 300 / number) {
                best = Some(moves[draws.at(number).below(0, moves.len() as u64) as usize]);
            }
            match lie {
                Lie::Error => {
                    return Err(Status::internal("\u{1b}[2Jall is lost\r\nbestmove resign"));
                }
                Lie::EarlyEnd => return Ok(()),
                _ => {}
            }
            let line = self.line(game, best, number, begun, lie);
            self.tell(told, Told::Progress(line)).await;
            if lie == Lie::Flood && number > 300 {
                break;
            }
        }
        let best = best.or_else(|| moves.first().copied());
        let result = ThinkResult {
            line: Some(self.line(game, best, 99, begun, lie)),
            noise_seed: None,
        };
        if let Some(answered) = &self.answered {
            // The receiver lives as long as the measurement.
            let _ = answered.send(Instant::now());
        }
        self.tell(told, Told::Result(result)).await;
        Ok(())
    }

    async fn tell(&self, told: &mpsc::Sender<Result<ThinkResponse, Status>>, message: Told) {
        let message = Some(message);
        // The caller may have hung up.
        let _ = told.send(Ok(ThinkResponse { message })).await;
    }

    /// A line whose number of nodes names the position that it is about.
    fn line(&self, game: &Game, best: Option<Move>, depth: u64, begun: Instant, lie: Lie) -> Line {
        let mv = match (lie, best) {
            (Lie::IllegalMove, _) => "5a5b+".to_owned(),
            (Lie::NoMove, _) => "\u{7}\n".to_owned(),
            (_, Some(mv)) => mv.to_string(),
            (_, None) => "resign".to_owned(),
        };
        let length = if lie == Lie::HugeLine { 5_000 } else { 1 };
        Line {
            pv: vec![mv.clone(); length],
            r#move: mv,
            depth: depth as u32,
            nodes: position_tag(game),
            time_ms: begun.elapsed().as_millis() as u64,
            ..Line::default()
        }
    }
}

/// Names the position of a game by a number of nodes.
pub fn position_tag(game: &Game) -> u64 {
    (game.position().key() ^ game.moves().len() as u64) & 0xffff_ffff
}

#[tonic::async_trait]
impl Worker for SimulatedWorker {
    type ThinkStream = ReceiverStream<Result<ThinkResponse, Status>>;

    async fn describe(
        &self,
        request: Request<DescribeRequest>,
    ) -> Result<Response<DescribeResponse>, Status> {
        let claim = request.into_inner().claim;
        // A refused caller sees below who holds the players.
        let holds = claim.is_some_and(|claim| self.reservation.enter(Some(&claim), None).is_ok());
        let held = self.reservation.held();
        let player = PlayerInfo {
            name: self.name.clone(),
            engine: "simulated".to_owned(),
            sigma: 50.0,
            ..PlayerInfo::default()
        };
        let mut description = DescribeResponse {
            name: self.name.clone(),
            version: "0".to_owned(),
            build: build::name().to_owned(),
            held_by: held.map_or(String::new(), |held| held.holder),
            holds,
            players: vec![player.clone()],
            ..DescribeResponse::default()
        };
        match self.false_description() {
            None => {}
            Some(FalseDescription::ManyLanes) => description.players[0].lanes = 100_000,
            Some(FalseDescription::ManyPlayers) => description.players = vec![player; 5_000],
            Some(FalseDescription::LongName) => description.name = "x".repeat(3_000_000),
            Some(FalseDescription::ControlCharacters) => {
                description.players[0].name = "\u{1b}[2J\nbestmove".to_owned();
            }
            Some(FalseDescription::NoNumber) => description.players[0].weight = Some(f64::NAN),
            Some(FalseDescription::Silence) => std::future::pending().await,
        }
        Ok(Response::new(description))
    }

    async fn new_game(
        &self,
        request: Request<NewGameRequest>,
    ) -> Result<Response<NewGameResponse>, Status> {
        let _pass = self
            .reservation
            .enter(request.into_inner().claim.as_ref(), None)?;
        Ok(Response::new(NewGameResponse::default()))
    }

    async fn think(
        &self,
        request: Request<Streaming<ThinkRequest>>,
    ) -> Result<Response<Self::ThinkStream>, Status> {
        let mut upstream = request.into_inner();
        let (told, stream) = mpsc::channel(4);
        let worker = self.clone();
        tokio::spawn(async move {
            if let Err(status) = worker.answer(&mut upstream, &told).await {
                let _ = told.send(Err(status)).await;
            }
        });
        Ok(Response::new(ReceiverStream::new(stream)))
    }

    async fn examine(
        &self,
        _: Request<ExamineRequest>,
    ) -> Result<Response<ExamineResponse>, Status> {
        Ok(Response::new(ExamineResponse::default()))
    }

    async fn drain(&self, _: Request<DrainRequest>) -> Result<Response<DrainResponse>, Status> {
        Err(Status::unimplemented("not simulated"))
    }

    async fn release(
        &self,
        request: Request<ReleaseRequest>,
    ) -> Result<Response<ReleaseResponse>, Status> {
        self.reservation.release(&request.into_inner().session);
        Ok(Response::new(ReleaseResponse {}))
    }
}
