//! `monju experiment serve`: a page that shows an experiment while it is played.

use super::{
    resume::run_command,
    status::{as_json, rows},
};
use monju_experiment::{
    report,
    specification::Specification,
    store::{self, Address, OpenMode, Store, StoreError},
};
use monju_page::{experiment::ExperimentPage, server};
use monju_team::signals;
use serde_json::{Value, json};
use std::{path::PathBuf, sync::Arc, time::Duration};
use tokio::{
    sync::{Mutex, watch},
    time::{Instant, sleep},
};

/// Time between two looks at the store.
const INTERVAL: Duration = Duration::from_secs(2);

/// Age of a report until it is made again.
const REPORT_AGE: Duration = Duration::from_secs(30);

/// Number of incidents that the page shows, the last ones of all cells.
const INCIDENTS: usize = 30;

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
    pub async fn run(self) -> anyhow::Result<()> {
        let specification = Arc::new(Specification::read(&self.file)?);
        let plan = specification.plan("");
        let store = store::open(&self.address, &plan, OpenMode::Look).await?;
        let command = run_command(&self.file, &self.address);
        let mut looks = Looks::begin(&specification, &store).await?;
        let (sender, state) = watch::channel(looks.look(&specification, &*store).await?);
        let (listener, local) = server::listen(&self.page).await?;
        eprintln!("the experiment's page is at http://{local}/");
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
                Box::pin(async move { reports.page().await.map_err(|error| error.to_string()) })
            }),
        };
        tokio::spawn(async move {
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
        });
        server::serve(listener, page.routes(), signals::termination()).await?;
        Ok(())
    }
}

/// Looks at a store, from whose difference the speed follows.
struct Looks {
    begun: Instant,
    finished: u64,
}

impl Looks {
    async fn begin(
        specification: &Specification,
        store: &Arc<dyn Store>,
    ) -> Result<Self, StoreError> {
        let rows = as_json(specification, &rows(specification, &**store).await?);
        Ok(Self {
            begun: Instant::now(),
            finished: finished(&rows),
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
        let mut incidents = Vec::new();
        for (index, cell) in specification.cells.iter().enumerate() {
            for incident in store.incidents(index).await? {
                incidents.push(json!({
                    "cell": cell.label,
                    "pair": incident.pair,
                    "cause": incident.cause,
                    "detail": incident.detail,
                }));
            }
        }
        let first = incidents.len().saturating_sub(INCIDENTS);
        state["title"] = specification.title.clone().into();
        state["pairs_per_hour"] = (new as f64 / hours.max(1e-6)).round().into();
        state["incidents"] = incidents.split_off(first).into();
        Ok(state)
    }
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
