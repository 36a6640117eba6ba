//! Simultaneous perturbation stochastic approximation (Spall 1992): all numbers are varied at once, each
//! up or down at random, and moved towards the side that won.

use monju_engine::{EvaluatorKind, SearchChoices, SearchOption, SearchOptions, SearchOptionsError};
use serde_json::{Value, json};
use std::num::ParseFloatError;

/// Exponent of the gain, as Spall recommends it.
const ALPHA: f64 = 0.602;

/// Exponent of the variation, as Spall recommends it.
const GAMMA: f64 = 0.101;

/// Least step: with a smaller one, both sides of a pair could play with the same whole number.
const LEAST_STEP: f64 = 0.5;

/// Error of a tuning.
#[derive(Debug, thiserror::Error)]
pub enum SpsaError {
    /// The search has no such option.
    #[error("the search has no option '{0}'")]
    UnknownOption(String),
    /// The text is not a parameter.
    #[error(
        "'{0}' is not NAME:STEP or NAME:STEP:START with a step of at least 0.5: the search takes whole numbers"
    )]
    Form(String),
    /// The number is there twice.
    #[error("'{0}' is tuned twice; remove one of the two")]
    Twice(&'static str),
    /// The step leads out of the range of the option from any value.
    #[error("'{text}' has a step above {most}, the whole range of the option")]
    Step {
        /// The parameter.
        text: String,
        /// Length of the range.
        most: i64,
    },
    /// The start is no value of the option.
    #[error("'{text}' starts outside of {low} to {high}")]
    Start {
        /// The parameter.
        text: String,
        /// Least value of the option.
        low: i32,
        /// Largest value of the option.
        high: i32,
    },
    /// A number of a parameter cannot be read.
    #[error("'{text}': {source}")]
    Number {
        /// The parameter.
        text: String,
        /// The parser's error.
        source: ParseFloatError,
    },
    /// The search refuses a value.
    #[error(transparent)]
    Option(#[from] SearchOptionsError),
    /// The state belongs to other arguments, or to other openings in their file.
    #[error(
        "it was made by other arguments or openings ({theirs}; these are {ours}): give them again, or choose another file"
    )]
    OtherRecipe {
        /// The recipe of the state.
        theirs: String,
        /// The recipe of this tuning.
        ours: String,
    },
    /// The state lacks a value.
    #[error("it lacks {0}")]
    Incomplete(&'static str),
}

/// One game pair of an update: the direction in which its first side varied each number, and the points by
/// which that side won, from −2 to 2.
pub type PairPoints = (Vec<bool>, f64);

/// An option of the search that is tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedParameter {
    /// Name of the option.
    pub name: &'static str,
    /// Best value so far.
    pub value: f64,
    /// Variation in the last update.
    step: f64,
    low: f64,
    high: f64,
}

impl TunedParameter {
    /// Reads several parameters, as [`Self::parse`] reads one.
    ///
    /// # Errors
    /// One cannot be read, or is there twice.
    pub fn parse_all(texts: &[String], evaluator: EvaluatorKind) -> Result<Vec<Self>, SpsaError> {
        let mut parameters = Vec::<Self>::new();
        for text in texts {
            let parameter = Self::parse(text, evaluator)?;
            if parameters.iter().any(|other| other.name == parameter.name) {
                return Err(SpsaError::Twice(parameter.name));
            }
            parameters.push(parameter);
        }
        Ok(parameters)
    }

    /// Reads `NAME:STEP`, which starts at the evaluator's default, or `NAME:STEP:START`.
    ///
    /// # Errors
    /// The text has another form, or the search has no such option.
    pub fn parse(text: &str, evaluator: EvaluatorKind) -> Result<Self, SpsaError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let SearchOption { name, range, .. } = SearchOptions::all()
            .find(|option| option.name == name)
            .ok_or_else(|| SpsaError::UnknownOption(name.to_owned()))?;
        let form = || SpsaError::Form(text.to_owned());
        let mut number = || -> Result<Option<f64>, SpsaError> {
            let parse = |part: &str| {
                part.parse().map_err(|source| SpsaError::Number {
                    text: text.to_owned(),
                    source,
                })
            };
            parts.next().map(parse).transpose()
        };
        let step = number()?.ok_or_else(form)?;
        let start = number()?;
        let default = SearchOptions::of(evaluator).get(name).unwrap_or_default();
        if !(LEAST_STEP..f64::INFINITY).contains(&step) || parts.next().is_some() {
            return Err(form());
        }
        let (low, high) = (*range.start(), *range.end());
        let most = i64::from(high) - i64::from(low);
        if step > most as f64 {
            let text = text.to_owned();
            return Err(SpsaError::Step { text, most });
        }
        if start.is_some_and(|start| !(f64::from(low)..=f64::from(high)).contains(&start)) {
            let text = text.to_owned();
            return Err(SpsaError::Start { text, low, high });
        }
        Ok(Self {
            name,
            value: start.unwrap_or(f64::from(default)),
            step,
            low: f64::from(low),
            high: f64::from(high),
        })
    }

    fn clamped(&self, value: f64) -> f64 {
        value.clamp(self.low, self.high)
    }
}

/// The numbers, and the progress of their tuning.
#[derive(Clone, Debug, PartialEq)]
pub struct Spsa {
    /// Numbers that are tuned.
    pub parameters: Vec<TunedParameter>,
    /// Updates that were made.
    pub updates: usize,
    /// Updates that are planned.
    planned: usize,
    /// Gain of the last update: steps by which a point moves a number.
    gain: f64,
    /// Everything that the numbers are a function of, in words.
    recipe: String,
}

impl Spsa {
    /// A tuning before its first update.
    pub fn new(parameters: Vec<TunedParameter>, planned: usize, gain: f64, recipe: String) -> Self {
        Self {
            parameters,
            updates: 0,
            planned,
            gain,
            recipe,
        }
    }

    /// Steps by which each number is varied now, and steps by which a point moves it.
    fn gains(&self) -> (f64, f64) {
        let planned = self.planned as f64;
        let now = self.updates as f64 + 1.0;
        // A delay of a tenth of the updates keeps the first ones small.
        let delay = 0.1 * planned;
        let vary = (planned / now).powf(GAMMA);
        let gain = self.gain * ((delay + planned) / (delay + now)).powf(ALPHA);
        (vary, gain / vary)
    }

    /// Options of the two sides: the first varies every number up (`true`) or down, the second the other
    /// way.
    ///
    /// # Errors
    /// The search refuses a value.
    pub fn sides(&self, up: &[bool]) -> Result<[SearchChoices; 2], SpsaError> {
        let (vary, _) = self.gains();
        let side = |sign: f64| -> Result<SearchChoices, SpsaError> {
            let varied = self.parameters.iter().zip(up).map(|(parameter, &up)| {
                let sign = if up { sign } else { -sign };
                let value = parameter.clamped(parameter.value + sign * vary * parameter.step);
                format!("{}={value:.0},", parameter.name)
            });
            Ok(varied.collect::<String>().parse()?)
        };
        Ok([side(1.0)?, side(-1.0)?])
    }

    /// Moves the numbers by the results of one update's pairs.
    pub fn update(&mut self, outcomes: &[PairPoints]) {
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

    /// The state to go on from later.
    pub fn state(&self) -> Value {
        let values = self.parameters.iter();
        let values: Vec<_> = values
            .map(|parameter| json!([parameter.name, parameter.value]))
            .collect();
        json!({ "recipe": self.recipe, "updates": self.updates, "values": values })
    }

    /// Takes over a state.
    ///
    /// # Errors
    /// The value is not a state, or belongs to other arguments.
    pub fn resume(&mut self, state: &Value) -> Result<(), SpsaError> {
        let recipe = state["recipe"].as_str().unwrap_or("not named");
        if recipe != self.recipe {
            return Err(SpsaError::OtherRecipe {
                theirs: recipe.to_owned(),
                ours: self.recipe.clone(),
            });
        }
        let updates = state["updates"]
            .as_u64()
            .ok_or(SpsaError::Incomplete("the number of updates"))?;
        for (index, parameter) in self.parameters.iter_mut().enumerate() {
            let [name, value] = [0, 1].map(|part| &state["values"][index][part]);
            if name.as_str() != Some(parameter.name) {
                return Err(SpsaError::Incomplete(parameter.name));
            }
            parameter.value = value.as_f64().ok_or(SpsaError::Incomplete("a value"))?;
        }
        self.updates = updates as usize;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spsa(planned: usize) -> Spsa {
        let parameters = ["margin_scale:10", "reduction_divisor:20:180"];
        let parameters =
            parameters.map(|text| TunedParameter::parse(text, EvaluatorKind::Nnue).expect("known"));
        Spsa::new(
            parameters.to_vec(),
            planned,
            0.05,
            format!("{planned} updates"),
        )
    }

    #[test]
    fn a_number_is_tuned_once_and_by_steps_within_its_range() {
        let parse = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
            TunedParameter::parse_all(&texts, EvaluatorKind::Nnue)
                .map_err(|error| error.to_string())
        };
        assert!(parse(&["margin_scale:10", "reduction_divisor:20"]).is_ok());
        let twice = parse(&["margin_scale:10", "margin_scale:5"]).expect_err("twice");
        assert!(twice.contains("'margin_scale' is tuned twice"), "{twice}");
        let far = parse(&["margin_scale:1e99"]).expect_err("beyond all values");
        assert!(far.contains("a step above"), "{far}");
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
                    let [first, second] = spsa.sides(&up).expect("known options");
                    let loss = |choices: &SearchChoices| {
                        let options = choices.over(SearchOptions::default());
                        let scale = f64::from(options.margin_scale - 200) / 50.0;
                        let divisor = f64::from(options.reduction_divisor - 140) / 50.0;
                        scale * scale + divisor * divisor
                    };
                    (up, (loss(&second) - loss(&first)).clamp(-2.0, 2.0))
                })
                .collect();
            spsa.update(&outcomes);
        }
        let [scale, divisor] = [0, 1].map(|index: usize| spsa.parameters[index].value);
        assert!((scale - 200.0).abs() < 10.0, "{scale}");
        assert!((divisor - 140.0).abs() < 10.0, "{divisor}");
    }

    #[test]
    fn a_state_is_read_back_and_one_of_other_arguments_is_refused() {
        let mut tuned = spsa(10);
        tuned.update(&[(vec![true, false], 2.0)]);
        let mut resumed = spsa(10);
        resumed.resume(&tuned.state()).expect("its state");
        assert_eq!(resumed, tuned);
        let error = spsa(20)
            .resume(&tuned.state())
            .expect_err("refused")
            .to_string();
        assert!(
            error.contains("(10 updates; these are 20 updates)"),
            "{error}"
        );
        let mut damaged = tuned.state();
        damaged["values"][1][0] = json!("correction_weight");
        assert!(spsa(10).resume(&damaged).is_err());
    }

    #[test]
    fn other_texts_than_parameters_are_refused() {
        for text in [
            "",
            "nonsense:1",
            "margin_scale",
            "margin_scale:0",
            "margin_scale:0.2",
            "margin_scale:inf",
            "margin_scale:10:-1",
            "margin_scale:10:NaN",
            "margin_scale:1:2:3",
        ] {
            assert!(
                TunedParameter::parse(text, EvaluatorKind::Nnue).is_err(),
                "{text}"
            );
        }
    }
}
