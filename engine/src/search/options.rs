//! Options of the search: every part can be switched off or tuned, so that its worth can be measured.

use super::numbers::PLY;
use crate::eval::EvaluatorKind;
use std::{fmt, ops::RangeInclusive, str::FromStr};

/// An option of the search.
#[derive(Clone, Debug)]
pub struct SearchOption {
    /// Name.
    pub name: &'static str,
    /// Value for the default evaluator.
    pub default: i32,
    /// Values that it can have.
    pub range: RangeInclusive<i32>,
    /// What it does.
    pub meaning: &'static str,
}

macro_rules! options {
    ($( $(#[doc = $doc:literal])+ $name:ident = $default:literal in $low:literal..=$high:literal; )+) => {
        /// Switches (0 or 1) and numbers of the search.
        ///
        /// The defaults are the best values that matches with the default evaluator have found. Where
        /// matches could not decide, the parts of the papers' searches are on.
        ///
        /// ```
        /// use monju_engine::{EvaluatorKind, SearchOptions};
        /// let options = SearchOptions::of(EvaluatorKind::Material);
        /// assert_eq!(options.get("null_move"), Some(1));
        /// assert_eq!(options.get("magic"), None);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct SearchOptions {
            $( $(#[doc = $doc])+ pub $name: i32, )+
            #[cfg(feature = "tuning")]
            pub(super) numbers: super::tuned_numbers::TunedNumbers,
        }

        impl Default for SearchOptions {
            fn default() -> Self {
                Self {
                    $( $name: $default, )+
                    #[cfg(feature = "tuning")]
                    numbers: Default::default(),
                }
            }
        }

        impl SearchOptions {
            const NAMED: &'static [SearchOption] = &[ $( SearchOption {
                name: stringify!($name),
                default: $default,
                range: $low..=$high,
                meaning: concat!($($doc),+),
            }, )+ ];

            fn slot(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $( stringify!($name) => Some(&mut self.$name), )+
                    #[cfg(feature = "tuning")]
                    _ => self.numbers.slot(name),
                    #[cfg(not(feature = "tuning"))]
                    _ => None,
                }
            }

            /// Returns the value of an option by its name.
            pub fn get(&self, name: &str) -> Option<i32> {
                self.values().find_map(|(known, value)| (known == name).then_some(value))
            }

            fn values(&self) -> impl Iterator<Item = (&'static str, i32)> {
                let named = [ $( (stringify!($name), self.$name), )+ ].into_iter();
                #[cfg(feature = "tuning")]
                let named = named.chain(self.numbers.values());
                named
            }
        }
    };
}

options! {
    /// Width of the margins by which evaluations are compared, in percent: an evaluator that errs more
    /// needs wider ones.
    margin_scale = 100 in 10..=1000;
    /// Values a superior or inferior position (the board of an earlier one on the line, with more or fewer pieces
    /// in hand) as won or lost.
    superior_positions = 1 in 0..=1;
    /// Searches each iteration first in a narrow window around the last value (aspiration).
    root_aspiration = 1 in 0..=1;
    /// Searches the moves of the principal variation first in a window of so many centipawns to each side of
    /// their value in the table, up to twice as many towards the end of a game (Shimoyama, section 10); 0: in
    /// the whole window.
    node_window = 0 in 0..=1000;
    /// Cuts moves that cannot change the value. Without cuts, the search is minimax down to
    /// quiescence and takes very long.
    cuts = 1 in 0..=1;
    /// Searches the moves of the principal variation after the first in a null window until one is
    /// better (Scout, principal variation search).
    scout = 1 in 0..=1;
    /// Mate distance pruning: leaves lines that cannot beat a known mate.
    mate_distance = 1 in 0..=1;
    /// Looks for a mate in one at nodes that the table does not know (Shimoyama).
    mate_in_one = 1 in 0..=1;
    /// Searches a leaf of the principal variation one ply deeper where its side is ahead in material and cannot keep
    /// that (danger-discriminating search, Hiramatsu et al.), as far as so many nodes tell; 0: never.
    danger = 0 in 0..=4000;
    /// Looks for a mate in one at the first ply of quiescence, too.
    quiescence_mate = 1 in 0..=1;
    /// Looks for longer mates by checks alone with proof numbers: at the root (1), and at deep nodes
    /// as well (2).
    mate_search = 1 in 0..=2;
    /// Least remaining depth of a deep node for that mate search.
    mate_search_depth = 10 in 1..=32;
    /// Positions of the mate search at a deep node; doubled for each further ply of depth, up to six
    /// times.
    mate_search_nodes = 400 in 1..=100000;
    /// Looks in the same way for a mate by the other side after every new best move of the root; the
    /// number of positions is given in percent of the nodes searched.
    mate_defence = 0 in 0..=300;
    /// Replays proofs of mates (Shimoyama: proof subtrees): `mate_defence` tries the last one found at this
    /// root before it searches anew (1), and where a pass fails clearly, a mate that follows it is looked for,
    /// and moves that leave it standing are not searched (2).
    mate_replay = 0 in 0..=2;
    /// Reverse futility pruning: cuts where the evaluation is far above beta.
    reverse_futility = 1 in 0..=1;
    /// Razoring: drops into quiescence where the evaluation is far below alpha.
    razoring = 1 in 0..=1;
    /// Null-move pruning: cuts where even a pass keeps the value above beta (Shimoyama).
    null_move = 1 in 0..=1;
    /// ProbCut: cuts where a shallower search of a capture reaches a raised beta.
    probcut = 1 in 0..=1;
    /// Internal iterative reductions: searches a node without a table move less deeply.
    internal_reduction = 1 in 0..=1;
    /// Singular extensions: extends the table's move where all others are clearly worse.
    singular_extension = 1 in 0..=1;
    /// Late-move reductions (Shimoyama).
    late_move_reduction = 1 in 0..=1;
    /// Divisor of the product of the logarithms of depth and move number, in hundredths.
    reduction_divisor = 222 in 50..=1000;
    /// Weight of the learned part of reductions (Shimoyama, section 8), in percent of the logarithm of the
    /// odds that a move beats alpha, which are plies; 0 without it.
    learned_reduction = 0 in 0..=400;
    /// Weight of the learned part of the order of moves (Shimoyama, section 5), in percent, at nodes of depth 3
    /// and more; 0 without it.
    learned_order = 0 in 0..=400;
    /// Late-move pruning: leaves out late quiet moves at low depth.
    late_move_pruning = 1 in 0..=1;
    /// Futility pruning: leaves out quiet moves where the evaluation is far below alpha (Shimoyama).
    futility = 1 in 0..=1;
    /// Weight of the learned part of the margins of futility pruning (Shimoyama, section 7), in percent; 0
    /// without it.
    learned_margin = 0 in 0..=400;
    /// Leaves out moves that lose material by exchange; the allowed loss grows with the depth.
    exchange_pruning = 1 in 0..=1;
    /// History pruning: leaves out quiet moves with a bad history at low depth.
    history_pruning = 1 in 0..=1;
    /// Corrects the evaluation by its past errors in positions with the same features.
    correction_history = 1 in 0..=1;
    /// Applied part of the correction, in percent.
    correction_weight = 34 in 0..=400;
    /// Leaves out captures in quiescence that lose material or cannot raise alpha, and late evasions.
    quiescence_pruning = 1 in 0..=1;
    /// Searches checks that lose no material at the first ply of quiescence.
    quiescence_checks = 1 in 0..=1;
    /// Least remaining depth of a node whose moves several threads share.
    split_depth = 5 in 2..=32;
    /// Least remaining depth of a node whose moves are offered although no thread is idle yet.
    split_early = 9 in 2..=128;
    /// Moves that one of up to four threads searches alone, at a node where a cut is expected, before others may
    /// take some of the rest; elsewhere, and with more threads, one move.
    split_patience = 3 in 1..=64;
    /// Lets other threads wait at a shared node while a better move is searched again.
    split_waiting = 1 in 0..=1;
    /// Uses the entries of the transposition table (1), or exact values alone and no moves (2), as before the
    /// extensions of Hosoe et al., section 4; without it (0), the entries are not read.
    table = 1 in 0..=2;
    /// Keeps the entries of the table from search to search (Hosoe et al., section 4).
    table_persistence = 1 in 0..=1;
}

impl SearchOptions {
    /// Number of options.
    #[cfg(not(feature = "tuning"))]
    const COUNT: usize = Self::NAMED.len();
    /// Number of options.
    #[cfg(feature = "tuning")]
    const COUNT: usize = Self::NAMED.len() + super::numbers::ALL.len();

    /// Iterates over all options.
    pub fn all() -> impl Iterator<Item = SearchOption> {
        let all = Self::NAMED.iter().cloned();
        #[cfg(feature = "tuning")]
        let all = all.chain(super::numbers::ALL.iter().map(|number| SearchOption {
            name: number.name,
            default: number.default,
            range: number.range(),
            meaning: number.meaning,
        }));
        all
    }

    /// Returns the best options for an evaluator of this kind, as matches have shown.
    pub fn of(kind: EvaluatorKind) -> Self {
        match kind {
            EvaluatorKind::Material => Self::of_material(),
            EvaluatorKind::Linear | EvaluatorKind::Nnue => Self::default(),
        }
    }

    /// Returns options for `material`, whose evaluation is less reliable: margins are wider, and
    /// fewer moves are pruned or reduced.
    fn of_material() -> Self {
        Self {
            margin_scale: 130,
            reduction_divisor: 250,
            correction_weight: 100,
            ..Self::default()
        }
    }

    /// Gives this thread the numbers of the search.
    #[cfg(feature = "tuning")]
    pub(super) fn install(&self) {
        self.numbers.install();
    }

    /// Returns a margin as wide as the evaluator needs it.
    #[inline(always)]
    pub(super) fn margin(&self, centipawns: i32) -> i32 {
        centipawns * self.margin_scale / 100
    }

    /// Computes the reductions of late moves.
    pub(super) fn reductions(&self) -> Box<Reductions> {
        let mut table = Box::new([[0; 64]; 64]);
        let divisor = f64::from(self.reduction_divisor) / 100.0;
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, entry) in row.iter_mut().enumerate().skip(1) {
                let product = libm::log(depth as f64) * libm::log(number as f64);
                *entry = (f64::from(PLY) * product / divisor) as i32;
            }
        }
        table
    }
}

/// Options of the search chosen by a user; the others keep the defaults for the evaluator.
///
/// The text form is `name=value`, separated by commas.
///
/// ```
/// use monju_engine::{EvaluatorKind, SearchChoices, SearchOptions};
/// let choices: SearchChoices = "razoring=0, null_move=0".parse().unwrap();
/// assert!("razoring=0, razoring=1".parse::<SearchChoices>().is_err());
/// assert_eq!(choices.over(SearchOptions::of(EvaluatorKind::Linear)).null_move, 0);
/// assert_eq!(choices.to_string(), "razoring=0,null_move=0");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SearchChoices([Option<i32>; SearchOptions::COUNT]);

impl SearchChoices {
    /// No option chosen.
    pub const NONE: Self = Self([None; SearchOptions::COUNT]);

    /// Returns `options` with the chosen values in place of theirs.
    pub fn over(&self, mut options: SearchOptions) -> SearchOptions {
        for (name, value) in self.chosen() {
            if let Some(slot) = options.slot(name) {
                *slot = value;
            }
        }
        options
    }

    /// Iterates over the chosen names and values in the order of [`SearchOptions::all`].
    fn chosen(&self) -> impl Iterator<Item = (&'static str, i32)> {
        SearchOptions::all()
            .zip(self.0)
            .filter_map(|(option, value)| Some((option.name, value?)))
    }

    /// Chooses 0 for each of the named options.
    fn and_without(mut self, names: &[&str]) -> Self {
        for (option, choice) in SearchOptions::all().zip(&mut self.0) {
            if names.contains(&option.name) {
                *choice = Some(0);
            }
        }
        self
    }

    /// Returns the plain search: alpha-beta with every move searched to the same depth. Its value is
    /// the value of the minimax tree.
    pub fn plain() -> Self {
        Self::NONE.and_without(&[
            "superior_positions",
            "root_aspiration",
            "mate_search",
            "mate_defence",
            "mate_replay",
            "null_move",
            "reverse_futility",
            "razoring",
            "probcut",
            "internal_reduction",
            "singular_extension",
            "late_move_reduction",
            "late_move_pruning",
            "futility",
            "exchange_pruning",
            "history_pruning",
            "correction_history",
            "quiescence_pruning",
            "table",
        ])
    }

    /// Returns the plain minimax search down to quiescence, a reference for other searches at depths
    /// of 2 or 3.
    pub fn minimax() -> Self {
        Self::plain().and_without(&["cuts", "mate_distance"])
    }
}

impl Default for SearchChoices {
    fn default() -> Self {
        Self::NONE
    }
}

impl fmt::Debug for SearchChoices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SearchChoices({self})")
    }
}

/// Reductions of late moves in 1/1024 plies, by depth and move number.
pub(super) type Reductions = [[i32; 64]; 64];

/// Error of a text that is not a list of search options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchOptionsError {
    /// A part has no `=`.
    #[error("search option '{0}' has no value; write name=value")]
    NoValue(String),
    /// The name is not that of an option.
    #[error("unknown search option '{0}'; 'monju bench --help' lists them")]
    UnknownName(String),
    /// The option is there twice.
    #[error("search option {0} is chosen twice; remove one of the two")]
    Twice(String),
    /// The value is not a number in the option's range.
    #[error("search option {name} must be between {low} and {high}, not '{value}'")]
    Value {
        /// Name of the option.
        name: String,
        /// The given value.
        value: String,
        /// The least value of the option.
        low: i32,
        /// The largest value of the option.
        high: i32,
    },
}

impl FromStr for SearchChoices {
    type Err = SearchOptionsError;

    fn from_str(text: &str) -> Result<Self, SearchOptionsError> {
        let mut choices = Self::NONE;
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| SearchOptionsError::NoValue(part.to_owned()))?;
            let (SearchOption { range, .. }, choice) = SearchOptions::all()
                .zip(&mut choices.0)
                .find(|(option, _)| option.name == name.trim())
                .ok_or_else(|| SearchOptionsError::UnknownName(name.to_owned()))?;
            let value = value
                .trim()
                .parse()
                .ok()
                .filter(|value| range.contains(value))
                .ok_or_else(|| SearchOptionsError::Value {
                    name: name.to_owned(),
                    value: value.to_owned(),
                    low: *range.start(),
                    high: *range.end(),
                })?;
            if choice.replace(value).is_some() {
                return Err(SearchOptionsError::Twice(name.trim().to_owned()));
            }
        }
        Ok(choices)
    }
}

impl fmt::Display for SearchChoices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (name, value) in self.chosen() {
            write!(f, "{separator}{name}={value}")?;
            separator = ",";
        }
        Ok(())
    }
}
