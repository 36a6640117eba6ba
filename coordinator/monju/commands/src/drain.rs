//! `monju drain`: workers that shall take no new questions, or take them again.

use super::output::print;
use crate::runtime;
use anyhow::{Context, anyhow, ensure};
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
use tokio::time::{Instant, sleep, timeout};
use tonic::transport::Channel;

/// Time of a worker to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// What the notice of a worker may be longer than by our clock, because answers take their time.
const SLACK: Duration = Duration::from_millis(250);

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
    /// A worker does not answer, is about to end, or takes questions again.
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
        let mut notices = Vec::new();
        for worker in &mut workers {
            let told = worker.tell(self.resume).await?;
            notices.push(Notice::of(&told));
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
        let mut restarted = Vec::new();
        for (worker, notice) in workers.iter_mut().zip(notices) {
            let waited = until_idle(notice, async |resume| worker.tell(resume).await).await?;
            match waited {
                Waited::Idle(name) => print(&format!(
                    "{name} is idle; it takes questions again after 'monju drain --resume' or a restart\n"
                ))?,
                Waited::Restarted(name) => restarted.push(name),
            }
        }
        ensure!(
            restarted.is_empty(),
            "taking questions again, because they were started or told so meanwhile: {}",
            restarted.join(", ")
        );
        Ok(())
    }
}

/// How the wait for a worker has ended, with its name.
#[derive(Debug, PartialEq, Eq)]
enum Waited {
    /// No coordinator asks it any more, and no question is under way.
    Idle(String),
    /// It has forgotten the drain, most likely because another process has taken its place.
    Restarted(String),
}

/// The time for which a worker still takes questions, and when it said so.
#[derive(Clone, Copy, Debug)]
struct Notice {
    left: Duration,
    said: Instant,
}

impl Notice {
    fn of(told: &DrainResponse) -> Self {
        Self {
            left: Duration::from_millis(told.notice_ms.into()),
            said: Instant::now(),
        }
    }

    /// Tells whether this notice was given after another had begun.
    fn is_another_than(&self, earlier: &Notice) -> bool {
        let passed = self.said - earlier.said;
        self.left > earlier.left.saturating_sub(passed) + SLACK
    }
}

/// Waits for a worker that was given notice. The notice of a drain passes with time: a longer one is that of another,
/// and the worker, which had forgotten the first, is let off it.
async fn until_idle(
    mut notice: Notice,
    mut tell: impl AsyncFnMut(bool) -> anyhow::Result<DrainResponse>,
) -> anyhow::Result<Waited> {
    loop {
        let told = tell(false).await?;
        let now = Notice::of(&told);
        if now.is_another_than(&notice) {
            return Ok(Waited::Restarted(tell(true).await?.name));
        }
        if told.questions == 0 && told.notice_ms == 0 {
            return Ok(Waited::Idle(told.name));
        }
        notice = now;
        sleep(INTERVAL).await;
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits for a worker that has given notice some time ago and answers so, with the notice that is left and its
    /// questions; returns what it was told.
    async fn wait_for(ago: Duration, answers: &[(u32, u32)]) -> (Waited, Vec<bool>) {
        let mut answers = answers.iter();
        let mut said = Vec::new();
        let notice = Notice {
            left: Duration::from_secs(3),
            said: Instant::now(),
        };
        sleep(ago).await;
        let waited = until_idle(notice, async |resume| {
            said.push(resume);
            let &(notice_ms, questions) = answers.next().expect("an answer");
            Ok(DrainResponse {
                name: "attic".to_owned(),
                notice_ms,
                questions,
            })
        });
        (waited.await.expect("answers"), said)
    }

    #[tokio::test(start_paused = true)]
    async fn a_worker_is_idle_without_notice_and_questions() {
        let answers = [(2_500, 0), (2_050, 1), (1_500, 0), (0, 1), (0, 0)];
        let (waited, said) = wait_for(Duration::from_millis(500), &answers).await;
        assert_eq!(waited, Waited::Idle("attic".to_owned()));
        assert_eq!(said, [false; 5]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_worker_that_was_started_again_is_let_off() {
        let restarted = Waited::Restarted("attic".to_owned());
        let answers = [(2_500, 1), (2_000, 1), (3_000, 0), (0, 0)];
        let (waited, said) = wait_for(Duration::from_millis(500), &answers).await;
        assert_eq!((waited, said), (restarted, vec![false, false, false, true]));
        // While another worker was waited for.
        let restarted = Waited::Restarted("attic".to_owned());
        let (waited, said) = wait_for(Duration::from_secs(60), &[(3_000, 0), (0, 0)]).await;
        assert_eq!((waited, said), (restarted, vec![false, true]));
    }
}
