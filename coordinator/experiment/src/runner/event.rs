//! Messages to and from a running runner.

/// Order to a running runner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StopLevel {
    /// Go on.
    #[default]
    No,
    /// Finish the pairs under way, and begin no more.
    Drain,
    /// Give back the pairs under way.
    Abort,
}

/// News from a running runner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunnerEvent {
    /// A pair was finished.
    Finished {
        /// Index of its cell.
        cell: usize,
        /// Its number.
        pair: u32,
        /// Half points of the first side.
        half_points: u32,
    },
    /// The result of a pair was dropped: another runner has finished it, or has it, or its cell was closed meanwhile.
    Uncounted {
        /// Index of its cell.
        cell: usize,
        /// Its number.
        pair: u32,
    },
    /// A pair failed.
    Failed {
        /// Index of its cell.
        cell: usize,
        /// Its number.
        pair: u32,
        /// Reason of the failure.
        reason: String,
    },
    /// The stopping rule closed a cell.
    Closed {
        /// Index of the cell.
        cell: usize,
    },
    /// A board has ended before the others, by an error.
    BoardEnded(String),
    /// The store cannot be reached; the runner waits for it.
    Waiting(String),
}
