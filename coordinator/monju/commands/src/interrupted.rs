//! The end of a command that was stopped and can go on.

use monju_team::signals;
use std::fmt;

/// A command was stopped before its end, and the same command goes on from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// Where it was stopped, such as `with 3 pairs to go`.
    pub place: String,
    /// The command that goes on, if it can be typed.
    pub resume: Option<String>,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "interrupted {}", self.place)?;
        match &self.resume {
            Some(resume) => write!(formatter, "; resume with: {resume}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Interrupted {}

impl Interrupted {
    /// A command was stopped with work left, such as `3 pairs`.
    pub fn with(left: &str, resume: Option<String>) -> Self {
        Self {
            place: format!("with {left} to go"),
            resume,
        }
    }
}

/// Does what comes before the first game.
///
/// # Errors
/// Those of the work, or it was [`Interrupted`].
pub(crate) async fn preparing<T>(
    work: impl Future<Output = anyhow::Result<T>>,
    resume: Option<String>,
) -> anyhow::Result<T> {
    tokio::select! {
        outcome = work => outcome,
        () = signals::termination() => Err(Interrupted {
            place: "before the first game".to_owned(),
            resume,
        }
        .into()),
    }
}
