//! Simultaneous perturbation stochastic approximation (Spall 1992): all numbers are varied at once, each
//! by chance up or down, and moved towards the side that won.

use anyhow::{Context as _, bail};
use monju_engine::{EvaluatorKind, SearchChoices, SearchOptions};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Exponents of the gains, as Spall recommends them.
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;

/// An option of the search that is tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: &'static str,
    /// The best value so far.
    pub value: f64,
    /// By how much it is varied in the last update.
    step: f64,
    low: f64,
    high: f64,
}

impl Parameter {
    /// From `NAME:STEP`, or `NAME:STEP:START` where it does not begin at what it is with the evaluator.
    pub fn parse(text: &str, evaluator: EvaluatorKind) -> anyhow::Result<Self> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let (name, range) = SearchOptions::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .with_context(|| format!("the search has no option '{name}'"))?;
        let mut number = |what: &str| -> anyhow::Result<Option<f64>> {
            let parse = |part: &str| part.parse().with_context(|| format!("{what} of {text}"));
            parts.next().map(parse).transpose()
        };
        let step: f64 = number("step")?.with_context(|| format!("{text} has no step"))?;
        let start = number("start")?;
        let default = SearchOptions::of(evaluator).get(name).unwrap_or_default();
        if step.is_nan() || step <= 0.0 || parts.next().is_some() {
            bail!("'{text}' is not NAME:STEP or NAME:STEP:START with a step above 0");
        }
        Ok(Self {
            name,
            value: start.unwrap_or(f64::from(default)),
            step,
            low: f64::from(*range.start()),
            high: f64::from(*range.end()),
        })
    }

    fn clamped(&self, value: f64) -> f64 {
        value.clamp(self.low, self.high)
    }
}

/// The numbers, and how far their tuning has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Spsa {
    pub parameters: Vec<Parameter>,
    /// Updates that were made.
    pub updates: usize,
    /// Updates that will be.
    planned: usize,
    /// Gain of the last update: by how many steps a point moves a number.
    gain: f64,
    /// What the numbers are a function of.
    recipe: String,
}

impl Spsa {
    pub fn new(parameters: Vec<Parameter>, planned: usize, gain: f64, recipe: String) -> Self {
        Self {
            parameters,
            updates: 0,
            planned,
            gain,
            recipe,
        }
    }

    /// By how many of its steps each number is varied now, and by how many a point moves it.
    fn gains(&self) -> (f64, f64) {
        let planned = self.planned as f64;
        let now = self.updates as f64 + 1.0;
        // A tenth of the updates keeps the first ones from leaping.
        let delay = 0.1 * planned;
        let vary = (planned / now).powf(GAMMA);
        let gain = self.gain * ((delay + planned) / (delay + now)).powf(ALPHA);
        (vary, gain / vary)
    }

    /// The options of the two sides: every number varied up (`true`) or down by the first, and the
    /// other way by the second.
    pub fn sides(&self, up: &[bool]) -> anyhow::Result<[SearchChoices; 2]> {
        let (vary, _) = self.gains();
        let side = |sign: f64| -> anyhow::Result<SearchChoices> {
            let mut text = String::new();
            for (parameter, &up) in self.parameters.iter().zip(up) {
                let sign = if up { sign } else { -sign };
                let value = parameter.clamped(parameter.value + sign * vary * parameter.step);
                write!(text, "{}={:.0},", parameter.name, value)?;
            }
            Ok(text.parse()?)
        };
        Ok([side(1.0)?, side(-1.0)?])
    }

    /// Learns from games whose first sides were varied as `up` says, and scored so many points more than
    /// their second sides.
    pub fn update(&mut self, outcomes: &[(Vec<bool>, f64)]) {
        let (_, gain) = self.gains();
        for (up, points) in outcomes {
            for (parameter, &up) in self.parameters.iter_mut().zip(up) {
                let sign = if up { 1.0 } else { -1.0 };
                let moved = parameter.value + gain * parameter.step * sign * points;
                parameter.value = parameter.clamped(moved);
            }
        }
        self.updates += 1;
    }

    /// The numbers as options of the search.
    pub fn options(&self) -> String {
        let texts = self.parameters.iter();
        let texts: Vec<_> = texts
            .map(|parameter| format!("{}={:.0}", parameter.name, parameter.value))
            .collect();
        texts.join(",")
    }

    /// What has to be kept to go on later.
    pub fn state(&self) -> Value {
        let values = self.parameters.iter();
        let values: Vec<_> = values
            .map(|parameter| json!([parameter.name, parameter.value]))
            .collect();
        json!({ "recipe": self.recipe, "updates": self.updates, "values": values })
    }

    /// Goes on from there.
    ///
    /// # Errors
    /// It is no state, or one that other arguments led to.
    pub fn resume(&mut self, state: &Value) -> anyhow::Result<()> {
        let recipe = state["recipe"].as_str().unwrap_or("it does not say what");
        if recipe != self.recipe {
            bail!(
                "it was made by other arguments ({recipe}): give them again, or choose another file"
            );
        }
        let updates = state["updates"].as_u64().context("no number of updates")?;
        for (index, parameter) in self.parameters.iter_mut().enumerate() {
            let [name, value] = [0, 1].map(|part| &state["values"][index][part]);
            if name.as_str() != Some(parameter.name) {
                bail!("it lacks {}", parameter.name);
            }
            parameter.value = value.as_f64().context("no value")?;
        }
        self.updates = updates as usize;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spsa(planned: usize) -> Spsa {
        let parameters = ["razoring_base:10", "futility_base:20:100"];
        let parameters =
            parameters.map(|text| Parameter::parse(text, EvaluatorKind::Nnue).unwrap());
        Spsa::new(
            parameters.to_vec(),
            planned,
            0.05,
            format!("{planned} updates"),
        )
    }

    #[test]
    fn numbers_move_to_where_games_are_won() {
        let mut spsa = spsa(400);
        let mut state = 1u64;
        for _ in 0..400 {
            let outcomes: Vec<_> = (0..4)
                .map(|_| {
                    let up: Vec<_> = (0..2)
                        .map(|_| {
                            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                            state >> 63 == 1
                        })
                        .collect();
                    let [first, second] = spsa.sides(&up).unwrap();
                    let loss = |choices: &SearchChoices| {
                        let options = choices.over(SearchOptions::default());
                        let base = f64::from(options.razoring_base - 200) / 50.0;
                        let futility = f64::from(options.futility_base - 60) / 50.0;
                        base * base + futility * futility
                    };
                    (up, (loss(&second) - loss(&first)).clamp(-2.0, 2.0))
                })
                .collect();
            spsa.update(&outcomes);
        }
        let [base, futility] = [0, 1].map(|index: usize| spsa.parameters[index].value);
        assert!((base - 200.0).abs() < 10.0, "{base}");
        assert!((futility - 60.0).abs() < 10.0, "{futility}");
    }

    #[test]
    fn a_state_is_read_back_and_one_of_other_arguments_is_refused() {
        let mut tuned = spsa(10);
        tuned.update(&[(vec![true, false], 2.0)]);
        let mut resumed = spsa(10);
        resumed.resume(&tuned.state()).unwrap();
        assert_eq!(resumed, tuned);
        let error = spsa(20).resume(&tuned.state()).unwrap_err().to_string();
        assert!(error.contains("(10 updates)"), "{error}");
        let mut damaged = tuned.state();
        damaged["values"][1][0] = json!("null_move_surplus");
        assert!(spsa(10).resume(&damaged).is_err());
    }

    #[test]
    fn what_is_no_parameter_is_refused() {
        for text in [
            "",
            "nonsense:1",
            "razoring_base",
            "razoring_base:0",
            "razoring_base:1:2:3",
        ] {
            assert!(
                Parameter::parse(text, EvaluatorKind::Nnue).is_err(),
                "{text}"
            );
        }
    }
}
