//! σ in a configuration: a number of centipawns, or a text such as "1/4 pawn exchange".

use monju_engine::eval::Sigma;
use serde::{
    Deserializer,
    de::{Error, Visitor},
};
use std::fmt;

/// Reads the value of a key that may be left out.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Sigma>, D::Error> {
    struct NumberOrText;

    impl Visitor<'_> for NumberOrText {
        type Value = Sigma;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number of centipawns or a text such as \"1/4 pawn exchange\"")
        }

        fn visit_f64<E>(self, value: f64) -> Result<Sigma, E> {
            Ok(Sigma::Centipawns(value))
        }

        fn visit_i64<E>(self, value: i64) -> Result<Sigma, E> {
            Ok(Sigma::Centipawns(value as f64))
        }

        fn visit_u64<E>(self, value: u64) -> Result<Sigma, E> {
            Ok(Sigma::Centipawns(value as f64))
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Sigma, E> {
            text.parse().map_err(E::custom)
        }
    }

    deserializer.deserialize_any(NumberOrText).map(Some)
}
