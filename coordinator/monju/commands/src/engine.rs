//! `monju engine`: one native player alone.

use crate::runtime;
use monju_usi::engine::EngineChoices;

/// Speaks USI as one native player until `quit`.
///
/// # Errors
/// The choices make no player, or the system refuses a thread.
pub fn run(choices: EngineChoices) -> anyhow::Result<()> {
    runtime::block_on(async { Ok(monju_usi::run_engine(choices).await?) })
}
