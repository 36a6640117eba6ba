//! Resignation of the team by its calibrated win rate; a single player never resigns for it.

use crate::games::PerSide;
use monju_engine::{Answer, Color};
use monju_proto::v1::{Ballot, Decision, TieBreak};
use tracing::info;

/// The condition of a resignation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResignationPolicy {
    /// Win rate below which a decision is hopeless.
    pub below: f64,
    /// Number of consecutive hopeless decisions that end the game.
    pub after: u32,
}

/// Counts the consecutive hopeless decisions of each side of each game.
#[derive(Debug)]
pub struct Resignation {
    policy: Option<ResignationPolicy>,
    hopeless: PerSide<u32>,
}

impl Resignation {
    /// Resignation by a policy; never without one.
    pub fn new(policy: Option<ResignationPolicy>) -> Self {
        Self {
            policy,
            hopeless: PerSide::default(),
        }
    }

    /// Turns the decision of `side` into a resignation if it meets the policy. A decision without a win
    /// rate, because no engine is calibrated or its scores are bounds, is not counted.
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
        let hopeless = self.note(&ballot.game_id, side, win_rate < policy.below);
        if hopeless >= policy.after {
            info!(
                game = ballot.game_id,
                win_rate, hopeless, "the team resigns"
            );
            *decision = Decision {
                r#move: Answer::Resign.to_string(),
                ponder: String::new(),
                tie_break: TieBreak::Resignation.into(),
                ..decision.clone()
            };
        }
    }

    /// Forgets a game, which begins again.
    pub fn forget(&self, game: &str) {
        self.hopeless.forget(game);
    }

    /// Returns the number of consecutive hopeless decisions, this one included.
    fn note(&self, game: &str, side: Color, is_hopeless: bool) -> u32 {
        self.hopeless.update(game, side, |count| match is_hopeless {
            true => count.unwrap_or(0).saturating_add(1),
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
    fn only_consecutive_hopeless_decisions_of_one_game_end_it() {
        let resignation = Resignation::new(Some(ResignationPolicy {
            below: 0.02,
            after: 3,
        }));
        let resigns = |game, rate| decided(&resignation, game, Some(rate)) == "resign";
        assert!(!resigns("a", 0.01) && !resigns("a", 0.01));
        assert!(!resigns("b", 0.01), "another game");
        assert!(!resigns("a", 0.5), "a hopeful decision in between");
        assert!(!resigns("a", 0.01) && !resigns("a", 0.01));
        assert_eq!(decided(&resignation, "a", None), "7g7f", "no win rate");
        assert!(resigns("a", 0.01), "the count goes on");
        assert!(!resigns("a", 0.5) && !resigns("a", 0.01) && !resigns("a", 0.01));
        resignation.forget("a");
        assert!(!resigns("a", 0.01) && !resigns("a", 0.01) && resigns("a", 0.01));
    }

    #[test]
    fn without_a_policy_or_a_win_rate_the_team_plays_on() {
        let policy = ResignationPolicy {
            below: 0.9,
            after: 1,
        };
        assert_eq!(decided(&Resignation::new(None), "a", Some(0.0)), "7g7f");
        assert_eq!(decided(&Resignation::new(Some(policy)), "a", None), "7g7f");
    }
}
