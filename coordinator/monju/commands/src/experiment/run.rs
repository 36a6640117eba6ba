//! `monju experiment run`: plays until no pair is left.

use super::{
    drive::{drive, patiently, retry_given_up, waiting},
    resume::run_command,
    serve::ServedExperiment,
};
use crate::{
    interrupted::{Interrupted, preparing},
    runtime,
};
use anyhow::{Context, bail};
use monju_engine::counted;
use monju_experiment::{
    counted::judged_standings,
    runner::{self, GamesUnderWay, Runner, RunnerError, StopLevel},
    specification::Specification,
    store::{
        self, Accepted, Address, CellStanding, DatabaseFault, ExperimentPlan, OpenMode, Store,
        StoreError,
    },
};
use monju_team::signals;
use std::{path::PathBuf, sync::Arc, time::Duration};
use tokio::time::timeout;

/// Longest wait for the standings once the user wants to end.
const LAST_PATIENCE: Duration = Duration::from_secs(10);

/// Arguments of `monju experiment run`.
#[derive(Clone, Debug)]
pub struct RunCommand {
    /// The specification.
    pub file: PathBuf,
    /// The store.
    pub address: Address,
    /// Games at the same time; `None` for the default.
    pub jobs: Option<usize>,
    /// Largest number of games in a cell.
    pub games: Option<u32>,
    /// Time for which a runner without a sign of life holds a pair.
    pub lease: Duration,
    /// Differences from earlier runs that are accepted.
    pub accepted: Accepted,
    /// Plays the pairs again that were given up.
    pub retry_given_up: bool,
    /// `host:port` of a page that shows it meanwhile.
    pub page: Option<String>,
}

impl RunCommand {
    /// Plays, and shows the progress on standard error.
    ///
    /// # Errors
    /// The file is wrong, an engine or the store fails, or it was [`Interrupted`].
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let mut specification = Specification::read(&self.file)?;
        if specification.cells.is_empty() {
            bail!(
                "{}: there is nothing to play; 'monju experiment report' draws the figure",
                self.file.display()
            );
        }
        let build = runner::build().context("cannot read the executable of monju")?;
        let plan = specification.plan(&build);
        if let Some(games) = self.games {
            specification.limit_pairs(games / 2);
        }
        let prepared = preparing(
            self.prepare(&specification, plan),
            Some(self.resume_command()),
        );
        let store = prepared.await?;
        let runner = Runner {
            jobs: runner::jobs(&specification, self.jobs),
            specification: Arc::new(specification),
            store,
            name: runner::unique_name(),
            term: self.lease,
            games: GamesUnderWay::default(),
        };
        store::closing(&*runner.store, self.play(&runner)).await
    }

    /// Tests the engines, and opens the store.
    async fn prepare(
        &self,
        specification: &Specification,
        plan: ExperimentPlan,
    ) -> anyhow::Result<Arc<dyn Store>> {
        let found = runner::preflight(specification, |what| tell!("{what}")).await?;
        for warning in found.warnings {
            tell!("warning: {warning}");
        }
        let mut plan = plan.with_engines(found.engines);
        for (planned, cell) in plan.cells.iter_mut().zip(&specification.cells) {
            planned.pairs = cell.pairs;
        }
        let opening = OpenMode::Play(self.accepted);
        Ok(runner::open_patiently(&self.address, &plan, opening, waiting).await?)
    }

    async fn play(&self, runner: &Runner) -> anyhow::Result<()> {
        if self.retry_given_up {
            preparing(retry_given_up(runner), Some(self.resume_command())).await?;
        }
        let (jobs, specification) = (runner.jobs, &runner.specification);
        if jobs > 1 && specification.has_remote_members() {
            tell!(
                "warning: {jobs} games at the same time share one coordinator: its players forget one \
                 game when they are asked about another; --jobs 1 keeps games apart"
            );
        }
        if let Some(warning) = runner::crowded(specification, jobs, runner::cores_here()) {
            tell!("warning: {warning}");
        }
        let page = match &self.page {
            Some(page) => Some(self.served(runner).beside(page.clone()).await?),
            None => None,
        };
        let stop = drive(runner, Some(&self.resume_command())).await;
        if let Some(page) = page {
            page.end().await;
        }
        let standings = match stop {
            Ok(stop) => self.last_standings(runner, stop).await,
            Err(error) => Err(error),
        };
        match standings {
            Ok(standings) => self.end(&standings),
            Err(error) => Err(self.unless_it_can_go_on(error)),
        }
    }

    /// What the store has at the end. One that is silent is not waited for once the user wants to end.
    async fn last_standings(
        &self,
        runner: &Runner,
        stop: StopLevel,
    ) -> anyhow::Result<Vec<CellStanding>> {
        let standings = || judged_standings(&runner.specification, &*runner.store);
        let standings = async {
            Ok(match stop {
                StopLevel::No => patiently(standings).await?,
                StopLevel::Drain | StopLevel::Abort => {
                    let no_answer = |_| DatabaseFault::NoAnswer(LAST_PATIENCE);
                    let standings = timeout(LAST_PATIENCE, standings()).await;
                    standings.map_err(no_answer).map_err(StoreError::from)??
                }
            })
        };
        tokio::select! {
            standings = standings => standings,
            () = signals::termination() => Err(self.stopped("before the store has answered")),
        }
    }

    /// A store that does not answer has the games, and the same command goes on with them.
    fn unless_it_can_go_on(&self, error: anyhow::Error) -> anyhow::Error {
        let fault = match error.downcast_ref::<RunnerError>() {
            Some(RunnerError::Store(error)) => Some(error),
            _ => error.downcast_ref::<StoreError>(),
        };
        match fault {
            Some(StoreError::Unavailable(fault)) => self.stopped(&format!(
                "while the store {} is away ({fault})",
                self.address
            )),
            _ => error,
        }
    }

    fn stopped(&self, place: &str) -> anyhow::Error {
        let resume = Some(self.resume_command());
        let place = place.to_owned();
        Interrupted { place, resume }.into()
    }

    /// The end of a run, by what it has left.
    fn end(&self, standings: &[CellStanding]) -> anyhow::Result<()> {
        let left: u64 = standings
            .iter()
            .filter(|cell| !cell.closed)
            .map(|cell| cell.open + cell.leased)
            .sum();
        // In a decided cell they are not played again.
        let open = standings.iter().filter(|cell| !cell.closed);
        let given_up: u64 = open.map(|cell| cell.given_up).sum();
        if left > 0 {
            let left = counted(left, "pair");
            return Err(Interrupted::with(&left, Some(self.resume_command())).into());
        }
        if given_up > 0 {
            bail!(
                "{} given up after three failures; 'monju experiment report' says why, and \
                 --retry-given-up plays them again",
                counted(given_up, "pair")
            );
        }
        Ok(())
    }

    fn served(&self, runner: &Runner) -> ServedExperiment {
        ServedExperiment {
            specification: Arc::clone(&runner.specification),
            address: self.address.clone(),
            command: run_command(&self.file, &self.address),
            games: runner.games.clone(),
        }
    }

    /// The command to go on with. The store knows of accepted changes by then.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> RunCommand {
        RunCommand {
            file: "a.toml".into(),
            address: Address::Sqlite("a.db".into()),
            jobs: None,
            games: None,
            lease: runner::LEASE,
            accepted: Accepted {
                changes: true,
                build: true,
            },
            retry_given_up: true,
            page: None,
        }
    }

    #[test]
    fn a_run_that_leaves_pairs_can_go_on() {
        let standing = |open, leased, given_up, closed| CellStanding {
            open,
            leased,
            given_up,
            closed,
            ..CellStanding::default()
        };
        let left = |standings: &[CellStanding]| {
            let ended = plain().end(standings).expect_err("pairs are left");
            ended
                .downcast_ref::<Interrupted>()
                .map(|it| it.place.clone())
        };
        let pair = Some("with 1 pair to go".to_owned());
        assert_eq!(left(&[standing(1, 0, 0, false)]), pair);
        assert_eq!(left(&[standing(0, 1, 2, false)]), pair);
        assert_eq!(left(&[standing(0, 0, 2, false)]), None, "an error");
        let over = [standing(0, 0, 0, false), standing(5, 1, 0, true)];
        assert!(plain().end(&over).is_ok());
        // In a decided cell nothing would play a pair again that was given up.
        assert!(plain().end(&[standing(0, 0, 1, true)]).is_ok());
    }

    #[test]
    fn a_run_is_resumed_with_what_it_was_asked_for() {
        let plain = plain();
        assert_eq!(plain.resume_command(), "monju experiment run a.toml");
        let own = RunCommand {
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
