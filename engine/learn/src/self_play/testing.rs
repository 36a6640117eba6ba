//! Self-play for tests of the learners.

use super::{run::SelfPlayRun, settings::SelfPlaySettings};
use crate::progress::NoProgress;
use monju_engine::PlayerSettings;
use std::path::Path;

/// Returns a run of short games with few nodes.
pub(crate) fn run(output: &Path, positions: u64, threads: usize) -> SelfPlayRun {
    SelfPlayRun {
        output: output.to_owned(),
        positions,
        threads,
        openings: None,
        settings: SelfPlaySettings {
            player: PlayerSettings {
                hash_mib: 1,
                ..PlayerSettings::default()
            },
            nodes: 30,
            maximum_plies: 40,
            ..SelfPlaySettings::default()
        },
    }
}

/// Plays short games into a file.
pub(crate) fn play(output: &Path, positions: u64, threads: usize) {
    run(output, positions, threads)
        .run(&mut NoProgress)
        .expect("self-play");
}
