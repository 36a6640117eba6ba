//! The start of an engine, or of another one in its place, for one game.

use monju_host::{
    OptionValue, UsiSpec,
    usi_child::{ChildError, UsiChild},
};

/// Options that the server's conditions of a game ask for.
pub type Conditions = Vec<(&'static str, OptionValue)>;

/// Tells an engine the conditions of a game that it has options for, and begins the game.
///
/// # Errors
/// The engine has ended, or does not get ready.
pub async fn meet(engine: &mut UsiChild, conditions: &Conditions) -> Result<(), ChildError> {
    for (name, value) in conditions {
        let is_known = engine.declared().iter().any(|(known, _)| known == *name);
        if is_known {
            engine.set_option(name, value).await?;
        }
    }
    engine.ready().await?;
    engine.new_game().await
}

/// Starts an engine for a game.
///
/// # Errors
/// It cannot be started, or does not get ready.
pub async fn started(spec: UsiSpec, conditions: Conditions) -> Result<UsiChild, ChildError> {
    let mut engine = UsiChild::start("csa".to_owned(), spec).await?;
    meet(&mut engine, &conditions).await?;
    Ok(engine)
}
