//! `monju usi`: the proxy of a team, with a page to look at it.

use super::page;
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
    /// Speaks USI until `quit`.
    ///
    /// # Errors
    /// The system refuses a thread, or the address of the page.
    pub async fn run(self) -> anyhow::Result<()> {
        let pages = self.page.iter().count();
        descriptors::raise(pages * monju_page::server::DESCRIPTORS);
        let (coordinator, team) = watch::channel(None);
        let (log, ballots) = watch::channel(None);
        if let Some(address) = &self.page {
            page::serve(address, team, ballots).await?;
        }
        let observers = Observers { coordinator, log };
        Ok(monju_usi::run(self.choices, observers).await?)
    }
}
