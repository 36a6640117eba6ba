//! `monju experiment serve`: a page that shows an experiment while it is played.

use super::{
    resume::run_command,
    status::{as_json, rows},
};
use crate::runtime;
use monju_engine::Game;
use monju_experiment::{
    report,
    runner::GamesUnderWay,
    specification::Specification,
    store::{self, Address, OpenMode, PairUnderWay, Store, StoreError},
};
use monju_page::{experiment::ExperimentPage, server};
use monju_proto::serve::descriptors;
use monju_team::signals;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::{Mutex, watch},
    time::{Instant, sleep},
};

/// Time between two looks at the store.
const INTERVAL: Duration = Duration::from_secs(2);

/// Age of a report until it is made again.
const REPORT_AGE: Duration = Duration::from_secs(30);

/// Number of incidents that the page shows, the last ones of all cells.
const INCIDENTS: u32 = 30;

/// Most games under way that the page shows.
const SHOWN_GAMES: usize = 200;

/// Arguments of `monju experiment serve`.
#[derive(Clone, Debug)]
pub struct ServeCommand {
    /// The specification.
    pub file: PathBuf,
    /// The store.
    pub address: Address,
    /// `host:port` of the page.
    pub page: String,
}

impl ServeCommand {
    /// Serves the page until the process is told to end.
    ///
    /// # Errors
    /// The file is wrong, the store has no such experiment, or the system refuses the address.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let specification = Arc::new(Specification::read(&self.file)?);
        let command = run_command(&self.file, &self.address);
        let served = ServedExperiment {
            specification,
            address: self.address,
            command,
            games: GamesUnderWay::default(),
        };
        served
            .serve(&self.page, signals::termination())
            .await?
            .await
    }
}

/// An experiment that a page shows.
#[derive(Clone, Debug)]
pub(super) struct ServedExperiment {
    /// The experiment.
    pub specification: Arc<Specification>,
    /// The store, to which the page has a connection of its own.
    pub address: Address,
    /// The command that plays it, for the report.
    pub command: String,
    /// Games of a runner in this process, which are shown move by move; those of the others are as old as the last
    /// sign of life of their runner.
    pub games: GamesUnderWay,
}

impl ServedExperiment {
    /// Begins to listen, and tells where; the result serves until `end`.
    ///
    /// # Errors
    /// The store has no such experiment, or the system refuses the address.
    pub async fn serve<E: Future<Output = ()> + Send + 'static>(
        self,
        page: &str,
        end: E,
    ) -> anyhow::Result<impl Future<Output = anyhow::Result<()>> + Send + use<E>> {
        let Self {
            specification,
            address,
            command,
            games,
        } = self;
        let plan = specification.plan("");
        let store = store::open(&address, &plan, OpenMode::Look).await?;
        let mut looks = Looks::begin(&specification, &store, games).await?;
        let (sender, state) = watch::channel(looks.look(&specification, &*store).await?);
        descriptors::raise(server::DESCRIPTORS);
        let (listener, local) = server::listen(page).await?;
        tell!("the experiment's page is at http://{local}/");
        let reports = Arc::new(Reports {
            specification: Arc::clone(&specification),
            store: Arc::clone(&store),
            command,
            last: Mutex::default(),
        });
        let page = ExperimentPage {
            state,
            reporter: Arc::new(move || {
                let reports = Arc::clone(&reports);
                Box::pin(async move { Ok(reports.page().await?) })
            }),
        };
        let looking = async move {
            loop {
                sleep(INTERVAL).await;
                match looks.look(&specification, &*store).await {
                    Ok(new) => sender.send_if_modified(|old| {
                        let is_new = *old != new;
                        *old = new;
                        is_new
                    }),
                    Err(error) => {
                        tracing::warn!(%error, "the store does not answer");
                        false
                    }
                };
            }
        };
        Ok(async move {
            tokio::select! {
                () = server::serve(listener, page.routes(), end) => {}
                () = looking => {}
            }
            Ok(())
        })
    }
}

/// Looks at a store, from whose difference the speed follows.
struct Looks {
    begun: Instant,
    finished: u64,
    /// Games of this process.
    games: GamesUnderWay,
}

impl Looks {
    async fn begin(
        specification: &Specification,
        store: &Arc<dyn Store>,
        games: GamesUnderWay,
    ) -> Result<Self, StoreError> {
        let rows = as_json(specification, &rows(specification, &**store).await?);
        Ok(Self {
            begun: Instant::now(),
            finished: finished(&rows),
            games,
        })
    }

    async fn look(
        &mut self,
        specification: &Specification,
        store: &dyn Store,
    ) -> Result<Value, StoreError> {
        let mut state = as_json(specification, &rows(specification, store).await?);
        let hours = self.begun.elapsed().as_secs_f64() / 3_600.0;
        let new = finished(&state).saturating_sub(self.finished);
        let incidents = store.last_incidents(INCIDENTS).await?.into_iter();
        let incidents = incidents.map(|(cell, incident)| {
            json!({
                "cell": specification.cells.get(cell).map(|cell| &cell.label),
                "pair": incident.pair,
                "cause": incident.cause,
                "detail": incident.detail,
            })
        });
        state["title"] = specification.title.clone().into();
        state["pairs_per_hour"] = (new as f64 / hours.max(1e-6)).round().into();
        state["incidents"] = incidents.collect::<Vec<_>>().into();
        let pairs = fresher(store.under_way().await?, self.games.now());
        let shown = pairs.iter().take(SHOWN_GAMES);
        let shown = shown.filter_map(|pair| shown_game(specification, pair));
        state["under_way"] = shown.collect::<Vec<_>>().into();
        let alive = pairs.iter().filter(|pair| pair.left_ms >= 0);
        let runners: BTreeSet<&str> = alive.map(|pair| &*pair.runner).collect();
        state["runners"] = runners.len().into();
        Ok(state)
    }
}

/// Pairs under way as the store knows them, with the games of this process as they stand now.
fn fresher(mut pairs: Vec<PairUnderWay>, own: Vec<PairUnderWay>) -> Vec<PairUnderWay> {
    let mut own: BTreeMap<(usize, u32), PairUnderWay> = (own.into_iter())
        .map(|pair| ((pair.cell, pair.pair), pair))
        .collect();
    for pair in &mut pairs {
        if let Some(fresh) = own.remove(&(pair.cell, pair.pair)) {
            pair.game = fresh.game;
        }
    }
    pairs
}

/// One pair under way for the page; `None` where it is none of the specification's cells.
fn shown_game(specification: &Specification, pair: &PairUnderWay) -> Option<Value> {
    let cell = specification.cells.get(pair.cell)?;
    let mut players = [&cell.first.name, &cell.second.name];
    if pair.game.game == 1 {
        players.reverse();
    }
    // A runner tells its first position with its first sign of life.
    let game = Game::from_usi(&pair.game.position).ok();
    Some(json!({
        "cell": cell.label,
        "pair": pair.pair,
        "game": pair.game.game,
        "runner": pair.runner,
        "silent": pair.left_ms < 0,
        "black": players[0],
        "white": players[1],
        "plies": game.as_ref().map(|game| game.moves().len()),
        "sfen": game.as_ref().map(|game| game.position().to_string()),
        "moved": game.and_then(|game| Some(game.moves().last()?.to_string())),
    }))
}

fn finished(state: &Value) -> u64 {
    let cells = state["cells"].as_array().into_iter().flatten();
    cells.filter_map(|cell| cell["finished"].as_u64()).sum()
}

/// The report, made again when it is asked for and old.
struct Reports {
    specification: Arc<Specification>,
    store: Arc<dyn Store>,
    command: String,
    last: Mutex<Option<(Instant, String)>>,
}

impl Reports {
    async fn page(&self) -> anyhow::Result<String> {
        let mut last = self.last.lock().await;
        if let Some((made, page)) = &*last
            && made.elapsed() < REPORT_AGE
        {
            return Ok(page.clone());
        }
        let findings = report::gather(&self.specification, &*self.store).await?;
        let markdown = report::markdown(&findings, &self.command, None);
        let page = report::html(
            &self.specification.title,
            &markdown,
            &report::figures(&findings),
        );
        *last = Some((Instant::now(), page.clone()));
        Ok(page)
    }
}
