//! `monju experiment run`: plays until nothing is left.

use super::{progress::Progress, run_command};
use anyhow::{Context, bail};
use monju_coordinator::clock;
use monju_experiment::{
    runner::{self, Event, Runner, Stop},
    specification::Specification,
    store::{self, Address, Opening},
};
use monju_team::signals;
use std::{path::PathBuf, sync::Arc, time::Duration};
use tokio::{
    sync::{mpsc, watch},
    time::{self, Instant, MissedTickBehavior},
};

/// How often the progress is brought up to date with what other runners have done.
const REFRESH: Duration = Duration::from_secs(10);

/// After the second interrupt, a store that is away is waited for no longer than this.
const ABORT_PATIENCE: Duration = Duration::from_secs(10);

/// How long a store may take to say how far others are; meanwhile nobody is heard.
const REFRESH_PATIENCE: Duration = Duration::from_secs(1);

/// What to play, and where.
#[derive(Clone, Debug)]
pub struct Run {
    /// The specification.
    pub file: PathBuf,
    /// The store.
    pub address: Address,
    /// Games at the same time; `None` for the default.
    pub jobs: Option<usize>,
    /// At most so many games in a cell.
    pub games: Option<u32>,
    /// How long a pair is held for a runner that gives no sign of life.
    pub lease: Duration,
    /// Mixes results of different specifications or builds.
    pub accept_changes: bool,
    /// Plays pairs again that were given up.
    pub retry_given_up: bool,
}

impl Run {
    /// Plays, and shows how it goes on standard error.
    ///
    /// # Errors
    /// Something is wrong with the file, an engine or the store, or it was interrupted.
    pub async fn run(self) -> anyhow::Result<()> {
        let mut specification = Specification::read(&self.file)?;
        if specification.cells.is_empty() {
            bail!(
                "{}: there is nothing to play; 'monju experiment report' draws the figure",
                self.file.display()
            );
        }
        if let Some(games) = self.games {
            if games == 0 || games % 2 != 0 {
                bail!("--games must be an even number, not {games}");
            }
            specification.pairs = specification.pairs.min(games / 2);
        }
        for warning in runner::preflight(&specification).await? {
            eprintln!("warning: {warning}");
        }
        let build = runner::build().context("cannot read the executable of monju")?;
        let opening = Opening::Play {
            accept_changes: self.accept_changes,
        };
        let store = store::open(&self.address, &specification.plan(&build), opening).await?;
        if self.retry_given_up {
            let pairs = store.retry_given_up().await?;
            eprintln!("{pairs} pairs that were given up are tried again");
        }
        let jobs = self
            .jobs
            .unwrap_or_else(|| runner::default_jobs(&specification));
        if jobs > 1 && specification.has_members_elsewhere() {
            eprintln!(
                "warning: {jobs} games at the same time share one coordinator: its players forget one \
                 game when they are asked about another; --jobs 1 keeps games apart"
            );
        }
        let runner = Runner {
            jobs,
            specification: Arc::new(specification),
            store,
            name: runner::unique_name(),
            term: self.lease,
        };
        let stop = self.play(&runner).await?;
        let standings = runner.store.standings().await?;
        let left: u64 = standings
            .iter()
            .filter(|cell| !cell.closed)
            .map(|cell| cell.open + cell.leased)
            .sum();
        let given_up: u64 = standings.iter().map(|cell| cell.given_up).sum();
        if stop != Stop::No && left > 0 {
            bail!(
                "interrupted with {left} pairs to go; resume with: {}",
                self.resume_command()
            );
        }
        if given_up > 0 {
            bail!(
                "{given_up} pairs failed three times and are given up; \
                 'monju experiment report' says why, and --retry-given-up plays them again"
            );
        }
        Ok(())
    }

    /// What was asked for, to be typed again. The store has learned of accepted changes by then.
    fn resume_command(&self) -> String {
        let mut command = run_command(&self.file, &self.address);
        if let Some(jobs) = self.jobs {
            command.push_str(&format!(" --jobs {jobs}"));
        }
        if let Some(games) = self.games {
            command.push_str(&format!(" --games {games}"));
        }
        if self.lease != runner::LEASE {
            command.push_str(&format!(" --lease {}", self.lease.as_secs()));
        }
        command
    }

    /// Runs the runner beside its progress and the signals. Returns how it was stopped.
    async fn play(&self, runner: &Runner) -> anyhow::Result<Stop> {
        let (stopper, stop) = watch::channel(Stop::No);
        let (events, mut told) = mpsc::unbounded_channel();
        let standings = runner.store.standings().await?;
        let mut progress = Progress::new(&runner.specification, &standings);
        let playing = runner.run(stop, events);
        tokio::pin!(playing);
        let mut refresh = time::interval(REFRESH);
        refresh.set_missed_tick_behavior(MissedTickBehavior::Delay);
        refresh.tick().await;
        let mut told_to_end = signals::terminations();
        let mut give_up_at = None;
        loop {
            tokio::select! {
                outcome = &mut playing => {
                    while let Ok(event) = told.try_recv() {
                        progress.note(&event);
                    }
                    progress.finish();
                    outcome?;
                    return Ok(*stopper.borrow());
                }
                Some(event) = told.recv() => progress.note(&event),
                _ = refresh.tick() => {
                    // Without the store the bars stand still; the runner says why.
                    let standings = time::timeout(REFRESH_PATIENCE, runner.store.standings());
                    if let Ok(Ok(standings)) = standings.await {
                        progress.refresh(&standings);
                    }
                }
                // Leases that cannot be given back run out by themselves.
                () = clock::until(give_up_at) => {
                    progress.finish();
                    return Ok(Stop::Abort);
                }
                Some(()) = told_to_end.recv() => {
                    let next = match *stopper.borrow() {
                        Stop::No => Stop::Drain,
                        _ => Stop::Abort,
                    };
                    progress.say(match next {
                        Stop::Drain => "finishing the pairs under way; interrupt again to give them back",
                        _ => "giving the pairs under way back",
                    });
                    if next == Stop::Drain {
                        progress.say(&format!(
                            "resume with: {}",
                            self.resume_command()
                        ));
                    }
                    if next == Stop::Abort {
                        give_up_at = Some(Instant::now() + ABORT_PATIENCE);
                    }
                    stopper.send_replace(next);
                }
            }
        }
    }
}

/// What an event says to people; `None` where the bars say it.
pub(super) fn sentence(event: &Event, specification: &Specification) -> Option<String> {
    let label = |cell: &usize| &specification.cells[*cell].label;
    match event {
        Event::Finished { .. } => None,
        Event::Failed { cell, pair, reason } => {
            Some(format!("{}, pair {pair} failed: {reason}", label(cell)))
        }
        Event::Closed { cell } => Some(format!("{}: the stopping rule has decided", label(cell))),
        Event::Waiting(reason) => Some(format!("waiting for the store: {reason}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_resumed_with_what_it_was_asked_for() {
        let plain = Run {
            file: "a.toml".into(),
            address: Address::Sqlite("a.db".into()),
            jobs: None,
            games: None,
            lease: runner::LEASE,
            accept_changes: true,
            retry_given_up: true,
        };
        assert_eq!(plain.resume_command(), "monju experiment run a.toml");
        let own = Run {
            jobs: Some(1),
            games: Some(20),
            lease: Duration::from_secs(5),
            ..plain
        };
        assert_eq!(
            own.resume_command(),
            "monju experiment run a.toml --jobs 1 --games 20 --lease 5"
        );
    }
}
