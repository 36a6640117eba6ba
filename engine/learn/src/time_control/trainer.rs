//! The weights of the states in J.

use super::states::SearchState;
use crate::{
    descent::DescentSettings,
    logistic::{Example, normalised},
    setting::{SettingError, check, check_share},
};

/// Settings of the training.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeControlTraining {
    /// Settings of the regression, whose examples are the states.
    pub regression: DescentSettings,
    /// a: weight of wasted time against wrong moves.
    pub waste: f64,
    /// Mean part of the longest time that searches are to take.
    pub share: f64,
}

impl Default for TimeControlTraining {
    fn default() -> Self {
        Self {
            regression: DescentSettings {
                epochs: 10,
                ..DescentSettings::default()
            },
            waste: 0.3,
            share: 1.0 / 3.0,
        }
    }
}

impl TimeControlTraining {
    pub(super) fn check(&self) -> Result<(), SettingError> {
        self.regression.check()?;
        check_share("waste", self.waste)?;
        let is_share = (0.02..=0.98).contains(&self.share);
        check("share", self.share, is_share, "between 0.02 and 0.98")
    }
}

impl<const N: usize> Example for SearchState<N> {
    fn features(&self) -> &[u16] {
        &self.features
    }

    fn is_positive(&self) -> bool {
        self.is_high
    }
}

/// Returns the weight of each state in J, 1 on average.
pub(super) fn importance<const N: usize>(states: &[SearchState<N>], waste: f64) -> Vec<f32> {
    let high = states.iter().filter(|state| state.is_high);
    let (count, wasted) = high.fold((0.0, 0.0), |(count, wasted), state| {
        (count + 1.0, wasted + f64::from(state.next))
    });
    let low = states.len() as f64 - count;
    let all = states.iter().map(|state| match state.is_high {
        true => waste * f64::from(state.next) * count / f64::max(wasted, 1e-9),
        false => (1.0 - waste) * count / low.max(1.0),
    });
    normalised(all.collect())
}
