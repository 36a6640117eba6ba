//! The choices of a user.

use monju_coordinator::choices::ConsultationChoices;
use monju_engine::{EvaluatorChoice, eval::Sigma};
use std::path::PathBuf;

/// The choices of a user on the command line or by USI options; `None` leaves a choice to the
/// configuration file, or to the default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choices {
    /// Configuration file (`monju.toml`).
    pub config: Option<PathBuf>,
    /// URL of a running coordinator, in place of an embedded one.
    pub coordinator: Option<String>,
    /// URLs of the coordinators that take over when it fails, in their order.
    pub standby: Vec<String>,
    /// Number of embedded native players, M.
    pub players: Option<u32>,
    /// Standard deviation of their noise.
    pub sigma: Option<Sigma>,
    /// Evaluator of the embedded native players.
    pub evaluator: Option<EvaluatorChoice>,
    /// Threads that search together in each embedded native player without virtual players.
    pub threads: Option<u32>,
    /// Settings of the consultations.
    pub consultation: ConsultationChoices,
    /// Win rate in percent below which the team resigns.
    pub resign_below: Option<u32>,
    /// Transposition tables of all embedded native players together, in MiB.
    pub hash_mib: Option<u32>,
    /// Log of the ballots.
    pub log: Option<PathBuf>,
    /// Opening book.
    pub book: Option<PathBuf>,
    /// Folder of the team's certificates.
    pub tls: Option<PathBuf>,
}

impl Choices {
    /// Returns the choices that only apply to an embedded coordinator.
    pub(super) fn only_embedded(&self) -> Vec<&'static str> {
        let Self {
            players,
            sigma,
            evaluator,
            threads,
            resign_below,
            log,
            book,
            // They name the coordinator, or go with each question.
            coordinator: _,
            standby: _,
            consultation: _,
            tls: _,
            // Every setting of a GUI has them.
            config: _,
            hash_mib: _,
        } = self;
        let chosen = [
            ("the number of players", players.is_some()),
            ("sigma", sigma.is_some()),
            ("the evaluator", evaluator.is_some()),
            ("the number of threads", threads.is_some()),
            ("resignation", resign_below.is_some()),
            ("a log", log.is_some()),
            ("a book", book.is_some()),
        ];
        let chosen = chosen.into_iter().filter(|(_, is_chosen)| *is_chosen);
        chosen.map(|(what, _)| what).collect()
    }
}
