//! The numbers of the search that no option sets: depths in plies, margins in centipawns, reductions in
//! 1/1024 plies, histories in their own unit. Margins are those of the network; [`SearchOptions::margin`] widens
//! them for other evaluators.
//!
//! They are constants, read by functions of their names, unless the feature `tuning` is on: it makes each of
//! them an option of the search, named after its group and itself (`null_move_margin`), which costs speed.
//!
//! [`SearchOptions::margin`]: super::options::SearchOptions::margin

/// One ply in the unit of reductions.
pub const PLY: i32 = 1_024;

#[cfg(not(feature = "tuning"))]
macro_rules! numbers {
    ($( $(#[doc = $group_doc:literal])+ $group:ident {
        $( $(#[doc = $doc:literal])* $name:ident = $value:literal; )+
    } )+) => {
        $( $(#[doc = $group_doc])+ pub mod $group {
            $( $(#[doc = $doc])* #[inline(always)] pub const fn $name() -> i32 { $value } )+
        } )+
    };
}

#[cfg(feature = "tuning")]
macro_rules! numbers {
    ($( $(#[doc = $group_doc:literal])+ $group:ident {
        $( $(#[doc = $doc:literal])* $name:ident = $value:literal; )+
    } )+) => {
        $( $(#[doc = $group_doc])+ pub mod $group {
            $(
                $(#[doc = $doc])*
                #[inline(always)]
                pub fn $name() -> i32 {
                    $name::VALUE.get()
                }

                pub(in super::super) mod $name {
                    thread_local! {
                        pub static VALUE: std::cell::Cell<i32> = const { std::cell::Cell::new($value) };
                    }
                }
            )+
        } )+

        /// Every number.
        pub(super) const ALL: &[super::tunable::Tunable] = &[ $( $( super::tunable::Tunable {
            name: concat!(stringify!($group), "_", stringify!($name)),
            default: $value,
            meaning: concat!($($doc),*),
            value: &$group::$name::VALUE,
        }, )+ )+ ];
    };
}

numbers! {
    /// The window of an iteration at first.
    aspiration {
        /// Half the width without variance.
        least = 9;
        /// Mean square of the last values that adds one centipawn.
        variance = 12_000;
        /// Half the width at most.
        most = 60;
        /// Half the width beyond which the window is opened.
        open = 1_500;
    }

    /// Reverse futility pruning.
    reverse_futility {
        depth = 14;
        /// Margin of each ply.
        margin = 93;
        /// Less margin of each ply at cut nodes that the table does not know.
        unknown_cut = 20;
        /// History score of the last move that adds one centipawn.
        history = 376;
    }

    /// Razoring.
    razoring {
        base = 200;
        /// Times the squared depth.
        margin = 130;
    }

    /// Null-move pruning.
    null_move {
        /// Plies by which a null move is searched less deep, beside a third of the depth.
        reduction = 7;
        /// Margin over beta that the evaluation must reach; `margin_depth` less per ply, so below beta beyond
        /// depth 10.
        margin = 200;
        /// Reduction of the margin per ply of depth.
        margin_depth = 20;
        /// Depth from which a cut is verified.
        verified = 16;
    }

    /// ProbCut.
    probcut {
        depth = 3;
        /// Plies by which it searches less deep.
        reduction = 5;
        /// Evaluation above beta that takes away one ply more.
        surplus = 300;
        /// By so much beta is raised.
        margin = 190;
        /// Less of it at improving nodes.
        improving = 55;
        /// By so much beta is raised for a cut by the table's bound alone.
        table_margin = 400;
        /// That bound may be so many plies less deep.
        table_depth = 4;
    }

    /// Internal iterative reductions.
    internal_reduction {
        /// Least depth.
        depth = 5;
    }

    /// Reductions of the parent in hindsight.
    hindsight {
        /// Parent's reduction in plies after which a node that worsened is searched deeper.
        deeper = 3;
        /// Sum of both sides' evaluations above which a reduced node is searched less deep.
        shallower = 150;
    }

    /// Pruning of moves.
    move_pruning {
        /// Moves that late-move pruning keeps, beside the squared depth.
        late_moves = 3;
        /// Reduced depth below which captures are pruned by futility.
        capture_depth = 7;
        capture_base = 230;
        /// Margin of each ply of reduced depth.
        capture_margin = 220;
        /// Part of the capture history in the margin, of 1024.
        capture_history = 130;
        /// Allowed loss of captures and checks for each ply of depth.
        exchange_noisy = 170;
        /// Most of it, with the capture history.
        exchange_noisy_most = 290;
        /// History below which quiet moves are pruned, for each ply of depth.
        history = 4_300;
        /// History that adds one ply to the reduced depth.
        history_ply = 3_300;
        /// Reduced depth below which quiet moves are pruned by futility.
        futility_depth = 12;
        /// Margin before a move has raised alpha.
        futility_base = 190;
        /// Margin afterwards.
        futility_base_raised = 50;
        /// Margin of each ply of reduced depth.
        futility_margin = 115;
        /// Allowed loss of quiet moves, times the squared reduced depth.
        exchange_quiet = 26;
    }

    /// Singular extensions.
    singular {
        /// Least depth, one ply more at nodes once on a principal variation.
        depth = 6;
        /// Margin in hundredths of each ply of depth.
        margin = 110;
        /// More of it at nodes once on a principal variation.
        margin_tt_pv = 130;
        /// Further margin of a double extension.
        double = 0;
        double_pv = 200;
        double_quiet = 60;
        /// Further margin of a triple extension.
        triple = 80;
        triple_pv = 240;
        triple_quiet = 60;
        triple_tt_pv = 80;
        /// Plies by which a line may be extended, in percent of the depth of the iteration. Without a bound,
        /// forced lines of lost games explode, and others are searched deeper than they deserve.
        most_percent = 50;
        /// Plies by which a line may have been extended where a move is extended by more than one.
        most = 3;
        /// Plies by which the table's move is searched less deep where it is not singular.
        not_singular = 3;
        not_singular_cut = 2;
    }

    /// Late-move reductions in 1/1024 plies.
    reduction {
        base = 1_086;
        /// Less for a window as wide as the root's.
        window = 780;
        /// Part of the reduction that is added where the evaluation is not improving, of 512.
        not_improving = 205;
        /// More before pruning at nodes once on a principal variation.
        tt_pv_pruning = 940;
        /// Less at nodes once on a principal variation, more less by what the table knows.
        tt_pv = 2_380;
        tt_pv_node = 1_000;
        tt_pv_value = 880;
        tt_pv_depth = 1_020;
        tt_pv_depth_cut = 1_140;
        /// More for every move, and less for each move before.
        every = 310;
        each_before = 65;
        /// Correction of the evaluation that is worth 1024.
        correction = 6;
        cut_node = 2_700;
        cut_node_unknown = 1_000;
        noisy_table_move = 1_200;
        /// More where so many siblings of the child were cut.
        cuts = 2;
        after_cuts = 1_030;
        after_cuts_all = 850;
        table_move = 2_000;
        /// Part of the history, of 8192.
        history = 820;
        history_quiet = 3_200;
        history_noisy = 4_900;
        /// Part of a victim's value in the history of a capture.
        victim = 6;
        /// Surplus over the best value above which a move is searched again one ply deeper.
        deeper = 42;
        /// Surplus below which it is searched again one ply less deep.
        shallower = 9;
        /// More without a table move, where no reduced search comes first.
        unknown = 1_100;
        /// Reductions that take one and two plies there.
        one = 3_500;
        two = 5_600;
    }

    /// Updates of the histories.
    history {
        /// Bonus of the best move: factor of the depth, discount, most, and more for the table's move.
        bonus_depth = 121;
        bonus_discount = 77;
        bonus_most = 1_633;
        bonus_table_move = 375;
        /// Malus of the others: factor of the depth, discount, most, and less for each move searched.
        malus_depth = 700;
        malus_discount = 200;
        malus_most = 2_200;
        malus_each = 16;
        /// Part of the bonus for the first plies, of 1024.
        low_ply = 770;
        /// Parts for the pawn structure, of 1024: of a malus and of a bonus.
        pawn_malus = 550;
        pawn_bonus = 850;
        /// Part for the moves before, of 1024, and its weights by `Contexts::PLIES`.
        continuation = 955;
        continuation_1 = 1_157;
        continuation_2 = 648;
        continuation_3 = 288;
        continuation_4 = 576;
        continuation_6 = 441;
        /// Malus of an early quiet move that the table refutes.
        refuted = 2_200;
        /// Bonus of the moves before for a move that beats alpha in a reduced search.
        beat_alpha = 1_500;
        /// Bonus of a capture that leaves no good answer.
        prior_capture = 1_000;
        /// Bonus of a table move that cuts without a search: factor of the depth, discount, most.
        table_depth = 125;
        table_discount = 77;
        table_most = 1_157;
        /// Score of a quiet move for a check that loses nothing.
        check = 16_384;
    }

    /// The bonus of a move that leaves no good answer: its weight in percent, and what it is a part of.
    last_move {
        /// More at nodes of depth 6 and beyond.
        deep = 118;
        /// More where some answer was expected to be good.
        not_all_node = 37;
        /// More for a move that was late itself.
        late = 169;
        /// More where the value is clearly below the evaluation of its node.
        fall = 128;
        /// More where it is clearly below the evaluation before the move.
        own_fall = 115;
        /// More for the table's move.
        table_move = 80;
        /// History below 0 that adds one percent.
        history = 106;
        /// Most of that.
        history_most = 318;
        /// Factor of the depth.
        depth = 141;
        discount = 88;
        most = 1_400;
        /// Parts for each history, of 1024.
        quiet = 207;
        pawn = 1_195;
        continuation = 436;
    }

    /// Quiescence.
    quiescence {
        /// Moves that are searched without check.
        moves = 2;
        /// Possible gain of a capture beside its victim.
        margin = 220;
        /// Allowed loss by exchange.
        loss = 75;
        /// History above which a quiet move is searched.
        history = 5_800;
    }
}
