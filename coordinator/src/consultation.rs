//! One consultation from its request to its decision.

mod fallback;
mod member;

use crate::{
    ballot::{self, Heading, OpenBallot, Verdict},
    clock::{self, Deadlines},
    roster::Seat,
};
use member::{Event, Member};
use monju_engine::{Control, Game, Move};
use monju_proto::v1::{Ballot, Clock, Decision, Go, Limits, Position, TieBreak};
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
            () = at(consultation.decide_at) => break,
            () = standings.closed() => return None,
            command = commands.recv(), if listening => match command {
                Some(command) => consultation.obey(command),
                None if consultation.pondering => return None,
                None => listening = false,
            },
            () = at(consultation.stop_at) => consultation.stop_members(),
            Some((player, event)) = consultation.events.recv() => consultation.enter(player, event),
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
    begun: Instant,
    /// The decision is held until a ponder hit or a stop.
    pondering: bool,
    /// `win` or `resign`, where the rules decide before the players.
    by_rules: Option<&'static str>,
    stop_at: Option<Instant>,
    decide_at: Option<Instant>,
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
            ballot: OpenBallot::new(heading, game, players),
            limits,
            overhead,
            begun: Instant::now(),
            by_rules,
            stop_at: None,
            decide_at: None,
            standing_at: None,
            last_standing: None,
        };
        consultation.ask_everybody(&sender);
        if !consultation.pondering {
            consultation.set_deadlines();
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
    fn budget(&self) -> Option<Duration> {
        let side = self.ballot.game().position().side_to_move();
        match self.pondering {
            true => None,
            false => clock::budget(&self.limits, side, self.overhead),
        }
    }

    /// A worker never sees the clock, only its own share of the time.
    fn limits_for(&self, seat: &Seat, budget: Option<Duration>) -> Limits {
        Limits {
            nodes: self.limits.nodes,
            depth: self.limits.depth,
            time_ms: budget.map(|budget| {
                let time = clock::worker_time(budget, seat.round_trip);
                (time.as_millis() as u64).max(1)
            }),
            clock: None,
            ponder: self.pondering,
            multi_pv: self.limits.multi_pv,
        }
    }

    fn set_deadlines(&mut self) {
        let round_trips = self.seats.iter().map(|seat| seat.round_trip);
        if let Some(budget) = self.budget() {
            let deadlines = Deadlines::new(budget, round_trips.max().unwrap_or_default());
            let now = Instant::now();
            self.stop_at = Some(now + deadlines.stop);
            self.decide_at = Some(now + deadlines.decide);
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
                let patience = Instant::now() + STOP_PATIENCE;
                self.decide_at = Some(self.decide_at.map_or(patience, |at| at.min(patience)));
            }
            Command::PonderHit(clock) if self.pondering => {
                self.pondering = false;
                self.limits.ponder = false;
                self.limits.clock = clock.or(self.limits.clock);
                self.set_deadlines();
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

    fn stop_members(&mut self) {
        self.stop_at = None;
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
                let left = self.stop_at.map_or(Duration::ZERO, |at| {
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
        let ballot = self.ballot.close(Decision {
            r#move: mv,
            ponder,
            rule: heading.rule.name().to_owned(),
            tie_break: tie_break.into(),
            elapsed_ms: elapsed.as_millis() as u64,
            win_rate: None,
        });
        let deadline = self.decide_at.map(|at| at - self.begun);
        Ballot {
            limits: Some(self.limits),
            deadline_ms: deadline.map(|deadline| deadline.as_millis() as u64),
            ..ballot
        }
    }
}

#[cfg(test)]
mod tests;
