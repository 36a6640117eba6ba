//! The options about the rules of the game, which the proxy and the single player share.

use crate::option_table::{OptionKind, UsiOption};
use monju_engine::{EnteringKingRule, GameRules};
use std::{num::NonZeroU32, ops::RangeInclusive};
use strum::VariantNames;

/// Largest maximum of plies.
const MOST_PLIES: u32 = 100_000;

/// Values that a draw can have: those of an evaluation.
const DRAW_VALUES: RangeInclusive<i32> = -30_000..=30_000;

/// Options with the rules of the game in them.
pub trait HasGameRules {
    /// Returns the rules of the game.
    fn game_rules(&mut self) -> &mut GameRules;
}

/// Returns the rows of the options about the rules, in the order in which a GUI shows them.
pub const fn rows<T: HasGameRules>() -> [UsiOption<T>; 4] {
    [
        UsiOption {
            name: "EnteringKingRule",
            aliases: &[],
            help: "rule by which a king that has entered the opponent's camp wins",
            kind: OptionKind::Combo {
                default: || EnteringKingRule::default().to_string(),
                words: || {
                    Vec::from_iter(EnteringKingRule::VARIANTS.iter().map(ToString::to_string))
                },
                set: |options, value| {
                    let rule = value.map(str::parse).transpose()?;
                    options.game_rules().entering_king = rule.unwrap_or_default();
                    Ok(())
                },
            },
        },
        UsiOption {
            name: "MaxMovesToDraw",
            aliases: &[],
            help: "number of plies after which the game is drawn; 0: none",
            kind: OptionKind::Spin {
                default: 0,
                range: 0..=MOST_PLIES,
                set: |options, value| {
                    options.game_rules().maximum_plies = value.and_then(NonZeroU32::new);
                },
            },
        },
        UsiOption {
            name: "DrawValueBlack",
            aliases: &[],
            help: "worth of a draw to the engine as Black, in centipawns",
            kind: OptionKind::Signed {
                default: 0,
                range: DRAW_VALUES,
                set: |options, value| options.game_rules().draw_values[0] = value.unwrap_or(0),
            },
        },
        UsiOption {
            name: "DrawValueWhite",
            aliases: &[],
            help: "worth of a draw to the engine as White, in centipawns",
            kind: OptionKind::Signed {
                default: 0,
                range: DRAW_VALUES,
                set: |options, value| options.game_rules().draw_values[1] = value.unwrap_or(0),
            },
        },
    ]
}
