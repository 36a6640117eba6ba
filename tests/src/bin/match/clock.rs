//! The clock of a game, as the referee keeps it.

use std::time::Duration;

/// What each side gets.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// For the whole game.
    pub main: Duration,
    /// After each move.
    pub increment: Duration,
    /// For each move, once the main time is used up.
    pub byoyomi: Duration,
    /// What a move may take beyond all that.
    pub margin: Duration,
}

impl Clock {
    /// The `go` line for these main times.
    pub fn go(&self, black: Duration, white: Duration) -> String {
        let times = format!("go btime {} wtime {}", black.as_millis(), white.as_millis());
        let (increment, byoyomi) = (self.increment.as_millis(), self.byoyomi.as_millis());
        match increment {
            0 => format!("{times} byoyomi {byoyomi}"),
            _ => format!("{times} binc {increment} winc {increment}"),
        }
    }

    /// How long a move may take with so much main time left.
    pub fn limit(&self, left: Duration) -> Duration {
        left + self.byoyomi + self.margin
    }

    /// The main time after a move that took so long.
    pub fn after(&self, left: Duration, elapsed: Duration) -> Duration {
        left.saturating_sub(elapsed) + self.increment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(main: u64, increment: u64, byoyomi: u64) -> Clock {
        let ms = Duration::from_millis;
        Clock {
            main: ms(main),
            increment: ms(increment),
            byoyomi: ms(byoyomi),
            margin: ms(10),
        }
    }

    #[test]
    fn main_time_runs_down_and_increments_come_back() {
        let clock = clock(1_000, 100, 0);
        let left = clock.after(clock.main, Duration::from_millis(400));
        assert_eq!(left, Duration::from_millis(700));
        assert_eq!(clock.limit(left), Duration::from_millis(710));
        assert_eq!(
            clock.go(left, clock.main),
            "go btime 700 wtime 1000 binc 100 winc 100"
        );
    }

    #[test]
    fn byoyomi_comes_anew_with_every_move() {
        let clock = clock(0, 0, 200);
        let left = clock.after(clock.main, Duration::from_millis(150));
        assert_eq!(left, Duration::ZERO);
        assert_eq!(clock.limit(left), Duration::from_millis(210));
        assert_eq!(clock.go(left, left), "go btime 0 wtime 0 byoyomi 200");
    }
}
