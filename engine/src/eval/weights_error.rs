use super::nnue::file::NetworkError;

/// Error of bytes that are not the weights of an evaluator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WeightsError {
    /// The file has another format.
    #[error("no weights of this evaluator: the file does not begin with '{expected}'")]
    Header {
        /// The expected first line.
        expected: &'static str,
    },
    /// The file is too short or too long.
    #[error("{given} bytes where there must be {expected}; the file may be truncated")]
    Length {
        /// The expected number of bytes.
        expected: usize,
        /// The number of bytes found.
        given: usize,
    },
    /// The text has something unexpected in it.
    #[error("line {line}: expected {expected}, found {found}")]
    Text {
        /// Number of the line, from 1.
        line: usize,
        /// The expected text.
        expected: String,
        /// The text found.
        found: String,
    },
    /// The content does not match the hash in the file.
    #[error("the file is damaged: its content does not match its checksum")]
    Damaged,
    /// The weights are not a network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}
