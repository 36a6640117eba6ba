//! The time management of a single player: early for a stable best move, late for a falling score.

use monju_coordinator::clock::{
    Agreement, AgreementTracker, Budget, NodesTime, Observation, TimePolicy,
};
use monju_engine::{Bound, Control, Line};
use tokio::time::Instant;

/// Bound of all scores in centipawns, and the value of a mate.
const CLEARLY_WON: i32 = 2_000;

/// The stop of one search, which moves with the search's progress.
#[derive(Debug)]
pub struct Timer {
    time_policy: TimePolicy,
    /// The clock counts nodes in place of time.
    nodes_time: Option<NodesTime>,
    /// The budget of the clock, and the moment from which it runs.
    clock: Option<(Budget, Instant)>,
    /// A limit of nodes beside the clock.
    most_nodes: Option<u64>,
    searching_from: Instant,
    tracker: AgreementTracker,
    agreement: Option<Agreement>,
    is_stopped: bool,
}

impl Timer {
    /// Creates a timer without a budget for a search that runs from `searching_from`.
    pub fn new(
        time_policy: TimePolicy,
        nodes_time: Option<NodesTime>,
        searching_from: Instant,
    ) -> Self {
        Self {
            time_policy,
            nodes_time,
            clock: None,
            most_nodes: None,
            searching_from,
            tracker: AgreementTracker::default(),
            agreement: None,
            is_stopped: false,
        }
    }

    /// Changes the time policy, once a ponder hit has brought the limits.
    pub fn set_time_policy(&mut self, time_policy: TimePolicy) {
        self.time_policy = time_policy;
    }

    /// Starts the clock, which runs from `from`, beside a limit of nodes.
    pub fn start(&mut self, budget: Budget, from: Instant, most_nodes: Option<u64>) {
        self.clock = Some((budget, from));
        self.most_nodes = most_nodes;
    }

    /// Observes the progress of the search.
    pub fn observe(&mut self, line: &Line) {
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
            // An upper bound counts as a score, so that the clock learns of a fall.
            score: (line.bound != Bound::Lower).then_some(score),
        };
        self.agreement = Some(self.tracker.observe(&mv, &[Some(observation)], 0));
    }

    /// Moves the node limit of the search by the present progress, on a clock that counts nodes.
    pub fn steer(&self, control: &Control) {
        if let Some(nodes) = self.node_limit() {
            control.limit_nodes(nodes);
        }
    }

    /// Returns the number of nodes to stop at by the present progress, on a clock that counts nodes. Those
    /// of a ponder count.
    pub fn node_limit(&self) -> Option<u64> {
        let (budget, _) = self.clock?;
        let target = self.time_policy.target(&budget, self.agreement.as_ref());
        let nodes = self.nodes_time?.nodes(target);
        Some(self.most_nodes.map_or(nodes, |most| most.min(nodes)))
    }

    /// Returns the moment to stop by the present progress; `None` without a clock of time, and after the
    /// stop.
    pub fn stop_at(&self) -> Option<Instant> {
        let (budget, from) = self.running_clock().filter(|_| !self.is_stopped)?;
        let target = self.time_policy.target(&budget, self.agreement.as_ref());
        // The time of a ponder counts only for an easy move.
        let since = match target < budget.normal {
            true => self.searching_from,
            false => from,
        };
        Some(since + target)
    }

    /// Returns the latest moment to stop.
    pub fn latest(&self) -> Option<Instant> {
        self.running_clock()
            .map(|(budget, from)| from + self.time_policy.longest(&budget))
    }

    /// Returns the clock, unless it counts nodes.
    fn running_clock(&self) -> Option<(Budget, Instant)> {
        self.clock.filter(|_| self.nodes_time.is_none())
    }

    /// Records that the search was told to stop.
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
            hash_full: None,
            candidates: Vec::new(),
            ranked_depth: 0,
            ends_iteration: false,
            best_move_effort: None,
            lanes: Vec::new(),
        }
    }

    /// Returns the milliseconds from the start to the stop after these lines.
    fn stop_after(time_policy: TimePolicy, lines: &[(&str, u32, i32)]) -> u128 {
        let start = Instant::now();
        let mut timer = Timer::new(time_policy, None, start);
        timer.start(BUDGET, start, None);
        for (mv, depth, score) in lines {
            timer.observe(&line(mv, *depth, *score));
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
    fn an_upper_bound_shows_a_fall_and_a_lower_bound_does_not() {
        let stop_after_bound = |bound, score| {
            let start = Instant::now();
            let mut timer = Timer::new(TimePolicy::Agreement, None, start);
            timer.start(BUDGET, start, None);
            for (mv, depth, score) in STEADY {
                timer.observe(&line(mv, depth, score));
            }
            timer.observe(&Line {
                bound,
                ..line("7g7f", 7, score)
            });
            (timer.stop_at().expect("a clock") - start).as_millis()
        };
        assert_eq!(stop_after_bound(Bound::Upper, -80), 3_000);
        assert_eq!(stop_after_bound(Bound::Lower, -80), 400);
    }

    #[test]
    fn a_fixed_time_policy_ignores_the_progress() {
        let falling = [&STEADY[..], &[("7g7f", 7, -80)]].concat();
        assert_eq!(stop_after(TimePolicy::Fixed, &falling), 1_000);
        assert_eq!(stop_after(TimePolicy::Fixed, &STEADY), 1_000);
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_ponder_counts_for_easy_moves_only() {
        let start = Instant::now();
        let mut timer = Timer::new(TimePolicy::Agreement, None, start);
        assert_eq!(timer.stop_at(), None);
        for (mv, depth, score) in STEADY {
            timer.observe(&line(mv, depth, score));
        }
        let hit = start + Duration::from_secs(60);
        timer.start(BUDGET, hit, None);
        assert!(timer.stop_at() < Some(hit), "answered at once");
        timer.observe(&line("2g2f", 7, 30));
        assert_eq!(timer.stop_at(), Some(hit + BUDGET.normal));
        timer.stopped();
        assert_eq!(timer.stop_at(), None);
    }
}
