//! Lines from the GUI, parsed into commands.

use super::go::{self, GoCommand, GoMate, GoSearch};
use monju_proto::v1::Clock;
use tokio::time::Instant;

/// A command, and the moment at which its line was read: the clock of a `go` runs before any task has turned to
/// it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadCommand {
    /// The command.
    pub command: GuiCommand,
    /// The moment at which its line was read.
    pub at: Instant,
}

impl ReadCommand {
    /// Parses a line that has just been read.
    pub fn parse(line: &str) -> Self {
        let at = Instant::now();
        let command = GuiCommand::parse(line);
        Self { command, at }
    }

    /// A command that comes now.
    pub fn now(command: GuiCommand) -> Self {
        let at = Instant::now();
        Self { command, at }
    }
}

/// One line from the GUI. No line is an error: what cannot be parsed is [`GuiCommand::Ignored`].
#[derive(Clone, Debug, PartialEq)]
pub enum GuiCommand {
    /// `usi`
    Usi,
    /// `isready`
    IsReady,
    /// `setoption name NAME [value VALUE]`
    SetOption {
        /// The option's name.
        name: String,
        /// The value with its inner blanks; `None` for a button.
        value: Option<String>,
    },
    /// `usinewgame`
    NewGame,
    /// `position …`: the text after the word.
    Position(String),
    /// `go …`
    Go(GoSearch),
    /// `go mate …`
    GoMate(GoMate),
    /// `stop`
    Stop,
    /// `ponderhit`, with the clock if it carries one.
    PonderHit(Option<Clock>),
    /// `gameover win`, `lose` or `draw`; `None` for any other result.
    GameOver(Option<GameOver>),
    /// `quit`
    Quit,
    /// Any other line.
    Ignored,
}

/// The result for the engine that `gameover` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameOver {
    /// The engine won.
    Win,
    /// The engine lost.
    Lose,
    /// The game was drawn.
    Draw,
}

impl GuiCommand {
    /// Parses one line, with either kind of line end and any blanks around it.
    pub fn parse(line: &str) -> Self {
        let line = line.trim().trim_start_matches('\u{feff}');
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "usi" => Self::Usi,
            "isready" => Self::IsReady,
            "setoption" => parse_set_option(rest),
            "usinewgame" => Self::NewGame,
            "position" => Self::Position(rest.trim().to_owned()),
            "go" => match go::parse_go(rest) {
                GoCommand::Search(go) => Self::Go(go),
                GoCommand::Mate(mate) => Self::GoMate(mate),
            },
            "stop" => Self::Stop,
            "ponderhit" => Self::PonderHit(go::parse_clock(rest)),
            "gameover" => Self::GameOver(match rest.trim() {
                "win" => Some(GameOver::Win),
                "lose" => Some(GameOver::Lose),
                "draw" => Some(GameOver::Draw),
                _ => None,
            }),
            "quit" => Self::Quit,
            _ => Self::Ignored,
        }
    }
}

/// Parses `name NAME [value VALUE]`. The value is a slice of the line, not joined from its words: a
/// path may contain two blanks in a row.
fn parse_set_option(rest: &str) -> GuiCommand {
    let Some(rest) = rest.trim().strip_prefix("name ") else {
        return GuiCommand::Ignored;
    };
    let (name, value) = match rest.split_once(" value ") {
        Some((name, value)) => (name, Some(value.trim())),
        None => match rest.strip_suffix(" value") {
            Some(name) => (name, Some("")),
            None => (rest, None),
        },
    };
    GuiCommand::SetOption {
        name: name.trim().to_owned(),
        value: value.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_option(text: &str) -> (String, Option<String>) {
        match GuiCommand::parse(text) {
            GuiCommand::SetOption { name, value } => (name, value),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn plain_commands_with_either_line_end() {
        for end in ["", "\n", "\r\n", "  "] {
            let parse = |word: &str| GuiCommand::parse(&format!("{word}{end}"));
            assert_eq!(parse("usi"), GuiCommand::Usi);
            assert_eq!(parse("isready"), GuiCommand::IsReady);
            assert_eq!(parse("usinewgame"), GuiCommand::NewGame);
            assert_eq!(parse("stop"), GuiCommand::Stop);
            assert_eq!(parse("ponderhit"), GuiCommand::PonderHit(None));
            assert_eq!(
                parse("gameover win"),
                GuiCommand::GameOver(Some(GameOver::Win))
            );
            assert_eq!(parse("gameover"), GuiCommand::GameOver(None));
            assert_eq!(parse("quit"), GuiCommand::Quit);
            assert_eq!(
                parse("position startpos moves 7g7f"),
                GuiCommand::Position("startpos moves 7g7f".to_owned())
            );
        }
        assert_eq!(GuiCommand::parse("\u{feff}usi"), GuiCommand::Usi);
    }

    #[test]
    fn unknown_lines_are_ignored() {
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
            assert_eq!(GuiCommand::parse(line), GuiCommand::Ignored, "{line:?}");
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
    fn ponderhit_may_bring_the_clock() {
        let GuiCommand::PonderHit(Some(clock)) =
            GuiCommand::parse("ponderhit btime 36000 wtime 34000 binc 5000 winc 5000")
        else {
            panic!("no clock");
        };
        assert_eq!(clock.black_ms, 36_000);
    }
}
