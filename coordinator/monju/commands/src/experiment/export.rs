//! `monju experiment export`: a sealed bundle.

use super::{drive::waiting, mismatch::mismatches};
use crate::runtime;
use anyhow::{Context, bail};
use monju_engine::counted;
use monju_experiment::{
    bundle::{self, BundleError, Sealed},
    runner::open_patiently,
    specification::Specification,
    store::{self, Address, OpenMode, Store},
};
use std::path::PathBuf;

/// Arguments of `monju experiment export`.
#[derive(Clone, Debug)]
pub struct ExportCommand {
    /// The specification.
    pub file: PathBuf,
    /// The store.
    pub address: Address,
    /// New folder of the bundle.
    pub out: PathBuf,
    /// Seals the ballots, too.
    pub ballots: bool,
}

impl ExportCommand {
    /// Writes the bundle.
    ///
    /// # Errors
    /// The file is wrong or has no games, the store has no such experiment, or the folder cannot be written.
    pub fn run(self) -> anyhow::Result<()> {
        runtime::block_on(self.execute())
    }

    async fn execute(self) -> anyhow::Result<()> {
        let specification = Specification::read(&self.file)?;
        if specification.cells.is_empty() {
            bail!(
                "{} plans no games; 'monju experiment report' needs its file alone",
                self.file.display()
            );
        }
        let plan = specification.plan("");
        let store = open_patiently(&self.address, &plan, OpenMode::Look, waiting).await?;
        store::closing(&*store, self.seal(&specification, &*store)).await
    }

    async fn seal(&self, specification: &Specification, store: &dyn Store) -> anyhow::Result<()> {
        for warning in mismatches(specification, store).await? {
            tell!("{warning}");
        }
        let sealed = bundle::seal(specification, store, &self.out, self.ballots).await;
        let Sealed {
            games,
            with_ballots,
            bytes,
        } = match sealed {
            Err(error @ BundleError::Store(_)) => {
                return Err(error).with_context(|| format!("in {}", self.address));
            }
            sealed => sealed?,
        };
        tell!(
            "{} in {}, {:.1} MiB",
            counted(games, "game"),
            self.out.display(),
            bytes as f64 / f64::from(1 << 20)
        );
        if self.ballots && with_ballots < games {
            tell!(
                "warning: {} no ballots, which runs keep where the file says ballots = true",
                match games - with_ballots {
                    1 => "1 game has".to_owned(),
                    without => format!("{without} games have"),
                }
            );
        }
        Ok(())
    }
}
