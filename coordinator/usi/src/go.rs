//! The words after `go` and `ponderhit`.

use monju_engine::{Move, rules::MOST_LEGAL_MOVES};
use monju_proto::v1::{Clock, Limits};
use std::time::Duration;

/// The search that a `go` asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GoSearch {
    /// The limits; `ponder` is set by `go ponder`.
    pub limits: Limits,
    /// The answer waits for `stop`: `go infinite`, or a `go` without any limit.
    pub infinite: bool,
    /// The only moves to choose from; empty for all.
    pub search_moves: Vec<Move>,
    /// The first limit whose value is not a number; it counts as zero.
    pub unread: Option<String>,
}

/// The two kinds of `go`.
#[derive(Clone, Debug, PartialEq)]
pub enum GoCommand {
    /// A search for a move.
    Search(GoSearch),
    /// A search for a mate.
    Mate(GoMate),
}

/// The search for a mate that a `go mate` asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoMate {
    /// The time limit; `None` for none.
    pub time: Option<Duration>,
    /// The limit if it is not a number; it counts as zero.
    pub unread: Option<String>,
}

/// Parses the words after `go`.
pub fn parse_go(text: &str) -> GoCommand {
    let words = GoWords::parse(text);
    if words.mate {
        return GoCommand::Mate(GoMate {
            time: words.mate_time,
            unread: words.unread,
        });
    }
    let mut limits = words.limits;
    let unlimited = limits == Limits::default();
    if words.infinite {
        limits = Limits::default();
    }
    limits.ponder = words.ponder;
    GoCommand::Search(GoSearch {
        limits,
        infinite: words.infinite || (unlimited && !words.ponder),
        search_moves: words.search_moves,
        unread: words.unread,
    })
}

/// Parses the words after `ponderhit`: a clock, or nothing.
pub fn parse_clock(text: &str) -> Option<Clock> {
    GoWords::parse(text).limits.clock
}

/// The words, before their meaning together is known.
#[derive(Default)]
struct GoWords {
    limits: Limits,
    infinite: bool,
    ponder: bool,
    mate: bool,
    mate_time: Option<Duration>,
    search_moves: Vec<Move>,
    unread: Option<String>,
}

impl GoWords {
    /// Skips unknown words. A limit without a readable number is still a limit, of zero: without
    /// any limit the answer would never come.
    fn parse(text: &str) -> Self {
        let mut parsed = Self::default();
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" => parsed.infinite = true,
                "ponder" => parsed.ponder = true,
                "mate" => {
                    parsed.mate = true;
                    // Without a number there is no limit: `go mate` alone, or `go mate infinite`.
                    if let Some(next) = words.next_if(|next| !is_known(next)) {
                        let time = parsed.number_of(word, Some(next));
                        parsed.mate_time = Some(Duration::from_millis(time));
                    }
                }
                "searchmoves" => {
                    let moves = std::iter::from_fn(|| words.next_if(|next| !is_known(next)));
                    // No position has more moves.
                    let moves = moves
                        .take(MOST_LEGAL_MOVES)
                        .filter_map(|word| word.parse().ok());
                    parsed.search_moves = moves.collect();
                }
                "btime" | "wtime" | "binc" | "winc" | "byoyomi" | "nodes" | "depth"
                | "movetime" => {
                    let next = words.next_if(|next| !is_known(next));
                    let value = parsed.number_of(word, next);
                    parsed.set(word, value);
                }
                _ => {}
            }
        }
        parsed
    }

    /// Returns the number of a limit: zero if there is none, which is noted.
    fn number_of(&mut self, limit: &str, word: Option<&str>) -> u64 {
        word.and_then(number).unwrap_or_else(|| {
            let unread = format!("{limit} {}", word.unwrap_or_default());
            self.unread.get_or_insert(unread.trim_end().to_owned());
            0
        })
    }

    fn set(&mut self, word: &str, value: u64) {
        let limits = &mut self.limits;
        // A limit of zero asks for an answer at once; it must not read as "no limit".
        match word {
            "nodes" => limits.nodes = Some(value.max(1)),
            "depth" => limits.depth = Some(u32::try_from(value).unwrap_or(u32::MAX).max(1)),
            "movetime" => limits.time_ms = Some(value.max(1)),
            _ => {
                let clock = limits.clock.get_or_insert_default();
                match word {
                    "btime" => clock.black_ms = value,
                    "wtime" => clock.white_ms = value,
                    "binc" => clock.black_increment_ms = value,
                    "winc" => clock.white_increment_ms = value,
                    _ => clock.byoyomi_ms = value,
                }
            }
        }
    }
}

/// Returns true for the words that have a meaning after `go`.
fn is_known(word: &str) -> bool {
    matches!(
        word,
        "infinite"
            | "ponder"
            | "mate"
            | "btime"
            | "wtime"
            | "binc"
            | "winc"
            | "byoyomi"
            | "nodes"
            | "depth"
            | "movetime"
            | "searchmoves"
    )
}

/// Parses a number, rounded down. Negative numbers count as zero: some GUIs send clocks that have
/// run over.
fn number(word: &str) -> Option<u64> {
    let value: f64 = word.parse().ok()?;
    match word.parse::<i128>() {
        Ok(whole) => Some(u64::try_from(whole.max(0)).unwrap_or(u64::MAX)),
        // The cast saturates at both ends.
        Err(_) => value.is_finite().then_some(value as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(text: &str) -> GoSearch {
        match parse_go(text) {
            GoCommand::Search(go) => go,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn go_with_a_clock() {
        let fischer = go("btime 33000 wtime 30000 binc 5000 winc 4000");
        let clock = fischer.limits.clock.expect("a clock");
        assert_eq!((clock.black_ms, clock.white_ms), (33_000, 30_000));
        assert_eq!(clock.black_increment_ms, 5_000);
        assert_eq!(clock.white_increment_ms, 4_000);
        assert!(!fischer.infinite && !fischer.limits.ponder);
        let byoyomi = go("btime 0 wtime 0 byoyomi 10000");
        assert_eq!(byoyomi.limits.clock.expect("a clock").byoyomi_ms, 10_000);
        assert!(!byoyomi.infinite);
    }

    #[test]
    fn a_search_for_a_mate_has_a_time_or_none() {
        let mate = |text: &str| match parse_go(text) {
            GoCommand::Mate(mate) => mate,
            other => panic!("{text}: {other:?}"),
        };
        for unlimited in ["mate", "mate infinite"] {
            assert_eq!(mate(unlimited), GoMate::default(), "{unlimited}");
        }
        assert_eq!(mate("mate 5000").time, Some(Duration::from_secs(5)));
        let unread = mate("mate soon");
        assert_eq!(unread.time, Some(Duration::ZERO));
        assert_eq!(unread.unread.as_deref(), Some("mate soon"));
    }

    #[test]
    fn no_limit_at_all_means_infinite() {
        assert!(go("").infinite);
        assert!(go("infinite").infinite);
        assert!(go("searchmoves 7g7f 2g2f").infinite);
        assert!(!go("ponder").infinite);
        assert!(!go("nodes 1000").infinite);
        assert!(!go("nodes 0").infinite);
    }

    #[test]
    fn moves_to_choose_from_end_at_the_next_word() {
        let asked = go("searchmoves 7g7f nonsense P*5e depth 5");
        let moves: Vec<String> = asked.search_moves.iter().map(ToString::to_string).collect();
        assert_eq!(moves, ["7g7f", "P*5e"]);
        assert_eq!(asked.limits.depth, Some(5));
        assert!(!asked.infinite);
        assert_eq!(go("infinite").search_moves, []);
    }

    #[test]
    fn infinite_overrules_a_clock() {
        let go = go("btime 1000 wtime 1000 infinite");
        assert_eq!(go.limits, Limits::default());
        assert!(go.infinite);
    }

    #[test]
    fn go_ponder_with_times_and_without() {
        let bare = go("ponder");
        assert!(bare.limits.ponder && bare.limits.clock.is_none());
        let timed = go("ponder btime 1000 wtime 2000 byoyomi 3000");
        assert!(timed.limits.ponder);
        assert_eq!(timed.limits.clock.expect("a clock").white_ms, 2_000);
    }

    #[test]
    fn go_by_nodes_depth_and_movetime() {
        let go = go("nodes 500 depth 7 movetime 1500");
        assert_eq!(go.limits.nodes, Some(500));
        assert_eq!(go.limits.depth, Some(7));
        assert_eq!(go.limits.time_ms, Some(1_500));
    }

    #[test]
    fn odd_numbers_do_no_harm() {
        let odd = go("btime -250 wtime 99999999999999999999999 byoyomi fast nodes");
        let clock = odd.limits.clock.expect("a clock");
        assert_eq!(clock.black_ms, 0);
        assert_eq!(clock.white_ms, u64::MAX);
        assert_eq!(clock.byoyomi_ms, 0);
        assert_eq!(odd.limits.nodes, Some(1));
        assert_eq!(odd.unread.as_deref(), Some("byoyomi fast"));
        // A missing value does not swallow the next word.
        let missing = go("btime wtime 500");
        assert_eq!(missing.limits.clock.expect("a clock").white_ms, 500);
        assert_eq!(missing.unread.as_deref(), Some("btime"));
    }

    #[test]
    fn a_limit_without_a_number_is_still_a_limit() {
        let byoyomi = |text: &str| {
            let go = go(text);
            assert!(!go.infinite, "{text}");
            (go.limits.clock.expect("a clock").byoyomi_ms, go.unread)
        };
        assert_eq!(byoyomi("byoyomi 500.9"), (500, None));
        for text in ["abc", "NaN", "inf", "1s", ""] {
            let unread = Some(format!("byoyomi {text}").trim_end().to_owned());
            assert_eq!(byoyomi(&format!("byoyomi {text}")), (0, unread));
        }
    }
}
