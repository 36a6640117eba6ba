//! The parts of the search that can be switched off or tuned, so that each can be measured.

use crate::eval::EvaluatorKind;
use std::{fmt, ops::RangeInclusive, str::FromStr};

macro_rules! options {
    ($( $(#[doc = $doc:literal])+ $name:ident = $default:literal in $low:literal..=$high:literal; )+) => {
        /// Switches (0 or 1) and numbers of the search. The defaults are what matches have shown to be best with the
        /// default evaluator, as far as they could tell; where they could not, parts of the papers' searches are on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct SearchOptions {
            $( $(#[doc = $doc])+ pub $name: i32, )+
        }

        impl Default for SearchOptions {
            fn default() -> Self {
                Self { $( $name: $default, )+ }
            }
        }

        impl SearchOptions {
            /// Every option: its name, and the values that it may have.
            pub const ALL: &'static [(&'static str, RangeInclusive<i32>)] =
                &[ $( (stringify!($name), $low..=$high), )+ ];

            /// Every option with its default value, the values that it may have, and what it does.
            pub const DESCRIPTIONS: &'static [(&'static str, i32, RangeInclusive<i32>, &'static str)] =
                &[ $( (stringify!($name), $default, $low..=$high, concat!($($doc),+)), )+ ];

            fn slot(&mut self, name: &str) -> Option<(&mut i32, RangeInclusive<i32>)> {
                match name {
                    $( stringify!($name) => Some((&mut self.$name, $low..=$high)), )+
                    _ => None,
                }
            }

            /// The value of an option, if there is one of this name.
            pub fn get(&self, name: &str) -> Option<i32> {
                self.values().find_map(|(known, value)| (known == name).then_some(value))
            }

            fn values(&self) -> impl Iterator<Item = (&'static str, i32)> {
                [ $( (stringify!($name), self.$name), )+ ].into_iter()
            }
        }
    };
}

options! {
    /// Iterations begin in a narrow window around the last value.
    root_aspiration = 1 in 0..=1;
    /// Half the width of that window at first, in centipawns.
    root_window = 58 in 1..=2000;
    /// Nodes of the principal variation are first searched in a narrow window around the value
    /// that the table predicts (paper 003, section 10).
    node_aspiration = 0 in 0..=1;
    /// Half the width of that window, in centipawns.
    node_window = 80 in 1..=2000;
    /// Moves that cannot change the value are left out; without, the search is minimax down to
    /// quiescence, and takes for ever.
    cuts = 1 in 0..=1;
    /// Moves of the principal variation after the first are searched in a window without width until one is
    /// better (Scout, principal variation search).
    scout = 1 in 0..=1;
    /// No line below can beat a mate that is known already.
    mate_distance = 1 in 0..=1;
    /// Looks for a mate in one at nodes that the table does not know (paper 003).
    mate_in_one = 1 in 0..=1;
    /// Looks for a mate in one at the first ply of quiescence too.
    quiescence_mate = 1 in 0..=1;
    /// Looks for longer mates by checks alone, by proof numbers: at the root (1), and at deep nodes
    /// too (2).
    mate_search = 1 in 0..=2;
    /// Least remaining depth of such a node.
    mate_search_depth = 10 in 1..=32;
    /// Positions that are looked at there; twice as many with each ply of depth more, up to six.
    mate_search_nodes = 400 in 1..=100000;
    /// Looks for a mate by the other side, in the same way, after every move that is the best of the
    /// root so far, at so many positions in percent of the nodes searched.
    mate_defence = 0 in 0..=300;
    /// Cuts where the evaluation is far above beta.
    reverse_futility = 1 in 0..=1;
    /// Margin a ply, in centipawns.
    reverse_futility_margin = 96 in 0..=1000;
    /// Largest depth of reverse futility.
    reverse_futility_depth = 8 in 0..=32;
    /// Falls into quiescence where the evaluation is far below alpha.
    razoring = 1 in 0..=1;
    /// Margin in centipawns, and what every ply adds.
    razoring_base = 58 in 0..=2000;
    /// See `razoring_base`.
    razoring_margin = 207 in 0..=2000;
    /// Cuts where even a pass keeps the value above beta (paper 003).
    null_move = 1 in 0..=1;
    /// Plies by which a pass is searched less deep.
    null_move_reduction = 3 in 1..=8;
    /// Centipawns above beta that are worth one ply more of that, up to three.
    null_move_surplus = 337 in 1..=2000;
    /// Centipawns by which the evaluation must be above beta for it; each ply of depth takes 40 away.
    null_move_margin = 187 in -1000..=1000;
    /// Searches captures to a lower depth against a raised beta, and cuts where one holds.
    probcut = 0 in 0..=1;
    /// By how many centipawns beta is raised.
    probcut_margin = 200 in 0..=2000;
    /// A node without a move from the table is searched less deep.
    internal_reduction = 1 in 0..=1;
    /// A node of the principal variation without a move from the table is first searched less
    /// deep to find one (recursive iterative deepening, paper 003).
    internal_deepening = 0 in 0..=1;
    /// Extends the table's move where all others are clearly worse.
    singular_extension = 1 in 0..=1;
    /// Extends it twice where they are worse by far.
    double_extension = 0 in 0..=1;
    /// Plies by which the table's move is searched less deep where others are as good.
    negative_extension = 0 in 0..=3;
    /// Least depth of singular extensions.
    singular_depth = 7 in 3..=32;
    /// How much worse the others must be, in hundredths of a centipawn a ply.
    singular_margin = 243 in 0..=2000;
    /// Extends checks that lose nothing (papers 000 and 003).
    check_extension = 1 in 0..=1;
    /// Reduces late moves (paper 003).
    late_move_reduction = 1 in 0..=1;
    /// Plies of every reduction, in hundredths.
    reduction_base = 54 in -500..=500;
    /// What the product of logarithms of depth and number is divided by, in hundredths.
    reduction_divisor = 177 in 50..=1000;
    /// Taken from it on the principal variation, in hundredths of a ply.
    reduction_principal = 66 in 0..=500;
    /// Added where a cut is expected, in hundredths of a ply.
    reduction_cut = 22 in 0..=500;
    /// Taken from it for checks and evasions, in hundredths of a ply.
    reduction_check = 128 in 0..=500;
    /// Taken from it for captures and promotions, in hundredths of a ply.
    reduction_noisy = 19 in 0..=500;
    /// Added where the evaluation has not risen since the own last move, in hundredths of a ply.
    reduction_declining = 107 in 0..=500;
    /// History score that is worth one ply of reduction.
    reduction_history = 9890 in 512..=65536;
    /// Taken from it where a principal variation once went, in hundredths of a ply.
    reduction_once_principal = 42 in 0..=500;
    /// Taken from it for captures with the best history, in hundredths of a ply.
    reduction_capture = 133 in 0..=2000;
    /// Added for quiet moves where the table's move is none, in hundredths of a ply.
    reduction_table_noisy = 34 in 0..=500;
    /// Added after brothers at whose children many moves failed high, in hundredths of a ply.
    reduction_cuts = 10 in 0..=500;
    /// Searches a move that its reduced search has shown good deeper, or less deep, by how good.
    research_depth = 0 in 0..=1;
    /// Leaves out late quiet moves at low depth.
    late_move_pruning = 1 in 0..=1;
    /// Moves that are tried whatever the depth.
    late_move_base = 6 in 1..=64;
    /// Times the depth squared, in hundredths: the moves that are tried more.
    late_move_factor = 253 in 1..=2000;
    /// Leaves out quiet moves where the evaluation is far below alpha (paper 003).
    futility = 1 in 0..=1;
    /// Margin in centipawns, and what every ply adds.
    futility_base = 108 in 0..=2000;
    /// See `futility_base`.
    futility_margin = 116 in 0..=2000;
    /// Leaves out moves that lose material by exchange, the more the deeper.
    exchange_pruning = 1 in 0..=1;
    /// Loss that a quiet move is allowed, in centipawns times depth squared.
    exchange_quiet = 27 in 0..=1000;
    /// Loss that a capture is allowed, in centipawns times depth.
    exchange_noisy = 235 in 0..=1000;
    /// Leaves out quiet moves with a bad history at low depth.
    history_pruning = 0 in 0..=1;
    /// How bad, times depth.
    history_pruning_margin = 4000 in 0..=32768;
    /// Tries captures that lose material by exchange after the quiet moves.
    exchange_order = 1 in 0..=1;
    /// Tries first the quiet moves that cut at brothers.
    killers = 1 in 0..=1;
    /// Orders and reduces quiet moves by what they did, wherever they did it.
    history = 1 in 0..=1;
    /// What a move that cuts is rewarded with in the histories for each ply of depth …
    history_reward = 273 in 1..=2000;
    /// … and at most.
    history_most = 1700 in 1..=16000;
    /// What the moves tried before it lose, in percent of that.
    history_blame = 100 in 0..=400;
    /// What a quiet move is rewarded with when no answer to it is any good, in percent of the reward
    /// of a move that cuts.
    reply_reward = 89 in 0..=400;
    /// By how much more a quiet move is worth in their order that gives check and loses nothing.
    check_reward = 9410 in 0..=32768;
    /// Orders and reduces quiet moves by what they did after the last moves.
    continuation_history = 1 in 0..=1;
    /// And after the own side's move four plies ago.
    continuation_four = 0 in 0..=1;
    /// A quiet move of the table that cuts without a search is rewarded as if it had one.
    table_reward = 0 in 0..=1;
    /// Orders captures by what they did.
    capture_history = 1 in 0..=1;
    /// Corrects the evaluation by how wrong it was in positions with the same features.
    correction_history = 1 in 0..=1;
    /// How much of the correction is applied, in percent.
    correction_weight = 34 in 0..=400;
    /// Leaves out captures that lose material or cannot raise alpha, and late evasions, in
    /// quiescence.
    quiescence_pruning = 1 in 0..=1;
    /// What a capture may gain beside its victim, in centipawns.
    quiescence_margin = 200 in 0..=2000;
    /// Captures that quiescence tries beside those of the piece that has just moved; 0 is all.
    quiescence_moves = 0 in 0..=64;
    /// Tries checks that lose nothing at the first ply of quiescence.
    quiescence_checks = 1 in 0..=1;
    /// Least remaining depth of a node whose moves several threads share; with less it is not worth
    /// the trouble.
    split_depth = 5 in 2..=32;
    /// Moves of a node where a cut is expected that one thread searches alone before others may take
    /// some of the rest; elsewhere it is one.
    split_patience = 3 in 1..=64;
    /// Where several threads share the moves of a node and one of these is found better than the best
    /// so far, the others wait until it is known by how much.
    split_waiting = 1 in 0..=1;
    /// Percent of the lanes of a vector search that pruning may overrule where the others agree; a
    /// cut by a full search needs them all.
    lane_dissent = 50 in 0..=100;
    /// Uses what the table holds; without it, it holds nothing.
    table = 1 in 0..=1;
    /// Entries of the table stay from search to search (paper 004, section 5).
    table_persistence = 1 in 0..=1;
}

impl SearchOptions {
    /// What matches have shown to be best with an evaluator of this kind.
    pub fn of(kind: EvaluatorKind) -> Self {
        match kind {
            EvaluatorKind::Material => Self::of_material(),
            EvaluatorKind::Linear | EvaluatorKind::Nnue => Self::default(),
        }
    }

    /// An evaluation that sees no more than pieces and squares is believed less: wider margins, and less that
    /// is left out or reduced.
    fn of_material() -> Self {
        Self {
            root_window: 60,
            reverse_futility_margin: 110,
            razoring_base: 150,
            razoring_margin: 250,
            null_move_surplus: 250,
            null_move_margin: 200,
            singular_margin: 200,
            reduction_base: 60,
            reduction_divisor: 220,
            reduction_principal: 100,
            reduction_cut: 100,
            reduction_check: 100,
            reduction_noisy: 100,
            reduction_declining: 100,
            reduction_history: 8192,
            late_move_base: 4,
            late_move_factor: 200,
            futility_base: 180,
            futility_margin: 120,
            exchange_quiet: 30,
            exchange_noisy: 120,
            correction_weight: 100,
            quiescence_margin: 150,
            ..Self::default()
        }
    }

    /// Reductions of late moves in hundredths of a ply, by depth and number of the move.
    pub(super) fn reductions(&self) -> Box<Reductions> {
        let mut table = Box::new([[0; 64]; 64]);
        let base = f64::from(self.reduction_base) / 100.0;
        let divisor = f64::from(self.reduction_divisor) / 100.0;
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, entry) in row.iter_mut().enumerate().skip(1) {
                let product = libm::log(depth as f64) * libm::log(number as f64);
                *entry = (100.0 * (base + product / divisor)).clamp(-1e4, 1e4) as i16;
            }
        }
        table
    }
}

/// Options of the search that somebody has chosen; the others are those of the evaluator.
///
/// As text: `name=value` with commas between.
///
/// ```
/// # use monju_engine::{EvaluatorKind, SearchChoices, SearchOptions};
/// let choices: SearchChoices = "razoring=0, null_move=0".parse().unwrap();
/// assert_eq!(choices.over(SearchOptions::of(EvaluatorKind::Linear)).null_move, 0);
/// assert_eq!(choices.to_string(), "razoring=0,null_move=0");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SearchChoices([Option<i32>; SearchOptions::ALL.len()]);

impl SearchChoices {
    /// Nothing is chosen.
    pub const NONE: Self = Self([None; SearchOptions::ALL.len()]);

    /// `options`, but for what is chosen here.
    pub fn over(&self, mut options: SearchOptions) -> SearchOptions {
        for (name, value) in self.chosen() {
            if let Some((slot, _)) = options.slot(name) {
                *slot = value;
            }
        }
        options
    }

    /// Names and values, in the order of [`SearchOptions::ALL`].
    fn chosen(&self) -> impl Iterator<Item = (&'static str, i32)> {
        let names = SearchOptions::ALL.iter().map(|(name, _)| *name);
        names
            .zip(self.0)
            .filter_map(|(name, value)| Some((name, value?)))
    }

    /// These and others, which are all 0.
    fn and_without(mut self, names: &[&str]) -> Self {
        for ((name, _), choice) in SearchOptions::ALL.iter().zip(&mut self.0) {
            if names.contains(name) {
                *choice = Some(0);
            }
        }
        self
    }

    /// The plain search: every move to the same depth, and nothing that one line teaches another
    /// but the order of moves. Its value is that of the minimax tree.
    pub fn plain() -> Self {
        Self::NONE.and_without(&[
            "mate_search",
            "mate_defence",
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

    /// The plain minimax search, down to quiescence: what every other search can be compared with, at
    /// depths of 2 or 3.
    pub fn minimax() -> Self {
        Self::plain().and_without(&["cuts", "mate_distance", "root_aspiration"])
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

/// Hundredths of a ply by depth and number of the move.
pub(super) type Reductions = [[i16; 64]; 64];

/// Why a text does not name options of the search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchOptionsError {
    /// There is no `=`.
    #[error("search option '{0}' has no value, write name=value")]
    NoValue(String),
    /// No option has this name.
    #[error("unknown search option '{0}'; 'monju bench --help' lists them")]
    UnknownName(String),
    /// Not a number, or not one that the option may have.
    #[error("search option {name} must be between {low} and {high}, not '{value}'")]
    Value {
        /// The option.
        name: String,
        /// What it was given.
        value: String,
        /// The least that it may be.
        low: i32,
        /// The most.
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
            let ((_, range), choice) = SearchOptions::ALL
                .iter()
                .zip(&mut choices.0)
                .find(|((known, _), _)| *known == name.trim())
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
            *choice = Some(value);
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
