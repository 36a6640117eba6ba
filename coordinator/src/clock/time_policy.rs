//! The use of the time for a move: early answers to easy moves, more thought for difficult ones.

use super::{agreement::Agreement, budget::Budget};
use monju_engine::{judge::Stability, names::UnknownName};
use monju_proto::v1::Limits;
use std::time::Duration;
use strum::{Display, EnumString, IntoStaticStr, VariantArray, VariantNames};

/// Share of the votes for one move above which the move is easy (the original Monju, 2009).
const EASY_AGREEMENT: f64 = 0.9;
/// Share above which a move is normal rather than difficult.
const NORMAL_AGREEMENT: f64 = 0.7;
/// Iterations for which an easy move must have led.
const STEADY_ITERATIONS: u32 = 4;
/// Drop of the score in centipawns from which any move is difficult.
const PANIC_CENTIPAWNS: i32 = 60;
/// Drop of the score in centipawns from which no move is easy.
const UNEASY_CENTIPAWNS: i32 = 25;

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
    /// As `Agreement`, but a single player's search is judged by learned weights (Shimoyama, section 6).
    Learned,
}

fn unknown(name: &str) -> UnknownName {
    UnknownName::new::<TimePolicy>("time policy", name)
}

/// The evidence by which the difficulty of a move is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// The votes of a team.
    Votes(Agreement),
    /// The search of a single player, at the end of an iteration.
    Search(Stability),
    /// The learned judgement of that search: it has lasted long enough.
    Judged(bool),
}

/// Difficulty of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difficulty {
    Easy,
    Normal,
    Difficult,
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
            (_, Some(Evidence::Votes(agreement))) => match Difficulty::of(&agreement) {
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

impl Difficulty {
    fn of(agreement: &Agreement) -> Self {
        let Agreement {
            agreement,
            stable_iterations,
            score_drop,
            in_danger,
        } = *agreement;
        if in_danger || score_drop >= PANIC_CENTIPAWNS || agreement <= NORMAL_AGREEMENT {
            Self::Difficult
        } else if agreement > EASY_AGREEMENT
            && stable_iterations >= STEADY_ITERATIONS
            && score_drop < UNEASY_CENTIPAWNS
        {
            Self::Easy
        } else {
            Self::Normal
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::Clock;
    use proptest::prelude::*;

    const BUDGET: Budget = Budget {
        shortest: Duration::from_millis(100),
        least: Duration::from_millis(400),
        normal: Duration::from_millis(1_000),
        most: Duration::from_millis(3_000),
    };

    fn target(
        time_policy: TimePolicy,
        agreement: f64,
        stable_iterations: u32,
        score_drop: i32,
    ) -> u128 {
        let agreement = Agreement {
            agreement,
            stable_iterations,
            score_drop,
            in_danger: false,
        };
        time_policy
            .target(&BUDGET, Some(Evidence::Votes(agreement)))
            .as_millis()
    }

    #[test]
    fn a_move_that_loses_material_is_difficult() {
        let agreement = Agreement {
            agreement: 1.0,
            stable_iterations: 9,
            score_drop: 0,
            in_danger: true,
        };
        let target = TimePolicy::Careful.target(&BUDGET, Some(Evidence::Votes(agreement)));
        assert_eq!(target, BUDGET.most);
        assert_eq!(TimePolicy::Careful.longest(&BUDGET), BUDGET.most);
    }

    #[test]
    fn agreement_saves_time_and_dispute_takes_more() {
        let agreement =
            |share, stable_iterations| target(TimePolicy::Agreement, share, stable_iterations, 0);
        assert_eq!(agreement(1.0, 4), 400);
        assert_eq!(agreement(1.0, 3), 1_000, "not stable yet");
        assert_eq!(agreement(0.9, 9), 1_000, "exactly 90 % is not enough");
        assert_eq!(agreement(0.7, 9), 3_000);
        assert_eq!(agreement(0.34, 0), 3_000);
    }

    #[test]
    fn a_falling_score_takes_more_time_at_any_agreement() {
        let unanimous = |score_drop| target(TimePolicy::Agreement, 1.0, 9, score_drop);
        assert_eq!(unanimous(60), 3_000);
        assert_eq!(unanimous(30), 1_000);
        assert_eq!(unanimous(-200), 400, "a rising score takes no time");
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

    proptest! {
        #[test]
        fn more_agreement_never_takes_longer_and_a_score_drop_never_less(
            one in 0.0..=1.0_f64,
            other in 0.0..=1.0_f64,
            stable_iterations in 0..20_u32,
            score_drop in -500..500_i32,
            further in 0..500_i32,
        ) {
            let (less, more) = if one < other { (one, other) } else { (other, one) };
            for &time_policy in TimePolicy::ALL {
                let at = |agreement, score_drop| target(time_policy, agreement, stable_iterations, score_drop);
                prop_assert!(at(more, score_drop) <= at(less, score_drop));
                prop_assert!(at(one, score_drop) <= at(one, score_drop + further));
                prop_assert!(at(one, score_drop) <= time_policy.longest(&BUDGET).as_millis());
                prop_assert!(at(one, score_drop) >= BUDGET.least.as_millis());
            }
        }
    }
}
