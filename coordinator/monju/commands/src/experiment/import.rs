//! `monju experiment import`: a store filled from a sealed bundle.

use super::resume::quoted;
use crate::runtime;
use anyhow::Context;
use monju_engine::counted;
use monju_experiment::{
    bundle::{self, Bundle, BundleError, Imported},
    store::Address,
};
use std::path::PathBuf;

/// Arguments of `monju experiment import`.
#[derive(Clone, Debug)]
pub struct ImportCommand {
    /// Folder of the bundle.
    pub bundle: PathBuf,
    /// The store.
    pub address: Address,
}

impl ImportCommand {
    /// Fills the store.
    ///
    /// # Errors
    /// The bundle was changed, or the store has games of the experiment or cannot be written.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let (specification, read) = Bundle::read(&self.bundle)?;
        let imported = bundle::import(&specification, &read, &self.address).await;
        let Imported { games, programs } = match imported {
            Err(error @ BundleError::Store(_)) => {
                return Err(error).with_context(|| format!("in {}", self.address));
            }
            imported => imported?,
        };
        let programs: Vec<String> = programs.into_iter().collect();
        tell!(
            "{} of '{}' in {}, played by {}; 'monju experiment run' with its file and \
             --store {} goes on, by that build or with --accept-build",
            counted(games, "game"),
            specification.name,
            self.address,
            programs.join(", "),
            quoted(&self.address.to_string())
        );
        Ok(())
    }
}
