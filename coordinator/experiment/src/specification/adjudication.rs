//! When a game ends, and what it is worth then.

use monju_team::config::{ConfigError, Source};
use serde::Deserialize;

/// When a game ends before a side is mated or resigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// A game of so many plies, the opening's included, is a draw.
    pub maximum_plies: u32,
    /// A game is over when both sides agree on more than so many centipawns …
    pub score: Option<i32>,
    /// … for so many plies.
    pub score_plies: u32,
    /// What a declaration by the 27-point rule is worth.
    pub declaration: DeclarationRule,
    /// What a position means that occurs for the fourth time.
    pub repetition: RepetitionRule,
}

/// What a declaration by the 27-point rule is worth. Whoever may declare, does: players search for
/// it, and coordinators see to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeclarationRule {
    /// It wins.
    #[default]
    Win,
    /// The game is a draw, which significance does not count.
    Draw,
}

/// What a position means that occurs for the fourth time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepetitionRule {
    /// A draw, but who has given check all the time loses.
    #[default]
    Rules,
    /// A draw, whoever gave check.
    Draw,
    /// Nothing; the game goes on to its maximum of plies.
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
