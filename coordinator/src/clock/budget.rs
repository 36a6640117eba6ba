//! The share of a clock that one move may take.

use monju_engine::{Color, Position};
use monju_proto::v1::{Clock, Limits};
use std::time::Duration;

/// Shortest budget of a consultation with a clock.
pub const MINIMUM: Duration = Duration::from_millis(10);

/// Number of moves that the main time is shared out over at the first ply.
const MOVES_AT_FIRST: u64 = 45;

/// The least such number, at the ply at which usual games end, and that ply.
const LEAST_MOVES: u64 = 26;
const USUAL_END: u64 = 110;

/// Plies of a longer game for which a further move is expected, to make its time last, as a ratio, and the
/// largest number.
const FURTHER: (u64, u64) = (5, 2);
const MOST_MOVES: u64 = 90;

/// Number of moves whose lag is set aside from a clock without byoyomi and increment.
const MOVES_WITH_LAG: u64 = 130;

/// Part of the default overhead that is a safety margin rather than expected lag.
const PADDING: Duration = Duration::from_millis(100);

/// Share of a normal move's time that an easy move takes, in percent.
const EASY_PERCENT: u64 = 40;

/// Share of a normal move's time that a move without any doubt takes, in percent.
const SHORTEST_PERCENT: u64 = 10;

/// Number of normal moves' times that a difficult move takes at most (the original Monju, 2009).
const DIFFICULT: u64 = 3;

/// Divisor of the main time that a difficult move takes at most on top of a normal one.
const DIFFICULT_SHARE: u64 = 8;

/// Divisor of the main time that the shortest thinking time of a move may take.
const SHORTEST_SHARE: u64 = 20;

/// Longest time that is taken from a message, in milliseconds (about a month), so that no sum
/// overflows.
const LONGEST_MS: u64 = 1 << 31;

/// The move that a time is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The side to move.
    pub side: Color,
    /// The number of the ply, from which the length of the rest of the game is estimated.
    pub ply: u32,
}

/// Takes the turn of a position.
impl From<&Position> for Turn {
    fn from(position: &Position) -> Self {
        Self {
            side: position.side_to_move(),
            ply: position.ply(),
        }
    }
}

/// Takes the first turn of a side in a game.
impl From<Color> for Turn {
    fn from(side: Color) -> Self {
        Self { side, ply: 1 }
    }
}

/// The time that one move may take: `shortest` ≤ `least` ≤ `normal` ≤ `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// For a move about which there is no doubt at all.
    pub shortest: Duration,
    /// For an easy move, on which the players agree.
    pub least: Duration,
    /// For a move about which nothing is known yet.
    pub normal: Duration,
    /// For a move in dispute or in a worsening position; the clock allows no more.
    pub most: Duration,
    /// What is kept of each second, where the referee charges whole ones.
    pub whole_seconds: Option<Duration>,
}

/// The part of a clock that is not for thinking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overhead {
    /// Set aside from the time of one move.
    pub kept: Duration,
    /// Expected lag of every move.
    pub lost: Duration,
}

/// Takes an overhead as lag, less the safety margin in it.
impl From<Duration> for Overhead {
    fn from(kept: Duration) -> Self {
        Self {
            kept,
            lost: kept.saturating_sub(PADDING),
        }
    }
}

impl Overhead {
    /// Returns the larger of two overheads.
    pub fn larger(self, other: Self) -> Self {
        Self {
            kept: self.kept.max(other.kept),
            lost: self.lost.max(other.lost),
        }
    }
}

/// The rules by which a clock is spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockRules {
    /// The part of the clock that is not for thinking.
    pub overhead: Overhead,
    /// Shortest thinking time of a move, where the clock has it.
    pub minimum: Duration,
    /// The referee charges whole seconds and drops the rest, so that thinking until just before the next
    /// second costs nothing.
    pub whole_seconds: bool,
}

impl<T: Into<Overhead>> From<T> for ClockRules {
    fn from(overhead: T) -> Self {
        Self {
            overhead: overhead.into(),
            ..Self::default()
        }
    }
}

impl ClockRules {
    /// Raises a thinking time, in milliseconds, to the shortest one and to the end of its second.
    fn raised(self, time: u64, minimum: u64, available: u64) -> u64 {
        let time = time.max(minimum);
        let kept = self.overhead.kept.as_millis() as u64;
        match self.whole_seconds {
            true => ((time + kept).div_ceil(1_000) * 1_000 - kept).min(available),
            false => time.min(available),
        }
    }
}

impl Budget {
    /// A budget with the same time for every move.
    pub fn fixed(time: Duration) -> Self {
        Self {
            shortest: time,
            least: time,
            normal: time,
            most: time,
            whole_seconds: None,
        }
    }

    /// Returns the time until which a move is expected to cost no more than if it were played now, `used` after the
    /// clock was started: where whole seconds are charged, the end of this one, with the expected lag.
    pub fn charged_until(&self, used: Duration) -> Duration {
        let Some(kept) = self.whole_seconds else {
            return used;
        };
        let charged = (used + kept).as_millis().div_ceil(1_000) as u64;
        let end = Duration::from_secs(charged).saturating_sub(kept);
        end.min(self.most).max(used)
    }

    /// Returns a multiple of the normal time, within the bounds.
    pub fn scaled(&self, factor: f64) -> Duration {
        self.normal.mul_f64(factor).clamp(self.shortest, self.most)
    }
}

/// Returns the time for a consultation under `limits`; `None` is no limit.
///
/// The overhead of `rules` is the time lost between the decision and the GUI's clock. Only clocks pay it;
/// a fixed thinking time (`time_ms`) is used up in full.
pub fn budget(
    limits: &Limits,
    turn: impl Into<Turn>,
    rules: impl Into<ClockRules>,
) -> Option<Budget> {
    let fixed = limits
        .time_ms
        .map(|ms| Duration::from_millis(ms.min(LONGEST_MS)).max(MINIMUM));
    let clock = limits
        .clock
        .as_ref()
        .map(|clock| share_of_clock(clock, turn.into(), rules.into()));
    match (fixed, clock) {
        (Some(fixed), Some(clock)) => Some(Budget::fixed(fixed.min(clock.normal))),
        (Some(fixed), None) => Some(Budget::fixed(fixed)),
        (None, clock) => clock,
    }
}

/// Returns one move's share of the clock.
///
/// Main time is shared out over a number of moves that shrinks as the game goes on (`moves_to_come`);
/// most of the increment and all of the byoyomi are spent on top. Without byoyomi, what the increment does
/// not pay of the lag of [`MOVES_WITH_LAG`] moves is set aside; it would otherwise use up the time of a long
/// game. An increment is spendable on its own only when there is no other time, because GUIs differ in
/// whether the main time they send includes it. Byoyomi cannot be saved: an easy move is not cut below it,
/// and nothing is saved once the main time is no more than one byoyomi.
fn share_of_clock(clock: &Clock, turn: Turn, rules: ClockRules) -> Budget {
    let overhead = rules.overhead;
    let (main, increment) = of_side(clock, turn.side);
    let main = main.min(LONGEST_MS);
    let increment = increment.min(LONGEST_MS);
    let byoyomi = clock.byoyomi_ms.min(LONGEST_MS);

    let spendable = time_for_one_move(clock, turn.side).as_millis() as u64;
    // The overhead takes at most half of a very short clock.
    let kept = (overhead.kept.as_millis() as u64).min(spendable / 2);
    let available = spendable - kept;
    // The increment pays for the lag first.
    let lost = (overhead.lost.as_millis() as u64).min(kept);
    let paid = lost.min(increment * 4 / 5);
    let lag = match byoyomi {
        0 => MOVES_WITH_LAG * (lost - paid),
        _ => 0,
    };
    // The overhead exceeds the lag of most moves, so a quarter of the time remains in any case.
    let share = (main - lag.min(main * 3 / 4)) / moves_to_come(turn.ply);
    let wanted = share + increment * 4 / 5 - paid + byoyomi;
    let normal = wanted.min(available);
    let can_be_saved = main > byoyomi || byoyomi == 0;
    let saving = |percent: u64| match can_be_saved {
        // Main time saved below one byoyomi would only delay the phase of byoyomi alone.
        true => (normal * percent / 100).max(byoyomi.min(normal)),
        false => normal,
    };
    let (shortest, least) = (saving(SHORTEST_PERCENT), saving(EASY_PERCENT));
    let most = (normal * DIFFICULT)
        .min(normal + main / DIFFICULT_SHARE)
        .min(available);
    // A shortest thinking time must not use up the main time of a long game.
    let longest_minimum = main / SHORTEST_SHARE + increment * 4 / 5 + byoyomi;
    let minimum = (rules.minimum.as_millis() as u64).min(longest_minimum);
    let [shortest, least, normal, most] =
        [shortest, least, normal, most].map(|time| rules.raised(time, minimum, available));
    let time = |ms| Duration::from_millis(ms).max(MINIMUM);
    Budget {
        shortest: time(shortest),
        least: time(least),
        normal: time(normal),
        most: time(most),
        whole_seconds: (rules.whole_seconds).then_some(rules.overhead.kept),
    }
}

/// Returns the number of moves that the main time is shared out over at a ply: fewer and fewer up to the end
/// of a usual game, where most of the time should be spent, and then more again, since no one knows when a
/// longer game ends.
fn moves_to_come(ply: u32) -> u64 {
    let ply = u64::from(ply);
    match USUAL_END.checked_sub(ply) {
        Some(left) => LEAST_MOVES + (MOVES_AT_FIRST - LEAST_MOVES) * left / USUAL_END,
        None => (LEAST_MOVES + (ply - USUAL_END) * FURTHER.1 / FURTHER.0).min(MOST_MOVES),
    }
}

/// Returns the time after which a side has lost, if it thinks about one move: main time and byoyomi, or the
/// increment if there is neither.
pub fn time_for_one_move(clock: &Clock, side: Color) -> Duration {
    let (main, increment) = of_side(clock, side);
    let time = main.min(LONGEST_MS) + clock.byoyomi_ms.min(LONGEST_MS);
    Duration::from_millis(if time == 0 {
        increment.min(LONGEST_MS)
    } else {
        time
    })
}

/// Returns the main time and the increment of a side, in milliseconds.
pub fn of_side(clock: &Clock, side: Color) -> (u64, u64) {
    match side {
        Color::Black => (clock.black_ms, clock.black_increment_ms),
        Color::White => (clock.white_ms, clock.white_increment_ms),
    }
}
