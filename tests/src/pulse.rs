//! The machine's own pauses, during which the time of an answer cannot be judged.

use crate::skip::skipped;

/// Times that a void scenario is tried again.
const ATTEMPTS: usize = 10;

/// A scenario that proves nothing, because the machine was too busy to judge it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Void;

/// Runs a scenario until it can be judged; says what was skipped where the machine never lets it be.
pub fn judge(what: &str, mut scenario: impl FnMut() -> Result<(), Void>) {
    for _ in 0..ATTEMPTS {
        if scenario().is_ok() {
            return;
        }
    }
    skipped(&format!(
        "{what}: the machine stopped the referee in each of {ATTEMPTS} attempts"
    ));
}
