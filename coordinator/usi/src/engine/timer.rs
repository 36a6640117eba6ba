//! The time management of a single player: early for a stable best move, late for a falling score.

use monju_coordinator::clock::{Budget, Evidence, NodesTime, TimePolicy};
use monju_engine::{
    Control, Game, Iteration, Line,
    judge::{
        JudgeKind, JudgeWeights, SearchJudge, SearchProgress, Stability, StabilityTracker,
        TimeStage,
    },
};
use std::time::Duration;
use tokio::time::Instant;

/// The stop of one search. The longest time of the policy is a deadline; between iterations the search ends
/// once it has lasted as long as its progress asks for.
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
    tracker: StabilityTracker,
    judge: SearchJudge,
    /// The last iteration, as both judges see it.
    observed: Option<(Stability, SearchProgress)>,
    /// The end of the second in which the search has lasted long enough.
    enough_at: Option<Instant>,
    is_stopped: bool,
}

impl Timer {
    /// Creates a timer without a budget for a search of the last position of `game` that runs from
    /// `searching_from`.
    pub fn new(
        time_policy: TimePolicy,
        nodes_time: Option<NodesTime>,
        searching_from: Instant,
        game: &Game,
    ) -> Self {
        Self {
            time_policy,
            nodes_time,
            clock: None,
            most_nodes: None,
            searching_from,
            tracker: StabilityTracker::default(),
            judge: SearchJudge::new(game),
            observed: None,
            enough_at: None,
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

    /// Observes the progress of the search, on its own thread, and stops it at the end of an iteration if it
    /// has lasted long enough.
    pub fn observe(&mut self, line: &Line, control: &Control) {
        let Some(iteration) = Iteration::of(line) else {
            return;
        };
        self.observed = Some((
            self.tracker.observe(&iteration),
            self.judge.observe(&iteration),
        ));
        self.stop_if_enough(line.nodes, control);
    }

    /// Stops the search, which has visited `nodes`, if it has lasted as long as its progress asks for: where
    /// whole seconds are charged, at the end of this one.
    pub fn stop_if_enough(&mut self, nodes: u64, control: &Control) {
        let Some((budget, from)) = self.clock else {
            return;
        };
        let searching = match self.nodes_time {
            Some(nodes_time) => nodes_time.time(nodes),
            None => self.searching_from.elapsed(),
        };
        let target = self.target(&budget, searching);
        let elapsed = match self.nodes_time {
            // The time of a ponder counts only for an easy move.
            None if target >= budget.normal => from.elapsed(),
            _ => searching,
        };
        let was_enough = self.enough_at.take().is_some();
        if elapsed >= target {
            let used = from.elapsed();
            let until = budget.charged_until(used);
            if until <= used {
                control.stop();
                return;
            }
            self.enough_at = Some(from + until);
        }
        if (was_enough || self.enough_at.is_some())
            && let Some(latest) = self.latest()
        {
            control.stop_at(latest.into_std());
        }
    }

    /// Returns the whole thinking time, as it is judged after `searching`.
    fn target(&self, budget: &Budget, searching: Duration) -> Duration {
        let evidence = self
            .observed
            .map(|(stability, progress)| match self.time_policy {
                TimePolicy::Learned => {
                    let stage = TimeStage::of(searching, budget.most);
                    let weights = JudgeWeights::own(JudgeKind::Search);
                    Evidence::Judged(weights.judge(&progress.features(stage)) >= 0)
                }
                _ => Evidence::Search(stability),
            });
        self.time_policy.target(budget, evidence)
    }

    /// Returns the number of nodes to stop at, on a clock that counts nodes. Those of a ponder count.
    pub fn node_limit(&self) -> Option<u64> {
        let (budget, _) = self.clock?;
        let longest = self.time_policy.longest(&budget);
        let nodes = self.nodes_time?.nodes(longest);
        Some(self.most_nodes.map_or(nodes, |most| most.min(nodes)))
    }

    /// Returns the latest moment to stop; `None` without a clock of time, and after the stop.
    pub fn stop_at(&self) -> Option<Instant> {
        self.latest().filter(|_| !self.is_stopped)
    }

    /// Returns the latest moment to stop; `None` without a clock of time.
    pub fn latest(&self) -> Option<Instant> {
        let (budget, from) = self.clock.filter(|_| self.nodes_time.is_none())?;
        let longest = from + self.time_policy.longest(&budget);
        Some(self.enough_at.map_or(longest, |enough| enough.min(longest)))
    }

    /// Records that the search was told to stop.
    pub fn stopped(&mut self) {
        self.is_stopped = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::{Bound, Score};

    const BUDGET: Budget = Budget {
        shortest: Duration::from_millis(100),
        least: Duration::from_millis(400),
        normal: Duration::from_millis(1_000),
        most: Duration::from_millis(3_000),
        whole_seconds: None,
    };

    /// A thousand nodes a second.
    fn nodes_time() -> Option<NodesTime> {
        NodesTime::new(1)
    }

    fn line(mv: &str, depth: u32, score: i32, nodes: u64) -> Line {
        let pv = vec![Game::startpos().parse_move(mv).expect("legal")];
        Line {
            depth,
            selective_depth: depth,
            nodes,
            ends_iteration: true,
            best_move_effort: Some(600),
            ..Line::unsearched(pv, Score::Cp(score), Bound::Exact)
        }
    }

    /// Returns the nodes of the first of these iterations after which the search ends.
    fn end(time_policy: TimePolicy, iterations: &[(&str, i32, u64)]) -> Option<u64> {
        let start = Instant::now();
        let mut timer = Timer::new(time_policy, nodes_time(), start, &Game::startpos());
        timer.start(BUDGET, start, None);
        let control = Control::new();
        (1..)
            .zip(iterations)
            .find_map(|(depth, &(mv, score, nodes))| {
                timer.observe(&line(mv, depth, score, nodes), &control);
                control.is_stopped().then_some(nodes)
            })
    }

    #[test]
    fn a_steady_best_move_ends_early_and_a_falling_score_late() {
        let steady =
            |nodes: &[u64]| -> Vec<_> { nodes.iter().map(|&nodes| ("7g7f", 30, nodes)).collect() };
        let nodes = [10, 20, 40, 80, 160, 320, 640, 1_280, 2_560];
        let agreement = |lines: &[_]| end(TimePolicy::Agreement, lines);
        assert_eq!(agreement(&steady(&nodes)), Some(320));
        let mut falling = steady(&nodes);
        for line in &mut falling[4..] {
            line.1 = -200;
        }
        assert_eq!(agreement(&falling), Some(640));
        let mut wavering = steady(&nodes);
        for line in wavering.iter_mut().step_by(2) {
            line.0 = "2g2f";
        }
        assert_eq!(agreement(&wavering), Some(1_280));
        assert_eq!(
            end(TimePolicy::Fixed, &falling),
            Some(1_280),
            "beyond the normal time"
        );
    }

    #[test]
    fn lines_in_mid_iteration_end_nothing() {
        let start = Instant::now();
        let mut timer = Timer::new(
            TimePolicy::Agreement,
            nodes_time(),
            start,
            &Game::startpos(),
        );
        timer.start(BUDGET, start, None);
        let control = Control::new();
        let open = Line {
            ends_iteration: false,
            ..line("7g7f", 7, 30, 2_900)
        };
        timer.observe(&open, &control);
        assert!(!control.is_stopped());
        timer.observe(&line("7g7f", 7, 30, 2_900), &control);
        assert!(control.is_stopped());
    }

    #[test]
    fn the_longest_time_is_a_deadline_of_time_or_nodes() {
        let start = Instant::now();
        for (time_policy, longest) in [
            (TimePolicy::Fixed, 1_000),
            (TimePolicy::Agreement, 3_000),
            (TimePolicy::Learned, 3_000),
        ] {
            let mut timer = Timer::new(time_policy, None, start, &Game::startpos());
            assert_eq!((timer.stop_at(), timer.latest()), (None, None));
            timer.start(BUDGET, start, None);
            assert_eq!(
                timer.stop_at(),
                Some(start + Duration::from_millis(longest))
            );
            assert_eq!(timer.node_limit(), None);
            timer.stopped();
            assert_eq!(timer.stop_at(), None);

            let mut timer = Timer::new(time_policy, nodes_time(), start, &Game::startpos());
            timer.start(BUDGET, start, None);
            assert_eq!((timer.stop_at(), timer.latest()), (None, None));
            assert_eq!(timer.node_limit(), Some(longest));
            timer.start(BUDGET, start, Some(500));
            assert_eq!(timer.node_limit(), Some(500));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_second_that_is_charged_is_thought_through() {
        let start = Instant::now();
        let policy = TimePolicy::Agreement;
        let mut timer = Timer::new(policy, None, start, &Game::startpos());
        let budget = Budget {
            whole_seconds: Some(Duration::from_millis(120)),
            ..BUDGET
        };
        timer.start(budget, start, None);
        let control = Control::new();
        let stops_at = |timer: &Timer| timer.stop_at().map(|at| at - start);
        tokio::time::advance(Duration::from_millis(450)).await;
        for depth in 1..9 {
            timer.observe(&line("7g7f", depth, 30, 0), &control);
        }
        assert_eq!(stops_at(&timer), Some(Duration::from_millis(880)));
        assert!(!control.is_stopped());
        // A best move that changes asks for more.
        for (depth, mv) in (9..).zip(["2g2f", "7g7f", "2g2f", "7g7f", "2g2f", "7g7f"]) {
            timer.observe(&line(mv, depth, 30, 0), &control);
        }
        assert_eq!(stops_at(&timer), Some(BUDGET.most));
        tokio::time::advance(Duration::from_millis(1_000)).await;
        timer.observe(&line("7g7f", 15, 30, 0), &control);
        assert_eq!(stops_at(&timer), Some(Duration::from_millis(1_880)));
        tokio::time::advance(Duration::from_millis(430)).await;
        timer.observe(&line("7g7f", 16, 30, 0), &control);
        assert!(control.is_stopped());
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_ponder_counts_for_an_easy_move_alone() {
        let searching_from = Instant::now();
        let stops_at_hit = |moves: [&str; 2]| {
            let mut timer = Timer::new(
                TimePolicy::Agreement,
                None,
                searching_from,
                &Game::startpos(),
            );
            let control = Control::new();
            for (depth, mv) in (1..9).zip(moves.into_iter().cycle()) {
                timer.observe(&line(mv, depth, 30, 0), &control);
            }
            assert!(!control.is_stopped(), "no clock runs yet");
            timer.start(BUDGET, Instant::now(), None);
            timer.stop_if_enough(0, &control);
            control.is_stopped()
        };
        tokio::time::advance(Duration::from_millis(2_000)).await;
        assert!(stops_at_hit(["7g7f", "7g7f"]));
        // A best move that changes is a difficult one, whose own time has just begun.
        assert!(!stops_at_hit(["7g7f", "2g2f"]));
    }
}
