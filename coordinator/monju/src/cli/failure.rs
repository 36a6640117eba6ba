//! Errors as one line and an exit status.

use clap::error::ErrorKind;
use monju_commands::interrupted::Interrupted;
use monju_experiment::specification::UnknownCell;
use monju_learn::{
    linear::LinearRunError,
    material::MaterialRunError,
    move_judges::MoveJudgeRunError,
    nnue::{NetworkRunError, TrainerError},
    ordering::OrderingRunError,
    searches::{SearchGamesError, SearchesRunError},
    self_play::{SelfPlayError, SelfPlayRunError},
    time_control::TimeControlRunError,
};
use monju_proto::{serve::ServeError, text::plain, tls::TlsError};
use std::process::ExitCode;

/// Status of arguments that make no sense.
const USAGE: u8 = 2;

/// Status of a command that was stopped and can go on: EX_TEMPFAIL of sysexits.
const STOPPED: u8 = 75;

/// Reports why a command has failed.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if let Some(error) = error.downcast_ref::<clap::Error>() {
        return refuse(error);
    }
    monju_commands::tell!("monju: {}", one_line(error));
    if error.is::<Interrupted>() {
        ExitCode::from(STOPPED)
    } else if is_usage(error) {
        ExitCode::from(USAGE)
    } else {
        ExitCode::FAILURE
    }
}

/// Tells whether an error that a command has found is one of its arguments.
fn is_usage(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ServeError::Open(_)))
        || matches!(error.downcast_ref(), Some(TlsError::Role { .. }))
        || error.is::<UnknownCell>()
        || is_setting_of_a_learner(error)
}

/// Tells whether an error of a learner is one of its settings, each of which is an argument.
fn is_setting_of_a_learner(error: &anyhow::Error) -> bool {
    use TrainerError::{Architecture, Setting};
    matches!(error.downcast_ref(), Some(LinearRunError::Setting { .. }))
        || matches!(error.downcast_ref(), Some(MaterialRunError::Setting(_)))
        || matches!(error.downcast_ref(), Some(MoveJudgeRunError::Setting(_)))
        || matches!(
            error.downcast_ref(),
            Some(
                NetworkRunError::NnBin { .. }
                    | NetworkRunError::Trainer(Setting(_) | Architecture(_))
            )
        )
        || matches!(error.downcast_ref(), Some(OrderingRunError::Setting(_)))
        || matches!(
            error.downcast_ref(),
            Some(SearchesRunError::Games(
                SearchGamesError::Player(_) | SearchGamesError::EqualPlayers
            ))
        )
        || matches!(
            error.downcast_ref(),
            Some(SelfPlayRunError::SelfPlay(SelfPlayError::Player(_)))
        )
        || matches!(error.downcast_ref(), Some(TimeControlRunError::Setting(_)))
}

/// Shows help and versions as they are, and errors of the arguments as one line.
pub fn refuse(error: &clap::Error) -> ExitCode {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    match error.kind() {
        DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand => error.exit(),
        _ => {
            monju_commands::tell!("monju: {}; see --help", usage_line(&error.to_string()));
            ExitCode::from(USAGE)
        }
    }
}

/// Joins the paragraphs of an error of the arguments: the error itself and tips, without the usage and
/// all that follows it.
fn usage_line(text: &str) -> String {
    let mut line = String::new();
    for words in text.lines().map(str::trim) {
        if words.starts_with("Usage:") || words.starts_with("For more information") {
            break;
        }
        let separator = match words {
            _ if line.is_empty() => "",
            words if words.starts_with("tip:") => "; ",
            _ => " ",
        };
        if !words.is_empty() {
            line = line + separator + words;
        }
    }
    line.strip_prefix("error: ").unwrap_or(&line).to_owned()
}

/// Joins an error and its causes; a cause that the text names already is not named again.
fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if line.is_empty() {
            line = cause;
        } else if !line.contains(&cause) {
            line = format!("{line}: {cause}");
        }
    }
    plain(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_engine::eval::Architecture;

    #[test]
    fn errors_are_one_line_that_says_everything_once() {
        let cause = anyhow::anyhow!("no such file");
        let error = cause.context("cannot read 'a': no such file");
        assert_eq!(
            one_line(&error.context("position 'b'\n\u{9b}of c")),
            "position 'b'  of c: cannot read 'a': no such file"
        );
    }

    #[test]
    fn wrong_settings_of_a_learner_are_wrong_arguments() {
        let nn_bin = NetworkRunError::NnBin {
            path: "nn.bin".into(),
            architecture: Architecture::KPPairs,
        };
        let equal = SearchesRunError::Games(SearchGamesError::EqualPlayers);
        for error in [anyhow::Error::new(nn_bin), anyhow::Error::new(equal)] {
            assert!(is_usage(&error), "{error}");
        }
        let empty = SearchesRunError::Games(SearchGamesError::NoOpenings);
        assert!(!is_usage(&anyhow::Error::new(empty)));
    }

    #[test]
    fn tips_stay_and_the_usage_goes() {
        let text = "error: unexpected argument '--sgima' found\n\n  tip: a similar argument exists: \
                    '--sigma'\n\nUsage: monju consult --sigma <S>\n\nFor more information, try '--help'.\n";
        assert_eq!(
            usage_line(text),
            "unexpected argument '--sgima' found; tip: a similar argument exists: '--sigma'"
        );
        let text =
            "error: the following required arguments were not provided:\n  <LOG>...\n\nUsage: a\n";
        assert_eq!(
            usage_line(text),
            "the following required arguments were not provided: <LOG>..."
        );
    }
}
