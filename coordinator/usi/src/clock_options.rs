//! The options about the clock, which the proxy and the single player share.

use crate::option_table::{OptionKind, UsiOption};
use monju_coordinator::clock::NetworkDelays;
use std::time::Duration;

/// Longest time that an option of the clock can name, in milliseconds.
const LONGEST_MS: u32 = 60_000;

/// Declared defaults of the delays, in milliseconds.
const NETWORK_DELAY_MS: u32 = 120;
const NETWORK_DELAY_2_MS: u32 = 1_120;

/// The values that a GUI has set; `None` is the declared default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClockOptions {
    network_delay_ms: Option<u32>,
    network_delay_2_ms: Option<u32>,
    move_overhead_ms: Option<u32>,
    minimum_thinking_time_ms: Option<u32>,
    round_up_to_full_second: Option<bool>,
}

impl ClockOptions {
    /// Returns the delays to assume before they are measured.
    pub fn delays(&self) -> NetworkDelays {
        let ms = |value: u32| Duration::from_millis(value.into());
        NetworkDelays {
            usual: ms(self.network_delay_ms.unwrap_or(NETWORK_DELAY_MS)),
            worst: ms(self.network_delay_2_ms.unwrap_or(NETWORK_DELAY_2_MS)),
            known: self.move_overhead_ms.map(ms),
            is_hidden: self.counts_whole_seconds(),
        }
    }

    /// Returns the shortest thinking time of a move on a clock.
    pub fn minimum_thinking_time(&self) -> Duration {
        Duration::from_millis(self.minimum_thinking_time_ms.unwrap_or_default().into())
    }

    /// Returns true if the referee drops parts of a second, whether it was seen to do so or not.
    pub fn counts_whole_seconds(&self) -> bool {
        self.round_up_to_full_second.unwrap_or_default()
    }
}

/// Options with [`ClockOptions`] in them.
pub trait HasClockOptions {
    /// Returns the options about the clock.
    fn clock(&mut self) -> &mut ClockOptions;
}

/// Returns the rows of the options about the clock, in the order in which a GUI shows them.
pub const fn rows<T: HasClockOptions>() -> [UsiOption<T>; 5] {
    [
        UsiOption {
            name: "NetworkDelay",
            aliases: &[],
            help: "usual delay of an answer on its way to the referee, in ms, until it is measured",
            kind: OptionKind::Spin {
                default: NETWORK_DELAY_MS,
                range: 0..=LONGEST_MS,
                set: |options, value| options.clock().network_delay_ms = value,
            },
        },
        UsiOption {
            name: "NetworkDelay2",
            aliases: &[],
            help: "reserve in ms where a late move loses the game, until the delay is measured",
            kind: OptionKind::Spin {
                default: NETWORK_DELAY_2_MS,
                range: 0..=LONGEST_MS,
                set: |options, value| options.clock().network_delay_2_ms = value,
            },
        },
        UsiOption {
            name: "MoveOverhead",
            aliases: &[],
            help: "known delay in place of both, in ms; a larger measured one is used; 0: not known",
            kind: OptionKind::Spin {
                default: 0,
                range: 0..=LONGEST_MS,
                set: |options, value| options.clock().move_overhead_ms = value,
            },
        },
        UsiOption {
            name: "MinimumThinkingTime",
            aliases: &[],
            help: "shortest time of a move on a clock, in ms",
            kind: OptionKind::Spin {
                default: 0,
                range: 0..=LONGEST_MS,
                set: |options, value| options.clock().minimum_thinking_time_ms = value,
            },
        },
        UsiOption {
            name: "RoundUpToFullSecond",
            aliases: &[],
            help: "for a referee that drops fractions of a second; also done when the clock shows it",
            kind: OptionKind::Check {
                default: false,
                set: |options, value| options.clock().round_up_to_full_second = value,
            },
        },
    ]
}
