//! The team's search for the answer to one `go`.
//!
//! A search never fails: without a decision of the coordinator the answer is the leading move of its
//! last standing, or the move of the fallback player. It answers on its own deadline, behind the
//! coordinator's, and within a second of `stop`.

use super::{
    assembled_team::Contact,
    ballot_lines,
    connection::ConnectionHandle,
    coordinators::{Asked, is_lost},
    search_clock::{LastResort, SearchClock},
    steady_scores::SteadyScores,
};
use crate::{
    answer_gate::AnswerGate,
    backend::{GoRequest, SearchControl},
    best_move::BestMove,
    engine::{
        options::PonderTarget,
        search::{PlayerSearch, SearchSetup},
    },
    output::Output,
    scheduling_delay::SchedulingDelay,
};
use monju_coordinator::clock::{TimePolicy, until};
use monju_engine::Move;
use monju_host::fallback::{FallbackHandle, FallbackMove};
use monju_proto::{
    client::{ConsultationClient, ConsultationError, ConsultationEvent},
    convert::short_milliseconds,
    v1::{Ballot, Begin, Limits},
};
use std::{fmt::Display, time::Duration};
use tokio::{sync::mpsc, time::Instant};

/// Time within which a coordinator sends its first standing, over a slow way and from a busy machine.
const FIRST_STANDING: Duration = Duration::from_secs(1);

/// Time after which a coordinator that failed may be there again.
const BACK_AGAIN: Duration = Duration::from_secs(10);

/// The fallback player of a search.
pub struct FallbackSetup {
    /// The way to the player.
    pub player: FallbackHandle,
    /// Its time policy if it plays alone.
    pub time_policy: TimePolicy,
    /// The delay of this machine.
    pub delay: SchedulingDelay,
}

/// The question of a search.
pub struct TeamQuestion {
    /// The `go` of the GUI.
    pub request: GoRequest,
    /// The game of the question, as the coordinator knows it.
    pub game_id: String,
    /// The seed of the game.
    pub game_seed: u64,
    /// Number of moves that each player ranks, if several are asked for.
    pub multi_pv: Option<u32>,
}

/// A running search.
pub struct TeamSearch {
    request: GoRequest,
    game_id: String,
    game_seed: u64,
    multi_pv: Option<u32>,
    gate: AnswerGate,
    clock: SearchClock,
    team: ConnectionHandle,
    fallback: FallbackSetup,
    output: Output,
    controls: mpsc::UnboundedReceiver<SearchControl>,
    /// The shares of the votes that were shown last.
    shown_shares: String,
    /// The scores of an analysis.
    steady: SteadyScores,
    /// The last votes that the coordinator sent.
    standing: Option<Ballot>,
    /// The coordinator that was asked last has answered anything.
    is_heard: bool,
    /// The fallback player's search, started when the coordinator was silent for half of the time.
    fallback_move: Option<FallbackMove>,
    /// True once the middle of the time has passed.
    is_past_middle: bool,
}

impl TeamSearch {
    /// Creates a search and starts its clock.
    pub fn new(
        question: TeamQuestion,
        team: ConnectionHandle,
        fallback: FallbackSetup,
        output: Output,
        controls: mpsc::UnboundedReceiver<SearchControl>,
    ) -> Self {
        let TeamQuestion {
            request,
            game_id,
            game_seed,
            multi_pv,
        } = question;
        Self {
            gate: AnswerGate::of(&request.go),
            clock: SearchClock::new(&request, fallback.delay.clone()),
            request,
            game_id,
            game_seed,
            multi_pv,
            shown_shares: String::new(),
            steady: SteadyScores::default(),
            team,
            fallback,
            output,
            controls,
            standing: None,
            is_heard: false,
            fallback_move: None,
            is_past_middle: false,
        }
    }

    /// Searches, and returns the answer once it may be told.
    pub async fn run(mut self) -> BestMove {
        let best_move = match self.consult_team().await {
            Some(best_move) => best_move,
            None if self.clock.is_due() || self.clock.is_scramble() => self.answer_now().await,
            None => return self.answer_alone().await,
        };
        self.gate.opened(&mut self.controls).await;
        best_move
    }

    /// Returns the team's answer; `None` if it has none.
    async fn consult_team(&mut self) -> Option<BestMove> {
        if self.clock.is_scramble() {
            return None;
        }
        let contact = self.wait_for_team().await?;
        let is_silent = contact.coordinators.is_silent();
        self.clock.ask_coordinator(contact.overhead, is_silent);
        let (mut consultation, mut asked) = self.ask(&contact);
        // Each coordinator is asked once about this position, and again a while after it failed. The only one is asked
        // once more: a connection may break where the coordinator does not.
        let is_alone = contact.coordinators.len() == 1;
        let all_others = (contact.coordinators.len() - 1).max(1);
        let mut others = all_others;
        // One that took over when another was silent has only part of the time.
        let mut had_whole_time = true;
        loop {
            let middle = self.clock.middle().filter(|_| !self.is_past_middle);
            tokio::select! {
                biased;
                () = until(self.clock.deadline()) => {
                    self.note_late(&contact, &asked, had_whole_time);
                    return self.give_up(&mut consultation);
                }
                Some(control) = self.controls.recv() => {
                    let is_hit = matches!(control, SearchControl::PonderHit { .. });
                    match self.handle(control) {
                        Some(SearchControl::Stop) => {
                            if is_hit {
                                // A game without limits: the move was played, which is no missed ponder.
                                consultation.ponder_hit(None, None);
                            }
                            consultation.stop();
                        }
                        Some(SearchControl::PonderHit { clock, .. }) => {
                            let rules = self.clock.rules_of_coordinator();
                            let overhead_ms = short_milliseconds(rules.overhead.kept);
                            consultation.ponder_hit(clock.map(|(clock, _)| clock), Some(overhead_ms));
                        }
                        None => {}
                    }
                }
                event = consultation.next() => match event {
                    ConsultationEvent::Standing(ballot) => {
                        self.note_answer(&contact);
                        if has_answers(&ballot) {
                            self.show(&ballot);
                            self.show_shares(&ballot);
                            self.standing = Some(ballot);
                        }
                    }
                    ConsultationEvent::Decided(ballot) => {
                        self.note_answer(&contact);
                        contact.claim.note_votes(&ballot);
                        return self.accept(ballot);
                    }
                    ConsultationEvent::Broken(error) => {
                        self.report(&format!("the coordinator failed: {error}"));
                        if asked.since.elapsed() >= BACK_AGAIN {
                            others = all_others;
                        }
                        let has_time = self.clock.has_time_to_search();
                        if may_be_replaced(&error)
                            && (self.replace(&contact, &asked) || is_alone)
                            && has_time
                            && others > 0
                        {
                            others -= 1;
                            (consultation, asked) = self.ask(&contact);
                            continue;
                        }
                        // Early in the search, a new search is better than the first votes.
                        return match has_time {
                            true => None,
                            false => self.leading_move(),
                        };
                    }
                },
                () = until(middle) => {
                    self.start_fallback_if_silent();
                    if self.leading_move().is_none() && others > 0 && self.replace(&contact, &asked) {
                        others -= 1;
                        had_whole_time = false;
                        (consultation, asked) = self.ask(&contact);
                    }
                }
            }
        }
    }

    /// Asks the coordinator whose turn it is.
    fn ask(&mut self, contact: &Contact) -> (ConsultationClient, Asked) {
        self.is_heard = false;
        let asked = contact.coordinators.asked();
        let consultation = ConsultationClient::begin(asked.client.clone(), self.begin(contact));
        if self.clock.is_stopped() {
            // The stop came while the search waited for the team.
            consultation.stop();
        }
        (consultation, asked)
    }

    /// Notes that the coordinator that was asked has answered.
    fn note_answer(&mut self, contact: &Contact) {
        self.is_heard = true;
        contact.coordinators.note_silence(false);
        self.clock.note_answer();
    }

    /// Gives the turn to another coordinator. Returns false if there is no other.
    fn replace(&self, contact: &Contact, asked: &Asked) -> bool {
        let next = contact.coordinators.take_over(asked);
        if let Some(next) = next {
            self.report(&format!("the coordinator at {next} takes over"));
        }
        next.is_some()
    }

    /// Notes that a coordinator is late, which had the whole time or took over from another one in the middle of it.
    /// It is frozen, or out of reach: the next move is for another one, unless this one had less of the time.
    fn note_late(&self, contact: &Contact, asked: &Asked, had_whole_time: bool) {
        let is_silent = !self.is_heard;
        let is_missed_ponder = self.clock.is_missed_ponder();
        // The GUI ended it before a first standing could be there.
        if is_missed_ponder && asked.since.elapsed() < FIRST_STANDING {
            return;
        }
        if is_silent {
            contact.coordinators.note_silence(true);
        }
        // A missed ponder leaves less time than the way to a coordinator may take.
        if had_whole_time && (is_silent || !is_missed_ponder) {
            contact.coordinators.take_over(asked);
        }
    }

    /// Decides without the coordinator at the deadline, unless its decision has arrived.
    fn give_up(&mut self, consultation: &mut ConsultationClient) -> Option<BestMove> {
        while let Some(event) = consultation.arrived() {
            match event {
                ConsultationEvent::Standing(ballot) if has_answers(&ballot) => {
                    self.standing = Some(ballot);
                }
                ConsultationEvent::Standing(_) => {}
                ConsultationEvent::Decided(ballot) => return self.accept(ballot),
                ConsultationEvent::Broken(_) => break,
            }
        }
        self.report(&"the coordinator is late; deciding without it");
        self.leading_move()
    }

    /// Waits for the team until the middle of the time, or until `stop`.
    async fn wait_for_team(&mut self) -> Option<Contact> {
        let status = loop {
            tokio::select! {
                biased;
                () = until(self.clock.ask_by()) => break self.team.now(),
                Some(control) = self.controls.recv() => {
                    self.handle(control);
                    if self.clock.is_stopped() {
                        break self.team.now();
                    }
                }
                status = self.team.settled() => break status,
            }
        };
        if status.contact.is_none() {
            let reason = status
                .failure
                .as_deref()
                .unwrap_or("the team is still loading");
            self.report(&format!("no team, one player answers alone: {reason}"));
        }
        status.contact
    }

    /// Returns the only moves to choose from; empty for all.
    fn search_moves(&self) -> &[Move] {
        &self.request.go.search_moves
    }

    fn begin(&self, contact: &Contact) -> Begin {
        let rules = self.clock.rules_of_coordinator();
        contact.consultation.named_in(Begin {
            game_id: self.game_id.clone(),
            position: Some((&self.request.game).into()),
            limits: Some(Limits {
                multi_pv: self.multi_pv,
                ..self.clock.limits_of_coordinator()
            }),
            seed: self.game_seed,
            overhead_ms: short_milliseconds(rules.overhead.kept),
            minimum_ms: short_milliseconds(rules.minimum),
            whole_seconds: rules.whole_seconds,
            // An analysis wants to know what the players think.
            without_book: self.request.go.infinite || !self.request.go.search_moves.is_empty(),
            search_moves: self.search_moves().iter().map(Move::to_string).collect(),
            // Only the referees of matches give a margin.
            margin_ms: 0,
            claim: Some(contact.claim.of_search(self.request.go.infinite)),
            ..Begin::default()
        })
    }

    /// Obeys the GUI. Returns the control that is left for the coordinator to obey.
    fn handle(&mut self, control: SearchControl) -> Option<SearchControl> {
        self.gate.handle(control);
        self.clock.handle(control)
    }

    /// Reports an error to the GUI, except after a missed ponder: its answer is discarded, and an
    /// error that lasts is reported by the next search.
    fn report(&self, reason: &dyn Display) {
        match self.clock.is_missed_ponder() {
            true => tracing::debug!(%reason, "error after a missed ponder"),
            false => self.output.error(reason),
        }
    }

    fn show(&mut self, ballot: &Ballot) {
        let elapsed = self.request.asked.elapsed();
        if self.gate == AnswerGate::UntilStop {
            self.steady.observe(ballot, elapsed);
        }
        let ranked = self.multi_pv.unwrap_or(1) as usize;
        let game = &self.request.game;
        for line in ballot_lines::candidates(game, ballot, elapsed, ranked, &self.steady) {
            self.output.say(line);
        }
    }

    /// Shows the shares of the votes while they change.
    fn show_shares(&mut self, ballot: &Ballot) {
        let is_analysis = self.request.go.infinite || self.multi_pv.is_some();
        let shares = ballot_lines::shares(ballot, is_analysis.then_some(&self.steady));
        if let Some(shares) = shares.filter(|new| *new != self.shown_shares) {
            self.output.say(shares.clone());
            self.shown_shares = shares;
        }
    }

    /// Returns the coordinator's decision, or the leading move if the rules forbid the decision.
    fn accept(&mut self, ballot: Ballot) -> Option<BestMove> {
        self.show(&ballot);
        self.output.say(ballot_lines::verdict(&ballot));
        let game = &self.request.game;
        let decision = ballot.decision.as_ref();
        if let Some(best_move) =
            decision.and_then(|decision| BestMove::from_decision(game, decision))
        {
            return Some(best_move);
        }
        let decided = decision.map_or("nothing", |decision| decision.r#move.as_str());
        self.report(&format!(
            "the coordinator decided on {decided}, which the rules do not allow"
        ));
        self.standing = Some(ballot);
        self.leading_move()
    }

    /// Returns the leading move of the last votes.
    fn leading_move(&self) -> Option<BestMove> {
        let ballot = self.standing.as_ref()?;
        BestMove::from_standing(&self.request.game, ballot)
    }

    /// Starts the fallback player in the middle of the time if there are no votes yet. On a short clock it
    /// only takes a glance at the position, so that its move is there when the answer is due.
    fn start_fallback_if_silent(&mut self) {
        self.is_past_middle = true;
        if self.leading_move().is_none() {
            let time = self.clock.time_to_search().unwrap_or_default();
            self.fallback_move = Some(self.begin_fallback(time));
        }
    }

    fn begin_fallback(&self, time: Duration) -> FallbackMove {
        let game_id = self.game_id.clone();
        let game = &self.request.game;
        let player = &self.fallback.player;
        player.begin(game, self.search_moves(), game_id, time)
    }

    /// Returns the fallback player's move, from the search under way or from a very short one.
    async fn answer_now(&mut self) -> BestMove {
        let mut search = match self.fallback_move.take() {
            Some(search) => search,
            None => self.begin_fallback(Duration::ZERO),
        };
        let LastResort { due, patience } = self.clock.last_resort();
        BestMove::from_fallback(search.answer_by(due, patience).await)
    }

    /// Lets the fallback player search in the time that is left.
    async fn answer_alone(mut self) -> BestMove {
        self.fallback_move = None;
        self.request.go.limits = self.clock.limits_left();
        if self.gate == AnswerGate::Open {
            self.request.go.infinite = false;
        }
        self.request.asked = Instant::now();
        let setup = SearchSetup {
            clock_rules: self.clock.overhead().into(),
            delay: self.fallback.delay.clone(),
            nodes_time: None,
            time_policy: self.fallback.time_policy,
            pondering: PonderTarget::Predicted,
            game_setup: self.fallback.player.setup(self.game_id),
            multi_pv: self.multi_pv,
        };
        let thread = self.fallback.player.searches().clone();
        let search = PlayerSearch::start(self.request, setup, thread, self.controls, self.output);
        search.run().await
    }
}

/// Tells whether some player has answered: a coordinator also tells that it ponders.
fn has_answers(ballot: &Ballot) -> bool {
    let mut votes = ballot.votes.iter();
    votes.any(|vote| vote.line.is_some() || !vote.failure.is_empty())
}

/// Tells whether another coordinator may do better than the one that failed.
fn may_be_replaced(error: &ConsultationError) -> bool {
    match error {
        ConsultationError::Call(status) => is_lost(status),
        ConsultationError::Undecided => true,
    }
}
