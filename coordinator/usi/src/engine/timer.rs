//! When one player has thought enough: at once on a stable_iterations best move, late on a falling score.

use monju_coordinator::clock::{Agreement, AgreementTracker, Budget, Observation, TimePolicy};
use monju_engine::{Bound, Line};
use tokio::time::Instant;

/// Mates count as this many centipawns, and no score as more.
const CLEARLY_WON: i32 = 2_000;

/// The deadline of one search, moved by how the search goes.
#[derive(Debug)]
pub struct Timer {
    time_policy: TimePolicy,
    /// The clock's budget, and since when it runs.
    clock: Option<(Budget, Instant)>,
    thinking_from: Instant,
    tracker: AgreementTracker,
    agreement: Option<Agreement>,
    is_stopped: bool,
}

impl Timer {
    /// No deadline yet; the player thinks since `thinking_from`.
    pub fn new(time_policy: TimePolicy, thinking_from: Instant) -> Self {
        Self {
            time_policy,
            clock: None,
            thinking_from,
            tracker: AgreementTracker::default(),
            agreement: None,
            is_stopped: false,
        }
    }

    /// What the limits call for, now that they are known.
    pub fn set_time_policy(&mut self, time_policy: TimePolicy) {
        self.time_policy = time_policy;
    }

    /// The clock runs since `from`.
    pub fn start(&mut self, budget: Budget, from: Instant) {
        self.clock = Some((budget, from));
    }

    /// Takes note of what the search says.
    pub fn hear(&mut self, line: &Line) {
        if self.time_policy != TimePolicy::Agreement {
            return;
        }
        let Some(mv) = line.pv.first().map(ToString::to_string) else {
            return;
        };
        let score = line.score.to_centipawns().clamp(-CLEARLY_WON, CLEARLY_WON);
        let observation = Observation {
            mv: &mv,
            depth: line.depth,
            // At most so much: the fall is what the clock has to know of.
            score: (line.bound != Bound::Lower).then_some(score),
        };
        self.agreement = Some(self.tracker.observe(&mv, &[Some(observation)], 0));
    }

    /// When to stop, from what is known now; `None` without a clock, and once it is done.
    pub fn stop_at(&self) -> Option<Instant> {
        let (budget, from) = self.clock.filter(|_| !self.is_stopped)?;
        let target = self.time_policy.target(&budget, self.agreement.as_ref());
        // Only an easy move counts what was pondered.
        let since = match target < budget.normal {
            true => self.thinking_from,
            false => from,
        };
        Some(since + target)
    }

    /// When the search must end, however it goes.
    pub fn latest(&self) -> Option<Instant> {
        self.clock
            .map(|(budget, from)| from + self.time_policy.longest(&budget))
    }

    /// The search has been told.
    pub fn stopped(&mut self) {
        self.is_stopped = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::{Game, Score};
    use std::time::Duration;

    const BUDGET: Budget = Budget {
        least: Duration::from_millis(400),
        normal: Duration::from_millis(1_000),
        most: Duration::from_millis(3_000),
    };

    fn line(mv: &str, depth: u32, score: i32) -> Line {
        Line {
            pv: vec![Game::startpos().parse_move(mv).expect("legal")],
            score: Score::Cp(score),
            bound: Bound::Exact,
            depth,
            selective_depth: depth,
            nodes: 0,
            time: Duration::ZERO,
            candidates: Vec::new(),
            lanes: Vec::new(),
        }
    }

    /// Milliseconds from the start to the stop after these lines.
    fn stop_after(time_policy: TimePolicy, lines: &[(&str, u32, i32)]) -> u128 {
        let start = Instant::now();
        let mut timer = Timer::new(time_policy, start);
        timer.start(BUDGET, start);
        for (mv, depth, score) in lines {
            timer.hear(&line(mv, *depth, *score));
        }
        assert!(timer.stop_at() <= timer.latest());
        (timer.stop_at().expect("a clock") - start).as_millis()
    }

    const STEADY: [(&str, u32, i32); 3] = [("7g7f", 1, 30), ("7g7f", 3, 30), ("7g7f", 6, 32)];

    #[test]
    fn a_steady_best_move_stops_early_and_a_falling_score_late() {
        let agreement = |lines: &[_]| stop_after(TimePolicy::Agreement, lines);
        assert_eq!(agreement(&[]), 1_000);
        assert_eq!(agreement(&STEADY), 400);
        assert_eq!(
            agreement(&[&STEADY[..], &[("2g2f", 7, 32)]].concat()),
            1_000
        );
        assert_eq!(
            agreement(&[&STEADY[..], &[("7g7f", 7, -80)]].concat()),
            3_000
        );
    }

    #[test]
    fn a_score_that_is_falling_is_enough_and_one_that_rises_is_not() {
        let stop_after_bound = |bound, score| {
            let start = Instant::now();
            let mut timer = Timer::new(TimePolicy::Agreement, start);
            timer.start(BUDGET, start);
            for (mv, depth, score) in STEADY {
                timer.hear(&line(mv, depth, score));
            }
            timer.hear(&Line {
                bound,
                ..line("7g7f", 7, score)
            });
            (timer.stop_at().expect("a clock") - start).as_millis()
        };
        assert_eq!(stop_after_bound(Bound::Upper, -80), 3_000);
        assert_eq!(stop_after_bound(Bound::Lower, -80), 400);
    }

    #[test]
    fn a_fixed_tempo_hears_nothing() {
        let falling = [&STEADY[..], &[("7g7f", 7, -80)]].concat();
        assert_eq!(stop_after(TimePolicy::Fixed, &falling), 1_000);
        assert_eq!(stop_after(TimePolicy::Fixed, &STEADY), 1_000);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_pondered_counts_for_easy_moves_alone() {
        let start = Instant::now();
        let mut timer = Timer::new(TimePolicy::Agreement, start);
        assert_eq!(timer.stop_at(), None);
        for (mv, depth, score) in STEADY {
            timer.hear(&line(mv, depth, score));
        }
        let hit = start + Duration::from_secs(60);
        timer.start(BUDGET, hit);
        assert!(timer.stop_at() < Some(hit), "answered at once");
        timer.hear(&line("2g2f", 7, 30));
        assert_eq!(timer.stop_at(), Some(hit + BUDGET.normal));
        timer.stopped();
        assert_eq!(timer.stop_at(), None);
    }
}
