//! Game clocks, as the referee keeps them.

use crate::record::MatchSide;
use std::time::Duration;

/// Time control of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeControl {
    /// Main time of a game.
    pub main: Duration,
    /// Time for every move once the main time is used up.
    pub byoyomi: Duration,
    /// Time added after every move.
    pub increment: Duration,
}

/// Clocks of both sides during one game. A side without a time control has none.
#[derive(Clone, Copy, Debug)]
pub struct GameClocks {
    controls: [Option<TimeControl>; 2],
    left: [Duration; 2],
}

impl GameClocks {
    /// Clocks at the beginning of a game, of the first and of the second side.
    pub fn new(controls: [Option<TimeControl>; 2]) -> Self {
        Self {
            controls,
            left: controls.map(|control| control.unwrap_or_default().main),
        }
    }

    /// Time until a side loses; `None` without a clock.
    pub fn allowed(&self, side: MatchSide) -> Option<Duration> {
        let control = self.controls[side.index()]?;
        Some(self.left[side.index()] + control.byoyomi)
    }

    /// Takes the time of a move from the clock of its side.
    pub fn spend(&mut self, side: MatchSide, elapsed: Duration) {
        if let Some(control) = &self.controls[side.index()] {
            let left = &mut self.left[side.index()];
            *left = left.saturating_sub(elapsed) + control.increment;
        }
    }

    /// The clocks as words of a `go` command to `side`, while `black` has Black; `None` without a
    /// clock. The opponent's time reads 0 where it has no clock.
    pub fn go_words(&self, side: MatchSide, black: MatchSide) -> Option<String> {
        let control = self.controls[side.index()]?;
        let left = |side: MatchSide| self.left[side.index()].as_millis();
        let times = format!("btime {} wtime {}", left(black), left(black.other()));
        if control.increment.is_zero() {
            let byoyomi = control.byoyomi.as_millis();
            return Some(format!("{times} byoyomi {byoyomi}"));
        }
        let increment = |side: MatchSide| {
            let control = self.controls[side.index()].unwrap_or_default();
            control.increment.as_millis()
        };
        Some(format!(
            "{times} binc {} winc {}",
            increment(black),
            increment(black.other())
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MatchSide::{First, Second};

    fn control(main: u64, byoyomi: u64, increment: u64) -> Option<TimeControl> {
        let ms = Duration::from_millis;
        Some(TimeControl {
            main: ms(main),
            byoyomi: ms(byoyomi),
            increment: ms(increment),
        })
    }

    #[test]
    fn main_time_runs_down_and_increments_are_added() {
        let mut clocks = GameClocks::new([control(1_000, 0, 100), control(2_000, 0, 50)]);
        clocks.spend(First, Duration::from_millis(400));
        assert_eq!(clocks.allowed(First), Some(Duration::from_millis(700)));
        assert_eq!(
            clocks.go_words(First, First).as_deref(),
            Some("btime 700 wtime 2000 binc 100 winc 50")
        );
        assert_eq!(
            clocks.go_words(Second, Second).as_deref(),
            Some("btime 2000 wtime 700 binc 50 winc 100")
        );
        clocks.spend(First, Duration::from_millis(5_000));
        assert_eq!(clocks.allowed(First), Some(Duration::from_millis(100)));
    }

    #[test]
    fn byoyomi_is_there_for_every_move() {
        let mut clocks = GameClocks::new([control(100, 200, 0), None]);
        clocks.spend(First, Duration::from_millis(250));
        clocks.spend(Second, Duration::from_millis(250));
        assert_eq!(clocks.allowed(First), Some(Duration::from_millis(200)));
        assert_eq!(
            clocks.go_words(First, Second).as_deref(),
            Some("btime 0 wtime 0 byoyomi 200")
        );
        assert_eq!(clocks.allowed(Second), None);
        assert_eq!(clocks.go_words(Second, Second), None);
    }
}
