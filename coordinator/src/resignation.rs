//! When the team resigns: members never do, their calibrated win rate may.

use crate::games::PerSide;
use monju_engine::{Answer, Color};
use monju_proto::v1::{Ballot, Decision, TieBreak};
use tracing::info;

/// When to resign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// A decision whose win rate is below this is a bad sign.
    pub below: f64,
    /// So many bad signs one after the other end the game.
    pub after: u32,
}

/// Counts the bad signs of each side of each game.
#[derive(Debug)]
pub struct Resignation {
    policy: Option<Policy>,
    /// The bad signs in a row.
    signs: PerSide<u32>,
}

impl Resignation {
    /// Resigns by a policy; never without one.
    pub fn new(policy: Option<Policy>) -> Self {
        Self {
            policy,
            signs: PerSide::default(),
        }
    }

    /// Turns a decision into a resignation where its time has come. A decision without a win rate,
    /// because nothing is calibrated or scores were bounds, is no sign of either kind. `side` is the one that decided.
    pub fn consider(&self, ballot: &mut Ballot, side: Color) {
        let (Some(policy), Some(decision)) = (self.policy, &mut ballot.decision) else {
            return;
        };
        if decision.ends_game() {
            return;
        }
        let Some(win_rate) = decision.win_rate else {
            return;
        };
        let signs = self.note(&ballot.game_id, side, win_rate < policy.below);
        if signs >= policy.after {
            info!(game = ballot.game_id, win_rate, signs, "the team resigns");
            *decision = Decision {
                r#move: Answer::Resign.to_string(),
                ponder: String::new(),
                tie_break: TieBreak::Resignation.into(),
                ..decision.clone()
            };
        }
    }

    /// Forgets the signs of a game, which begins anew.
    pub fn forget(&self, game: &str) {
        self.signs.forget(game);
    }

    /// The bad signs in a row, this decision included.
    fn note(&self, game: &str, side: Color, is_bad: bool) -> u32 {
        self.signs.update(game, side, |signs| match is_bad {
            true => signs.unwrap_or(0).saturating_add(1),
            false => 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(resignation: &Resignation, game: &str, win_rate: Option<f64>) -> String {
        let mut ballot = Ballot {
            game_id: game.to_owned(),
            decision: Some(Decision {
                r#move: "7g7f".to_owned(),
                win_rate,
                ..Decision::default()
            }),
            ..Ballot::default()
        };
        resignation.consider(&mut ballot, Color::Black);
        ballot.decision.expect("decided").r#move
    }

    #[test]
    fn only_a_row_of_bad_signs_in_one_game_ends_it() {
        let resignation = Resignation::new(Some(Policy {
            below: 0.02,
            after: 3,
        }));
        let told = |game, rate| decided(&resignation, game, Some(rate)) == "resign";
        assert!(!told("a", 0.01) && !told("a", 0.01));
        assert!(!told("b", 0.01), "another game");
        assert!(!told("a", 0.5), "there is hope");
        assert!(!told("a", 0.01) && !told("a", 0.01));
        assert_eq!(decided(&resignation, "a", None), "7g7f", "nothing is known");
        assert!(told("a", 0.01), "the row goes on");
        assert!(!told("a", 0.5) && !told("a", 0.01) && !told("a", 0.01));
        resignation.forget("a");
        assert!(!told("a", 0.01) && !told("a", 0.01) && told("a", 0.01));
    }

    #[test]
    fn without_a_policy_or_a_win_rate_nobody_resigns() {
        let policy = Policy {
            below: 0.9,
            after: 1,
        };
        assert_eq!(decided(&Resignation::new(None), "a", Some(0.0)), "7g7f");
        assert_eq!(decided(&Resignation::new(Some(policy)), "a", None), "7g7f");
    }
}
