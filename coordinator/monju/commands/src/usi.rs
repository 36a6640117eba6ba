//! `monju usi`: the proxy of a team, with a page to look at it.

use super::page;
use crate::runtime;
use monju_proto::serve::descriptors;
use monju_team::team::Choices;
use monju_usi::Observers;
use tokio::sync::watch;

/// The proxy of a team.
#[derive(Clone, Debug)]
pub struct UsiCommand {
    /// The team.
    pub choices: Choices,
    /// `host:port` of the page, if one is served.
    pub page: Option<String>,
}

impl UsiCommand {
    /// Speaks USI until `quit`. Where the system refuses the page's address, as when another engine of the same GUI
    /// has it, the team plays without a page.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let pages = self.page.iter().count();
        descriptors::raise(pages * monju_page::server::DESCRIPTORS);
        let (coordinator, team) = watch::channel(None);
        let (log, ballots) = watch::channel(None);
        let mut remark = None;
        if let Some(address) = &self.page
            && let Err(error) = page::serve(address, team, ballots).await
        {
            let text = format!("no page: {error}");
            tell!("monju: {text}");
            remark = Some(text);
        }
        let observers = Observers { coordinator, log };
        Ok(monju_usi::run(self.choices, observers, remark).await?)
    }
}
