//! A foreign engine, started as a player would start it, and ended again.

use crate::{
    spec::UsiSpec,
    usi_child::{ChildError, UsiChild},
};

/// Starts the engine of a player, sets its options, and waits until it is ready. Returns doubts about the
/// options, one line each.
///
/// # Errors
/// It does not start, or does not speak USI.
pub async fn handshake(player: &str, spec: &UsiSpec) -> Result<Vec<String>, ChildError> {
    let child = UsiChild::start(player.to_owned(), spec.clone()).await?;
    let doubts = child.declared().doubts(&spec.options);
    child.quit().await;
    Ok(doubts)
}
