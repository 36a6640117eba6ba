//! The council's page, beside another command.

use monju_page::{
    council::{Coordinator, Council},
    server,
};
use tokio::sync::watch;

/// Address of the page where none is given.
pub const DEFAULT: &str = "127.0.0.1:7480";

/// Serves the page of the coordinators that come, until the process ends. Its address is told on standard error.
///
/// # Errors
/// The system refuses the address.
pub async fn serve(address: &str, coordinator: watch::Receiver<Coordinator>) -> anyhow::Result<()> {
    let (listener, local) = server::listen(address).await?;
    eprintln!("the council's page is at http://{local}/");
    let routes = Council::watch(coordinator).routes();
    tokio::spawn(async move {
        if let Err(error) = server::serve(listener, routes, std::future::pending()).await {
            tracing::warn!(%error, "the page has ended");
        }
    });
    Ok(())
}
