//! The steps of Adam (Kingma and Ba, 2015), one weight at a time.

/// The numbers of an optimizer by Adam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamNumbers {
    /// Decay of the mean of the slopes.
    pub first: f32,
    /// Decay of the mean of their squares.
    pub second: f32,
    /// Size of a slope, beside its usual one, that makes steps shorter: rare slopes are unreliable.
    pub floor: f32,
}

impl AdamNumbers {
    /// Those of the publication.
    pub const USUAL: Self = Self {
        first: 0.9,
        second: 0.999,
        floor: 1e-8,
    };

    /// Returns the step with this number, counted from 1, of weights that change by about `rate`.
    pub fn step(self, number: u64, rate: f32) -> AdamStep {
        // Means that began at 0 are too small by these shares.
        let share = |decay: f32| 1.0 - libm::pow(f64::from(decay), number as f64) as f32;
        AdamStep {
            numbers: self,
            rate: rate / share(self.first),
            second_correction: 1.0 / share(self.second),
        }
    }
}

/// What is the same for all weights in one step.
#[derive(Clone, Copy, Debug)]
pub struct AdamStep {
    numbers: AdamNumbers,
    rate: f32,
    second_correction: f32,
}

impl AdamStep {
    /// Takes a slope into the moments of its weight, and returns what is to be subtracted from the weight.
    #[inline(always)]
    pub fn change(self, slope: f32, first: &mut f32, second: &mut f32) -> f32 {
        let AdamNumbers {
            first: first_decay,
            second: second_decay,
            floor,
        } = self.numbers;
        *first = first_decay * *first + (1.0 - first_decay) * slope;
        *second = second_decay * *second + (1.0 - second_decay) * slope * slope;
        self.rate * *first / ((*second * self.second_correction).sqrt() + floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_step_is_as_long_as_the_rate_against_the_slope() {
        for (slope, expected) in [(30.0, 0.25), (-0.5, -0.25), (0.0, 0.0)] {
            let step = AdamNumbers::USUAL.step(1, 0.25);
            let (mut first, mut second) = (0.0, 0.0);
            let change = step.change(slope, &mut first, &mut second);
            assert!((change - expected).abs() < 1e-6, "{slope}: {change}");
        }
    }

    #[test]
    fn slopes_of_changing_signs_make_short_steps() {
        let (mut first, mut second) = (0.0, 0.0);
        let mut change = 0.0_f32;
        for number in 1..=200 {
            let slope = if number % 2 == 0 { 1.0 } else { -1.0 };
            change = AdamNumbers::USUAL
                .step(number, 0.25)
                .change(slope, &mut first, &mut second);
        }
        assert!(change.abs() < 0.02, "{change}");
    }
}
