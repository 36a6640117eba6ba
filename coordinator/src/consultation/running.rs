//! The state of a consultation under way, and its reactions to events.

use super::{
    calls::{Calls, KeptSearches},
    command::{ConsultationCommand, HitClock},
    decision_timer::{self, DecisionTimer},
    failure_log::FailureLog,
    fallback::{Fallback, first_choice},
    laggards::RoundTrips,
    player_stream::PlayerEvent,
    settled::SettledDecision,
    setup::{ConsultationSetup, PonderTargets},
};
use crate::{
    ballot::{BallotDecision, OpenBallot},
    clock::{self, Budget, ClockRules, TimePolicy},
    roster::PlayerSlot,
    voting::Rule,
};
use monju_engine::{Answer, Game, Move};
use monju_proto::convert::milliseconds;
use monju_proto::v1::{Ballot, Claim, Decision, Go, Limits, Position, TieBreak};
use std::{collections::HashMap, time::Duration};
use tokio::{sync::watch, time::Instant};
use tracing::{debug, info};

/// Shortest interval between two standings.
const STANDING_INTERVAL: Duration = Duration::from_millis(100);

/// Time of the players to send their final moves after a stop; native ones need 5 ms.
pub(super) const STOP_PATIENCE: Duration = Duration::from_millis(30);

/// Delay after which lost players are asked again: connections and engines come back.
const RETRY: Duration = Duration::from_secs(1);

/// Least time until the decision for which lost players are asked again.
const WORTH_A_RETRY: Duration = Duration::from_secs(2);

/// The state of a consultation under way.
pub(super) struct RunningConsultation<'a> {
    slots: &'a [PlayerSlot],
    /// Players that search other positions than the pondered one, which is decided. They are not on the ballot.
    beside: &'a [PlayerSlot],
    pub calls: Calls,
    ballot: OpenBallot,
    failures: FailureLog,
    claim: Option<Claim>,
    limits: Limits,
    clock_rules: ClockRules,
    time_policy: TimePolicy,
    pub timer: DecisionTimer,
    /// The moment of the request.
    begun: Instant,
    /// The decision waits for a ponder hit or a stop.
    pub pondering: bool,
    /// A ponder was stopped: the opponent has played another move, or the game is over.
    pub missed: bool,
    /// The decision, if it needs no consultation.
    settled: Option<SettledDecision>,
    /// There is only one legal move.
    only_move: bool,
    /// The moment of the next standing, if one is due.
    pub standing_at: Option<Instant>,
    last_standing: Option<Instant>,
    /// The moment from which the clock runs.
    clock_from: Instant,
    pub fallback: Fallback,
    /// Lost players are asked again; a referee wants to know of them instead.
    retries: bool,
    /// The moment to ask lost players again, if there are any.
    pub retry_at: Option<Instant>,
}

impl<'a> RunningConsultation<'a> {
    /// Asks every player, and starts the clock unless this is a ponder.
    pub fn begin(
        setup: ConsultationSetup,
        slots: &'a [PlayerSlot],
        kept: Option<KeptSearches>,
    ) -> Self {
        let ConsultationSetup {
            header,
            claim,
            game,
            search_moves,
            limits,
            waited,
            clock_rules,
            time_policy,
            margin,
            ponder_targets,
            book,
            fallback,
        } = setup;
        let mut header = header;
        let by_rules = Answer::by_rules(&game);
        let seed = header.seed;
        let drawn = match (&book, by_rules) {
            (Some(book), None) => book.draw(&game, seed),
            _ => None,
        };
        let voting = book.filter(|book| drawn.is_some() && book.voting);
        if voting.is_some() {
            // Any other rule needs scores, or follows one player.
            header.rule = Rule::Majority;
        }
        let on_ballot = match (by_rules, drawn, &voting) {
            (None, None, _) | (None, _, Some(_)) => slots,
            _ => &[],
        };
        let players = on_ballot
            .iter()
            .map(|slot| (slot.info.clone(), slot.noise_seed(seed)));
        let only_move = match search_moves.len() {
            0 => game.legal_moves().len() == 1,
            moves => moves == 1,
        };
        let position = Position::from(&game);
        let mut ballot = OpenBallot::new(header, game, players);
        ballot.choose_among(search_moves);
        let settled = match (by_rules, voting, drawn) {
            (Some(answer), ..) => Some(SettledDecision::by_rules(answer)),
            (None, Some(book), drawn) => {
                SettledDecision::by_votes_on_book(&mut ballot, slots, &book)
                    .or(drawn.map(SettledDecision::by_book))
            }
            (None, None, drawn) => drawn.map(SettledDecision::by_book),
        };
        // Nobody is asked about a decision that is there; but the opponent may leave the book.
        let (slots, beside) = match &settled {
            None => (slots, &slots[..0]),
            Some(settled) if settled.by_book && limits.ponder => (&slots[..0], slots),
            Some(_) => (&slots[..0], &slots[..0]),
        };
        let begun = Instant::now() - waited;
        let mut consultation = Self {
            slots,
            beside,
            calls: Calls::new(position, kept),
            missed: false,
            claim,
            pondering: limits.ponder,
            limits,
            clock_rules,
            time_policy,
            timer: DecisionTimer::without_a_clock(time_policy, margin),
            begun,
            only_move,
            ballot,
            failures: FailureLog::default(),
            settled,
            // A ponder may go on for long without a vote on the position.
            standing_at: limits.ponder.then(Instant::now),
            last_standing: None,
            clock_from: begun,
            // A referee wants to know that no player has a vote.
            fallback: Fallback::new(fallback, margin.is_zero()),
            retries: margin.is_zero(),
            retry_at: None,
        };
        consultation.ask_all(&ponder_targets, waited);
        consultation.ask_beside(&ponder_targets);
        if !consultation.pondering {
            consultation.start_clock(begun);
            consultation.search_if_deserted();
        }
        consultation
    }

    /// Asks every player, which has this much less time.
    fn ask_all(&mut self, ponder_targets: &PonderTargets, waited: Duration) {
        let budget = self.budget();
        let round_trips = RoundTrips::of(self.slots);
        let diversions = self.diversions(ponder_targets);
        for (index, slot) in self.slots.iter().enumerate() {
            let limits = self.limits_for(slot, budget, waited);
            if let Err(reason) = &slot.access {
                let reason = format!("worker {} is not connected: {reason}", slot.info.worker);
                self.fail(index, reason, Duration::ZERO);
                self.calls.skip();
                self.plan_retry();
                continue;
            }
            // A referee wants to know of a late player instead.
            if let (Some(budget), true) = (budget, self.retries) {
                let time = self.time_policy.longest(&budget).saturating_sub(waited);
                if round_trips.is_too_late(slot.last_round_trip, time) {
                    let (away, left) = (slot.last_round_trip.as_millis(), time.as_millis());
                    let worker = &slot.info.worker;
                    let reason = format!(
                        "benched: worker {worker} answers within {away} ms, and the move has {left} ms"
                    );
                    self.fail(index, reason, Duration::ZERO);
                    self.calls.skip();
                    continue;
                }
            }
            // A kept search about this position goes on; a ponder hit starts its time.
            if !self.pondering
                && self.ballot.among().is_empty()
                && let Some((stream, line)) = self.calls.adopt(&slot.info.name)
            {
                stream.ponder_hit(limits);
                if let Some(line) = line {
                    self.ballot.progress(index, line, Duration::ZERO);
                }
                continue;
            }
            let mut go = self.go(slot, limits);
            diversions.divert(&mut go, &slot.info.name);
            self.calls.ask(slot.channel.clone(), go);
        }
    }

    /// Asks the players that search other positions than the one that the book has decided.
    fn ask_beside(&mut self, ponder_targets: &PonderTargets) {
        let diversions = self.diversions(ponder_targets);
        for slot in self.beside {
            let mut go = self.go(slot, self.limits_of(slot, None));
            diversions.divert(&mut go, &slot.info.name);
            let is_elsewhere = go.position.as_ref() != Some(self.calls.position());
            match is_elsewhere && slot.access.is_ok() {
                true => self.calls.ask(slot.channel.clone(), go),
                false => self.calls.skip(),
            }
        }
    }

    /// Returns what players search in place of the position, during a ponder.
    fn diversions<'t>(&self, ponder_targets: &'t PonderTargets) -> Diversions<'t> {
        match ponder_targets {
            PonderTargets::Replies(replies) if self.pondering => {
                Diversions::Replies(legal_replies(self.ballot.game(), replies))
            }
            PonderTargets::OpponentsPosition if self.pondering => Diversions::OpponentsPosition,
            PonderTargets::OpponentsPosition | PonderTargets::Replies(_) => {
                Diversions::Replies(HashMap::new())
            }
        }
    }

    /// Enters that a player failed.
    fn fail(&mut self, player: usize, reason: String, arrived: Duration) {
        if self.ballot.fail(player, reason.clone(), arrived) {
            self.failures.note(&self.slots[player], &reason);
        }
    }

    fn plan_retry(&mut self) {
        if self.retries {
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
            claim: self.claim.clone(),
            opponents_turn: false,
            search_moves: self.ballot.among().iter().map(Move::to_string).collect(),
        }
    }

    /// Returns the time for this move by the current clock; `None` during a ponder and without a limit.
    fn budget(&self) -> Option<Budget> {
        let position = self.ballot.game().position();
        match self.pondering {
            true => None,
            false => clock::budget(&self.limits, position, self.clock_rules),
        }
    }

    /// Returns the limits of a player. A worker never gets the clock, only its share of the time, less what has passed.
    fn limits_for(&self, slot: &PlayerSlot, budget: Option<Budget>, passed: Duration) -> Limits {
        // A share is a share of the normal time, not of the greatest.
        let takes_share = slot.info.clock_share.is_some_and(|share| share < 1.0);
        let time = budget.map(|budget| match takes_share {
            true => budget.normal,
            false => self.time_policy.longest(&budget),
        });
        self.limits_of(slot, time.map(|time| time.saturating_sub(passed)))
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

    fn start_clock(&mut self, from: Instant) {
        if let Some(budget) = self.budget() {
            let round_trips = RoundTrips::of(self.slots);
            self.timer.start(budget, round_trips, from, self.begun);
            self.clock_from = from;
        }
    }

    /// Returns the moment to begin the fallback search unless a player has a vote.
    pub fn check_at(&self) -> Option<Instant> {
        (self.fallback).check_at(self.clock_from, self.timer.decide_at())
    }

    /// Begins the fallback search while no player has a vote, rather than at the deadline.
    pub fn search_if_silent(&mut self) {
        self.fallback.checked();
        if let (None, BallotDecision::NoVotes) = (&self.settled, self.ballot.decide()) {
            (self.fallback).begin(&self.ballot, self.timer.decide_at(), false);
        }
    }

    /// Begins the fallback search if all players are lost before the middle of the time: their last votes
    /// are worth less.
    fn search_if_deserted(&mut self) {
        let (decide_at, stop_at) = (self.timer.decide_at(), self.timer.stop_at());
        if (self.fallback).may_replace(self.clock_from, decide_at, stop_at)
            && !self.slots.is_empty()
            && self.ballot.is_deserted()
        {
            self.fallback.checked();
            (self.fallback).begin(&self.ballot, decide_at, true);
        }
    }

    /// Decides as soon as a fallback search that replaces all players has ended.
    pub fn end_with_fallback(&mut self) {
        if self.is_replaced() {
            self.timer.decide_within(Duration::ZERO);
        }
    }

    /// Returns true while the fallback search plays in place of all players.
    fn is_replaced(&self) -> bool {
        self.fallback.replaces_players() && self.ballot.is_deserted()
    }

    /// Returns true if no vote can change the decision.
    pub fn is_over(&self) -> bool {
        let waits = self.waits_for_lost_players() || self.is_retry_worthwhile();
        let is_complete = self.ballot.is_complete() && !waits;
        !self.pondering && (self.settled.is_some() || is_complete) && !self.is_replaced()
    }

    /// Returns true while all players are lost, and one has been asked again or will be before the clock's deadline.
    fn is_retry_worthwhile(&self) -> bool {
        let Some(decide_at) = self.timer.decide_at() else {
            return false;
        };
        let mut players = 0..self.slots.len();
        let is_asked_again = players.any(|player| !self.ballot.is_lost(player));
        let will_be_asked = self
            .retry_at
            .is_some_and(|retry_at| decide_at.saturating_duration_since(retry_at) >= WORTH_A_RETRY);
        self.ballot.is_deserted() && !self.timer.is_stopped() && (is_asked_again || will_be_asked)
    }

    /// Returns true while a search that nothing but a stop ends has lost players, which are asked again and again.
    fn waits_for_lost_players(&self) -> bool {
        let Limits { nodes, depth, .. } = self.limits;
        let is_endless = self.budget().is_none() && nodes.is_none() && depth.is_none();
        let mut players = 0..self.slots.len();
        self.retries
            && is_endless
            && !self.timer.is_stopped()
            && players.any(|player| self.ballot.has_failed(player))
    }

    /// Carries out a command.
    pub fn handle(&mut self, command: ConsultationCommand) {
        match command {
            ConsultationCommand::Stop => {
                self.missed |= self.pondering;
                self.pondering = false;
                self.stop_players();
                // After a missed ponder the next request is on its way, perhaps about the position of
                // another search.
                let patience = match self.missed && self.calls.has_others() {
                    true => Duration::ZERO,
                    false => STOP_PATIENCE,
                };
                self.timer.decide_within(patience);
            }
            ConsultationCommand::PonderHit(HitClock { clock, overhead }) if self.pondering => {
                self.pondering = false;
                self.limits.ponder = false;
                self.limits.clock = clock.or(self.limits.clock);
                if let Some(overhead) = overhead {
                    self.clock_rules.overhead = overhead.into();
                }
                self.start_clock(Instant::now());
                self.send_ponder_hit();
                // The votes of the ponder may decide it.
                self.timer.schedule_review();
            }
            ConsultationCommand::PonderHit(_) => debug!("ponder hit without ponder ignored"),
        }
    }

    /// Tells the players that have pondered on the played move to go on, and asks the others again.
    /// These include players that were lost meanwhile, which may be back.
    fn send_ponder_hit(&mut self) {
        let budget = self.budget();
        for (index, slot) in self.slots.iter().enumerate() {
            let limits = self.limits_for(slot, budget, Duration::ZERO);
            if self.ballot.has_failed(index) {
                let go = self.go(slot, limits);
                self.ballot.ask_again(index);
                self.calls.ask_again(index, slot.channel.clone(), go);
            } else if let Some(stream) = self.calls.stream(index) {
                stream.ponder_hit(limits);
            } else if self.calls.is_elsewhere(index) {
                let go = self.go(slot, limits);
                self.calls.ask_again(index, slot.channel.clone(), go);
            }
        }
    }

    /// Asks lost players again, if there is time for it. Their last lines stand until they send others.
    pub fn ask_lost_players(&mut self) {
        self.retry_at = None;
        let now = Instant::now();
        let is_late = |at: Instant| at.saturating_duration_since(now) < WORTH_A_RETRY;
        if self.timer.is_stopped() || self.timer.decide_at().is_some_and(is_late) {
            return;
        }
        let left = self.budget().map(|budget| {
            let latest = self.clock_from + self.time_policy.longest(&budget);
            latest.saturating_duration_since(now)
        });
        for (index, slot) in self.slots.iter().enumerate() {
            if self.ballot.is_lost(index) {
                let go = self.go(slot, self.limits_of(slot, left));
                debug!(player = slot.info.name, "asked again");
                self.ballot.call_back(index);
                self.calls.ask_again(index, slot.channel.clone(), go);
            }
        }
    }

    /// Reviews the deadlines at the moment of the stop, and stops the players unless it has moved.
    pub fn review_and_stop(&mut self) {
        self.review();
        if self.timer.stop_at().is_some_and(|at| at <= Instant::now()) {
            self.stop_players();
            if self.is_replaced() {
                self.timer.decide_within(Duration::ZERO);
            }
        }
    }

    /// Reviews the deadlines by the current votes.
    pub fn review(&mut self) {
        if self.is_replaced() {
            // The votes of lost players decide nothing.
            return self.timer.skip_review();
        }
        let leader = match self.ballot.decide() {
            BallotDecision::Decided { mv, .. } if mv != Answer::RESIGN => mv,
            _ => return self.timer.skip_review(),
        };
        // Of the others it does not depend how long the players think, and each would take its time.
        if self.time_policy.judges_danger() {
            let decide_at = self.timer.decide_at();
            self.ballot.judge(&leader, || is_due(decide_at));
        }
        let standing = self.ballot.standing();
        // Without a clock there is no time to be saved: an analysis goes on.
        let saves_time = self.timer.decide_at().is_some() && self.timer.ends_early();
        if !self.pondering && saves_time && self.is_settled(&standing, &leader) {
            self.stop_players();
            self.timer.decide_within(Duration::ZERO);
            return;
        }
        self.timer.judge(&standing, &leader);
    }

    /// Returns true if no vote to come can change the decision.
    fn is_settled(&self, standing: &Ballot, leader: &str) -> bool {
        let header = self.ballot.header();
        let lead = |needs_half| decision_timer::cannot_be_overtaken(standing, leader, needs_half);
        let is_counted_out = match header.rule {
            Rule::Majority | Rule::MajorityThenOptimistic => lead(false),
            Rule::PrimaryUnlessOutvoted => lead(true),
            // Any vote to come may change a sum of scores, weights or ranks, or is followed itself.
            Rule::Careful
            | Rule::Weighted
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

    /// Stops the players of workers that are farther away than most.
    pub fn stop_laggards(&mut self) {
        let round_trips = RoundTrips::of(self.slots);
        self.timer.stopped_laggards();
        for (index, slot) in self.slots.iter().enumerate() {
            if let (true, Some(stream)) = (
                round_trips.is_late(slot.round_trip),
                self.calls.stream(index),
            ) {
                stream.stop();
            }
        }
    }

    fn stop_players(&mut self) {
        self.timer.stopped();
        for stream in self.calls.streams() {
            stream.stop();
        }
    }

    /// Enters an event of a player.
    pub fn enter(&mut self, player: usize, event: PlayerEvent) {
        let arrived = self.begun.elapsed();
        if !matches!(event, PlayerEvent::Failed(_)) {
            self.fallback.give_way();
        }
        match event {
            PlayerEvent::Progress(latest) => {
                if let Some(line) = latest.take() {
                    self.ballot.progress(player, line, arrived);
                }
            }
            PlayerEvent::Result(result) => self.ballot.result(player, result, arrived),
            PlayerEvent::Failed(reason) => {
                self.fail(player, reason, arrived);
                self.search_if_deserted();
                self.plan_retry();
            }
        }
        self.judge_danger();
        if self.standing_at.is_none() {
            let now = Instant::now();
            let due = self.last_standing.map(|last| last + STANDING_INTERVAL);
            self.standing_at = Some(due.map_or(now, |due| due.max(now)));
        }
        self.timer.schedule_review();
    }

    /// Judges the moves that have votes, where the rule asks for it, as long as there is time: a move that is not
    /// judged is not known to be safe.
    fn judge_danger(&mut self) {
        if !self.ballot.header().rule.judges_danger() {
            return;
        }
        let decide_at = self.timer.decide_at();
        while self.ballot.judge_one(|| is_due(decide_at)) {}
    }

    /// Returns the ballot as it stands, and notes that it was sent.
    pub fn standing(&mut self) -> Ballot {
        self.standing_at = None;
        self.last_standing = Some(Instant::now());
        self.with_limits(self.ballot.standing())
    }

    /// Returns the ballot with the time that the consultation has.
    fn with_limits(&self, ballot: Ballot) -> Ballot {
        let deadline = self.timer.decide_at().map(|at| at - self.begun);
        Ballot {
            limits: Some(self.limits),
            deadline_ms: deadline.map(milliseconds),
            ..ballot
        }
    }

    /// Enters the events that have arrived, even at the deadline, and ends the calls.
    pub fn end_calls(&mut self) -> Option<KeptSearches> {
        for (slot, event) in self.calls.arrived() {
            self.enter(slot, event);
        }
        let asked = self.slots.iter().chain(self.beside);
        let names = asked.map(|slot| slot.info.name.as_str());
        self.calls.dismiss(self.missed, names)
    }

    /// Decides and closes the ballot; `stopped` ends a fallback search.
    pub async fn decide(mut self, mut stopped: watch::Receiver<bool>) -> Ballot {
        // A fallback search uses up the time that is left.
        let stop_at = self.timer.stop_at();
        let is_replaced = self.is_replaced();
        let is_by_book = self.settled.as_ref().is_some_and(|settled| settled.by_book);
        let (mv, ponder, tie_break) = match (self.settled.take(), self.ballot.decide()) {
            (Some(settled), _) => (settled.mv, settled.ponder, settled.tie_break),
            (
                None,
                BallotDecision::Decided {
                    mv,
                    ponder,
                    tie_break,
                },
            ) if !is_replaced => (mv, ponder, tie_break),
            // After a missed ponder the answer is discarded.
            (None, BallotDecision::NoVotes) if self.missed => {
                let answer = first_choice(&self.ballot);
                (answer.to_string(), String::new(), TieBreak::Fallback)
            }
            (None, verdict) => {
                let found = self.fallback.choose(stop_at, &mut stopped).await;
                match (found, verdict) {
                    (Some(answer), _) => (answer.to_string(), String::new(), TieBreak::Fallback),
                    (
                        None,
                        BallotDecision::Decided {
                            mv,
                            ponder,
                            tie_break,
                        },
                    ) => (mv, ponder, tie_break),
                    (None, BallotDecision::NoVotes) => {
                        let search = self.fallback.search(&self.ballot, stop_at, &mut stopped);
                        let answer = search.await;
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
            book: is_by_book,
        });
        self.with_limits(ballot)
    }
}

/// The positions that players search in place of the pondered one.
enum Diversions<'a> {
    /// Those after these replies, by the names of the players.
    Replies(HashMap<&'a str, &'a str>),
    /// The one before the last move.
    OpponentsPosition,
}

impl Diversions<'_> {
    /// Asks a player about its position instead, if it has one.
    fn divert(&self, go: &mut Go, player: &str) {
        let Some(position) = &mut go.position else {
            return;
        };
        match self {
            Self::Replies(replies) => {
                let Some(reply) = replies.get(player) else {
                    return;
                };
                position.moves.pop();
                position.moves.push((*reply).to_owned());
            }
            Self::OpponentsPosition => go.opponents_turn = position.moves.pop().is_some(),
        }
        go.search_moves.clear();
    }
}

/// Tells whether a moment has come.
fn is_due(at: Option<Instant>) -> bool {
    at.is_some_and(|at| at <= Instant::now())
}

/// Returns the predicted replies that are legal in place of the last move of `game`.
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
