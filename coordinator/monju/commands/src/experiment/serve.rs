//! `monju experiment serve`: a page that shows an experiment while it is played.

use super::{
    drive::patiently,
    resume::run_command,
    speed::PairSpeed,
    status::{CellRow, as_json, open_if_begun, rows, tell_that_it_is_new, unplayed},
};
use crate::runtime;
use anyhow::{Context, bail};
use monju_engine::Game;
use monju_experiment::{
    report,
    runner::GamesUnderWay,
    specification::Specification,
    store::{Address, DatabaseFault, ExperimentPlan, IncidentRow, PairUnderWay, Store, StoreError},
};
use monju_page::{
    experiment::{self, ExperimentPage},
    server,
};
use monju_proto::{convert::milliseconds, serve::descriptors};
use monju_team::signals;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
    time::{self, Duration},
};
use tokio::{
    sync::{Mutex, oneshot, watch},
    time::{Instant, sleep, timeout},
};

/// Time between two looks at the store.
const INTERVAL: Duration = Duration::from_secs(2);

/// Longest wait for a look, after which the page and its metrics say that the store does not answer.
const LOOK_PATIENCE: Duration = Duration::from_secs(10);

/// Age of a report until it is made again.
const REPORT_AGE: Duration = Duration::from_secs(30);

/// Number of incidents that the page shows, the last ones of all cells.
const INCIDENTS: u32 = 30;

/// Most games under way that the page shows.
const SHOWN_GAMES: usize = 200;

/// Longest wait for the end of a page beside a runner.
const END_PATIENCE: Duration = Duration::from_secs(2);

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
    /// The file is wrong, there is no such store, or the system refuses the address.
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
            .await;
        Ok(())
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
    /// Begins to serve on a thread of its own, which goes after those that keep the clocks of games.
    ///
    /// # Errors
    /// Those of [`Self::serve`], or the system refuses a thread.
    pub async fn beside(self, page: String) -> anyhow::Result<PageBeside> {
        let (end, told) = oneshot::channel::<()>();
        let (begin, begun) = oneshot::channel();
        let (over, ended) = oneshot::channel::<()>();
        let serve = async move || {
            let end = async {
                // The other half is dropped.
                let _ = told.await;
            };
            match self.serve(&page, end).await {
                Ok(serving) => {
                    let _ = begin.send(Ok(()));
                    serving.await;
                }
                Err(error) => {
                    let _ = begin.send(Err(error));
                }
            }
            drop(over);
        };
        server::in_background(serve).context("cannot start a thread for the page")?;
        begun.await.context("the thread of the page has ended")??;
        Ok(PageBeside { end, ended })
    }

    /// Begins to listen, and tells where; the result serves until `end`.
    ///
    /// # Errors
    /// There is no such store, or the system refuses the address.
    pub async fn serve<E: Future<Output = ()> + Send + 'static>(
        self,
        page: &str,
        end: E,
    ) -> anyhow::Result<impl Future<Output = ()> + Send + use<E>> {
        let Self {
            specification,
            address,
            command,
            games,
        } = self;
        let store = Arc::new(WatchedStore {
            plan: specification.plan(""),
            address,
            opened: Mutex::default(),
        });
        if store.now().await?.is_none() {
            tell_that_it_is_new(&specification, &store.address);
        }
        let mut speed = PairSpeed::default();
        let first = patiently(|| store.look(&specification)).await?;
        let first = first.state(&specification, &mut speed, &games);
        let (sender, state) = watch::channel(first);
        descriptors::raise(server::DESCRIPTORS);
        let (listener, local) = server::listen(page).await?;
        tell!("the experiment's page is at http://{local}/");
        if !local.ip().is_loopback() {
            tell!("warning: everybody who reaches this port can look at the page");
        }
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
        let watched = Arc::clone(&store);
        let looking = async move {
            let mut is_lost = false;
            loop {
                sleep(INTERVAL).await;
                let look = timeout(LOOK_PATIENCE, watched.look(&specification)).await;
                let no_answer = |_| DatabaseFault::NoAnswer(LOOK_PATIENCE).into();
                match look.map_err(no_answer).flatten() {
                    Ok(look) => {
                        if std::mem::take(&mut is_lost) {
                            tell!("the store answers again");
                        }
                        let new = look.state(&specification, &mut speed, &games);
                        sender.send_if_modified(|old| {
                            let is_new = *old != new;
                            *old = new;
                            is_new
                        });
                    }
                    Err(error) if !is_lost => {
                        is_lost = true;
                        tell!("the store does not answer: {error}");
                        let now = time::SystemTime::now().duration_since(time::UNIX_EPOCH);
                        let since = now.map_or(0, milliseconds);
                        let lost = json!({ "since_ms": since, "reason": error.to_string() });
                        sender.send_modify(|state| state[experiment::LOST] = lost);
                    }
                    Err(error) => tracing::warn!(%error, "the store does not answer"),
                }
            }
        };
        Ok(async move {
            tokio::select! {
                () = server::serve(listener, page.routes(), end) => {}
                () = looking => {}
            }
            store.close().await;
        })
    }
}

/// A page that a thread serves beside a runner.
pub(super) struct PageBeside {
    /// Dropped to end it.
    end: oneshot::Sender<()>,
    /// Completes when it has ended.
    ended: oneshot::Receiver<()>,
}

impl PageBeside {
    /// Ends it, and waits a moment until it has let go of the store.
    pub async fn end(self) {
        drop(self.end);
        let _ = timeout(END_PATIENCE, self.ended).await;
    }
}

/// The store of a page, which may have the experiment, or some of its cells, only later.
struct WatchedStore {
    address: Address,
    plan: ExperimentPlan,
    opened: Mutex<Option<Arc<dyn Store>>>,
}

impl WatchedStore {
    /// The store with all that it has by now; `None` while it has nothing of the experiment.
    async fn now(&self) -> Result<Option<Arc<dyn Store>>, StoreError> {
        let mut opened = self.opened.lock().await;
        if opened.as_ref().is_none_or(|store| store.lacks_cells()) {
            if let Some(store) = opened.take() {
                store.close().await;
            }
            *opened = open_if_begun(&self.address, &self.plan).await?;
        }
        Ok(opened.clone())
    }

    async fn look(&self, specification: &Specification) -> Result<StoreLook, StoreError> {
        Ok(match self.now().await? {
            None => StoreLook {
                rows: unplayed(specification),
                incidents: Vec::new(),
                under_way: Vec::new(),
            },
            Some(store) => StoreLook {
                rows: rows(specification, &*store).await?,
                incidents: store.last_incidents(INCIDENTS).await?,
                under_way: store.under_way().await?,
            },
        })
    }

    async fn close(&self) {
        if let Some(store) = self.opened.lock().await.take() {
            store.close().await;
        }
    }
}

/// What a look at a store has found.
struct StoreLook {
    rows: Vec<CellRow>,
    /// The last incidents, each with its cell.
    incidents: Vec<(usize, IncidentRow)>,
    under_way: Vec<PairUnderWay>,
}

impl StoreLook {
    /// The state of the page, with the games of this process.
    fn state(
        self,
        specification: &Specification,
        speed: &mut PairSpeed,
        games: &GamesUnderWay,
    ) -> Value {
        let mut state = as_json(specification, &self.rows);
        speed.note(time::Instant::now(), finished(&state));
        let incidents = self.incidents.into_iter();
        let incidents = incidents.map(|(cell, incident)| {
            json!({
                "cell": specification.cells.get(cell).map(|cell| &cell.label),
                "pair": incident.pair,
                "cause": incident.cause,
                "detail": incident.detail,
            })
        });
        state["title"] = specification.title.clone().into();
        state["pairs_per_hour"] = speed.pairs_per_hour().into();
        state["incidents"] = incidents.collect::<Vec<_>>().into();
        let pairs = fresher(self.under_way, games.now());
        let shown = pairs.iter().take(SHOWN_GAMES);
        let shown = shown.filter_map(|pair| shown_game(specification, pair));
        state["under_way"] = shown.collect::<Vec<_>>().into();
        let alive = pairs.iter().filter(|pair| pair.left_ms >= 0);
        let runners: BTreeSet<&str> = alive.map(|pair| &*pair.runner).collect();
        state["runners"] = runners.len().into();
        state
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
    store: Arc<WatchedStore>,
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
        let Some(store) = self.store.now().await? else {
            bail!("nothing of '{}' is played yet", self.specification.name);
        };
        let findings = report::gather(&self.specification, &*store).await?;
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
