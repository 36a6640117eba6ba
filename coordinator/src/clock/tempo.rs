//! How a team spends its time: which moves are answered early, and which are thought about longer.

use super::{Budget, Evidence};
use monju_proto::v1::Limits;
use std::{fmt, str::FromStr, time::Duration};

/// More than this share of the votes for one move makes a move easy (the original Monju, 2009).
const EASY_AGREEMENT: f64 = 0.9;
/// More than this share makes it normal; anything else is difficult.
const NORMAL_AGREEMENT: f64 = 0.7;
/// A move is easy only when it has been the leading one for so many iterations.
const STEADY_ITERATIONS: u32 = 4;
/// A score that has fallen by so many centipawns makes any move difficult.
const PANIC_CENTIPAWNS: i32 = 60;
/// A score that has fallen by so many centipawns makes no move easy.
const UNEASY_CENTIPAWNS: i32 = 25;

/// How the time of a move is spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tempo {
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
enum Mood {
    Easy,
    Normal,
    Difficult,
}

impl Tempo {
    /// Every tempo there is.
    pub const ALL: [Self; 3] = [Self::Fixed, Self::Decided, Self::Agreement];

    /// The name that configurations and options use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Decided => "decided",
            Self::Agreement => "agreement",
        }
    }

    /// The tempo of one consultation. Without a clock there is no time to be saved, and the ballot
    /// must not depend on who is faster: limits other than a clock are used up, unless the request
    /// itself names a tempo. A ponder without limits may still be given a clock.
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

    /// How long to think in all, from what is known now; `None` for the evidence is nothing yet.
    pub fn target(self, budget: &Budget, evidence: Option<&Evidence>) -> Duration {
        match (self, evidence) {
            (Self::Fixed | Self::Decided, _) | (Self::Agreement, None) => budget.normal,
            (Self::Agreement, Some(evidence)) => match Mood::of(evidence) {
                Mood::Easy => budget.least,
                Mood::Normal => budget.normal,
                Mood::Difficult => budget.most,
            },
        }
    }

    /// The longest that [`Tempo::target`] can become.
    pub fn longest(self, budget: &Budget) -> Duration {
        match self {
            Self::Fixed | Self::Decided => budget.normal,
            Self::Agreement => budget.most,
        }
    }
}

impl Mood {
    fn of(evidence: &Evidence) -> Self {
        let Evidence {
            agreement,
            steady,
            fallen,
        } = *evidence;
        if fallen >= PANIC_CENTIPAWNS || agreement <= NORMAL_AGREEMENT {
            Self::Difficult
        } else if agreement > EASY_AGREEMENT
            && steady >= STEADY_ITERATIONS
            && fallen < UNEASY_CENTIPAWNS
        {
            Self::Easy
        } else {
            Self::Normal
        }
    }
}

impl fmt::Display for Tempo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// No tempo has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown tempo '{0}'; expected one of: {names}", names = Tempo::ALL.map(Tempo::name).join(", "))]
pub struct UnknownTempo(pub String);

impl FromStr for Tempo {
    type Err = UnknownTempo;

    fn from_str(text: &str) -> Result<Self, UnknownTempo> {
        Self::ALL
            .into_iter()
            .find(|tempo| tempo.name() == text)
            .ok_or_else(|| UnknownTempo(text.to_owned()))
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

    fn target(tempo: Tempo, agreement: f64, steady: u32, fallen: i32) -> u128 {
        let evidence = Evidence {
            agreement,
            steady,
            fallen,
        };
        tempo.target(&BUDGET, Some(&evidence)).as_millis()
    }

    #[test]
    fn agreement_saves_time_and_dispute_gets_it() {
        let agreement = |share, steady| target(Tempo::Agreement, share, steady, 0);
        assert_eq!(agreement(1.0, 4), 400);
        assert_eq!(agreement(1.0, 3), 1_000, "not steady yet");
        assert_eq!(agreement(0.9, 9), 1_000, "90 % are not more than 90 %");
        assert_eq!(agreement(0.7, 9), 3_000);
        assert_eq!(agreement(0.34, 0), 3_000);
    }

    #[test]
    fn a_falling_score_gets_time_whatever_the_agreement() {
        let unanimous = |fallen| target(Tempo::Agreement, 1.0, 9, fallen);
        assert_eq!(unanimous(60), 3_000);
        assert_eq!(unanimous(30), 1_000);
        assert_eq!(unanimous(-200), 400, "a rising score is no trouble");
    }

    #[test]
    fn before_the_first_vote_a_move_is_normal() {
        for tempo in Tempo::ALL {
            assert_eq!(tempo.target(&BUDGET, None), BUDGET.normal);
        }
    }

    #[test]
    fn limits_that_are_no_clock_are_used_up_unless_the_request_says_otherwise() {
        let mut limits = Limits {
            clock: Some(Clock::default()),
            ..Limits::default()
        };
        let tempo =
            |named, limits: &Limits| Tempo::of_consultation(named, Tempo::Agreement, limits);
        assert_eq!(tempo(None, &limits), Tempo::Agreement);
        let ponder = Limits {
            ponder: true,
            ..Limits::default()
        };
        assert_eq!(tempo(None, &ponder), Tempo::Agreement);
        limits.nodes = Some(100);
        assert_eq!(tempo(None, &limits), Tempo::Fixed);
        assert_eq!(tempo(Some(Tempo::Decided), &limits), Tempo::Decided);
        assert_eq!(tempo(None, &Limits::default()), Tempo::Fixed);
    }

    #[test]
    fn names_are_read_back() {
        for tempo in Tempo::ALL {
            assert_eq!(tempo.name().parse(), Ok(tempo));
        }
        assert_eq!(
            "allegro"
                .parse::<Tempo>()
                .expect_err("no tempo")
                .to_string(),
            "unknown tempo 'allegro'; expected one of: fixed, decided, agreement"
        );
    }

    proptest! {
        #[test]
        fn more_agreement_never_takes_longer_and_a_fall_never_shorter(
            one in 0.0..=1.0_f64,
            other in 0.0..=1.0_f64,
            steady in 0..20_u32,
            fallen in -500..500_i32,
            further in 0..500_i32,
        ) {
            let (less, more) = if one < other { (one, other) } else { (other, one) };
            for tempo in Tempo::ALL {
                let at = |agreement, fallen| target(tempo, agreement, steady, fallen);
                prop_assert!(at(more, fallen) <= at(less, fallen));
                prop_assert!(at(one, fallen) <= at(one, fallen + further));
                prop_assert!(at(one, fallen) <= tempo.longest(&BUDGET).as_millis());
                prop_assert!(at(one, fallen) >= BUDGET.least.as_millis());
            }
        }
    }
}
