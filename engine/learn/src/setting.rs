//! Validation of training settings.

/// A training setting that is out of range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{name} must be {expected}, not {given}")]
pub struct SettingError {
    /// Name of the setting.
    pub name: &'static str,
    /// Rejected value.
    pub given: f64,
    /// Allowed range, in words.
    pub expected: &'static str,
}

pub(crate) fn check(
    name: &'static str,
    given: f64,
    is_valid: bool,
    expected: &'static str,
) -> Result<(), SettingError> {
    let error = SettingError {
        name,
        given,
        expected,
    };
    if is_valid { Ok(()) } else { Err(error) }
}

/// Checks that a setting is between 0 and 1.
pub(crate) fn check_share(name: &'static str, given: f64) -> Result<(), SettingError> {
    let is_share = (0.0..=1.0).contains(&given);
    check(name, given, is_share, "between 0 and 1")
}

/// Checks the settings that every training on scores and results has.
pub(crate) fn check_common(
    batch: usize,
    rate: f64,
    lambda: f64,
    scale: f64,
) -> Result<(), SettingError> {
    check("batch", batch as f64, batch > 0, "positive")?;
    check_share("lambda", lambda)?;
    check("rate", rate, rate > 0.0 && rate < 1.0, "between 0 and 1")?;
    let is_scale = (100.0..=10_000.0).contains(&scale);
    check("scale", scale, is_scale, "between 100 and 10000")
}
