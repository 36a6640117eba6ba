//! Tables of USI options: one row declares, explains, checks and sets one option.

use monju_engine::{
    EvaluatorChoice, EvaluatorKind, Model,
    eval::{Noise, Sigma},
};
use monju_host::DEFAULT_HASH_MIB;
use std::{error::Error, ops::RangeInclusive, path::PathBuf, str::FromStr};

/// Default of `USI_Hash`, which leaves the size to the command line and the configuration; their
/// own default is the same.
pub const HASH_DEFAULT: u32 = DEFAULT_HASH_MIB;
/// Range of `USI_Hash` in MiB.
pub const HASH_RANGE: RangeInclusive<u32> = 1..=1 << 20;

/// Range of `MultiPV`.
pub const MULTI_PV_RANGE: RangeInclusive<u32> = 1..=16;

/// Sets an option of `T`, for combos and texts. `None` is the declared default.
pub type SetText<T> = fn(&mut T, Option<&str>) -> Result<(), Box<dyn Error + Send + Sync>>;

/// One option of a front end, whose values are kept in a `T`.
pub struct UsiOption<T: 'static> {
    /// The name, without blanks.
    pub name: &'static str,
    /// Former names, accepted but not declared.
    pub aliases: &'static [&'static str],
    /// One line for users.
    pub help: &'static str,
    /// The type, the default, the range, and the way to set a value.
    pub kind: OptionKind<T>,
}

/// The type of an option. Setters receive `None` for the declared default: GUIs send every default
/// back, and a default must not override the command line or the configuration file.
pub enum OptionKind<T> {
    /// A check box that GUIs expect and that has no effect here.
    IgnoredCheck,
    /// A check box.
    Check {
        /// The declared default.
        default: bool,
        /// Sets the value.
        set: fn(&mut T, Option<bool>),
    },
    /// A whole number.
    Spin {
        /// The declared default.
        default: u32,
        /// The accepted values.
        range: RangeInclusive<u32>,
        /// Sets the value.
        set: fn(&mut T, Option<u32>),
    },
    /// A whole number that may be negative.
    Signed {
        /// The declared default.
        default: i32,
        /// The accepted values.
        range: RangeInclusive<i32>,
        /// Sets the value.
        set: fn(&mut T, Option<i32>),
    },
    /// A whole number of 64 bits, declared as a string because the spin boxes of GUIs hold fewer.
    LargeNumber {
        /// Sets the value.
        set: fn(&mut T, Option<u64>),
    },
    /// One of several words.
    Combo {
        /// Returns the declared default.
        default: fn() -> String,
        /// Returns all words.
        words: fn() -> Vec<String>,
        /// Sets the value.
        set: SetText<T>,
    },
    /// The path of a file, which GUIs let users browse for; the default is none.
    File {
        /// Sets the value.
        set: SetText<T>,
    },
    /// Any text; the default is the empty one.
    Text {
        /// Sets the value.
        set: SetText<T>,
    },
}

/// The reason why a value was refused; the option keeps its former value.
#[derive(Debug, thiserror::Error)]
pub enum OptionError {
    /// The value is not a number of the declared range.
    #[error(
        "option {option} must be a whole number from {} to {}, not '{value}'",
        range.start(),
        range.end()
    )]
    Number {
        /// The option.
        option: &'static str,
        /// The accepted values.
        range: RangeInclusive<i128>,
        /// The given value.
        value: String,
    },
    /// The value of a check box is neither true nor false.
    #[error("option {option} must be true or false, not '{value}'")]
    Check {
        /// The option.
        option: &'static str,
        /// The given value.
        value: String,
    },
    /// The value is none of the declared words.
    #[error("option {option} must be one of {expected}, not '{value}'")]
    Word {
        /// The option.
        option: &'static str,
        /// The declared words, separated by commas.
        expected: String,
        /// The given value.
        value: String,
    },
    /// The value has no meaning.
    #[error("option {option}: {source}")]
    Value {
        /// The option.
        option: &'static str,
        /// The reason, with the given value.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// Returns the `option` lines in the order of the table.
pub fn declarations<T>(table: &[UsiOption<T>]) -> Vec<String> {
    table
        .iter()
        .map(|option| {
            format!(
                "option name {} type {}",
                option.name,
                option.kind.declared()
            )
        })
        .collect()
}

/// Returns one line of help for every option in the table.
pub fn help<T>(table: &[UsiOption<T>]) -> String {
    let lines: Vec<String> = table
        .iter()
        .map(|option| format!("  {:<14} {}", option.name, option.help))
        .collect();
    lines.join("\n")
}

/// Sets an option by its name, in any case, or by a former name. Options that the table lacks are
/// ignored: they are never passed on to players, each of which has its own share of threads and
/// memory.
///
/// # Errors
/// The value does not fit the declaration.
pub fn set<T>(
    table: &[UsiOption<T>],
    target: &mut T,
    name: &str,
    value: &str,
) -> Result<(), OptionError> {
    match table.iter().find(|option| option.is_named(name)) {
        Some(option) => option.set(target, value),
        None => {
            tracing::debug!(name, value, "unknown option");
            Ok(())
        }
    }
}

/// As [`set`], but a value that does not fit the declaration leaves the declared default.
pub fn set_or_reset<T>(table: &[UsiOption<T>], target: &mut T, name: &str, value: &str) {
    let Some(option) = table.iter().find(|option| option.is_named(name)) else {
        return;
    };
    if option.set(target, value).is_err() {
        // A declared default fits its declaration.
        let _ = option.set(target, &option.kind.default());
    }
}

impl<T> OptionKind<T> {
    /// Returns the declared default.
    fn default(&self) -> String {
        match self {
            Self::IgnoredCheck => false.to_string(),
            Self::Check { default, .. } => default.to_string(),
            Self::Spin { default, .. } => default.to_string(),
            Self::Signed { default, .. } => default.to_string(),
            Self::Combo { default, .. } => default(),
            Self::LargeNumber { .. } | Self::File { .. } | Self::Text { .. } => String::new(),
        }
    }

    /// Returns the rest of the declaration, after the word `type`.
    fn declared(&self) -> String {
        match self {
            Self::IgnoredCheck => "check default false".to_owned(),
            Self::Check { default, .. } => format!("check default {default}"),
            Self::Spin { default, range, .. } => {
                let (minimum, maximum) = (range.start(), range.end());
                format!("spin default {default} min {minimum} max {maximum}")
            }
            Self::Signed { default, range, .. } => {
                let (minimum, maximum) = (range.start(), range.end());
                format!("spin default {default} min {minimum} max {maximum}")
            }
            Self::Combo { default, words, .. } => {
                let words: Vec<String> =
                    words().iter().map(|word| format!(" var {word}")).collect();
                format!("combo default {}{}", default(), words.concat())
            }
            Self::File { .. } => "filename default <empty>".to_owned(),
            Self::LargeNumber { .. } | Self::Text { .. } => "string default <empty>".to_owned(),
        }
    }
}

impl<T> UsiOption<T> {
    fn is_named(&self, name: &str) -> bool {
        let names = [&[self.name], self.aliases].concat();
        names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    fn set(&self, target: &mut T, value: &str) -> Result<(), OptionError> {
        let value = if value == "<empty>" { "" } else { value };
        let set_text = |target: &mut T, set: SetText<T>, value: Option<&str>| {
            set(target, value).map_err(|source| OptionError::Value {
                option: self.name,
                source,
            })
        };
        let filled = Some(value).filter(|value| !value.is_empty());
        match &self.kind {
            OptionKind::IgnoredCheck => {}
            OptionKind::Check { default, set } => {
                let is_set = value.parse().map_err(|_| OptionError::Check {
                    option: self.name,
                    value: value.to_owned(),
                })?;
                set(target, Some(is_set).filter(|is_set| is_set != default));
            }
            OptionKind::Spin {
                default,
                range,
                set,
            } => {
                let range = u64::from(*range.start())..=u64::from(*range.end());
                let number = self.number(value, range)?;
                // The range is one of 32 bits.
                let number = u32::try_from(number).unwrap_or(u32::MAX);
                set(target, Some(number).filter(|number| number != default));
            }
            OptionKind::Signed {
                default,
                range,
                set,
            } => {
                let number =
                    self.number(value, i64::from(*range.start())..=(*range.end()).into())?;
                // The range is one of 32 bits.
                let number = i32::try_from(number).unwrap_or(*default);
                set(target, Some(number).filter(|number| number != default));
            }
            OptionKind::LargeNumber { set } => {
                let number = filled.map(|value| self.number(value, 0..=u64::MAX));
                set(target, number.transpose()?);
            }
            OptionKind::Combo {
                default,
                words,
                set,
            } => {
                let words = words();
                if let Some(value) = filled
                    && !words.iter().any(|word| word == value)
                {
                    return Err(OptionError::Word {
                        option: self.name,
                        expected: words.join(", "),
                        value: value.to_owned(),
                    });
                }
                set_text(target, *set, filled.filter(|value| *value != default()))?;
            }
            OptionKind::File { set } | OptionKind::Text { set } => set_text(target, *set, filled)?,
        }
        Ok(())
    }

    fn number<N>(&self, value: &str, range: RangeInclusive<N>) -> Result<N, OptionError>
    where
        N: Copy + FromStr + PartialOrd + Into<i128>,
    {
        match value.parse() {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => Err(OptionError::Number {
                option: self.name,
                range: (*range.start()).into()..=(*range.end()).into(),
                value: value.to_owned(),
            }),
        }
    }
}

/// Parses an evaluator, `NAME` or `NAME:FILE`.
///
/// # Errors
/// No evaluator has this name.
pub fn evaluator(
    value: Option<&str>,
) -> Result<Option<EvaluatorChoice>, Box<dyn Error + Send + Sync>> {
    Ok(value.map(str::parse).transpose()?)
}

/// Parses a standard deviation; -1 stands for the default, too.
///
/// # Errors
/// The text is not a standard deviation, or a larger one than the noise can have.
pub fn sigma(value: Option<&str>) -> Result<Option<Sigma>, Box<dyn Error + Send + Sync>> {
    let Some(value) = value.filter(|value| !matches!(value.trim(), "" | "-1")) else {
        return Ok(None);
    };
    let sigma: Sigma = value.parse()?;
    // The evaluator that fixes the exact value is not loaded yet; this one is close enough.
    Noise::new(sigma.in_centipawns(&Model::material()), 0)?;
    Ok(Some(sigma))
}

/// Returns an evaluator with the weights of a file. The file of no evaluator is that of a network.
pub fn with_weights(
    evaluator: Option<EvaluatorChoice>,
    file: Option<PathBuf>,
) -> Option<EvaluatorChoice> {
    let Some(file) = file else {
        return evaluator;
    };
    let evaluator = evaluator.unwrap_or(EvaluatorChoice {
        kind: EvaluatorKind::Nnue,
        ..EvaluatorChoice::default()
    });
    Some(EvaluatorChoice {
        weights: Some(file),
        ..evaluator
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_coordinator::clock::TimePolicy;
    use strum::VariantNames;

    /// Asserts that every line has the form that all GUIs can read.
    fn assert_readable(lines: &[String]) {
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            assert!(words.iter().all(|word| !word.is_empty()), "{line}");
            assert_eq!((words[0], words[1], words[3]), ("option", "name", "type"));
            assert_eq!(words[5], "default", "{line}");
            let rest = &words[7..];
            match words[4] {
                "spin" => {
                    let number = |word: &str| word.parse::<i64>().expect("a number");
                    assert_eq!((rest[0], rest[2], rest.len()), ("min", "max", 4));
                    assert!((number(rest[1])..=number(rest[3])).contains(&number(words[6])));
                }
                "combo" => {
                    assert!(
                        rest.chunks(2)
                            .all(|pair| pair.len() == 2 && pair[0] == "var")
                    );
                    assert!(rest.chunks(2).any(|pair| pair[1] == words[6]));
                }
                "check" | "string" | "filename" => assert!(rest.is_empty()),
                other => panic!("{other}"),
            }
        }
    }

    #[test]
    fn declarations_are_readable_for_every_gui() {
        assert_readable(&declarations(crate::proxy::options::OPTIONS));
        assert_readable(&declarations(crate::engine::options::OPTIONS));
    }

    #[test]
    fn the_guides_explain_every_option() {
        for file in ["guide-engine-options.md", "guide-engine-options.ja.md"] {
            let guide = format!("{}/../../docs/{file}", env!("CARGO_MANIFEST_DIR"));
            let guide = std::fs::read_to_string(guide).expect("the guide");
            let team = crate::proxy::options::OPTIONS.iter();
            let player = crate::engine::options::OPTIONS.iter();
            for option in team
                .map(|option| option.name)
                .chain(player.map(|option| option.name))
            {
                assert!(guide.contains(&format!("`{option}`")), "{option}: {file}");
            }
            // A table says how each time policy spends the time.
            for policy in <TimePolicy as VariantNames>::VARIANTS {
                let row = format!("\n| `{policy}` |");
                assert!(guide.contains(&row), "{policy}: {file}");
            }
        }
    }
}
