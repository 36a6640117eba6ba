//! `monju drain`: workers that shall take no new questions, or take them again.

use super::output::print;
use crate::runtime;
use anyhow::{Context, anyhow};
use monju_coordinator::{
    door,
    roster::{channel, first_reason},
};
use monju_proto::{
    role::Role,
    tls::Tls,
    v1::{DrainRequest, DrainResponse, worker_client::WorkerClient},
};
use monju_team::config::Config;
use std::{path::PathBuf, time::Duration};
use tokio::time::{sleep, timeout};
use tonic::transport::Channel;

/// Time of a worker to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// Time between two looks at a worker with questions under way.
const INTERVAL: Duration = Duration::from_millis(500);

/// A drain, or its end.
#[derive(Clone, Debug)]
pub struct DrainCommand {
    /// URLs of the workers.
    pub workers: Vec<String>,
    /// Lets them take questions again.
    pub resume: bool,
    /// Configuration that names the certificates.
    pub config: Option<PathBuf>,
    /// Folder of the team's certificates.
    pub tls: Option<PathBuf>,
}

impl DrainCommand {
    /// Tells all workers, and waits until they have no question under way.
    ///
    /// # Errors
    /// A worker does not answer, or is about to end.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on_unless_interrupted(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let tls = Config::load(self.config.as_deref())?.tls(self.tls.as_deref())?;
        if let Some(tls) = &tls {
            tls.need(Role::Coordinator, "drain workers")?;
        }
        let workers = self.workers.iter();
        let mut workers = workers
            .map(|url| RemoteWorker::new(url, tls.as_ref()))
            .collect::<anyhow::Result<Vec<_>>>()?;
        // All are told before the first is waited for.
        for worker in &mut workers {
            let told = worker.tell(self.resume).await?;
            let name = &told.name;
            print(&match (self.resume, told.questions) {
                (true, _) => format!("{name} takes questions again\n"),
                (false, 0) => format!("{name} is told to take no new questions\n"),
                (false, count) => {
                    format!("{name} is told to take no new questions, {count} under way\n")
                }
            })?;
        }
        if self.resume {
            return Ok(());
        }
        for worker in &mut workers {
            let name = worker.until_idle().await?;
            print(&format!(
                "{name} is idle; it takes questions again after 'monju drain --resume' or a restart\n"
            ))?;
        }
        Ok(())
    }
}

struct RemoteWorker {
    url: String,
    client: WorkerClient<Channel>,
}

impl RemoteWorker {
    fn new(url: &str, tls: Option<&Tls>) -> anyhow::Result<Self> {
        Ok(Self {
            url: url.to_owned(),
            client: door::worker_client(channel(url, tls)?),
        })
    }

    async fn tell(&mut self, resume: bool) -> anyhow::Result<DrainResponse> {
        let answer = match timeout(PATIENCE, self.client.drain(DrainRequest { resume })).await {
            Ok(Ok(answer)) => Ok(door::drained(answer.into_inner())),
            Ok(Err(status)) => Err(anyhow!("{}", first_reason(&status))),
            Err(_) => Err(anyhow!("no answer within {} s", PATIENCE.as_secs())),
        };
        answer.with_context(|| format!("the worker at {} was not told", self.url))
    }

    /// Waits until no coordinator asks the worker any more, and no question is under way. Returns its name.
    async fn until_idle(&mut self) -> anyhow::Result<String> {
        loop {
            let told = self.tell(false).await?;
            if told.questions == 0 && told.notice_ms == 0 {
                return Ok(told.name);
            }
            sleep(INTERVAL).await;
        }
    }
}
