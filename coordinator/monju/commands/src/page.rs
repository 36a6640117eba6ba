//! The council's page, beside another command.

use super::output::logs_json;
use anyhow::Context;
use monju_page::{
    council::{Council, CurrentCoordinator},
    metrics,
    server::{self, Router},
};
use std::path::PathBuf;
use tokio::{net::TcpListener, sync::watch};

/// Address of the page where none is given.
pub const DEFAULT: &str = "127.0.0.1:7480";

/// Address of the metrics where none is given.
pub const METRICS: &str = "127.0.0.1:7481";

/// Serves the metrics of a coordinator until the process ends. Their address is told on standard error.
///
/// # Errors
/// The system refuses the address.
pub async fn serve_metrics(
    address: &str,
    coordinator: watch::Receiver<CurrentCoordinator>,
) -> anyhow::Result<()> {
    let (listener, local) = server::listen(address).await?;
    announce(
        "the coordinator's metrics are",
        &format!("http://{local}/metrics"),
    );
    server::in_background(move || serve_for_ever(listener, metrics::routes(coordinator)))
        .context("cannot start a thread for the metrics")
}

/// Serves the page of the coordinators that come and of the games in their ballot log, until the process ends. Its
/// address is told on standard error.
///
/// # Errors
/// The system refuses the address.
pub async fn serve(
    address: &str,
    coordinator: watch::Receiver<CurrentCoordinator>,
    log: watch::Receiver<Option<PathBuf>>,
) -> anyhow::Result<()> {
    let (listener, local) = server::listen(address).await?;
    announce("the council's page is", &format!("http://{local}/"));
    let page = async move || {
        let routes = Council::watch(coordinator, log).routes();
        serve_for_ever(listener, routes).await;
    };
    server::in_background(page).context("cannot start a thread for the page")
}

/// Tells where something is, in the form of the log where every line has one.
fn announce(what: &str, url: &str) {
    match logs_json() {
        true => tracing::info!(url, "{what} served"),
        false => tell!("{what} at {url}"),
    }
}

async fn serve_for_ever(listener: TcpListener, routes: Router) {
    server::serve(listener, routes, std::future::pending()).await;
}
