//! `monju danger`: the danger-discriminating search on a position, or on many.

mod judge;
mod survey;

pub use judge::Judge;
pub use survey::Survey;

/// A search on one position or on many.
#[derive(Clone, Debug)]
pub enum DangerCommand {
    /// One position.
    Judge(Box<Judge>),
    /// Every opening of a file.
    Survey(Survey),
}

impl DangerCommand {
    /// Searches, and prints the result to standard output.
    ///
    /// # Errors
    /// Standard output is closed, or the openings cannot be read.
    pub fn run(&self) -> anyhow::Result<()> {
        match self {
            Self::Judge(judge) => judge.run(),
            Self::Survey(survey) => survey.run(),
        }
    }
}
