//! The options about the rules of the game, which the proxy and the single player share.

use crate::option_table::{OptionKind, UsiOption};
use monju_engine::{EnteringKingRule, GameRules};
use std::num::NonZeroU32;
use strum::VariantNames;

/// Largest maximum of plies.
const MOST_PLIES: u32 = 100_000;

/// Options with the rules of the game in them.
pub trait HasGameRules {
    /// Returns the rules of the game.
    fn game_rules(&mut self) -> &mut GameRules;
}

/// Returns the rows of the options about the rules, in the order in which a GUI shows them.
pub const fn rows<T: HasGameRules>() -> [UsiOption<T>; 2] {
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
    ]
}
