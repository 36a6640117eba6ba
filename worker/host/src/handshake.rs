//! A foreign engine, started as a player would start it, and ended again.

use crate::{spec::UsiSpec, usi_child::UsiChild};

/// Starts the engine of a player, sets its options, and waits until it is ready. Returns what is odd about the
/// options, one line each.
///
/// # Errors
/// It does not start, or does not speak USI; in words.
pub async fn handshake(player: &str, spec: &UsiSpec) -> Result<Vec<String>, String> {
    let child = UsiChild::start(player.to_owned(), spec.clone()).await;
    let child = child.map_err(|error| error.to_string())?;
    let doubts = child.declared().doubts(&spec.options);
    child.quit().await;
    Ok(doubts)
}
