//! Samples from files, some of them held out to measure on.

use anyhow::Context;
use monju_engine::learn::{Sample, TrainingSet};
use std::path::PathBuf;

/// One of so many games is held out.
pub const HELD_OUT: u64 = 50;

/// The positions of all files.
#[derive(Debug, Default)]
pub struct Data {
    pub learned: TrainingSet,
    pub held_out: TrainingSet,
    /// Positions that are not quiet.
    pub left_out: u64,
}

/// Reads all files. What follows the last whole sample of a file that still grows is ignored.
///
/// # Errors
/// A file cannot be read, or holds something else.
pub fn read(paths: &[PathBuf]) -> anyhow::Result<Data> {
    let mut data = Data::default();
    let mut games = 0;
    for path in paths {
        let bytes = super::read(path)?;
        for (index, sample) in bytes.as_chunks::<{ Sample::SIZE }>().0.iter().enumerate() {
            let place = || format!("in {}, position {}", path.display(), index + 1);
            let sample = Sample::from_bytes(sample).with_context(place)?;
            let set = if games % HELD_OUT == 0 {
                &mut data.held_out
            } else {
                &mut data.learned
            };
            let taken = set.add(&sample).with_context(place)?;
            data.left_out += u64::from(!taken);
            games += u64::from(sample.is_last);
        }
    }
    Ok(data)
}
