//! A worker behind its service: over TCP, or in this process.

use crate::{drain::Drain, service::PlayersService};
use monju_host::{Players, players::HostedPlayer};
use monju_proto::{
    serve::{
        self, ServeError, ServerTask,
        descriptors::{self, Demand},
    },
    tls::Tls,
    v1::worker_server::WorkerServer,
};
use std::{future::Future, sync::Arc, time::Duration};
use tokio::net::TcpListener;
use tonic::transport::Channel;

/// Time for calls to end after the players have ended; streams that watch health are the longest.
const DRAIN_PATIENCE: Duration = Duration::from_millis(500);

/// File descriptors of a player: three pipes of an engine, and those of its examination.
const PLAYER_DESCRIPTORS: usize = 8;

/// Serves a worker with health and reflection on a listener until `shutdown` resolves, then closes
/// it within 5 s. With `tls`, only members of the team are served. Once `drain` has begun, it takes no questions.
///
/// # Errors
/// The connections failed.
pub async fn serve_tcp(
    listener: TcpListener,
    tls: Option<&Tls>,
    worker: Players,
    drain: Drain,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let router = serve::router(
        &mut serve::network_server(),
        server(&worker, drain.clone()),
        is_ready(&worker, drain),
    )
    .await?;
    let shares = descriptors::share(Demand {
        others: worker.list().members.len() * PLAYER_DESCRIPTORS,
        ..Demand::default()
    });
    // Calls go on while the players end, so that thinks can tell how they ended.
    serve::serve_tcp(
        listener,
        tls,
        shares.connections,
        router,
        shutdown,
        worker.close(),
        DRAIN_PATIENCE,
    )
    .await
}

/// A worker inside this process, reached by gRPC over an in-memory connection. Dropping it ends
/// its players in the background; [`InProcessWorker::close`] waits for that.
#[derive(Debug)]
pub struct InProcessWorker {
    channel: Channel,
    worker: Players,
    _server: ServerTask,
}

impl InProcessWorker {
    /// Serves the worker, with health and reflection, to this process only.
    ///
    /// # Errors
    /// The descriptors for server reflection are broken.
    pub async fn serve(worker: Players) -> Result<Self, ServeError> {
        let drain = Drain::default();
        let router = serve::router(
            &mut serve::server(),
            server(&worker, drain.clone()),
            is_ready(&worker, drain),
        )
        .await?;
        let (channel, task) = serve::in_process(router);
        Ok(Self {
            channel,
            worker,
            _server: task,
        })
    }

    /// The connection; clones share it.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Ends all players within 5 s: running thinks fail, engines are told to quit and then killed.
    pub async fn close(self) {
        self.worker.close().await;
    }
}

fn server(worker: &Players, drain: Drain) -> WorkerServer<PlayersService> {
    WorkerServer::new(PlayersService::new(worker.list(), drain))
        .max_decoding_message_size(serve::LONGEST_REQUEST)
}

/// Tells whether all players can vote; `None` when they are gone.
pub fn is_ready(
    worker: &Players,
    drain: Drain,
) -> impl Fn() -> Option<bool> + Send + Sync + 'static {
    let list = Arc::downgrade(&worker.list());
    move || {
        let list = list.upgrade()?;
        let is_closing = *list.closing.borrow();
        let is_ending = is_closing || drain.is_draining();
        Some(!is_ending && list.members.iter().all(HostedPlayer::is_ready))
    }
}
