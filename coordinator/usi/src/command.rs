//! What a GUI says: one line, one [`Command`].

use monju_proto::v1::{Clock, Limits};
use std::time::Duration;

/// One line from the GUI. Nothing that a GUI sends is an error: what is not understood is
/// [`Command::Ignored`].
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `usi`
    Usi,
    /// `isready`
    IsReady,
    /// `setoption name NAME [value VALUE]`
    SetOption {
        /// The option's name.
        name: String,
        /// Its value with inner spaces kept; `None` for a button.
        value: Option<String>,
    },
    /// `usinewgame`
    NewGame,
    /// `position …`: the text after the word.
    Position(String),
    /// `go …`
    Go(Go),
    /// `go mate …`, with the time for it where it is limited.
    GoMate(Option<Duration>),
    /// `stop`
    Stop,
    /// `ponderhit`, with the clock when it brings one.
    PonderHit(Option<Clock>),
    /// `gameover win`, `lose` or `draw`; anything else says no result.
    GameOver(Option<Outcome>),
    /// `quit`
    Quit,
    /// Anything else.
    Ignored,
}

/// How a game ended for the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It won.
    Win,
    /// It lost.
    Lose,
    /// Nobody won.
    Draw,
}

/// The search that a `go` asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Go {
    /// The limits; `ponder` is set by `go ponder`.
    pub limits: Limits,
    /// The answer is held until `stop`: `go infinite`, or a `go` without any limit.
    pub infinite: bool,
    /// A limit that was named, but is no number; it counts as zero.
    pub unread: Option<String>,
}

impl Command {
    /// Reads one line; a line end of either kind and surrounding blanks do not matter.
    pub fn parse(line: &str) -> Self {
        let line = line.trim().trim_start_matches('\u{feff}');
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "usi" => Self::Usi,
            "isready" => Self::IsReady,
            "setoption" => parse_set_option(rest),
            "usinewgame" => Self::NewGame,
            "position" => Self::Position(rest.trim().to_owned()),
            "go" => parse_go(rest),
            "stop" => Self::Stop,
            "ponderhit" => Self::PonderHit(Tokens::parse(rest).limits.clock),
            "gameover" => Self::GameOver(match rest.trim() {
                "win" => Some(Outcome::Win),
                "lose" => Some(Outcome::Lose),
                "draw" => Some(Outcome::Draw),
                _ => None,
            }),
            "quit" => Self::Quit,
            _ => Self::Ignored,
        }
    }
}

/// Reads `name NAME [value VALUE]`. The value is cut out of the text, not put together from words:
/// a path may hold two blanks in a row.
fn parse_set_option(rest: &str) -> Command {
    let Some(rest) = rest.trim().strip_prefix("name ") else {
        return Command::Ignored;
    };
    let (name, value) = match rest.split_once(" value ") {
        Some((name, value)) => (name, Some(value.trim())),
        None => match rest.strip_suffix(" value") {
            Some(name) => (name, Some("")),
            None => (rest, None),
        },
    };
    Command::SetOption {
        name: name.trim().to_owned(),
        value: value.map(str::to_owned),
    }
}

fn parse_go(rest: &str) -> Command {
    let tokens = Tokens::parse(rest);
    if tokens.mate {
        return Command::GoMate(tokens.mate_time);
    }
    let mut limits = tokens.limits;
    let unlimited = limits == Limits::default();
    if tokens.infinite {
        limits = Limits::default();
    }
    limits.ponder = tokens.ponder;
    Command::Go(Go {
        limits,
        infinite: tokens.infinite || (unlimited && !tokens.ponder),
        unread: tokens.unread,
    })
}

/// The words after `go` or `ponderhit`.
#[derive(Default)]
struct Tokens {
    limits: Limits,
    infinite: bool,
    ponder: bool,
    mate: bool,
    mate_time: Option<Duration>,
    unread: Option<String>,
}

impl Tokens {
    /// Unknown words are passed over. A limit whose number is none is still a limit: taken for none, the
    /// answer would never come.
    fn parse(text: &str) -> Self {
        let mut parsed = Self::default();
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" => parsed.infinite = true,
                "ponder" => parsed.ponder = true,
                "mate" => {
                    parsed.mate = true;
                    if let Some(time) = words.peek().and_then(|word| number(word)) {
                        words.next();
                        parsed.mate_time = Some(Duration::from_millis(time));
                    }
                }
                "btime" | "wtime" | "binc" | "winc" | "byoyomi" | "nodes" | "depth"
                | "movetime" => {
                    let next = words.next_if(|next| !is_known(next));
                    let value = next.and_then(number);
                    if value.is_none() {
                        let unread = format!("{word} {}", next.unwrap_or_default());
                        parsed.unread.get_or_insert(unread.trim_end().to_owned());
                    }
                    parsed.set(word, value.unwrap_or(0));
                }
                _ => {}
            }
        }
        parsed
    }

    fn set(&mut self, word: &str, value: u64) {
        let limits = &mut self.limits;
        // A limit of zero is still a limit: answered at once, never taken for "no limit".
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

/// The words that have a meaning after `go`.
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
    )
}

/// A number, rounded down; a negative one counts as zero, since some GUIs send clocks that have run over.
fn number(word: &str) -> Option<u64> {
    let value: f64 = word.parse().ok()?;
    match word.parse::<i128>() {
        Ok(whole) => Some(u64::try_from(whole.max(0)).unwrap_or(u64::MAX)),
        // Saturates at both ends.
        Err(_) => value.is_finite().then_some(value as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(text: &str) -> Go {
        match Command::parse(text) {
            Command::Go(go) => go,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn set_option(text: &str) -> (String, Option<String>) {
        match Command::parse(text) {
            Command::SetOption { name, value } => (name, value),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn plain_commands_with_either_line_end() {
        for end in ["", "\n", "\r\n", "  "] {
            let parse = |word: &str| Command::parse(&format!("{word}{end}"));
            assert_eq!(parse("usi"), Command::Usi);
            assert_eq!(parse("isready"), Command::IsReady);
            assert_eq!(parse("usinewgame"), Command::NewGame);
            assert_eq!(parse("stop"), Command::Stop);
            assert_eq!(parse("ponderhit"), Command::PonderHit(None));
            assert_eq!(parse("gameover win"), Command::GameOver(Some(Outcome::Win)));
            assert_eq!(parse("gameover"), Command::GameOver(None));
            assert_eq!(parse("quit"), Command::Quit);
            assert_eq!(
                parse("position startpos moves 7g7f"),
                Command::Position("startpos moves 7g7f".to_owned())
            );
        }
        assert_eq!(Command::parse("\u{feff}usi"), Command::Usi);
    }

    #[test]
    fn what_is_not_understood_is_ignored() {
        for line in [
            "",
            "   ",
            "help",
            "debug on",
            "register later",
            "USI",
            "setoption",
            "setoption value 3",
            "\u{0}\u{7f}",
            "文殊",
        ] {
            assert_eq!(Command::parse(line), Command::Ignored, "{line:?}");
        }
    }

    #[test]
    fn option_values_keep_their_spaces() {
        let (name, value) = set_option("setoption name ConfigFile value C:\\My  Dir\\monju.toml\r");
        assert_eq!(name, "ConfigFile");
        assert_eq!(value.as_deref(), Some("C:\\My  Dir\\monju.toml"));
        assert_eq!(set_option("setoption name Clear Hash").1, None);
        assert_eq!(
            set_option("setoption name Coordinator value").1.as_deref(),
            Some("")
        );
        assert_eq!(
            set_option("setoption name A value b value c").1.as_deref(),
            Some("b value c")
        );
    }

    #[test]
    fn go_with_a_clock() {
        let go = go("go btime 33000 wtime 30000 binc 5000 winc 4000");
        let clock = go.limits.clock.expect("a clock");
        assert_eq!((clock.black_ms, clock.white_ms), (33_000, 30_000));
        assert_eq!(clock.black_increment_ms, 5_000);
        assert_eq!(clock.white_increment_ms, 4_000);
        assert!(!go.infinite && !go.limits.ponder);
        let go = super::tests::go("go btime 0 wtime 0 byoyomi 10000");
        assert_eq!(go.limits.clock.expect("a clock").byoyomi_ms, 10_000);
        assert!(!go.infinite);
    }

    #[test]
    fn no_limit_at_all_means_infinite() {
        assert!(go("go").infinite);
        assert!(go("go infinite").infinite);
        assert!(go("go searchmoves 7g7f 2g2f").infinite);
        assert!(!go("go ponder").infinite);
        assert!(!go("go nodes 1000").infinite);
        assert!(!go("go nodes 0").infinite);
    }

    #[test]
    fn infinite_overrules_a_clock() {
        let go = go("go btime 1000 wtime 1000 infinite");
        assert_eq!(go.limits, Limits::default());
        assert!(go.infinite);
    }

    #[test]
    fn go_ponder_with_times_and_without() {
        let bare = go("go ponder");
        assert!(bare.limits.ponder && bare.limits.clock.is_none());
        let timed = go("go ponder btime 1000 wtime 2000 byoyomi 3000");
        assert!(timed.limits.ponder);
        assert_eq!(timed.limits.clock.expect("a clock").white_ms, 2_000);
    }

    #[test]
    fn ponderhit_may_bring_the_clock() {
        let Command::PonderHit(Some(clock)) =
            Command::parse("ponderhit btime 36000 wtime 34000 binc 5000 winc 5000")
        else {
            panic!("no clock");
        };
        assert_eq!(clock.black_ms, 36_000);
    }

    #[test]
    fn go_by_nodes_depth_and_movetime() {
        let go = go("go nodes 500 depth 7 movetime 1500");
        assert_eq!(go.limits.nodes, Some(500));
        assert_eq!(go.limits.depth, Some(7));
        assert_eq!(go.limits.time_ms, Some(1_500));
    }

    #[test]
    fn go_mate_in_both_forms() {
        let time = Some(Duration::from_millis(5000));
        assert_eq!(Command::parse("go mate 5000"), Command::GoMate(time));
        assert_eq!(Command::parse("go mate infinite"), Command::GoMate(None));
        assert_eq!(Command::parse("go mate"), Command::GoMate(None));
    }

    #[test]
    fn odd_numbers_do_no_harm() {
        let go = go("go btime -250 wtime 99999999999999999999999 byoyomi fast nodes");
        let clock = go.limits.clock.expect("a clock");
        assert_eq!(clock.black_ms, 0);
        assert_eq!(clock.white_ms, u64::MAX);
        assert_eq!(clock.byoyomi_ms, 0);
        assert_eq!(go.limits.nodes, Some(1));
        assert_eq!(go.unread.as_deref(), Some("byoyomi fast"));
        // A missing value does not swallow the next word.
        let go = super::tests::go("go btime wtime 500");
        assert_eq!(go.limits.clock.expect("a clock").white_ms, 500);
        assert_eq!(go.unread.as_deref(), Some("btime"));
    }

    #[test]
    fn a_limit_that_is_no_number_is_still_a_limit() {
        let byoyomi = |text: &str| {
            let go = go(text);
            assert!(!go.infinite, "{text}");
            (go.limits.clock.expect("a clock").byoyomi_ms, go.unread)
        };
        assert_eq!(byoyomi("go byoyomi 500.9"), (500, None));
        for text in ["abc", "NaN", "inf", "1s", ""] {
            let unread = Some(format!("byoyomi {text}").trim_end().to_owned());
            assert_eq!(byoyomi(&format!("go byoyomi {text}")), (0, unread));
        }
    }
}
