//! Assembles the coordinator that a command talks to: embedded in this process, or over TCP.

use monju_proto::v1::coordinator_client::CoordinatorClient;
use std::path::PathBuf;
use tonic::transport::Channel;

/// What a user chose on the command line or through USI options; `None` leaves it to the
/// configuration file, or to the default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choices {
    /// Configuration file (`monju.toml`).
    pub config: Option<PathBuf>,
    /// URL of a running coordinator; no embedded one is started then.
    pub coordinator: Option<String>,
    /// Number of embedded native players, M.
    pub players: Option<u32>,
    /// Standard deviation of their noise in centipawns.
    pub sigma: Option<f64>,
    /// Voting rule.
    pub rule: Option<String>,
    /// Transposition tables of all embedded native players together, in MiB.
    pub hash_mib: Option<u32>,
}

/// Why no coordinator could be reached or started. One line, with what would mend it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct AssembleError(pub String);

/// A coordinator to talk to. Dropping it ends what was started for it, foreign engines included.
#[derive(Debug)]
pub struct Team {
    /// The client; cheap to clone.
    pub client: CoordinatorClient<Channel>,
}

/// Connects to the coordinator that `choices` names, or starts one inside this process together
/// with its workers, all talking gRPC over in-memory connections.
pub async fn assemble(choices: &Choices) -> Result<Team, AssembleError> {
    Err(AssembleError(format!("not built yet: {choices:?}")))
}
