//! `monju tune`: numbers of the search by games against itself.

use crate::{
    experiment::drive::{drive, waiting},
    interrupted::Interrupted,
    output::{print, print_line},
    runtime,
    text_table::{Align, align},
};
use anyhow::{Context, anyhow, bail};
use monju_engine::{EvaluatorChoice, counted, fnv1a};
use monju_experiment::{
    openings::Openings,
    paired_match::without_line,
    report,
    runner::{self, GamesUnderWay, Runner, StopLevel},
    spsa::{Spsa, TunedParameter},
    store::{self, Address, OpenMode},
    tuning::{Screening, TuningGames},
};
use monju_host::load_evaluator;
use monju_learn::files::{self, write_atomically};
use monju_team::signals;
use serde_json::Value;
use std::{
    fs,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

/// Time between two lines about the pairs of an update.
const PROGRESS_EVERY: Duration = Duration::from_secs(30);

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
    pub seed: u32,
    /// Games at the same time.
    pub jobs: usize,
    /// Goes on with a state that another build has made.
    pub accepts_builds: bool,
}

impl TuneCommand {
    /// Tunes, and prints the numbers that the state has and those after every update. An interrupt ends it at once;
    /// the updates before are in the state.
    ///
    /// # Errors
    /// The arguments are wrong, a game failed, or it was interrupted.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let openings = Openings::read(&self.openings)?.without_held_out();
        let older = self.older_recipe(&openings)?;
        let recipe = recipe(&older, &openings);
        let mut spsa = Spsa::new(
            self.parameters.clone(),
            self.updates,
            self.gain,
            recipe.clone(),
        );
        let build = runner::build().context("cannot read the executable of monju")?;
        let _lock = files::lock(&self.state)?;
        let write = |spsa: &Spsa| {
            let mut state = spsa.state();
            state["build"] = build.clone().into();
            write_atomically(&self.state, state.to_string().as_bytes())
        };
        if self.state.exists() {
            let place = || format!("cannot go on from {}", self.state.display());
            let state = fs::read_to_string(&self.state).with_context(place)?;
            let mut state: Value = serde_json::from_str(&state).with_context(place)?;
            if state["recipe"] == older {
                tell!(
                    "note: {} does not say which openings of {} its updates were played from; it goes on with those of today",
                    self.state.display(),
                    self.openings.display()
                );
                state["recipe"] = recipe.into();
            } else if state["recipe"].as_str().map(without_place) == Some(without_place(&recipe)) {
                // The same openings, wherever they are.
                state["recipe"] = recipe.into();
            }
            self.check_build(&state["build"], &build)
                .with_context(place)?;
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
        if spsa.updates < self.updates {
            // An update may take hours: the numbers are known to a run that goes on before the first has ended.
            write(&spsa)?;
        }
        if spsa.updates > 0 {
            print_line(&self.standing(&spsa))?;
        }
        let mut told = Instant::now();
        while spsa.updates < self.updates {
            let tell = |over: usize| {
                if told.elapsed() >= PROGRESS_EVERY {
                    told = Instant::now();
                    tell!(
                        "update {}: {over} of {} pairs",
                        spsa.updates + 1,
                        self.pairs
                    );
                }
            };
            let outcomes = tokio::select! {
                outcomes = games.play(&spsa, tell) => outcomes?,
                () = signals::termination() => {
                    return Err(interrupted(counted(self.updates - spsa.updates, "update")));
                }
            };
            spsa.update(&outcomes);
            write(&spsa)?;
            print_line(&self.standing(&spsa))?;
        }
        Ok(())
    }

    /// Returns the line of the updates so far.
    fn standing(&self, spsa: &Spsa) -> String {
        format!("{} of {} {}", spsa.updates, self.updates, spsa.options())
    }

    /// Refuses a state that another build has made: its games were of another search. States of older versions do
    /// not name theirs, which may be any.
    fn check_build(&self, made_by: &Value, build: &str) -> anyhow::Result<()> {
        match made_by.as_str() {
            None if !self.accepts_builds => bail!(
                "an older version made it, and did not write down which build played its games; this is {build}: \
                 give --accept-build to continue it"
            ),
            Some(theirs) if theirs != build && !self.accepts_builds => bail!(
                "its games were played by build {theirs}, and this is {build}: use that one, or give --accept-build"
            ),
            None | Some(_) => {}
        }
        Ok(())
    }

    /// Everything but the build that the numbers are a function of, except the openings themselves, as older
    /// versions wrote it down.
    fn older_recipe(&self, openings: &Openings) -> anyhow::Result<String> {
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

/// Everything but the build that the numbers are a function of: the recipe of older versions, and the content of the
/// openings.
fn recipe(older: &str, openings: &Openings) -> String {
    let content = fnv1a(openings.lines().join("\n").as_bytes());
    format!("{older}:{content:016x}")
}

/// A recipe without the path of the openings, which have their number and content behind it.
fn without_place(recipe: &str) -> Option<[&str; 3]> {
    let (settings, openings) = recipe.rsplit_once(" openings=")?;
    let mut parts = openings.rsplitn(3, ':');
    let (content, number) = (parts.next()?, parts.next()?);
    parts.next().map(|_| [settings, number, content])
}

/// The end of a tuning or a screening that was stopped.
fn interrupted(left: String) -> anyhow::Error {
    Interrupted::with(&left, Some("the same command".to_owned())).into()
}

/// An error of a store without the words that would accept what it refuses: a screening judges changes of one build
/// alone, and has no such option.
fn without_acceptance(error: impl Into<anyhow::Error>) -> anyhow::Error {
    let error = error.into();
    match error.to_string().split_once(", or give --accept") {
        Some((refusal, _)) => anyhow!("{refusal}"),
        None => error,
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
                .await
                .map_err(without_acceptance)?;
        let runner = Runner {
            specification: Arc::new(specification),
            store,
            name: runner::unique_name(),
            jobs: self.jobs,
            term: runner::LEASE,
            games: GamesUnderWay::default(),
        };
        store::closing(&*runner.store, play_screening(&runner)).await
    }
}

/// Plays a screening and prints its table.
async fn play_screening(runner: &Runner) -> anyhow::Result<()> {
    let stop = drive(runner, Some("the same command")).await;
    let stop = stop.map_err(without_acceptance)?;
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
    let standings = runner.store.standings().await?;
    let open = standings.iter().filter(|cell| !cell.closed);
    let left: u64 = open.map(|cell| cell.open + cell.leased).sum();
    if stop != StopLevel::No && left > 0 {
        return Err(interrupted(counted(left, "pair")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_the_same_wherever_they_are() {
        let (one, other) = (
            "a=1 openings=o.sfen:8:0f",
            "a=1 openings=/a b/c:o.sfen:8:0f",
        );
        assert!(without_place(one).is_some());
        assert_eq!(without_place(one), without_place(other));
        assert_ne!(
            without_place(one),
            without_place("a=1 openings=o.sfen:8:1f")
        );
        assert_ne!(
            without_place(one),
            without_place("a=2 openings=o.sfen:8:0f")
        );
        assert_eq!(
            without_place("a=1 openings=o.sfen:8"),
            None,
            "an older recipe"
        );
    }
    use monju_experiment::store::StoreError;
    use std::path::Path;

    /// A tuning without an update, with two openings of which none is held out.
    fn tuning(folder: &Path, lines: &str) -> TuneCommand {
        let evaluator: EvaluatorChoice = "material".parse().expect("an evaluator");
        let words = vec!["margin_scale:10".to_owned()];
        let parameters = TunedParameter::parse_all(&words, evaluator.kind);
        let openings = folder.join("openings.sfen");
        fs::write(&openings, lines).expect("writable");
        TuneCommand {
            parameters: parameters.expect("known"),
            words,
            state: folder.join("tune.json"),
            openings,
            evaluator,
            nodes: 10,
            updates: 0,
            pairs: 1,
            gain: 0.05,
            seed: 1,
            jobs: 1,
            accepts_builds: false,
        }
    }

    #[test]
    fn a_tuning_does_not_go_on_with_other_openings() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let command = || tuning(folder.path(), "startpos moves 7g7f\nstartpos moves 2g2f\n");
        let openings = Openings::read(&command().openings).expect("openings");
        let older = command().older_recipe(&openings).expect("an evaluator");
        let of = |recipe: String| Spsa::new(command().parameters, 0, 0.05, recipe).state();
        for recipe in [recipe(&older, &openings), older] {
            fs::write(command().state, of(recipe).to_string()).expect("writable");
            // Neither names its build.
            let refused = command().run().expect_err("some build");
            assert!(format!("{refused:#}").contains("give --accept-build to continue"));
            let accepted = TuneCommand {
                accepts_builds: true,
                ..command()
            };
            accepted
                .run()
                .expect("its own state, or one of an older version");
        }
        let own = of(recipe(
            &command().older_recipe(&openings).expect("known"),
            &openings,
        ));
        fs::write(command().state, own.to_string()).expect("writable");
        let other = TuneCommand {
            accepts_builds: true,
            ..tuning(folder.path(), "startpos moves 7g7f\nstartpos moves 9g9f\n")
        };
        let refused = other.run().expect_err("other openings");
        let line = format!("{refused:#}");
        assert!(
            line.contains("made by other arguments or openings ("),
            "{line}"
        );
    }

    #[test]
    fn a_tuning_does_not_go_on_with_another_build_unawares() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let command = || tuning(folder.path(), "startpos moves 7g7f\nstartpos moves 2g2f\n");
        let openings = Openings::read(&command().openings).expect("openings");
        let older = command().older_recipe(&openings).expect("an evaluator");
        let mut state = Spsa::new(command().parameters, 0, 0.05, recipe(&older, &openings)).state();
        state["build"] = "0.0.1 0123".into();
        fs::write(command().state, state.to_string()).expect("writable");
        let refused = command().run().expect_err("another build");
        let line = format!("{refused:#}");
        assert!(line.contains("played by build 0.0.1 0123"), "{line}");
        let accepted = TuneCommand {
            accepts_builds: true,
            ..command()
        };
        accepted.run().expect("accepted");
    }

    #[test]
    fn a_screening_names_no_option_that_it_lacks() {
        let name = || "screening".to_owned();
        let refusals = [
            StoreError::OtherBuild {
                name: name(),
                cell: name(),
                theirs: "1".to_owned(),
                ours: "2".to_owned(),
            },
            StoreError::Changed {
                name: name(),
                cell: name(),
                theirs: "1".to_owned(),
                ours: "2".to_owned(),
            },
        ];
        let ends = ["use that build or another store", "restore the settings"];
        for (refusal, end) in refusals.into_iter().zip(ends) {
            let line = without_acceptance(refusal).to_string();
            assert!(line.ends_with(end), "{line}");
        }
        let absent = without_acceptance(StoreError::Unknown(name()));
        assert!(absent.is::<StoreError>());
    }
}
