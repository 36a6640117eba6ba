//! Errors of assembling a team: one line each, with the remedy.

use crate::config::ConfigError;
use monju_coordinator::{
    calibration::CalibrationError,
    record::RecordError,
    roster::{AddressError, ReachError},
    voting::Rule,
};
use monju_host::{BookFileError, PlayersError, PlayersStartError};
use monju_proto::{serve::ServeError, tls::TlsError};
use std::io;

/// Error of reaching or starting a coordinator.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The address of a worker or coordinator is wrong.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The certificates cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The calibration cannot be used.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// The log cannot be opened.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The opening book cannot be loaded.
    #[error(transparent)]
    Book(#[from] BookFileError),
    /// Players of the command line are wrong; they have no table that could be named.
    #[error("{}", .0.problem)]
    Players(#[source] PlayersError),
    /// A player cannot be started.
    #[error(transparent)]
    Start(#[from] PlayersStartError),
    /// A service cannot be served.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// The thread of the fallback search cannot be started.
    #[error("cannot start the thread of the fallback search: {0}")]
    Fallback(#[source] io::Error),
    /// The coordinator does not answer.
    #[error(
        "no coordinator at {url}: {source}; start one with 'monju coordinator', or correct the \
         address"
    )]
    Unreachable {
        /// Address of the coordinator.
        url: String,
        /// Failure of the call.
        source: ReachError,
    },
    /// The coordinator answers, and refuses this member.
    #[error("the coordinator at {url} refuses: {reason}")]
    Refused {
        /// Address of the coordinator.
        url: String,
        /// The coordinator's words.
        reason: String,
    },
    /// A choice that only applies to an embedded coordinator.
    #[error(
        "{what} cannot be chosen here: the coordinator at {url} and its workers have their own configuration; leave \
         out {what}, or the coordinator"
    )]
    NotRemote {
        /// The choice.
        what: &'static str,
        /// Address of the coordinator.
        url: String,
    },
    /// A choice for native players without any.
    #[error(
        "{what} cannot be chosen: the configuration has no native players of its own; leave it out, \
         or choose a number of players, too"
    )]
    NoNatives {
        /// The choice.
        what: &'static str,
    },
    /// A rule that requires a primary player without one.
    #[error(
        "rule '{0}' needs a primary player; name one by --primary, or in the configuration by primary = …"
    )]
    NoPrimary(Rule),
    /// A choice that could only be ignored.
    #[error(transparent)]
    Ignored(#[from] IgnoredChoice),
}

impl From<PlayersError> for AssembleError {
    fn from(error: PlayersError) -> Self {
        Self::Players(error)
    }
}

/// A choice that a team ignores.
#[derive(Debug, thiserror::Error)]
pub enum IgnoredChoice {
    /// A remote coordinator has its own setting.
    #[error(
        "{what} is left to the coordinator at {url}, which has its own configuration; leave it at its default"
    )]
    Remote {
        /// The choice.
        what: &'static str,
        /// Address of the coordinator.
        url: String,
    },
    /// A coordinator is there twice.
    #[error(
        "coordinator {0} is listed twice, and cannot take over from itself; correct one of the two addresses"
    )]
    Twice(String),
    /// A remote coordinator lacks the primary player that a rule requires.
    #[error(
        "rule '{rule}' needs a primary player, and the coordinator at {url} has none; name one by the \
         option Primary, by --primary or in its configuration"
    )]
    NoRemotePrimary {
        /// The chosen rule.
        rule: Rule,
        /// Address of the coordinator.
        url: String,
        /// The rule that decides instead.
        instead: String,
    },
    /// The configuration lacks the primary player that a rule requires.
    #[error(
        "rule '{rule}' needs a primary player; name one by the option Primary, by --primary or by \
         primary = … in the configuration"
    )]
    NoPrimary {
        /// The chosen rule.
        rule: Rule,
        /// The rule that decides instead.
        instead: Rule,
    },
    /// The chosen primary is no player.
    #[error("primary '{primary}' is no player of the team; name one of: {names}")]
    UnknownPrimary {
        /// The chosen name.
        primary: String,
        /// The players.
        names: String,
    },
    /// A number of threads without native players.
    #[error(
        "the number of threads cannot be chosen: the configuration has no native players of its own; \
         give its engines their own option"
    )]
    NoNatives,
    /// A resignation without a calibration.
    #[error(
        "resignation needs win rates; name a calibration in the configuration, which \
         'monju calibrate' makes"
    )]
    NoWinRates,
    /// The log cannot be opened.
    #[error(transparent)]
    Log(RecordError),
    /// The opening book cannot be loaded.
    #[error(transparent)]
    Book(BookFileError),
    /// The calibration cannot be used.
    #[error(transparent)]
    Calibration(CalibrationError),
}

impl IgnoredChoice {
    /// Says what a team does that plays without the choice.
    pub fn note(&self) -> String {
        let instead = match self {
            Self::NoRemotePrimary { instead, .. } => {
                &*format!("its own rule '{instead}' decides games until then")
            }
            Self::NoPrimary { instead, .. } => {
                &*format!("rule '{instead}' decides games until then")
            }
            Self::Log(_) => "nothing is recorded",
            Self::Book(_) => "the team plays without a book",
            Self::Calibration(_) => "scores of different engines are not compared",
            Self::Remote { .. }
            | Self::Twice(_)
            | Self::UnknownPrimary { .. }
            | Self::NoNatives
            | Self::NoWinRates => return self.to_string(),
        };
        format!("{self}; {instead}")
    }
}
