//! What settings of a training may be.

/// A setting that makes no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name} must be {expected}, not {given}")]
pub struct SettingError {
    /// Which one.
    pub name: &'static str,
    /// What it is.
    pub given: f64,
    /// What it may be.
    pub expected: &'static str,
}

pub(super) fn check(
    name: &'static str,
    given: f64,
    fits: bool,
    expected: &'static str,
) -> Result<(), SettingError> {
    let error = SettingError {
        name,
        given,
        expected,
    };
    if fits { Ok(()) } else { Err(error) }
}

/// Checks what every training from scores and results has.
pub(super) fn check_common(
    batch: usize,
    rate: f64,
    lambda: f64,
    scale: f64,
) -> Result<(), SettingError> {
    check("batch", batch as f64, batch > 0, "positive")?;
    let is_share = (0.0..=1.0).contains(&lambda);
    check("lambda", lambda, is_share, "between 0 and 1")?;
    check("rate", rate, rate > 0.0 && rate < 1.0, "between 0 and 1")?;
    let is_scale = (100.0..=10_000.0).contains(&scale);
    check("scale", scale, is_scale, "between 100 and 10000")
}
