//! The USI options of the single player.

use crate::book_options::{self, BookOptions, HasBookOptions};
use crate::clock_options::{self, ClockOptions, HasClockOptions};
use crate::option_table::{
    HASH_DEFAULT, HASH_RANGE, MULTI_PV_RANGE, OptionKind, UsiOption, evaluator, sigma, with_weights,
};
use crate::rule_options::{self, HasGameRules};
use monju_coordinator::clock::{NodesTime, TimePolicy};
use monju_engine::{
    EvaluatorChoice, GameRules, PlayerSettings, SearchChoices, eval::Sigma, names::UnknownName,
};
use std::path::PathBuf;
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

/// The declared time policies. A single player has no votes that could decide early.
const TIME_POLICIES: [TimePolicy; 3] = [
    TimePolicy::Fixed,
    TimePolicy::Agreement,
    TimePolicy::Learned,
];

/// All options, in the order in which a GUI shows them.
pub const OPTIONS: &[UsiOption<EngineOptions>] = {
    let [delay, delay_2, overhead, minimum, whole_seconds] = clock_options::rows();
    let [entering_king, maximum_plies, draw_black, draw_white] = rule_options::rows();
    let [own_book, book_file, book_plies] = book_options::rows();
    &[
        UsiOption {
            name: "USI_Hash",
            aliases: &[],
            help: "transposition table, in MiB",
            kind: OptionKind::Spin {
                default: HASH_DEFAULT,
                range: HASH_RANGE,
                set: |options, value| options.hash_mib = value,
            },
        },
        UsiOption {
            name: "USI_Ponder",
            aliases: &[],
            help: "no effect: the GUI decides when to ponder",
            kind: OptionKind::IgnoredCheck,
        },
        UsiOption {
            name: "Threads",
            aliases: &[],
            help: "threads that search together",
            kind: OptionKind::Spin {
                default: 1,
                range: 1..=PlayerSettings::MAX_THREADS as u32,
                set: |options, value| options.threads = value,
            },
        },
        UsiOption {
            name: "MultiPV",
            aliases: &[],
            help: "number of best moves to show, each with its line",
            kind: OptionKind::Spin {
                default: 1,
                range: MULTI_PV_RANGE,
                set: |options, value| options.multi_pv = value,
            },
        },
        UsiOption {
            name: "Sigma",
            aliases: &[],
            help: "standard deviation of the noise: centipawns, or '1/4 pawn exchange'; empty: as given",
            kind: OptionKind::Text {
                set: |options, value| {
                    options.sigma = sigma(value)?;
                    Ok(())
                },
            },
        },
        UsiOption {
            name: "Evaluator",
            aliases: &[],
            help: "evaluator: NAME or NAME:FILE; empty: as given",
            kind: OptionKind::Text {
                set: |options, value| {
                    options.evaluator = evaluator(value)?;
                    Ok(())
                },
            },
        },
        UsiOption {
            name: "EvalFile",
            aliases: &[],
            help: "weights file for the evaluator (by default nnue); empty: as given",
            kind: OptionKind::File {
                set: |options, value| {
                    options.eval_file = value.map(PathBuf::from);
                    Ok(())
                },
            },
        },
        UsiOption {
            name: "Seed",
            aliases: &[],
            help: "noise seed of every game; empty: as given",
            kind: OptionKind::LargeNumber {
                set: |options, value| options.seed = value,
            },
        },
        UsiOption {
            name: "TimePolicy",
            aliases: &["Tempo"],
            help: "use of the time on the clock",
            kind: OptionKind::Combo {
                default: || TimePolicy::default().to_string(),
                words: || TIME_POLICIES.map(|policy| policy.to_string()).to_vec(),
                set: |options, value| {
                    options.time_policy = value.map(str::parse).transpose()?;
                    Ok(())
                },
            },
        },
        UsiOption {
            name: NodesTime::OPTION,
            aliases: &[],
            help: "nodes that count as a millisecond of every clock, for games that can be repeated; 0: time",
            kind: OptionKind::Spin {
                default: 0,
                range: 0..=NodesTime::MOST,
                set: |options, value| options.nodes_time = value.and_then(NodesTime::new),
            },
        },
        UsiOption {
            name: "Pondering",
            aliases: &[],
            help: "position to ponder on",
            kind: OptionKind::Combo {
                default: || PonderTarget::default().to_string(),
                words: || {
                    PonderTarget::VARIANTS
                        .iter()
                        .map(|name| (*name).to_owned())
                        .collect()
                },
                set: |options, value| {
                    options.pondering = value.map(str::parse).transpose()?;
                    Ok(())
                },
            },
        },
        UsiOption {
            name: "SearchOptions",
            aliases: &[],
            help: "switches and numbers of the search: name=value, as in bench --search",
            kind: OptionKind::Text {
                set: |options, value| {
                    options.search = value.unwrap_or_default().parse()?;
                    Ok(())
                },
            },
        },
        own_book,
        book_file,
        book_plies,
        entering_king,
        maximum_plies,
        draw_black,
        draw_white,
        delay,
        delay_2,
        overhead,
        minimum,
        whole_seconds,
    ]
};

/// The position that a single player ponders on.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = unknown)]
pub enum PonderTarget {
    /// The position after the expected reply.
    #[default]
    Predicted,
    /// The opponent's position, with all replies (Shimoyama, section 9).
    Opponent,
}

fn unknown(name: &str) -> UnknownName {
    UnknownName::new::<PonderTarget>("pondering", name)
}

/// The values that a GUI has set; `None` is the declared default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineOptions {
    hash_mib: Option<u32>,
    threads: Option<u32>,
    multi_pv: Option<u32>,
    sigma: Option<Sigma>,
    evaluator: Option<EvaluatorChoice>,
    eval_file: Option<PathBuf>,
    seed: Option<u64>,
    clock: ClockOptions,
    rules: GameRules,
    book: BookOptions,
    time_policy: Option<TimePolicy>,
    nodes_time: Option<NodesTime>,
    pondering: Option<PonderTarget>,
    search: SearchChoices,
}

impl HasBookOptions for EngineOptions {
    fn book(&mut self) -> &mut BookOptions {
        &mut self.book
    }
}

impl HasGameRules for EngineOptions {
    fn game_rules(&mut self) -> &mut GameRules {
        &mut self.rules
    }
}

impl HasClockOptions for EngineOptions {
    fn clock(&mut self) -> &mut ClockOptions {
        &mut self.clock
    }
}

impl EngineOptions {
    /// Returns the size of the transposition table in MiB.
    pub fn hash_mib(&self) -> Option<u32> {
        self.hash_mib
    }

    /// Returns the number of threads that search together.
    pub fn threads(&self) -> Option<u32> {
        self.threads
    }

    /// Returns the number of lines, if several are asked for.
    pub fn multi_pv(&self) -> Option<u32> {
        self.multi_pv
    }

    /// Returns the standard deviation of the noise.
    pub fn sigma(&self) -> Option<Sigma> {
        self.sigma
    }

    /// Returns the evaluator, or `given` without one, with the weights of the chosen file.
    pub fn evaluator_over(&self, given: &EvaluatorChoice) -> EvaluatorChoice {
        let chosen = self.evaluator.as_ref().unwrap_or(given);
        with_weights(Some(chosen.clone()), self.eval_file.clone()).unwrap_or_default()
    }

    /// Returns the noise seed of every game.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// Returns the switches and numbers of the search.
    pub fn search(&self) -> SearchChoices {
        self.search
    }

    /// Returns the position to ponder on.
    pub fn pondering(&self) -> Option<PonderTarget> {
        self.pondering
    }

    /// Returns the time policy.
    pub fn time_policy(&self) -> Option<TimePolicy> {
        self.time_policy
    }

    /// Returns the nodes that count as a millisecond, on clocks that do not count time.
    pub fn nodes_time(&self) -> Option<NodesTime> {
        self.nodes_time
    }

    /// Returns the options about the opening book.
    pub fn book_options(&self) -> &BookOptions {
        &self.book
    }

    /// Returns the options about the clock.
    pub fn clock(&self) -> &ClockOptions {
        &self.clock
    }

    /// Returns the rules of the game.
    pub fn rules(&self) -> GameRules {
        self.rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::option_table::{self, OptionError, declarations};

    fn set(options: &mut EngineOptions, name: &str, value: &str) -> Result<(), OptionError> {
        option_table::set(OPTIONS, options, name, value)
    }

    #[test]
    fn the_declared_lines_stay_the_same() {
        assert_eq!(
            declarations(OPTIONS),
            [
                "option name USI_Hash type spin default 256 min 1 max 1048576",
                "option name USI_Ponder type check default false",
                "option name Threads type spin default 1 min 1 max 256",
                "option name MultiPV type spin default 1 min 1 max 16",
                "option name Sigma type string default <empty>",
                "option name Evaluator type string default <empty>",
                "option name EvalFile type filename default <empty>",
                "option name Seed type string default <empty>",
                "option name TimePolicy type combo default agreement var fixed var agreement \
                 var learned",
                "option name NodesTime type spin default 0 min 0 max 1000000",
                "option name Pondering type combo default predicted var predicted var opponent",
                "option name SearchOptions type string default <empty>",
                "option name USI_OwnBook type check default true",
                "option name BookFile type filename default <empty>",
                "option name BookPlies type spin default 0 min 0 max 1000",
                "option name EnteringKingRule type combo default CSARule27 var NoEnteringKing \
                 var CSARule24 var CSARule24H var CSARule27 var CSARule27H var TryRule",
                "option name MaxMovesToDraw type spin default 0 min 0 max 100000",
                "option name DrawValueBlack type spin default 0 min -30000 max 30000",
                "option name DrawValueWhite type spin default 0 min -30000 max 30000",
                "option name NetworkDelay type spin default 120 min 0 max 60000",
                "option name NetworkDelay2 type spin default 1120 min 0 max 60000",
                "option name MoveOverhead type spin default 0 min 0 max 60000",
                "option name MinimumThinkingTime type spin default 0 min 0 max 60000",
                "option name RoundUpToFullSecond type check default false",
            ]
        );
    }

    #[test]
    fn defaults_sent_back_leave_the_command_line_alone() {
        let mut echoed = EngineOptions::default();
        for line in declarations(OPTIONS) {
            let words: Vec<&str> = line.split(' ').collect();
            set(&mut echoed, words[2], words[6]).expect("its own default");
        }
        assert_eq!(echoed, EngineOptions::default());
    }

    #[test]
    fn the_time_policy_keeps_its_old_name() {
        let mut options = EngineOptions::default();
        set(&mut options, "Tempo", "fixed").expect("an alias");
        assert_eq!(options.time_policy(), Some(TimePolicy::Fixed));
    }

    #[test]
    fn bad_values_are_refused_in_one_line_and_change_nothing() {
        let mut options = EngineOptions::default();
        set(&mut options, "Sigma", "30").expect("a good value");
        let before = options.clone();
        for (name, value) in [
            ("Sigma", "4001"),
            ("USI_Hash", "0"),
            ("Seed", "-1"),
            ("Evaluator", "magic"),
            ("Threads", "257"),
            ("NodesTime", "1000001"),
            ("MultiPV", "17"),
            ("MoveOverhead", "fast"),
            ("RoundUpToFullSecond", "often"),
            ("TimePolicy", "rubato"),
            ("TimePolicy", "careful"),
            ("TimePolicy", "decided"),
            ("Pondering", "spread"),
        ] {
            let refused = set(&mut options, name, value);
            let error = refused.expect_err("bad").to_string();
            assert!(error.contains(name) && error.contains(value), "{error}");
        }
        set(&mut options, "UCI_Variant", "shogi").expect("ignored");
        assert_eq!(options, before);
    }
}
