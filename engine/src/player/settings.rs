use crate::{
    eval::{Model, NoiseError, NoiseModel},
    search::{MAX_LANES, MAX_TABLE_MIB, SearchChoices, SearchOptions},
};

/// Search options for parts that the search of several lanes does not have, each with the greatest value that asks for
/// none of them.
const NOT_IN_LANES: [(&str, i32); 6] = [
    ("node_window", 0),
    ("danger", 0),
    ("mate_replay", 1),
    ("learned_reduction", 0),
    ("learned_order", 0),
    ("learned_margin", 0),
];

/// Settings of a player: everything that tells it from other players except the noise seed of a
/// game.
///
/// ```
/// use monju_engine::{Model, PlayerSettings};
/// let settings = PlayerSettings {
///     evaluator: Model::material(),
///     sigma: 50.0,
///     hash_mib: 16,
///     ..PlayerSettings::default()
/// };
/// assert_eq!(settings.threads, 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSettings {
    /// The static evaluation.
    pub evaluator: Model,
    /// Standard deviation of the evaluation noise in centipawns; 0 for none (Ito et al. (2011), section 2).
    pub sigma: f64,
    /// Target of the noise: evaluations, weights or leaves.
    pub noise_model: NoiseModel,
    /// Size of the transposition table in MiB.
    pub hash_mib: usize,
    /// Number of threads that search together. With more than one, outcomes depend on the operating
    /// system's scheduling, and a node limit is only approximate.
    pub threads: usize,
    /// Number of virtual players that one search carries as a vector, each with noise of its own
    /// (Tohske, section 4); 1 for an ordinary search. Lane *i* has the noise seed of the player
    /// plus *i*. Several lanes need `threads` to be 1.
    pub lanes: usize,
    /// Chosen search options; the others are the defaults for the evaluator.
    pub search: SearchChoices,
}

impl PlayerSettings {
    /// The largest number of threads.
    pub const MAX_THREADS: usize = 256;

    /// Checks the size of a transposition table in MiB.
    ///
    /// # Errors
    /// The table would be empty, or larger than any machine's memory.
    pub fn check_hash(given: usize) -> Result<(), PlayerError> {
        if (1..=MAX_TABLE_MIB).contains(&given) {
            return Ok(());
        }
        Err(PlayerError::Hash {
            given,
            max: MAX_TABLE_MIB,
        })
    }

    /// Checks the number of virtual players of one search.
    ///
    /// # Errors
    /// The number is zero or too large.
    pub fn check_lanes(given: usize) -> Result<(), PlayerError> {
        if (1..=MAX_LANES).contains(&given) {
            return Ok(());
        }
        Err(PlayerError::Lanes {
            given,
            max: MAX_LANES,
        })
    }

    /// Checks that a player with several lanes has one thread: their search is not shared.
    ///
    /// # Errors
    /// The player has several of both.
    pub fn check_lane_threads(lanes: usize, threads: usize) -> Result<(), PlayerError> {
        if lanes == 1 || threads == 1 {
            return Ok(());
        }
        Err(PlayerError::LaneThreads { lanes, threads })
    }

    /// Checks that a player with several lanes asks for no part of the search that these do not have.
    ///
    /// # Errors
    /// A search option asks for one.
    pub fn check_lane_search(lanes: usize, search: &SearchChoices) -> Result<(), PlayerError> {
        let options = search.over(SearchOptions::default());
        let is_on = |&(name, most): &(&'static str, i32)| {
            let value = options.get(name).filter(|value| *value > most);
            value.map(|value| PlayerError::LaneSearch { lanes, name, value })
        };
        match NOT_IN_LANES.iter().find_map(is_on) {
            Some(error) if lanes > 1 => Err(error),
            _ => Ok(()),
        }
    }

    /// Checks the number of threads of a player.
    ///
    /// # Errors
    /// The number is zero or too large.
    pub fn check_threads(given: usize) -> Result<(), PlayerError> {
        if (1..=Self::MAX_THREADS).contains(&given) {
            return Ok(());
        }
        Err(PlayerError::Threads {
            given,
            max: Self::MAX_THREADS,
        })
    }
}

impl Default for PlayerSettings {
    fn default() -> Self {
        Self {
            evaluator: Model::default(),
            sigma: 0.0,
            noise_model: NoiseModel::default(),
            hash_mib: 64,
            threads: 1,
            lanes: 1,
            search: SearchChoices::NONE,
        }
    }
}

/// Error of settings that no player can have.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum PlayerError {
    /// The standard deviation of the noise is out of range.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The size of the transposition table is out of range.
    #[error("hash must be between 1 and {max} MiB, not {given}")]
    Hash {
        /// The requested size, in MiB.
        given: usize,
        /// The largest size, in MiB.
        max: usize,
    },
    /// The system has no memory for a table of this many MiB.
    #[error("no memory for a table of {0} MiB; choose a smaller hash")]
    Memory(usize),
    /// The number of virtual players is out of range.
    #[error("lanes must be between 1 and {max}, not {given}")]
    Lanes {
        /// The requested number.
        given: usize,
        /// The largest number.
        max: usize,
    },
    /// Several lanes on several threads.
    #[error("lanes search on one thread: give threads = 1 with lanes = {lanes}, not {threads}")]
    LaneThreads {
        /// The requested number of lanes.
        lanes: usize,
        /// The requested number of threads.
        threads: usize,
    },
    /// A part of the search that several lanes do not have.
    #[error(
        "lanes search without {name}: leave {name}={value} out, or give lanes = 1, not {lanes}"
    )]
    LaneSearch {
        /// The requested number of lanes.
        lanes: usize,
        /// The search option.
        name: &'static str,
        /// Its value.
        value: i32,
    },
    /// The number of threads is out of range.
    #[error("threads must be between 1 and {max}, not {given}")]
    Threads {
        /// The requested number.
        given: usize,
        /// The largest number.
        max: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_lanes_do_not_have_are_refused() {
        for (name, most) in NOT_IN_LANES {
            let choices = |value: i32| format!("{name}={value}").parse().expect("choices");
            let check = PlayerSettings::check_lane_search;
            assert_eq!(check(8, &choices(most)), Ok(()));
            assert_eq!(check(1, &choices(most + 1)), Ok(()));
            let refused = check(8, &choices(most + 1)).expect_err("refused");
            assert!(refused.to_string().contains(name), "{refused}");
        }
        assert_eq!(
            PlayerSettings::check_lane_search(8, &SearchChoices::NONE),
            Ok(())
        );
    }
}
