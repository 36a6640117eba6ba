//! Adjudication: the rules that end a game and give its result.

use monju_team::config::{ConfigError, Source};
use serde::{Deserialize, Serialize};

/// Rules that end a game before mate or resignation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Adjudication {
    /// Plies, including the opening's, after which a game is drawn.
    pub maximum_plies: u32,
    /// Centipawns beyond which both sides must agree on the winner for the game to end; `None` for never.
    pub score: Option<i32>,
    /// Successive plies for which they must agree.
    pub score_plies: u32,
    /// Result of a declaration by the 27-point rule.
    pub declaration: DeclarationRule,
    /// Result of a fourfold repetition.
    pub repetition: RepetitionRule,
}

/// Result of a declaration by the 27-point rule. A side that may declare does: players search for the
/// declaration, and coordinators make it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeclarationRule {
    /// The declaring side wins.
    #[default]
    Win,
    /// The game is drawn, and does not count for significance.
    Draw,
}

/// Result of a fourfold repetition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepetitionRule {
    /// A draw, but perpetual check loses.
    #[default]
    Rules,
    /// A draw, even with perpetual check.
    Draw,
    /// None; the game goes on, up to its maximum of plies.
    PlayOn,
}

/// `[adjudication]` as written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdjudicationTable {
    maximum_plies: Option<u32>,
    score: Option<i32>,
    score_plies: Option<u32>,
    #[serde(default)]
    declaration: DeclarationRule,
    #[serde(default)]
    repetition: RepetitionRule,
}

impl AdjudicationTable {
    /// The adjudication that the table describes.
    pub fn validate(&self, source: &Source) -> Result<Adjudication, ConfigError> {
        let adjudication = Adjudication {
            maximum_plies: self.maximum_plies.unwrap_or(320),
            score: match self.score {
                Some(0) => None,
                given => Some(given.unwrap_or(3000)),
            },
            score_plies: self.score_plies.unwrap_or(6),
            declaration: self.declaration,
            repetition: self.repetition,
        };
        for (key, wrong, least) in [
            ("maximum_plies", adjudication.maximum_plies == 0, 1),
            (
                "score",
                adjudication.score.is_some_and(|score| score < 0),
                0,
            ),
            // Both sides have to agree.
            ("score_plies", adjudication.score_plies < 2, 2),
        ] {
            if wrong {
                let what = format!("{key} must be at least {least}");
                return Err(source.error(&["adjudication", key], what));
            }
        }
        Ok(adjudication)
    }
}
