use super::nnue::file::NetworkError;

/// Why there is no such evaluator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// Another format.
    #[error("no weights of this evaluator: the file does not begin with '{expected}'")]
    Header {
        /// What it begins with.
        expected: &'static str,
    },
    /// Too short or too long.
    #[error("{given} bytes where there must be {expected}; the file may be truncated")]
    Length {
        /// How many bytes there must be.
        expected: usize,
        /// How many there are.
        given: usize,
    },
    /// A text with something else in it.
    #[error("line {line}: expected {expected}, found {found}")]
    Text {
        /// The line, from 1.
        line: usize,
        /// What must stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The content does not have the hash that the file says.
    #[error("the file is damaged: its content does not match its checksum")]
    Damaged,
    /// Weights that are no network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}
