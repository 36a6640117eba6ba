//! The USI options of one player.

use crate::values::{HASH_DEFAULT, HASH_MAXIMUM, OptionError, evaluator, number, sigma, small};
use monju_coordinator::clock::TimePolicy;
use monju_engine::{EvaluatorChoice, PlayerSettings, SearchChoices, eval::Sigma};
use std::time::Duration;

/// What is kept of the clock for the answer's way, when nobody says how long that is.
const OVERHEAD_DEFAULT_MS: u32 = 50;
const OVERHEAD_MAXIMUM_MS: u32 = 60_000;
/// One player has nobody to agree with; what is decided, it decides alone.
const TIME_POLICIES: [TimePolicy; 2] = [TimePolicy::Fixed, TimePolicy::Agreement];
const THREADS_MAXIMUM: u64 = PlayerSettings::MAX_THREADS as u64;

/// What one player ponders on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pondering {
    /// The position after the reply that it expects.
    #[default]
    Predicted,
    /// The opponent's position, with all replies (paper 003, section 9).
    Opponent,
}

const PREDICTED: &str = "predicted";
const OPPONENT: &str = "opponent";

/// What a GUI has set. `None` is the declared default: GUIs send every default back, so a default
/// never overrides the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    hash_mib: Option<u32>,
    threads: Option<u32>,
    sigma: Option<Sigma>,
    evaluator: Option<EvaluatorChoice>,
    seed: Option<u64>,
    move_overhead_ms: Option<u32>,
    time_policy: TimePolicy,
    pondering: Pondering,
    search: SearchChoices,
}

impl Options {
    /// The `option` lines, in the order in which a GUI shows them.
    pub fn declarations() -> Vec<String> {
        let time_policies: String = TIME_POLICIES
            .map(|time_policy| format!(" var {time_policy}"))
            .concat();
        vec![
            format!(
                "option name USI_Hash type spin default {HASH_DEFAULT} min 1 max {HASH_MAXIMUM}"
            ),
            "option name USI_Ponder type check default false".to_owned(),
            format!("option name Threads type spin default 1 min 1 max {THREADS_MAXIMUM}"),
            "option name Sigma type string default <empty>".to_owned(),
            "option name Evaluator type string default <empty>".to_owned(),
            "option name Seed type string default <empty>".to_owned(),
            format!(
                "option name MoveOverhead type spin default {OVERHEAD_DEFAULT_MS} \
                 min 0 max {OVERHEAD_MAXIMUM_MS}"
            ),
            format!(
                "option name TimePolicy type combo default {}{time_policies}",
                TimePolicy::default()
            ),
            format!(
                "option name Pondering type combo default {PREDICTED} \
                 var {PREDICTED} var {OPPONENT}"
            ),
            "option name SearchOptions type string default <empty>".to_owned(),
        ]
    }

    /// Sets an option; those of others are passed over.
    ///
    /// # Errors
    /// The value is outside the declared range; the option keeps the value it had.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        match name.to_ascii_lowercase().as_str() {
            "usi_hash" => {
                let hash = number("USI_Hash", value, 1, HASH_MAXIMUM.into())?;
                self.hash_mib = small(hash).filter(|hash| *hash != HASH_DEFAULT);
            }
            "threads" => self.threads = small(number("Threads", value, 1, THREADS_MAXIMUM)?),
            "sigma" => self.sigma = sigma(value)?,
            "evaluator" => self.evaluator = evaluator(value)?,
            "seed" => {
                self.seed = match value {
                    "" | "<empty>" => None,
                    _ => number("Seed", value, 0, u64::MAX)?,
                }
            }
            "timepolicy" | "tempo" => {
                self.time_policy = value.parse().map_err(OptionError::TimePolicy)?;
            }
            "pondering" => {
                self.pondering = match value {
                    OPPONENT => Pondering::Opponent,
                    PREDICTED => Pondering::Predicted,
                    _ => return Err(OptionError::EnginePondering(value.to_owned())),
                }
            }
            "moveoverhead" => {
                let overhead = number("MoveOverhead", value, 0, OVERHEAD_MAXIMUM_MS.into())?;
                self.move_overhead_ms = small(overhead);
            }
            "searchoptions" => {
                let text = if value == "<empty>" { "" } else { value };
                self.search = text.parse().map_err(OptionError::Search)?;
            }
            _ => tracing::debug!(name, value, "option is not ours"),
        }
        Ok(())
    }

    /// Transposition table in MiB.
    pub fn hash_mib(&self) -> Option<u32> {
        self.hash_mib
    }

    /// Threads that search together.
    pub fn threads(&self) -> u32 {
        self.threads.unwrap_or(1)
    }

    /// Standard deviation of the noise.
    pub fn sigma(&self) -> Option<Sigma> {
        self.sigma
    }

    /// The static evaluation.
    pub fn evaluator(&self) -> Option<&EvaluatorChoice> {
        self.evaluator.as_ref()
    }

    /// The noise seed of every game.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// Switches and numbers of the search.
    pub fn search(&self) -> SearchChoices {
        self.search
    }

    /// What is pondered on.
    pub fn pondering(&self) -> Pondering {
        self.pondering
    }

    /// How the time on a clock is spent.
    pub fn time_policy(&self) -> TimePolicy {
        self.time_policy
    }

    /// What is lost between the decision and the referee's clock.
    pub fn move_overhead(&self) -> Duration {
        let overhead_ms = self.move_overhead_ms.unwrap_or(OVERHEAD_DEFAULT_MS);
        Duration::from_millis(overhead_ms.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_sent_back_leave_the_command_line_alone() {
        let mut echoed = Options::default();
        for line in Options::declarations() {
            let words: Vec<&str> = line.split(' ').collect();
            assert!(words.iter().all(|word| !word.is_empty()), "{line}");
            assert_eq!((words[0], words[1], words[3]), ("option", "name", "type"));
            assert_eq!(words[5], "default", "{line}");
            echoed.set(words[2], words[6]).expect("its own default");
        }
        assert_eq!(
            (echoed.hash_mib(), echoed.sigma(), echoed.seed()),
            (None, None, None)
        );
        assert_eq!(echoed.threads(), 1);
        assert_eq!(echoed.move_overhead(), Options::default().move_overhead());
    }

    #[test]
    fn bad_values_are_refused_in_one_line_and_change_nothing() {
        let mut options = Options::default();
        options.set("Sigma", "30").expect("a good value");
        let before = options.clone();
        for (name, value) in [
            ("Sigma", "4001"),
            ("USI_Hash", "0"),
            ("Seed", "-1"),
            ("Evaluator", "magic"),
            ("Threads", "257"),
            ("MoveOverhead", "fast"),
            ("TimePolicy", "rubato"),
            ("Pondering", "spread"),
        ] {
            let error = options.set(name, value).expect_err("bad").to_string();
            assert!(error.contains(name) && error.contains(value), "{error}");
        }
        options.set("MultiPV", "5").expect("passed over");
        assert_eq!(options, before);
    }
}
