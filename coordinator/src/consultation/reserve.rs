//! A move of the coordinator's own, searched for in good time: while nobody has said anything by the
//! middle of the time, or where all players are lost before that.

use super::fallback;
use monju_engine::{Control, Game};
use std::{future, time::Duration};
use tokio::{
    task::JoinHandle,
    time::{self, Instant},
};

/// A search that has had less time is no better than a new one.
pub(super) const RIPENS: Duration = Duration::from_millis(200);

/// Whether there is such a search.
#[derive(Debug)]
pub(super) struct Reserve {
    /// Whether it was looked, in the middle of the time, if anybody has said anything.
    has_looked: bool,
    search: Option<Search>,
}

/// The search. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Search {
    begun: Instant,
    control: Control,
    search: JoinHandle<String>,
    /// What it has found, once it has ended; `None` where it failed.
    found: Option<Option<String>>,
    is_successor: bool,
}

impl Reserve {
    /// None so far. Where it is not `wanted`, there never will be.
    pub fn new(wanted: bool) -> Self {
        Self {
            has_looked: !wanted,
            search: None,
        }
    }

    /// When to look whether it is needed, where the time goes from one moment to another; `None` when that
    /// was done.
    pub fn look_at(&self, from: Instant, until: Option<Instant>) -> Option<Instant> {
        let until = until.filter(|_| !self.has_looked)?;
        Some(until - until.saturating_duration_since(from) / 2)
    }

    /// It was looked; where it is needed, [`Reserve::begin`] follows.
    pub fn looked(&mut self) {
        self.has_looked = true;
    }

    /// Begins to search for a move, at most until the decision falls. A successor begins for want of
    /// players.
    pub fn begin(&mut self, game: &Game, until: Option<Instant>, is_successor: bool) {
        let left = until.map_or(Duration::ZERO, |until| {
            until.saturating_duration_since(Instant::now())
        });
        let control = Control::new();
        let search = fallback::choose(game.clone(), left, control.clone());
        self.search = Some(Search {
            begun: Instant::now(),
            control,
            search: tokio::spawn(search),
            found: None,
            is_successor,
        });
    }

    /// Waits until its search ends; for ever where there is none, or it has ended. May be dropped and called
    /// again.
    pub async fn ended(&mut self) {
        match &mut self.search {
            Some(search) if search.found.is_none() => {
                search.found = Some((&mut search.search).await.ok());
            }
            _ => future::pending().await,
        }
    }

    /// Whether it was begun for want of players.
    pub fn is_successor(&self) -> bool {
        self.search
            .as_ref()
            .is_some_and(|search| search.is_successor)
    }

    /// What ends its search.
    pub fn control(&self) -> Option<Control> {
        self.search.as_ref().map(|search| search.control.clone())
    }

    /// Its search, if there is one.
    pub fn take(&mut self) -> Option<Search> {
        self.search.take()
    }
}

impl Search {
    /// What it has found by `latest`, or by now; it ends there. `None` when it will hardly have begun.
    pub async fn choose(mut self, latest: Option<Instant>) -> Option<String> {
        if let Some(found) = self.found.take() {
            return found;
        }
        let latest = latest.unwrap_or_else(Instant::now);
        if latest.saturating_duration_since(self.begun) < RIPENS {
            return None;
        }
        if let Ok(found) = time::timeout_at(latest, &mut self.search).await {
            return found.ok();
        }
        self.control.stop();
        (&mut self.search).await.ok()
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.control.stop();
    }
}
