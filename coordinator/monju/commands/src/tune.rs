//! `monju tune`: numbers of the search by games against itself.

use crate::{
    experiment::drive::{drive, waiting},
    output::{print, print_line},
    runtime,
    text_table::{Align, align},
};
use anyhow::{Context, anyhow, bail};
use monju_engine::EvaluatorChoice;
use monju_experiment::{
    openings::Openings,
    paired_match::without_line,
    report,
    runner::{self, GamesUnderWay, Runner, StopLevel},
    spsa::{Spsa, TunedParameter},
    store::{Address, OpenMode},
    tuning::{Screening, TuningGames},
};
use monju_host::load_evaluator;
use monju_learn::files::write_atomically;
use monju_team::signals;
use std::{fs, path::PathBuf, sync::Arc};

/// Arguments of `monju tune`.
#[derive(Debug)]
pub struct TuneCommand {
    /// The numbers.
    pub parameters: Vec<TunedParameter>,
    /// The same as they were given: NAME:STEP or NAME:STEP:START.
    pub words: Vec<String>,
    /// File of the state.
    pub state: PathBuf,
    /// File of openings, of which the last fifth is held out.
    pub openings: PathBuf,
    /// Static evaluation of both sides.
    pub evaluator: EvaluatorChoice,
    /// Nodes of a move.
    pub nodes: u64,
    /// Updates of the numbers.
    pub updates: usize,
    /// Pairs of games before each update.
    pub pairs: usize,
    /// Steps by which a point moves a number in the last update.
    pub gain: f64,
    /// Seed of all random choices.
    pub seed: u64,
    /// Games at the same time.
    pub jobs: usize,
}

impl TuneCommand {
    /// Tunes, and prints the numbers after every update. An interrupt ends it at once; the updates before
    /// are in the state.
    ///
    /// # Errors
    /// The arguments are wrong, a game failed, or it was interrupted.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let openings = Openings::read(&self.openings)?.without_held_out();
        let recipe = self.recipe(&openings)?;
        let mut spsa = Spsa::new(self.parameters.clone(), self.updates, self.gain, recipe);
        if self.state.exists() {
            let place = || format!("cannot go on from {}", self.state.display());
            let state = fs::read_to_string(&self.state).with_context(place)?;
            let state = serde_json::from_str(&state).with_context(place)?;
            spsa.resume(&state).with_context(place)?;
        }
        let games = TuningGames {
            evaluator: self.evaluator.clone(),
            nodes: self.nodes,
            pairs: self.pairs,
            seed: self.seed,
            jobs: self.jobs,
            openings: Arc::new(openings),
        };
        while spsa.updates < self.updates {
            let outcomes = tokio::select! {
                outcomes = games.play(&spsa) => outcomes?,
                () = signals::termination() => bail!(
                    "interrupted after {} of {} updates; the same command goes on",
                    spsa.updates,
                    self.updates
                ),
            };
            spsa.update(&outcomes);
            write_atomically(&self.state, spsa.state().to_string().as_bytes())?;
            print_line(&format!(
                "{} of {} {}",
                spsa.updates,
                self.updates,
                spsa.options()
            ))?;
        }
        Ok(())
    }

    /// Everything that the numbers are a function of.
    fn recipe(&self, openings: &Openings) -> anyhow::Result<String> {
        Ok(format!(
            "{} evaluator={} nodes={} updates={} pairs={} gain={} seed={} openings={}:{}",
            self.words.join(" "),
            load_evaluator(&self.evaluator)?,
            self.nodes,
            self.updates,
            self.pairs,
            self.gain,
            self.seed,
            self.openings.display(),
            openings.len()
        ))
    }
}

/// Arguments of `monju tune --screen`.
#[derive(Debug)]
pub struct ScreenCommand {
    /// The changes and their games.
    pub screening: Screening,
    /// The store.
    pub address: Address,
    /// Games at the same time.
    pub jobs: usize,
}

impl ScreenCommand {
    /// Plays until the test has decided about every change, and prints a table.
    ///
    /// # Errors
    /// The arguments are wrong, a game or the store failed, or it was interrupted.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let specification = self.screening.specification();
        let specification = specification.map_err(|error| anyhow!(without_line(&error)))?;
        let build = runner::build().context("cannot read the executable of monju")?;
        let mode = OpenMode::PLAY;
        let store =
            runner::open_patiently(&self.address, &specification.plan(&build), mode, waiting)
                .await?;
        let runner = Runner {
            specification: Arc::new(specification),
            store,
            name: runner::unique_name(),
            jobs: self.jobs,
            term: runner::LEASE,
            games: GamesUnderWay::default(),
        };
        let stop = drive(&runner, Some("the same command")).await?;
        let findings = report::gather(&runner.specification, &*runner.store).await?;
        let titles = ["change", "result", "score", "Elo", "LLR", "verdict"];
        let mut rows = vec![titles.map(str::to_owned).to_vec()];
        for cell in &findings.cells {
            let change = cell.cell.parameter("search").unwrap_or_default();
            rows.push(vec![
                change.to_owned(),
                cell.score.signed(),
                cell.pairs.score_in_words(),
                cell.elo
                    .map_or("—".to_owned(), |elo| format!("{:+.0}", elo.elo)),
                cell.counted
                    .ratio
                    .map_or("—".to_owned(), |ratio| format!("{:+.2}", ratio.value)),
                cell.verdict_word().to_owned(),
            ]);
        }
        let mut text = String::new();
        let sides = [
            Align::Left,
            Align::Right,
            Align::Right,
            Align::Right,
            Align::Right,
            Align::Left,
        ];
        align(&mut text, &sides, &rows);
        print(&text)?;
        if stop != StopLevel::No {
            bail!("interrupted; the same command goes on");
        }
        Ok(())
    }
}
