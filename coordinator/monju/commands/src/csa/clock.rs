//! The clocks of a game on a server.
//!
//! The time of a move is told by the server in whole units. An increment is added just before a move, except the
//! first: so says the protocol, and the rule of the world championship. USI engines add it themselves to the time that
//! they are told, which is therefore that before the increment.

use monju_engine::Color;
use std::time::Duration;

/// The conditions of time of one side, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeRule {
    /// Time for the whole game.
    pub total: u64,
    /// Time for every move after that.
    pub byoyomi: u64,
    /// Time added with every move but the first.
    pub increment: u64,
}

/// How a server charges the moves of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChargeRule {
    /// Milliseconds of one unit, in which times are told.
    pub unit: u64,
    /// Parts of a unit count as a whole one.
    pub rounds_up: bool,
    /// Least charge of a move in milliseconds.
    pub least: u64,
}

impl Default for ChargeRule {
    fn default() -> Self {
        Self {
            unit: 1_000,
            rounds_up: false,
            least: 0,
        }
    }
}

impl ChargeRule {
    /// Returns the least time that a move can have taken for which `charged` milliseconds are told.
    pub fn least_time(self, charged: u64) -> Duration {
        let excess = match self.rounds_up {
            true => self.unit,
            false => 0,
        };
        match charged > self.least {
            true => Duration::from_millis(charged.saturating_sub(excess)),
            false => Duration::ZERO,
        }
    }
}

/// The clocks of both sides.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    rules: [TimeRule; 2],
    /// Time that each side may spend on its next move, without the byoyomi.
    left: [u64; 2],
}

impl Clocks {
    /// Returns clocks before the first move.
    pub fn new(rules: [TimeRule; 2]) -> Self {
        Self {
            rules,
            left: rules.map(|rule| rule.total),
        }
    }

    /// Charges a side with the time of a move.
    pub fn charge(&mut self, side: Color, spent: u64) {
        let side = side.index();
        let left = self.left[side].saturating_sub(spent);
        self.left[side] = left.saturating_add(self.rules[side].increment);
    }

    /// Takes what exceeds the time for the game off both clocks. A server that offers a game with moves gives no
    /// more; in a game that was adjourned it may, and the clocks err to the safe side.
    pub fn cap(&mut self) {
        for (left, rule) in self.left.iter_mut().zip(&self.rules) {
            *left = (*left).min(rule.total);
        }
    }

    /// Returns the clocks in the middle of a move, for the words of a `go`: the time that the side has thought for is
    /// taken off its time for the game first, and the rest of it off its byoyomi or increment.
    pub fn after(mut self, side: Color, thought: u64) -> Self {
        let side = side.index();
        let beyond = thought.saturating_sub(self.told(side));
        // A time of zero would be none at all.
        let less = |time: u64| time.saturating_sub(beyond).max(time.min(1));
        let rule = &mut self.rules[side];
        rule.byoyomi = less(rule.byoyomi);
        rule.increment = less(rule.increment);
        self.left[side] = self.left[side].saturating_sub(thought);
        self
    }

    /// Returns the time that a side may spend on its next move; `None` where it has none, as in a game without a clock.
    pub fn of_move(&self, side: Color) -> Option<Duration> {
        let side = side.index();
        let time = self.left[side].saturating_add(self.rules[side].byoyomi);
        (time > 0).then(|| Duration::from_millis(time))
    }

    /// Returns the clocks for an engine that knows no increments: that of a side is its byoyomi, which each of its
    /// moves may take.
    pub fn without_increments(mut self) -> Self {
        for (rule, left) in self.rules.iter_mut().zip(&mut self.left) {
            *left = left.saturating_sub(rule.increment);
            rule.byoyomi = rule.byoyomi.saturating_add(rule.increment);
            rule.increment = 0;
        }
        self
    }

    /// Tells whether a side has an increment.
    pub fn has_increments(&self) -> bool {
        self.rules.iter().any(|rule| rule.increment > 0)
    }

    /// Returns the time for the game that an engine is told.
    fn told(&self, side: usize) -> u64 {
        self.left[side].saturating_sub(self.rules[side].increment)
    }

    /// Returns the words of a `go` for the side to move.
    pub fn words(&self, side: Color) -> String {
        let own = &self.rules[side.index()];
        let mut words = format!("btime {} wtime {}", self.told(0), self.told(1));
        if self.has_increments() {
            let [black, white] = self.rules.map(|rule| rule.increment);
            words.push_str(&format!(" binc {black} winc {white}"));
        }
        // A side with byoyomi may play against one with an increment.
        if own.byoyomi > 0 || self.rules.iter().all(|rule| rule.increment == 0) {
            words.push_str(&format!(" byoyomi {}", own.byoyomi));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_increment_told_as_byoyomi_leaves_the_time_of_the_move_as_it_is() {
        let increment = TimeRule {
            total: 10_000,
            byoyomi: 0,
            increment: 5_000,
        };
        let mut clocks = Clocks::new([increment, TimeRule::default()]);
        assert_eq!(clocks.of_move(Color::White), None);
        for spent in [0, 4_000, 11_000] {
            clocks.charge(Color::Black, spent);
            let plain = clocks.without_increments();
            assert_eq!(plain.of_move(Color::Black), clocks.of_move(Color::Black));
            assert!(!plain.words(Color::Black).contains("inc"), "{plain:?}");
        }
        assert_eq!(clocks.of_move(Color::Black), Some(Duration::from_secs(10)));
        clocks.charge(Color::Black, u64::MAX);
        clocks.rules[0].increment = u64::MAX;
        clocks.charge(Color::Black, 0);
        assert!(clocks.of_move(Color::Black).is_some());
    }

    #[test]
    fn byoyomi_comes_after_the_time_for_the_game() {
        let rule = TimeRule {
            total: 10_000,
            byoyomi: 5_000,
            increment: 0,
        };
        let mut clocks = Clocks::new([rule; 2]);
        assert_eq!(
            clocks.words(Color::Black),
            "btime 10000 wtime 10000 byoyomi 5000"
        );
        clocks.charge(Color::Black, 7_000);
        clocks.charge(Color::White, 12_000);
        assert_eq!(
            clocks.words(Color::White),
            "btime 3000 wtime 0 byoyomi 5000"
        );
    }

    #[test]
    fn the_told_time_and_one_increment_are_what_may_be_spent() {
        let rule = TimeRule {
            total: 300_000,
            byoyomi: 0,
            increment: 10_000,
        };
        let mut clocks = Clocks::new([rule; 2]);
        // The first move has no increment: 290 s and 10 s are the 300 s of the game.
        assert_eq!(
            clocks.words(Color::Black),
            "btime 290000 wtime 290000 binc 10000 winc 10000"
        );
        clocks.charge(Color::Black, 25_000);
        assert_eq!(
            clocks.words(Color::White),
            "btime 275000 wtime 290000 binc 10000 winc 10000"
        );
    }

    #[test]
    fn byoyomi_may_stand_against_an_increment() {
        let rule = |byoyomi, increment| TimeRule {
            total: 10_000,
            byoyomi,
            increment,
        };
        let clocks = Clocks::new([rule(5_000, 0), rule(0, 2_000)]);
        assert_eq!(
            clocks.words(Color::Black),
            "btime 10000 wtime 8000 binc 0 winc 2000 byoyomi 5000"
        );
        assert_eq!(
            clocks.words(Color::White),
            "btime 10000 wtime 8000 binc 0 winc 2000"
        );
    }

    #[test]
    fn time_that_has_passed_is_taken_off_byoyomi_and_increment() {
        let clocks = |total, byoyomi, increment| {
            let rule = TimeRule {
                total,
                byoyomi,
                increment,
            };
            Clocks::new([rule; 2])
        };
        let byoyomi = clocks(10_000, 5_000, 0);
        for (thought, words) in [
            (4_000, "btime 6000 wtime 10000 byoyomi 5000"),
            (10_000, "btime 0 wtime 10000 byoyomi 5000"),
            (13_000, "btime 0 wtime 10000 byoyomi 2000"),
            (u64::MAX, "btime 0 wtime 10000 byoyomi 1"),
        ] {
            let after = byoyomi.after(Color::Black, thought);
            assert_eq!(after.words(Color::Black), words);
            // The other side has the whole of its own.
            let other = after.words(Color::White);
            assert!(other.ends_with("byoyomi 5000"), "{other}");
        }
        let increment = clocks(300_000, 0, 10_000);
        for (thought, words) in [
            (90_000, "btime 290000 wtime 200000 binc 10000 winc 10000"),
            (296_000, "btime 290000 wtime 0 binc 10000 winc 4000"),
            (400_000, "btime 290000 wtime 0 binc 10000 winc 1"),
        ] {
            let after = increment.after(Color::White, thought);
            assert_eq!(after.words(Color::White), words);
        }
        // Where there is no byoyomi, none appears.
        let sudden = clocks(10_000, 0, 0).after(Color::Black, 20_000);
        assert_eq!(sudden.words(Color::Black), "btime 0 wtime 10000 byoyomi 0");
    }
}
