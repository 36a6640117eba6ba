//! One `go`, from its first moment to its one answer.
//!
//! A search never fails: when the coordinator is silent, gone or wrong, the answer is the leading
//! move of the last standing, or the fallback player's, which takes the time that is left. It answers on its
//! own deadline, behind the coordinator's, and within a second of `stop`.

use super::{
    answer::Answer,
    clock::{self, Kept},
    engine::{
        options::Pondering,
        search::{Manner, Search as PlayerSearch},
    },
    info,
    keeper::{Contact, Waiter},
    output::Output,
    thinker::{Control, Hold, Question},
};
use monju_coordinator::clock::{TimePolicy, fallback};
use monju_host::fallback::{FallbackHandle, FallbackMove};
use monju_proto::{
    client::{ConsultationClient, ConsultationEvent},
    convert::short_milliseconds,
    v1::{Ballot, Begin, Limits},
};
use monju_team::config;
use std::time::Duration;
use tokio::{sync::mpsc, time::Instant};

/// How long after `stop` the coordinator may still decide.
const STOP_GRACE: Duration = Duration::from_secs(1);
/// The same while pondering: the GUI throws the answer away, and the next move's clock may run.
const PONDER_GRACE: Duration = Duration::from_millis(50);
/// Time of a fallback search that begins when the answer is due.
const DUE_TIME: Duration = Duration::from_millis(10);

/// How long it is waited for after that, at least and at most; it takes 5 ms.
const END_PATIENCE: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(40));

/// The fallback player of a search.
pub struct FallbackSetup {
    /// The way to the player.
    pub player: FallbackHandle,
    /// Its time policy when it plays in the team's place.
    pub time_policy: TimePolicy,
}

/// A running search.
pub struct Search {
    question: Question,
    game_id: String,
    game_seed: u64,
    /// When the answer may be said.
    hold: Hold,
    team: Waiter,
    fallback: FallbackSetup,
    output: Output,
    controls: mpsc::UnboundedReceiver<Control>,
    /// What the coordinator sets aside of every clock.
    overhead: Duration,
    /// How long the clock had run when it was asked.
    waited: Duration,
    /// Since when the clock runs.
    clock_from: Instant,
    /// When the answer must be out.
    deadline: Option<Instant>,
    stopped: bool,
    standing: Option<Ballot>,
    /// The fallback search, begun because the coordinator had said nothing by the middle of the time.
    reserve: Option<FallbackMove>,
    /// The standing was looked at in the middle of the time.
    is_checked: bool,
}

impl Search {
    /// Readies a search.
    pub fn new(
        question: Question,
        game_id: String,
        game_seed: u64,
        team: Waiter,
        fallback: FallbackSetup,
        output: Output,
        controls: mpsc::UnboundedReceiver<Control>,
    ) -> Self {
        let mut search = Self {
            clock_from: question.asked,
            overhead: config::OVERHEAD,
            waited: Duration::ZERO,
            hold: Hold::of(&question.go),
            question,
            game_id,
            game_seed,
            team,
            fallback,
            output,
            controls,
            deadline: None,
            stopped: false,
            standing: None,
            reserve: None,
            is_checked: false,
        };
        search.start_clock();
        search
    }

    /// Thinks, and comes back with the answer when it may be said.
    pub async fn run(mut self) -> Answer {
        let answer = match self.ask_team().await {
            Some(answer) => answer,
            None if self.is_due() => self.answer_now().await,
            None => return self.answer_alone().await,
        };
        self.hold.over(&mut self.controls).await;
        answer
    }

    /// The team's answer; `None` where it has none.
    async fn ask_team(&mut self) -> Option<Answer> {
        let contact = self.contact().await?;
        self.overhead = contact.overhead;
        self.waited = self.clock_from.elapsed();
        if !self.stopped {
            self.start_clock();
        }
        let begin = self.begin(&contact);
        let mut consultation = ConsultationClient::begin(contact.client, begin);
        if self.stopped {
            // Told while the team was waited for.
            consultation.stop();
        }
        loop {
            let check_at = self.check_at();
            tokio::select! {
                biased;
                Some(control) = self.controls.recv() => match self.obey(control) {
                    Some(Control::Stop) => consultation.stop(),
                    Some(Control::PonderHit(clock)) => consultation.ponder_hit(clock),
                    None => {}
                },
                event = consultation.next() => match event {
                    ConsultationEvent::Standing(ballot) => {
                        self.show(&ballot);
                        self.standing = Some(ballot);
                    }
                    ConsultationEvent::Decided(ballot) => return self.accept(ballot),
                    ConsultationEvent::Broken(error) => {
                        self.output.error(&format!("the coordinator failed: {error}"));
                        // With most of the time left, another move is better than a first thought.
                        let ponders = self.question.go.limits.ponder && !self.stopped;
                        let is_early =
                            ponders || self.middle().is_some_and(|at| at > Instant::now());
                        return if is_early { None } else { self.leading() };
                    }
                },
                () = monju_coordinator::clock::until(check_at) => self.search_if_silent(),
                () = monju_coordinator::clock::until(self.deadline) => {
                    self.output.error(&"the coordinator is late; deciding without it");
                    return self.leading();
                }
            }
        }
    }

    /// Waits for the team while there is time: until the middle of it, or until `stop`.
    async fn contact(&mut self) -> Option<Contact> {
        let status = loop {
            let patience = self
                .deadline
                .map(|deadline| deadline - (deadline - self.clock_from) / 2);
            tokio::select! {
                biased;
                Some(control) = self.controls.recv() => {
                    self.obey(control);
                    if self.stopped {
                        break self.team.now();
                    }
                }
                status = self.team.settled() => break status,
                () = monju_coordinator::clock::until(patience) => break self.team.now(),
            }
        };
        if status.contact.is_none() {
            let reason = status.failure.as_deref().unwrap_or("it is still loading");
            self.output
                .error(&format!("no team, one player answers alone: {reason}"));
        }
        status.contact
    }

    fn begin(&self, contact: &Contact) -> Begin {
        let question = &self.question;
        let game = &question.game;
        contact.consultation.named_in(Begin {
            game_id: self.game_id.clone(),
            position: Some(game.into()),
            limits: Some(self.limits_left()),
            seed: self.game_seed,
            overhead_ms: short_milliseconds(self.kept().of_coordinator()),
            // Its clock runs.
            margin_ms: 0,
            ..Begin::default()
        })
    }

    /// The limits as they stand now.
    fn limits_left(&self) -> Limits {
        let question = &self.question;
        let limits = question.go.limits;
        let side = question.game.position().side_to_move();
        match limits.ponder {
            true => limits,
            false => clock::after(&limits, side, self.clock_from.elapsed()),
        }
    }

    /// Takes note of what the GUI says; gives back what the coordinator must be told of it.
    fn obey(&mut self, control: Control) -> Option<Control> {
        self.hold.obey(control);
        match control {
            Control::Stop => self.stop(),
            Control::PonderHit(_) if self.stopped || !self.question.go.limits.ponder => None,
            Control::PonderHit(clock) => {
                let limits = &mut self.question.go.limits;
                limits.ponder = false;
                limits.clock = clock.or(limits.clock);
                if *limits == Limits::default() {
                    // The game goes on and nobody said how long: what was pondered must do.
                    return self.stop();
                }
                self.clock_from = Instant::now();
                self.waited = Duration::ZERO;
                self.start_clock();
                Some(control)
            }
        }
    }

    fn stop(&mut self) -> Option<Control> {
        if self.stopped {
            return None;
        }
        self.stopped = true;
        let grace = if self.question.go.limits.ponder {
            PONDER_GRACE
        } else {
            STOP_GRACE
        };
        let latest = Instant::now() + grace;
        self.deadline = Some(
            self.deadline
                .map_or(latest, |deadline| deadline.min(latest)),
        );
        Some(Control::Stop)
    }

    fn start_clock(&mut self) {
        let question = &self.question;
        if question.go.limits.ponder {
            return;
        }
        let side = question.game.position().side_to_move();
        self.deadline = clock::hard_deadline(&question.go.limits, side, self.kept())
            .map(|time| self.clock_from + time);
    }

    fn kept(&self) -> Kept {
        Kept {
            overhead: self.overhead,
            lag: self.question.lag,
            waited: self.waited,
        }
    }

    fn show(&self, ballot: &Ballot) {
        let question = &self.question;
        for line in info::candidates(&question.game, ballot, question.asked.elapsed()) {
            self.output.say(line);
        }
    }

    fn accept(&mut self, ballot: Ballot) -> Option<Answer> {
        self.show(&ballot);
        self.output.say(info::verdict(&ballot));
        let game = &self.question.game;
        let decision = ballot.decision.as_ref();
        if let Some(answer) = decision.and_then(|decision| Answer::from_decision(game, decision)) {
            return Some(answer);
        }
        let decided = decision.map_or("nothing", |decision| decision.r#move.as_str());
        self.output.error(&format!(
            "the coordinator decided on {decided}, which the rules do not allow"
        ));
        self.standing = Some(ballot);
        self.leading()
    }

    /// The leading move as it stood last.
    fn leading(&self) -> Option<Answer> {
        let ballot = self.standing.as_ref()?;
        Answer::from_standing(&self.question.game, ballot)
    }

    /// The moment to look whether the coordinator has said anything.
    fn check_at(&self) -> Option<Instant> {
        self.middle().filter(|_| !self.is_checked)
    }

    /// The middle of the time, where half of it is worth a search.
    fn middle(&self) -> Option<Instant> {
        let deadline = self.deadline.filter(|_| !self.stopped)?;
        fallback::start(self.clock_from, deadline)
    }

    /// Begins the fallback search while the coordinator says nothing, rather than when the answer is due.
    fn search_if_silent(&mut self) {
        self.is_checked = true;
        if let (Some(deadline), None) = (self.deadline, self.leading()) {
            let left = deadline.saturating_duration_since(Instant::now());
            self.reserve = Some(self.begin_fallback(left));
        }
    }

    fn begin_fallback(&self, time: Duration) -> FallbackMove {
        let game_id = self.game_id.clone();
        self.fallback
            .player
            .begin(&self.question.game, game_id, time)
    }

    /// Whether no time is left to think.
    fn is_due(&self) -> bool {
        let latest = Instant::now() + DUE_TIME;
        self.stopped || self.deadline.is_some_and(|deadline| deadline <= latest)
    }

    /// The answer of the fallback search, which takes a glance where it has not begun yet.
    async fn answer_now(&mut self) -> Answer {
        let mut search = match self.reserve.take() {
            Some(search) => search,
            None => self.begin_fallback(DUE_TIME),
        };
        Answer::from_fallback(search.answer_by(DUE_TIME, self.patience()).await)
    }

    /// How much longer than [`DUE_TIME`] a search that is told to end may take: within what is kept for the
    /// answer's way.
    fn patience(&self) -> Duration {
        let kept = (self.overhead / 2).max(self.question.lag);
        let time = self.deadline.map_or(kept, |deadline| {
            deadline.saturating_duration_since(self.clock_from)
        });
        (kept.min(time / 4).saturating_sub(DUE_TIME)).clamp(END_PATIENCE.0, END_PATIENCE.1)
    }

    /// The fallback player's answer in the team's place, in the time that is left, with what it sees.
    async fn answer_alone(mut self) -> Answer {
        let now = Instant::now();
        self.reserve = None;
        self.question.go.limits = self.limits_left();
        if self.hold == Hold::Free {
            self.question.go.infinite = false;
        }
        self.question.asked = now;
        let manner = Manner {
            overhead: self.overhead.max(self.question.lag).into(),
            time_policy: self.fallback.time_policy,
            pondering: Pondering::Predicted,
            setup: self.fallback.player.setup(self.game_id),
        };
        let searches = self.fallback.player.searches().clone();
        let search =
            PlayerSearch::start(self.question, manner, searches, self.controls, self.output);
        search.run().await
    }
}
