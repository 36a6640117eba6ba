//! Observation of long runs.

/// Receives the progress of a run, to show it to a user.
pub trait ProgressObserver {
    /// Begins work on `total` units, of which an earlier run has finished `done`.
    fn begin(&mut self, total: u64, done: u64, unit: &'static str);

    /// Reports the number of finished units, with a remark such as the current loss.
    fn advance(&mut self, done: u64, remark: &str);

    /// Reports a line of text that is worth keeping; may precede [`ProgressObserver::begin`].
    fn message(&mut self, text: &str);

    /// Ends the work.
    fn finish(&mut self, done: u64, remark: &str);
}

/// Ignores all progress.
#[cfg(test)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoProgress;

#[cfg(test)]
impl ProgressObserver for NoProgress {
    fn begin(&mut self, _total: u64, _done: u64, _unit: &'static str) {}

    fn advance(&mut self, _done: u64, _remark: &str) {}

    fn message(&mut self, _text: &str) {}

    fn finish(&mut self, _done: u64, _remark: &str) {}
}
