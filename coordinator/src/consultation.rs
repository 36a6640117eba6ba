//! One consultation from its request to its decision.

mod calls;
mod fallback;
mod member;
mod pace;

use crate::{
    ballot::{self, BallotHeader, OpenBallot, Verdict},
    clock::{self, Budget, TimePolicy},
    fallback::FallbackSearcher,
    roster::PlayerSlot,
    voting::Rule,
};
use calls::Calls;
pub use calls::Kept;
use fallback::Fallback;
use member::Event;
use monju_engine::{Answer, Game, Move};
use monju_proto::convert::milliseconds;
use monju_proto::v1::{Ballot, Clock, Decision, Go, Limits, Position, TieBreak};
use pace::Pace;
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};
use tracing::{debug, info};

/// Standings go out at most this often.
const STANDING_INTERVAL: Duration = Duration::from_millis(100);

/// After a stop, players get this long to name their final moves; native ones need 5 ms.
const STOP_PATIENCE: Duration = Duration::from_millis(30);

/// So long after one was lost, all that are lost are asked again: connections and engines come back …
const RETRY: Duration = Duration::from_secs(1);

/// … where at least so much time is left.
const WORTH_A_RETRY: Duration = Duration::from_secs(2);

/// What a consultation is about.
#[derive(Clone, Debug)]
pub struct Question {
    /// What the ballot will be called, and its rule.
    pub header: BallotHeader,
    /// The position with its history.
    pub game: Game,
    /// When to decide.
    pub limits: Limits,
    /// What is lost between the decision and the GUI's clock.
    pub overhead: Duration,
    /// How the time is spent.
    pub time_policy: TimePolicy,
    /// How much longer a referee waits for final moves; zero where there is none, and time is short.
    pub margin: Duration,
    /// While pondering: the replies that players expect in place of the last move, by their ballot
    /// names. Each ponders on its own; those that expect none ponder on the last move.
    pub predictions: HashMap<String, String>,
    /// Searches for a move when no player has one.
    pub fallback: Arc<dyn FallbackSearcher>,
}

/// How a consultation ends.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The decided ballot; `None` when nobody wants the decision any more: the receiver of standings
    /// is gone, or the commands end during a ponder.
    pub ballot: Option<Ballot>,
    /// After a ponder that missed: the searches about other replies, still running.
    pub kept: Option<Kept>,
    /// The ballot is about a position to which the opponent has not played.
    pub missed: bool,
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
/// Standings go to `standings` while the players think. Searches in `kept` that are about the
/// question go on.
pub async fn consult(
    question: Question,
    slots: &[PlayerSlot],
    mut commands: mpsc::Receiver<Command>,
    standings: mpsc::Sender<Ballot>,
    kept: Option<Kept>,
) -> Outcome {
    let mut consultation = Consultation::begin(question, slots, kept);
    let mut listening = true;
    while !consultation.is_over() {
        tokio::select! {
            biased;
            () = clock::until(consultation.pace.decide_at()) => break,
            () = standings.closed() => return Outcome::default(),
            command = commands.recv(), if listening => match command {
                Some(command) => consultation.obey(command),
                None if consultation.pondering => return Outcome::default(),
                None => listening = false,
            },
            () = clock::until(consultation.pace.stop_at()) => consultation.end_or_go_on(),
            () = clock::until(consultation.check_at()) => consultation.search_if_silent(),
            (slot, event) = consultation.calls.next() => consultation.enter(slot, event),
            () = consultation.fallback.ended() => consultation.end_with_fallback(),
            () = clock::until(consultation.retry_at) => consultation.ask_the_lost(),
            () = clock::until(consultation.pace.review_at()) => consultation.review(),
            () = clock::until(consultation.standing_at) => {
                consultation.standing_at = None;
                consultation.last_standing = Some(Instant::now());
                // A reader that is behind gets the next standing instead.
                let _ = standings.try_send(consultation.ballot.standing());
            }
        }
    }
    let kept = consultation.let_go();
    let missed = consultation.missed;
    let (stop, stopped) = watch::channel(false);
    let decision = consultation.decide(stopped);
    tokio::pin!(decision);
    loop {
        tokio::select! {
            biased;
            ballot = &mut decision => return Outcome { ballot: Some(ballot), kept, missed },
            () = standings.closed() => return Outcome::default(),
            command = commands.recv(), if listening => match command {
                Some(Command::Stop) => {
                    stop.send_replace(true);
                }
                Some(Command::PonderHit(_)) => {}
                None => listening = false,
            },
        }
    }
}

struct Consultation<'a> {
    slots: &'a [PlayerSlot],
    calls: Calls,
    ballot: OpenBallot,
    limits: Limits,
    overhead: Duration,
    time_policy: TimePolicy,
    pace: Pace,
    begun: Instant,
    /// The decision is held until a ponder hit or a stop.
    pondering: bool,
    /// A ponder was stopped: the opponent has played something else, or the game is over.
    missed: bool,
    /// The answer, where the rules decide before the players.
    by_rules: Option<Answer>,
    /// There is nothing to choose from.
    only_move: bool,
    standing_at: Option<Instant>,
    last_standing: Option<Instant>,
    /// Since when the clock runs.
    clock_from: Instant,
    fallback: Fallback,
    /// Whether those that are lost are asked again: a referee wants to know of them.
    retries: bool,
    retry_at: Option<Instant>,
}

impl<'a> Consultation<'a> {
    fn begin(question: Question, slots: &'a [PlayerSlot], kept: Option<Kept>) -> Self {
        let Question {
            header,
            game,
            limits,
            overhead,
            time_policy,
            margin,
            predictions,
            fallback,
        } = question;
        let by_rules = ballot::by_rules(&game);
        let slots = match by_rules {
            None => slots,
            Some(_) => &[],
        };
        let seed = header.seed;
        let players = slots
            .iter()
            .map(|slot| (slot.info.clone(), slot.noise_seed(seed)));
        let position = Position::from(&game);
        let mut consultation = Self {
            slots,
            calls: Calls::new(position, kept),
            missed: false,
            pondering: limits.ponder,
            limits,
            overhead,
            time_policy,
            pace: Pace::without_a_clock(time_policy, margin),
            begun: Instant::now(),
            only_move: game.legal_moves().len() == 1,
            ballot: OpenBallot::new(header, game, players),
            by_rules,
            standing_at: None,
            last_standing: None,
            clock_from: Instant::now(),
            // A referee wants to know that no player has a vote.
            fallback: Fallback::new(fallback, margin.is_zero()),
            retries: margin.is_zero(),
            retry_at: None,
        };
        consultation.ask_everybody(&predictions);
        if !consultation.pondering {
            consultation.start_clock();
            consultation.search_if_deserted();
        }
        consultation
    }

    fn ask_everybody(&mut self, predictions: &HashMap<String, String>) {
        let budget = self.budget();
        let predictions = match self.pondering {
            true => legal_replies(self.ballot.game(), predictions),
            false => HashMap::new(),
        };
        for (index, slot) in self.slots.iter().enumerate() {
            let limits = self.limits_for(slot, budget);
            if let Err(reason) = &slot.access {
                let reason = format!("worker {} is not connected: {reason}", slot.info.worker);
                self.ballot.fail(index, reason, Duration::ZERO);
                self.calls.skip();
                self.plan_retry();
                continue;
            }
            // A search that is already about this position is only told that its time counts.
            if !self.pondering
                && let Some((member, line)) = self.calls.adopt(&slot.info.name)
            {
                member.ponder_hit(limits);
                if let Some(line) = line {
                    self.ballot.progress(index, line, Duration::ZERO);
                }
                continue;
            }
            let mut go = self.go(slot, limits);
            if let (Some(position), Some(reply)) =
                (&mut go.position, predictions.get(slot.info.name.as_str()))
            {
                position.moves.pop();
                position.moves.push((*reply).to_owned());
            }
            self.calls.ask(slot.channel.clone(), go);
        }
    }

    fn plan_retry(&mut self) {
        if self.retries && !self.pondering {
            self.retry_at.get_or_insert(Instant::now() + RETRY);
        }
    }

    fn go(&self, slot: &PlayerSlot, limits: Limits) -> Go {
        let header = self.ballot.header();
        Go {
            player: slot.called.clone(),
            game_id: header.game_id.clone(),
            position: Some(self.calls.position().clone()),
            limits: Some(limits),
            noise_seed: slot.noise_seed(header.seed),
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
    fn limits_for(&self, slot: &PlayerSlot, budget: Option<Budget>) -> Limits {
        // A share is one of what a move takes, not of what it might take at most.
        let takes_share = slot.info.clock_share.is_some_and(|share| share < 1.0);
        let time = budget.map(|budget| match takes_share {
            true => budget.normal,
            false => self.time_policy.longest(&budget),
        });
        self.limits_of(slot, time)
    }

    fn limits_of(&self, slot: &PlayerSlot, time: Option<Duration>) -> Limits {
        Limits {
            nodes: self.limits.nodes,
            depth: self.limits.depth,
            time_ms: time.map(|time| {
                let time = clock::worker_time(time, slot.round_trip);
                milliseconds(time).max(1)
            }),
            clock: None,
            ponder: self.pondering,
            multi_pv: self.limits.multi_pv,
        }
    }

    fn start_clock(&mut self) {
        if let Some(budget) = self.budget() {
            let round_trips = self.slots.iter().map(|slot| slot.round_trip);
            let round_trip = round_trips.max().unwrap_or_default();
            self.pace.start(budget, round_trip, self.begun);
            self.clock_from = Instant::now();
        }
    }

    /// The moment to look whether any player has a vote.
    fn check_at(&self) -> Option<Instant> {
        (self.fallback).check_at(self.clock_from, self.pace.decide_at())
    }

    /// Begins the fallback search while no player has a vote, rather than at the deadline.
    fn search_if_silent(&mut self) {
        self.fallback.checked();
        if let (None, Verdict::NoVotes) = (self.by_rules, self.ballot.verdict()) {
            (self.fallback).begin(self.ballot.game(), self.pace.decide_at(), false);
        }
    }

    /// Begins the fallback search where all players are lost before the middle of the time: their last
    /// votes are worth less.
    fn search_if_deserted(&mut self) {
        let (decide_at, stop_at) = (self.pace.decide_at(), self.pace.stop_at());
        if (self.fallback).may_replace(self.clock_from, decide_at, stop_at)
            && !self.slots.is_empty()
            && self.ballot.is_deserted()
        {
            self.fallback.checked();
            (self.fallback).begin(self.ballot.game(), decide_at, true);
        }
    }

    /// Decides as soon as a fallback search that replaces all players has ended.
    fn end_with_fallback(&mut self) {
        if self.is_replaced() {
            self.pace.decide_within(Duration::ZERO);
        }
    }

    /// Returns true while the fallback search plays in place of all players.
    fn is_replaced(&self) -> bool {
        self.fallback.replaces_players() && self.ballot.is_deserted()
    }

    fn is_over(&self) -> bool {
        let is_decided = self.by_rules.is_some() || self.ballot.is_complete();
        !self.pondering && is_decided && !self.is_replaced()
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Stop => {
                self.missed |= self.pondering;
                self.pondering = false;
                self.stop_members();
                // After a missed ponder the next question is on its way, perhaps to searches that
                // are already about it.
                let patience = match self.missed && self.calls.has_others() {
                    true => Duration::ZERO,
                    false => STOP_PATIENCE,
                };
                self.pace.decide_within(patience);
            }
            Command::PonderHit(clock) if self.pondering => {
                self.pondering = false;
                self.limits.ponder = false;
                self.limits.clock = clock.or(self.limits.clock);
                self.start_clock();
                self.tell_of_the_hit();
            }
            Command::PonderHit(_) => debug!("ponder hit without ponder ignored"),
        }
    }

    /// Those that have pondered on the move that was played go on; the others are asked anew, also those
    /// that were lost meanwhile: they may be back, and what they said last was said in no hurry.
    fn tell_of_the_hit(&mut self) {
        let budget = self.budget();
        for (index, slot) in self.slots.iter().enumerate() {
            let limits = self.limits_for(slot, budget);
            if self.ballot.has_failed(index) {
                let go = self.go(slot, limits);
                self.ballot.ask_again(index);
                self.calls.ask_again(index, slot.channel.clone(), go);
            } else if let Some(member) = self.calls.member(index) {
                member.ponder_hit(limits);
            } else if self.calls.is_elsewhere(index) {
                let go = self.go(slot, limits);
                self.calls.ask_again(index, slot.channel.clone(), go);
            }
        }
    }

    /// Asks those again that were lost, where there is time for it. What they said last stands until they say
    /// more.
    fn ask_the_lost(&mut self) {
        self.retry_at = None;
        let (Some(budget), Some(decide_at)) = (self.budget(), self.pace.decide_at()) else {
            return;
        };
        let now = Instant::now();
        if decide_at.saturating_duration_since(now) < WORTH_A_RETRY || self.pace.is_stopped() {
            return;
        }
        let latest = self.clock_from + self.time_policy.longest(&budget);
        let left = latest.saturating_duration_since(now);
        for (index, slot) in self.slots.iter().enumerate() {
            if self.ballot.is_lost(index) {
                let go = self.go(slot, self.limits_of(slot, Some(left)));
                debug!(player = slot.info.name, "asked again");
                self.ballot.call_back(index);
                self.calls.ask_again(index, slot.channel.clone(), go);
            }
        }
    }

    /// The time for the move is up as it was judged last: looks again, and stops or goes on.
    fn end_or_go_on(&mut self) {
        self.review();
        if self.pace.stop_at().is_some_and(|at| at <= Instant::now()) {
            self.stop_members();
            if self.is_replaced() {
                self.pace.decide_within(Duration::ZERO);
            }
        }
    }

    /// Judges anew how long to think, from what the players say now.
    fn review(&mut self) {
        if self.is_replaced() {
            // What the lost have said decides nothing.
            return self.pace.postpone_review();
        }
        let leader = match self.ballot.verdict() {
            Verdict::Decided { mv, .. } if mv != Answer::RESIGN => mv,
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
        let header = self.ballot.header();
        let lead = |needs_half| pace::cannot_be_overtaken(standing, leader, needs_half);
        let is_counted_out = match header.rule {
            Rule::Majority | Rule::MajorityThenOptimistic => lead(false),
            Rule::PrimaryUnlessOutvoted => lead(true),
            // Any vote to come may change sums of scores, weights or ranks.
            Rule::Weighted
            | Rule::Optimistic
            | Rule::Pessimistic
            | Rule::MeanScore
            | Rule::Ranked
            | Rule::Single
            | Rule::Alternate
            | Rule::HandOver => false,
        };
        is_counted_out || self.only_move
    }

    fn stop_members(&mut self) {
        self.pace.stopped();
        for member in self.calls.members() {
            member.stop();
        }
    }

    fn enter(&mut self, player: usize, event: Event) {
        let arrived = self.begun.elapsed();
        if !matches!(event, Event::Failed(_)) {
            self.fallback.give_way();
        }
        match event {
            Event::Progress(line) => self.ballot.progress(player, line, arrived),
            Event::Result(result) => self.ballot.result(player, result, arrived),
            Event::Failed(reason) => {
                self.ballot.fail(player, reason, arrived);
                self.search_if_deserted();
                self.plan_retry();
            }
        }
        if self.standing_at.is_none() {
            let now = Instant::now();
            let due = self.last_standing.map(|last| last + STANDING_INTERVAL);
            self.standing_at = Some(due.map_or(now, |due| due.max(now)));
        }
        self.pace.ask_for_review();
    }

    /// Lets the players go. What has arrived already is entered even when the deadline came first.
    fn let_go(&mut self) -> Option<Kept> {
        while let Some((slot, event)) = self.calls.next_that_is_there() {
            self.enter(slot, event);
        }
        let names = self.slots.iter().map(|slot| slot.info.name.as_str());
        self.calls.dismiss(self.missed, names)
    }

    /// `stopped` ends a fallback search.
    async fn decide(mut self, mut stopped: watch::Receiver<bool>) -> Ballot {
        // With time left, all of it is used.
        let stop_at = self.pace.stop_at();
        let is_replaced = self.is_replaced();
        let (mv, ponder, tie_break) = match (self.by_rules, self.ballot.verdict()) {
            (Some(answer), _) => (answer.to_string(), String::new(), TieBreak::Rules),
            (
                None,
                Verdict::Decided {
                    mv,
                    ponder,
                    tie_break,
                },
            ) if !is_replaced => (mv, ponder, tie_break),
            (None, verdict) => {
                let found = self.fallback.choose(stop_at, &mut stopped).await;
                match (found, verdict) {
                    (Some(answer), _) => (answer.to_string(), String::new(), TieBreak::Fallback),
                    (
                        None,
                        Verdict::Decided {
                            mv,
                            ponder,
                            tie_break,
                        },
                    ) => (mv, ponder, tie_break),
                    (None, Verdict::NoVotes) => {
                        let game = self.ballot.game();
                        let answer = self.fallback.search(game, stop_at, &mut stopped).await;
                        (answer.to_string(), String::new(), TieBreak::Fallback)
                    }
                }
            }
        };
        let header = self.ballot.header();
        let elapsed = self.begun.elapsed();
        info!(
            id = header.id,
            game = header.game_id,
            mv,
            tie_break = tie_break.as_str_name(),
            elapsed_ms = elapsed.as_millis(),
            "decided"
        );
        let ballot = self.ballot.close(Decision {
            r#move: mv,
            ponder,
            rule: header.rule.name().to_owned(),
            tie_break: tie_break.into(),
            elapsed_ms: milliseconds(elapsed),
            win_rate: None,
        });
        let deadline = self.pace.decide_at().map(|at| at - self.begun);
        Ballot {
            limits: Some(self.limits),
            deadline_ms: deadline.map(milliseconds),
            ..ballot
        }
    }
}

/// The predicted replies that are legal in place of the last move of `game`.
fn legal_replies<'a>(
    game: &Game,
    predictions: &'a HashMap<String, String>,
) -> HashMap<&'a str, &'a str> {
    let mut moves: Vec<String> = game.moves().iter().map(Move::to_string).collect();
    if moves.pop().is_none() {
        return HashMap::new();
    }
    let Ok(before) = Game::from_parts(game.start(), &moves) else {
        return HashMap::new();
    };
    predictions
        .iter()
        .filter(|(_, reply)| before.parse_move(reply).is_ok())
        .map(|(player, reply)| (player.as_str(), reply.as_str()))
        .collect()
}

#[cfg(test)]
mod tests;
