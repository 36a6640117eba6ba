//! USI options as a configuration sets them.

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use std::fmt;

/// USI options with their values, in the order of the file where the file format keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsiOptions(pub Vec<(String, OptionValue)>);

impl UsiOptions {
    /// Returns the value of an option, whose name is known in any case.
    pub fn get(&self, name: &str) -> Option<&OptionValue> {
        let is_it = |(named, _): &&(String, _)| named.eq_ignore_ascii_case(name);
        self.0.iter().find(is_it).map(|(_, value)| value)
    }

    /// Sets an option, unless the user has named it.
    pub fn set_unless_named(&mut self, name: &str, value: OptionValue) {
        if self.get(name).is_none() {
            self.0.push((name.to_owned(), value));
        }
    }
}

/// The value of a USI option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// `string`, `combo` or `filename`.
    Text(String),
    /// `spin`.
    Number(i64),
    /// `check`.
    Switch(bool),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
            Self::Switch(switch) => switch.fmt(f),
        }
    }
}

impl<'de> Deserialize<'de> for UsiOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InFileOrder;

        impl<'de> Visitor<'de> for InFileOrder {
            type Value = UsiOptions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of USI options")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UsiOptions, A::Error> {
                let mut options = Vec::new();
                while let Some(option) = map.next_entry()? {
                    options.push(option);
                }
                Ok(UsiOptions(options))
            }
        }

        deserializer.deserialize_map(InFileOrder)
    }
}

impl<'de> Deserialize<'de> for OptionValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyValue;

        impl Visitor<'_> for AnyValue {
            type Value = OptionValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, an integer or a boolean")
            }

            fn visit_str<E>(self, text: &str) -> Result<OptionValue, E> {
                Ok(OptionValue::Text(text.to_owned()))
            }

            fn visit_i64<E>(self, number: i64) -> Result<OptionValue, E> {
                Ok(OptionValue::Number(number))
            }

            fn visit_bool<E>(self, switch: bool) -> Result<OptionValue, E> {
                Ok(OptionValue::Switch(switch))
            }
        }

        deserializer.deserialize_any(AnyValue)
    }
}
