//! How a team spends its time: which moves are answered early, and which are thought about longer.

use super::{Agreement, Budget};
use monju_proto::v1::Limits;
use std::{fmt, str::FromStr, time::Duration};

/// More than this share of the votes for one move makes a move easy (the original Monju, 2009).
const EASY_AGREEMENT: f64 = 0.9;
/// More than this share makes it normal; anything else is difficult.
const NORMAL_AGREEMENT: f64 = 0.7;
/// A move is easy only when it has been the leading one for so many iterations.
const STEADY_ITERATIONS: u32 = 4;
/// A score that has score_drop by so many centipawns makes any move difficult.
const PANIC_CENTIPAWNS: i32 = 60;
/// A score that has score_drop by so many centipawns makes no move easy.
const UNEASY_CENTIPAWNS: i32 = 25;

/// How the time of a move is spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimePolicy {
    /// The limits are used up, whatever the votes are.
    Fixed,
    /// As `Fixed`, but over as soon as the leading move cannot be overtaken.
    Decided,
    /// Easy, normal and difficult moves by the share of agreement, its stability, and the trend of
    /// the score; over as soon as the leading move cannot be overtaken.
    #[default]
    Agreement,
}

/// How hard a move is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difficulty {
    Easy,
    Normal,
    Difficult,
}

impl TimePolicy {
    /// Every time_policy there is.
    pub const ALL: [Self; 3] = [Self::Fixed, Self::Decided, Self::Agreement];

    /// The name that configurations and options use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Decided => "decided",
            Self::Agreement => "agreement",
        }
    }

    /// The time_policy of one consultation. Without a clock there is no time to be saved, and the ballot
    /// must not depend on who is faster: limits other than a clock are used up, unless the request
    /// itself names a time_policy. A ponder without limits may still be given a clock.
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

    /// How long to think in all, from what is known now; `None` for the agreement is nothing yet.
    pub fn target(self, budget: &Budget, agreement: Option<&Agreement>) -> Duration {
        match (self, agreement) {
            (Self::Fixed | Self::Decided, _) | (Self::Agreement, None) => budget.normal,
            (Self::Agreement, Some(agreement)) => match Difficulty::of(agreement) {
                Difficulty::Easy => budget.least,
                Difficulty::Normal => budget.normal,
                Difficulty::Difficult => budget.most,
            },
        }
    }

    /// The longest that [`TimePolicy::target`] can become.
    pub fn longest(self, budget: &Budget) -> Duration {
        match self {
            Self::Fixed | Self::Decided => budget.normal,
            Self::Agreement => budget.most,
        }
    }
}

impl Difficulty {
    fn of(agreement: &Agreement) -> Self {
        let Agreement {
            agreement,
            stable_iterations,
            score_drop,
        } = *agreement;
        if score_drop >= PANIC_CENTIPAWNS || agreement <= NORMAL_AGREEMENT {
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

impl fmt::Display for TimePolicy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// No time_policy has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown time_policy '{0}'; expected one of: {names}", names = TimePolicy::ALL.map(TimePolicy::name).join(", "))]
pub struct UnknownTimePolicy(pub String);

impl FromStr for TimePolicy {
    type Err = UnknownTimePolicy;

    fn from_str(text: &str) -> Result<Self, UnknownTimePolicy> {
        Self::ALL
            .into_iter()
            .find(|time_policy| time_policy.name() == text)
            .ok_or_else(|| UnknownTimePolicy(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::Clock;
    use proptest::prelude::*;

    const BUDGET: Budget = Budget {
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
        };
        time_policy.target(&BUDGET, Some(&agreement)).as_millis()
    }

    #[test]
    fn agreement_saves_time_and_dispute_gets_it() {
        let agreement =
            |share, stable_iterations| target(TimePolicy::Agreement, share, stable_iterations, 0);
        assert_eq!(agreement(1.0, 4), 400);
        assert_eq!(agreement(1.0, 3), 1_000, "not stable_iterations yet");
        assert_eq!(agreement(0.9, 9), 1_000, "90 % are not more than 90 %");
        assert_eq!(agreement(0.7, 9), 3_000);
        assert_eq!(agreement(0.34, 0), 3_000);
    }

    #[test]
    fn a_falling_score_gets_time_whatever_the_agreement() {
        let unanimous = |score_drop| target(TimePolicy::Agreement, 1.0, 9, score_drop);
        assert_eq!(unanimous(60), 3_000);
        assert_eq!(unanimous(30), 1_000);
        assert_eq!(unanimous(-200), 400, "a rising score is no trouble");
    }

    #[test]
    fn before_the_first_vote_a_move_is_normal() {
        for time_policy in TimePolicy::ALL {
            assert_eq!(time_policy.target(&BUDGET, None), BUDGET.normal);
        }
    }

    #[test]
    fn limits_that_are_no_clock_are_used_up_unless_the_request_says_otherwise() {
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
        for time_policy in TimePolicy::ALL {
            assert_eq!(time_policy.name().parse(), Ok(time_policy));
        }
        assert_eq!(
            "allegro"
                .parse::<TimePolicy>()
                .expect_err("no time_policy")
                .to_string(),
            "unknown time_policy 'allegro'; expected one of: fixed, decided, agreement"
        );
    }

    proptest! {
        #[test]
        fn more_agreement_never_takes_longer_and_a_fall_never_shorter(
            one in 0.0..=1.0_f64,
            other in 0.0..=1.0_f64,
            stable_iterations in 0..20_u32,
            score_drop in -500..500_i32,
            further in 0..500_i32,
        ) {
            let (less, more) = if one < other { (one, other) } else { (other, one) };
            for time_policy in TimePolicy::ALL {
                let at = |agreement, score_drop| target(time_policy, agreement, stable_iterations, score_drop);
                prop_assert!(at(more, score_drop) <= at(less, score_drop));
                prop_assert!(at(one, score_drop) <= at(one, score_drop + further));
                prop_assert!(at(one, score_drop) <= time_policy.longest(&BUDGET).as_millis());
                prop_assert!(at(one, score_drop) >= BUDGET.least.as_millis());
            }
        }
    }
}
