//! One consultation from its request to its decision.

mod fallback;
mod member;
mod pace;

use crate::{
    ballot::{self, Heading, OpenBallot, Verdict},
    clock::{self, Budget, Tempo},
    roster::Seat,
    voting::Rule,
};
use member::{Event, Member};
use monju_engine::{Control, Game, Move};
use monju_proto::v1::{Ballot, Clock, Decision, Go, Limits, Position, TieBreak};
use pace::Pace;
use std::{future, time::Duration};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{self, Instant},
};
use tracing::{debug, info};

/// Standings go out at most this often.
const STANDING_INTERVAL: Duration = Duration::from_millis(100);

/// After a stop, players get this long to name their final moves; native ones need 5 ms.
const STOP_PATIENCE: Duration = Duration::from_millis(30);

/// Room for events that arrive while one of them is being entered.
const EVENTS: usize = 256;

/// What a consultation is about.
#[derive(Clone, Debug)]
pub struct Question {
    /// What the ballot will be called, and its rule.
    pub heading: Heading,
    /// The position with its history.
    pub game: Game,
    /// When to decide.
    pub limits: Limits,
    /// What is lost between the decision and the GUI's clock.
    pub overhead: Duration,
    /// How the time is spent.
    pub tempo: Tempo,
}

/// What may be said to a consultation under way.
#[derive(Clone, Debug)]
pub enum Command {
    /// Decide now from what is there.
    Stop,
    /// The pondered move was played; the clock as it stands now, if it was sent.
    PonderHit(Option<Clock>),
}

/// Asks every player and decides.
///
/// Standings go to `standings` while the players think. Returns `None` when nobody wants the
/// decision any more: the receiver of `standings` is gone, or `commands` ends during a ponder.
pub async fn consult(
    question: Question,
    seats: &[Seat],
    mut commands: mpsc::Receiver<Command>,
    standings: mpsc::Sender<Ballot>,
) -> Option<Ballot> {
    let mut consultation = Consultation::begin(question, seats);
    let mut listening = true;
    while !consultation.is_over() {
        tokio::select! {
            biased;
            () = at(consultation.pace.decide_at()) => break,
            () = standings.closed() => return None,
            command = commands.recv(), if listening => match command {
                Some(command) => consultation.obey(command),
                None if consultation.pondering => return None,
                None => listening = false,
            },
            () = at(consultation.pace.stop_at()) => consultation.end_or_go_on(),
            Some((player, event)) = consultation.events.recv() => consultation.enter(player, event),
            () = at(consultation.pace.review_at()) => consultation.review(),
            () = at(consultation.standing_at) => {
                consultation.standing_at = None;
                consultation.last_standing = Some(Instant::now());
                // A reader that is behind gets the next standing instead.
                let _ = standings.try_send(consultation.ballot.standing());
            }
        }
    }
    let control = Control::new();
    let decision = consultation.decide(control.clone());
    tokio::pin!(decision);
    loop {
        tokio::select! {
            biased;
            ballot = &mut decision => return Some(ballot),
            () = standings.closed() => {
                control.stop();
                return None;
            }
            command = commands.recv(), if listening => match command {
                Some(Command::Stop) => control.stop(),
                Some(Command::PonderHit(_)) => {}
                None => listening = false,
            },
        }
    }
}

/// Waits until `moment`, for ever when there is none.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => time::sleep_until(moment).await,
        None => future::pending().await,
    }
}

struct Consultation<'a> {
    seats: &'a [Seat],
    /// The way to each seat's player, for those that were asked.
    members: Vec<Option<Member>>,
    /// The `Think` streams; dropping them cancels the searches.
    streams: JoinSet<()>,
    events: mpsc::Receiver<(usize, Event)>,
    ballot: OpenBallot,
    limits: Limits,
    overhead: Duration,
    tempo: Tempo,
    pace: Pace,
    begun: Instant,
    /// The decision is held until a ponder hit or a stop.
    pondering: bool,
    /// `win` or `resign`, where the rules decide before the players.
    by_rules: Option<&'static str>,
    /// There is nothing to choose from.
    only_move: bool,
    standing_at: Option<Instant>,
    last_standing: Option<Instant>,
}

impl<'a> Consultation<'a> {
    fn begin(question: Question, seats: &'a [Seat]) -> Self {
        let Question {
            heading,
            game,
            limits,
            overhead,
            tempo,
        } = question;
        let by_rules = ballot::by_rules(&game);
        let seats = match by_rules {
            None => seats,
            Some(_) => &[],
        };
        let seed = heading.seed;
        let players = seats
            .iter()
            .map(|seat| (seat.info.clone(), seat.noise_seed(seed)));
        let (sender, events) = mpsc::channel(EVENTS);
        let mut consultation = Self {
            seats,
            members: Vec::new(),
            streams: JoinSet::new(),
            events,
            pondering: limits.ponder,
            limits,
            overhead,
            tempo,
            pace: Pace::without_a_clock(tempo),
            begun: Instant::now(),
            only_move: game.legal_moves().len() == 1,
            ballot: OpenBallot::new(heading, game, players),
            by_rules,
            standing_at: None,
            last_standing: None,
        };
        consultation.ask_everybody(&sender);
        if !consultation.pondering {
            consultation.start_clock();
        }
        consultation
    }

    fn ask_everybody(&mut self, events: &mpsc::Sender<(usize, Event)>) {
        let game = self.ballot.game();
        let position = Position {
            start: game.start().to_owned(),
            moves: game.moves().iter().map(Move::to_string).collect(),
        };
        let heading = self.ballot.heading().clone();
        let budget = self.budget();
        for (index, seat) in self.seats.iter().enumerate() {
            let member = match &seat.access {
                Ok(channel) => {
                    let go = Go {
                        player: seat.called.clone(),
                        game_id: heading.game_id.clone(),
                        position: Some(position.clone()),
                        limits: Some(self.limits_for(seat, budget)),
                        noise_seed: seat.noise_seed(heading.seed),
                    };
                    let (channel, events) = (channel.clone(), events.clone());
                    Some(Member::ask(channel, go, index, events, &mut self.streams))
                }
                Err(reason) => {
                    let reason = format!("worker {} is not connected: {reason}", seat.info.worker);
                    self.ballot.fail(index, reason, Duration::ZERO);
                    None
                }
            };
            self.members.push(member);
        }
    }

    /// The time for this move as the clock stands; `None` while pondering and without a clock.
    fn budget(&self) -> Option<Budget> {
        let side = self.ballot.game().position().side_to_move();
        match self.pondering {
            true => None,
            false => clock::budget(&self.limits, side, self.overhead),
        }
    }

    /// A worker never sees the clock, only its own share of the time.
    fn limits_for(&self, seat: &Seat, budget: Option<Budget>) -> Limits {
        Limits {
            nodes: self.limits.nodes,
            depth: self.limits.depth,
            time_ms: budget.map(|budget| {
                let time = clock::worker_time(self.tempo.longest(&budget), seat.round_trip);
                (time.as_millis() as u64).max(1)
            }),
            clock: None,
            ponder: self.pondering,
        }
    }

    fn start_clock(&mut self) {
        if let Some(budget) = self.budget() {
            let round_trips = self.seats.iter().map(|seat| seat.round_trip);
            let round_trip = round_trips.max().unwrap_or_default();
            self.pace.start(budget, round_trip, self.begun);
        }
    }

    fn is_over(&self) -> bool {
        !self.pondering && (self.by_rules.is_some() || self.ballot.is_complete())
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Stop => {
                self.pondering = false;
                self.stop_members();
                self.pace.decide_within(STOP_PATIENCE);
            }
            Command::PonderHit(clock) if self.pondering => {
                self.pondering = false;
                self.limits.ponder = false;
                self.limits.clock = clock.or(self.limits.clock);
                self.start_clock();
                let budget = self.budget();
                for (seat, member) in self.seats.iter().zip(&self.members) {
                    if let Some(member) = member {
                        member.ponder_hit(self.limits_for(seat, budget));
                    }
                }
            }
            Command::PonderHit(_) => debug!("ponder hit without ponder ignored"),
        }
    }

    /// The time for the move is up as it was judged last: looks again, and stops or goes on.
    fn end_or_go_on(&mut self) {
        self.review();
        if self.pace.stop_at().is_some_and(|at| at <= Instant::now()) {
            self.stop_members();
        }
    }

    /// Judges anew how long to think, from what the players say now.
    fn review(&mut self) {
        let leader = match self.ballot.verdict() {
            Verdict::Decided { mv, .. } if mv != "resign" => mv,
            _ => return self.pace.postpone_review(),
        };
        let standing = self.ballot.standing();
        if !self.pondering && self.pace.ends_early() && self.is_settled(&standing, &leader) {
            self.stop_members();
            self.pace.decide_within(Duration::ZERO);
            return;
        }
        self.pace.judge(&standing, &leader);
    }

    /// Whether no vote that is still to come can change the decision.
    fn is_settled(&self, standing: &Ballot, leader: &str) -> bool {
        let heading = self.ballot.heading();
        let is_counted_out = heading.rule == Rule::Majority
            && pace::cannot_be_overtaken(standing, leader, heading.primary.is_some());
        is_counted_out || self.only_move
    }

    fn stop_members(&mut self) {
        self.pace.stopped();
        for member in self.members.iter().flatten() {
            member.stop();
        }
    }

    fn enter(&mut self, player: usize, event: Event) {
        let arrived = self.begun.elapsed();
        match event {
            Event::Progress(line) => self.ballot.progress(player, line, arrived),
            Event::Result(result) => self.ballot.result(player, result, arrived),
            Event::Failed(reason) => self.ballot.fail(player, reason, arrived),
        }
        if self.standing_at.is_none() {
            let now = Instant::now();
            let due = self.last_standing.map(|last| last + STANDING_INTERVAL);
            self.standing_at = Some(due.map_or(now, |due| due.max(now)));
        }
        self.pace.ask_for_review();
    }

    /// `control` ends the fallback search, should there be one.
    async fn decide(mut self, control: Control) -> Ballot {
        // What has arrived already is entered even when the deadline came first.
        while let Ok((player, event)) = self.events.try_recv() {
            self.enter(player, event);
        }
        self.streams.abort_all();
        let (mv, ponder, tie_break) = match (self.by_rules, self.ballot.verdict()) {
            (Some(mv), _) => (mv.to_owned(), String::new(), TieBreak::Rules),
            (
                None,
                Verdict::Decided {
                    mv,
                    ponder,
                    tie_break,
                },
            ) => (mv, ponder, tie_break),
            (None, Verdict::NoVotes) => {
                let left = self.pace.stop_at().map_or(Duration::ZERO, |at| {
                    at.saturating_duration_since(Instant::now())
                });
                let mv = fallback::choose(self.ballot.game().clone(), left, control).await;
                (mv, String::new(), TieBreak::Fallback)
            }
        };
        let heading = self.ballot.heading();
        let elapsed = self.begun.elapsed();
        info!(
            id = heading.id,
            game = heading.game_id,
            mv,
            tie_break = tie_break.as_str_name(),
            elapsed_ms = elapsed.as_millis(),
            "decided"
        );
        self.ballot.close(Decision {
            r#move: mv,
            ponder,
            rule: heading.rule.name().to_owned(),
            tie_break: tie_break.into(),
            elapsed_ms: elapsed.as_millis() as u64,
        })
    }
}

#[cfg(test)]
mod tests;
