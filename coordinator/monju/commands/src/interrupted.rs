//! The end of a command that was stopped and can go on.

use std::fmt;

/// A command was stopped before its end, and the same command goes on from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// Work that is left, such as `3 pairs`; `None` where the store does not say.
    pub left: Option<String>,
    /// The command that goes on, if it can be typed.
    pub resume: Option<String>,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.left {
            Some(left) => write!(formatter, "interrupted with {left} to go")?,
            None => formatter.write_str("interrupted while the store does not answer")?,
        }
        match &self.resume {
            Some(resume) => write!(formatter, "; resume with: {resume}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Interrupted {}
