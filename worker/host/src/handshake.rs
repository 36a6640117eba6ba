//! A foreign engine, started as a player would start it, and ended again.

use crate::{
    guarded_process::program_file,
    reports::EngineReports,
    spec::UsiSpec,
    usi_child::{ChildError, UsiChild},
};
use std::path::PathBuf;

/// Facts about a foreign engine that are known before its first search.
#[derive(Clone, Debug)]
pub struct EngineFacts {
    /// The engine's name for itself.
    pub name: Option<String>,
    /// File of its program; `None` where it is not found.
    pub file: Option<PathBuf>,
    /// Doubts about its options, one line each.
    pub doubts: Vec<String>,
    /// Errors and warnings that it told before it was ready.
    pub reports: EngineReports,
}

/// Starts the engine of a player, sets its options, and waits until it is ready.
///
/// # Errors
/// It does not start, or does not speak USI.
pub async fn handshake(player: &str, spec: &UsiSpec) -> Result<EngineFacts, ChildError> {
    let mut child = UsiChild::start(player.to_owned(), spec.clone()).await?;
    let facts = EngineFacts {
        name: child.engine().map(str::to_owned),
        file: program_file(spec),
        doubts: child.declared().doubts(&spec.options),
        reports: child.take_reports(),
    };
    child.quit().await;
    Ok(facts)
}
