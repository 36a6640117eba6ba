//! The fallback search of one consultation, which begins if no player has sent a line by the middle of
//! the time, or if all players are lost before that.

use crate::{
    ballot::OpenBallot,
    clock::fallback::{self, LEAST_USEFUL},
    fallback::{FallbackSearcher, RunningFallback},
};
use monju_engine::{Answer, Move};
use std::{future, sync::Arc, time::Duration};
use tokio::{
    sync::watch,
    time::{self, Instant},
};
use tracing::warn;

/// The state of the fallback search in a consultation.
#[derive(Debug)]
pub(super) struct Fallback {
    searcher: Arc<dyn FallbackSearcher>,
    /// The votes were checked in the middle of the time.
    is_checked: bool,
    running: Option<StartedSearch>,
}

/// A search under way. Dropping it ends it.
#[derive(Debug)]
struct StartedSearch {
    begun: Instant,
    /// The moves that may be chosen.
    choices: Vec<Move>,
    search: RunningFallback,
    /// The answer, once the search has ended.
    found: Option<Answer>,
    /// It began because all players were lost.
    replaces_players: bool,
}

/// Returns the first move that may be chosen, for an answer that is not played.
pub(super) fn first_choice(ballot: &OpenBallot) -> Answer {
    choices(ballot)
        .first()
        .map_or(Answer::Resign, |&mv| Answer::Move(mv))
}

/// Returns the moves that may be chosen.
fn choices(ballot: &OpenBallot) -> Vec<Move> {
    match ballot.among() {
        [] => ballot.game().legal_moves().to_vec(),
        among => among.to_vec(),
    }
}

impl Fallback {
    /// No search yet. Without `early`, none begins before the decision.
    pub fn new(searcher: Arc<dyn FallbackSearcher>, early: bool) -> Self {
        Self {
            searcher,
            is_checked: !early,
            running: None,
        }
    }

    /// Returns the moment to check the votes; `None` after the check, and if no useful search is possible.
    pub fn check_at(&self, from: Instant, until: Option<Instant>) -> Option<Instant> {
        fallback::start(from, until.filter(|_| !self.is_checked)?)
    }

    /// Returns true while lost players may be replaced: before the middle of the time, with enough time
    /// for a useful search until `stop`.
    pub fn may_replace(
        &self,
        from: Instant,
        until: Option<Instant>,
        stop: Option<Instant>,
    ) -> bool {
        let now = Instant::now();
        let is_early = until.is_some_and(|until| fallback::middle(from, until) > now);
        !self.is_checked && is_early && stop.is_some_and(|stop| stop > now + LEAST_USEFUL)
    }

    /// Notes that the votes were checked.
    pub fn checked(&mut self) {
        self.is_checked = true;
    }

    /// Begins to search for a move that counts on a ballot, at most until the decision at `until`.
    pub fn begin(&mut self, ballot: &OpenBallot, until: Option<Instant>, replaces_players: bool) {
        let search = StartedSearch::begin(&*self.searcher, ballot, until, replaces_players);
        self.running = Some(search);
    }

    /// Ends a search that replaces all players when one of them is back.
    pub fn give_way(&mut self) {
        if self.replaces_players() {
            self.running = None;
            self.is_checked = false;
        }
    }

    /// Waits until the search ends; never resolves without a search or after its end. May be dropped and
    /// called again.
    pub async fn ended(&mut self) {
        match &mut self.running {
            Some(search) if search.found.is_none() => search.wait().await,
            _ => future::pending().await,
        }
    }

    /// Returns true when the search began because all players were lost.
    pub fn replaces_players(&self) -> bool {
        self.running
            .as_ref()
            .is_some_and(|search| search.replaces_players)
    }

    /// Ends the running search at `latest` (now, if `None`) or when it is told to stop, and returns its
    /// answer. `None` without a search that had enough time.
    pub async fn choose(
        &mut self,
        latest: Option<Instant>,
        stopped: &mut watch::Receiver<bool>,
    ) -> Option<Answer> {
        let mut search = self.running.take()?;
        if search.found.is_some() {
            return search.found;
        }
        let latest = latest.unwrap_or_else(Instant::now);
        if latest.saturating_duration_since(search.begun) < LEAST_USEFUL {
            return None;
        }
        Some(search.end_by(latest, stopped).await)
    }

    /// Searches for a move that counts on a ballot until `latest`, or until it is told to stop.
    pub async fn search(
        &mut self,
        ballot: &OpenBallot,
        latest: Option<Instant>,
        stopped: &mut watch::Receiver<bool>,
    ) -> Answer {
        let mut search = StartedSearch::begin(&*self.searcher, ballot, latest, false);
        search.end(stopped).await
    }
}

impl StartedSearch {
    fn begin(
        searcher: &dyn FallbackSearcher,
        ballot: &OpenBallot,
        until: Option<Instant>,
        replaces_players: bool,
    ) -> Self {
        let begun = Instant::now();
        let left = until.map_or(Duration::ZERO, |until| {
            until.saturating_duration_since(begun)
        });
        warn!(
            left_ms = left.as_millis(),
            "no player has a move; searching for one"
        );
        Self {
            begun,
            choices: choices(ballot),
            search: searcher.begin(ballot.game(), ballot.among(), left),
            found: None,
            replaces_players,
        }
    }

    /// Waits for the end of the search. A move that may not be chosen is replaced by one that may.
    async fn wait(&mut self) {
        let found = self.search.found().await;
        let chosen = found.filter(|mv| self.choices.contains(mv));
        let chosen = chosen.or(self.choices.first().copied());
        self.found = Some(chosen.map_or(Answer::Resign, Answer::Move));
    }

    /// Waits for the end of the search, or ends it when it is told to stop.
    async fn end(&mut self, stopped: &mut watch::Receiver<bool>) -> Answer {
        tokio::select! {
            biased;
            () = self.wait() => {}
            () = is_told(stopped) => {
                self.search.stop();
                self.wait().await;
            }
        }
        self.found.unwrap_or(Answer::Resign)
    }

    /// As [`StartedSearch::end`], but ends at `latest`.
    async fn end_by(&mut self, latest: Instant, stopped: &mut watch::Receiver<bool>) -> Answer {
        if let Ok(answer) = time::timeout_at(latest, self.end(stopped)).await {
            return answer;
        }
        self.search.stop();
        self.wait().await;
        self.found.unwrap_or(Answer::Resign)
    }
}

/// Waits until the search is told to stop.
async fn is_told(stopped: &mut watch::Receiver<bool>) {
    // Without a sender, the caller has hung up.
    let _ = stopped.wait_for(|&stopped| stopped).await;
}
