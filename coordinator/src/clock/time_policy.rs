//! The use of the time for a move: early answers to easy moves, more thought for difficult ones.

use super::budget::Budget;
use monju_engine::{
    judge::{Agreement, Difficulty, Stability},
    names::UnknownName,
};
use monju_proto::v1::Limits;
use std::time::Duration;
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// The way in which the time for a move is spent.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownName, parse_err_fn = unknown)]
pub enum TimePolicy {
    /// Uses up the normal time, whatever the votes are.
    Fixed,
    /// As `Fixed`, but ends as soon as the leading move cannot be overtaken.
    Decided,
    /// Tells easy, normal and difficult moves apart by the share of agreement, its stability, and
    /// the trend of the score; ends as soon as the leading move cannot be overtaken. A single player's
    /// moves are told apart by the stability of its search.
    #[default]
    Agreement,
    /// As `Agreement`, and a leading move after which the opponent wins material (Hiramatsu et al.) is
    /// difficult.
    Careful,
    /// As `Agreement`, but judged by learned weights (Shimoyama, section 6).
    Learned,
}

fn unknown(name: &str) -> UnknownName {
    UnknownName::new::<TimePolicy>("time policy", name)
}

/// The evidence by which the difficulty of a move is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// The votes of a team.
    Votes {
        /// The agreement of its players.
        agreement: Agreement,
        /// After the leading move the opponent wins material. Only [`TimePolicy::Careful`] asks.
        in_danger: bool,
    },
    /// The search of a single player, at the end of an iteration.
    Search(Stability),
    /// The learned judgement of either: it has lasted long enough.
    Judged(bool),
}

impl TimePolicy {
    /// Every time policy.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Returns the name that configurations and options use.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns true for policies that tell easy and difficult moves apart.
    pub fn follows_agreement(self) -> bool {
        matches!(self, Self::Agreement | Self::Careful | Self::Learned)
    }

    /// Returns true for policies that ask whether a move keeps the material.
    pub fn judges_danger(self) -> bool {
        self == Self::Careful
    }

    /// Returns the time policy of one consultation: the one that its request names, else the
    /// ensemble's own where a clock is the only limit, else `Fixed`. Without a clock there is no time
    /// to be saved, and the ballot must not depend on the speed of the players. A ponder without
    /// limits may still be given a clock.
    pub fn of_consultation(named: Option<Self>, ensemble: Self, limits: &Limits) -> Self {
        let only_a_clock = (limits.clock.is_some() || limits.ponder)
            && limits.nodes.is_none()
            && limits.depth.is_none()
            && limits.time_ms.is_none();
        match named {
            Some(named) => named,
            None if only_a_clock => ensemble,
            None => Self::Fixed,
        }
    }

    /// Returns the whole thinking time, judged by the evidence so far; `None` before the first vote or
    /// iteration.
    pub fn target(self, budget: &Budget, evidence: Option<Evidence>) -> Duration {
        match (self, evidence) {
            (Self::Fixed | Self::Decided, _) | (_, None) => budget.normal,
            (
                _,
                Some(Evidence::Votes {
                    agreement,
                    in_danger,
                }),
            ) => match agreement.difficulty() {
                _ if in_danger => budget.most,
                Difficulty::Easy => budget.least,
                Difficulty::Normal => budget.normal,
                Difficulty::Difficult => budget.most,
            },
            (_, Some(Evidence::Search(stability))) => budget.scaled(stability.difficulty()),
            (_, Some(Evidence::Judged(true))) => budget.shortest,
            (_, Some(Evidence::Judged(false))) => budget.most,
        }
    }

    /// Returns the greatest value of [`TimePolicy::target`].
    pub fn longest(self, budget: &Budget) -> Duration {
        match self {
            Self::Fixed | Self::Decided => budget.normal,
            Self::Agreement | Self::Careful | Self::Learned => budget.most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::Clock;

    const BUDGET: Budget = Budget {
        shortest: Duration::from_millis(100),
        least: Duration::from_millis(400),
        normal: Duration::from_millis(1_000),
        most: Duration::from_millis(3_000),
        whole_seconds: None,
    };

    /// The target with a score that drops by so many centipawns at full agreement.
    fn target(time_policy: TimePolicy, score_drop: i32, in_danger: bool) -> Duration {
        let agreement = Agreement {
            agreement: 1.0,
            lead: 1.0,
            moves: 1,
            depth: 9,
            changes: 0,
            stable_iterations: 9,
            score_drop,
        };
        let votes = Evidence::Votes {
            agreement,
            in_danger,
        };
        time_policy.target(&BUDGET, Some(votes))
    }

    #[test]
    fn difficult_moves_and_moves_that_lose_material_take_longer() {
        let policy = TimePolicy::Careful;
        assert_eq!(target(policy, 0, false), BUDGET.least);
        assert_eq!(target(policy, 40, false), BUDGET.normal);
        assert_eq!(target(policy, 100, false), BUDGET.most);
        assert_eq!(target(policy, 0, true), BUDGET.most);
        assert_eq!(target(TimePolicy::Fixed, 100, false), BUDGET.normal);
        for &policy in TimePolicy::ALL {
            assert!(target(policy, 100, true) <= policy.longest(&BUDGET));
        }
    }

    #[test]
    fn what_has_lasted_long_enough_ends_and_other_searches_take_the_most() {
        let of = |is_enough| TimePolicy::Learned.target(&BUDGET, Some(Evidence::Judged(is_enough)));
        assert_eq!([true, false].map(of), [BUDGET.shortest, BUDGET.most]);
    }

    #[test]
    fn before_the_first_vote_a_move_is_normal() {
        for &time_policy in TimePolicy::ALL {
            assert_eq!(time_policy.target(&BUDGET, None), BUDGET.normal);
        }
    }

    #[test]
    fn limits_other_than_a_clock_are_used_up_unless_the_request_names_a_policy() {
        let mut limits = Limits {
            clock: Some(Clock::default()),
            ..Limits::default()
        };
        let time_policy = |named, limits: &Limits| {
            TimePolicy::of_consultation(named, TimePolicy::Agreement, limits)
        };
        assert_eq!(time_policy(None, &limits), TimePolicy::Agreement);
        let ponder = Limits {
            ponder: true,
            ..Limits::default()
        };
        assert_eq!(time_policy(None, &ponder), TimePolicy::Agreement);
        limits.nodes = Some(100);
        assert_eq!(time_policy(None, &limits), TimePolicy::Fixed);
        assert_eq!(
            time_policy(Some(TimePolicy::Decided), &limits),
            TimePolicy::Decided
        );
        assert_eq!(time_policy(None, &Limits::default()), TimePolicy::Fixed);
    }

    #[test]
    fn names_are_read_back() {
        for &time_policy in TimePolicy::ALL {
            assert_eq!(time_policy.name().parse(), Ok(time_policy));
        }
        assert_eq!(
            "allegro"
                .parse::<TimePolicy>()
                .expect_err("unknown")
                .to_string(),
            "unknown time policy 'allegro'; expected one of: fixed, decided, agreement, careful, learned"
        );
    }
}
