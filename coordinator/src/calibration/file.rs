//! The calibration as a file: what `monju calibrate` writes, and coordinators read.

use super::{Calibration, Curve};
use serde::{Deserialize, Serialize};
use std::{fmt::Write as _, fs, io, path::Path};

/// The version of the file that this build reads and writes.
const VERSION: u32 = 1;

/// Why a calibration cannot be used. One line, with what would mend it.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    /// The file cannot be read.
    #[error("calibration {path}: {source}; make one with 'monju calibrate'")]
    Read {
        /// The file.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// The text is not of the expected form.
    #[error("calibration {path}: {what}; make it again with 'monju calibrate'")]
    Form {
        /// The file.
        path: String,
        /// What is wrong with it.
        what: String,
    },
}

/// The curve of one engine, and what it was learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineCurve {
    /// The engine, as [`super::scale_name`] has it.
    pub name: String,
    /// See [`Curve::scale`].
    pub scale: f64,
    /// See [`Curve::offset`].
    pub offset: f64,
    /// What its scores were compared with: "results", "last scores", or the name of an engine.
    pub against: String,
    /// Votes that it was learned from.
    pub votes: u64,
    /// Games that these votes are from.
    pub games: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    #[serde(default)]
    engine: Vec<EngineCurve>,
}

impl Calibration {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or is not what `monju calibrate` writes.
    pub fn read(path: &Path) -> Result<Self, CalibrationError> {
        let text = fs::read_to_string(path).map_err(|source| CalibrationError::Read {
            path: path.display().to_string(),
            source,
        })?;
        Self::parse(&text).map_err(|what| CalibrationError::Form {
            path: path.display().to_string(),
            what,
        })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: File =
            toml::from_str(text).map_err(|error| error.message().replace('\n', ", "))?;
        if file.version != VERSION {
            return Err(format!("version {} is not known", file.version));
        }
        for engine in &file.engine {
            let usable = engine.scale.is_finite() && engine.scale > 0.0;
            if !usable || !engine.offset.is_finite() {
                return Err(format!("the curve of '{}' is no win rate", engine.name));
            }
        }
        let curves = file.engine.into_iter().map(|engine| {
            let Curve { scale, offset } = engine.curve();
            (engine.name, Curve { scale, offset })
        });
        Ok(Self::new(curves))
    }
}

impl EngineCurve {
    /// The function itself.
    pub fn curve(&self) -> Curve {
        Curve {
            scale: self.scale,
            offset: self.offset,
        }
    }
}

/// The text of a calibration file.
pub fn render(engines: &[EngineCurve]) -> String {
    let mut text = format!(
        "# Win rates of engines by their scores, learned by 'monju calibrate'.\n\
         # win rate = 1 / (1 + exp(-(centipawns + offset) / scale))\n\
         version = {VERSION}\n"
    );
    for engine in engines {
        let table = toml::to_string(engine).unwrap_or_default();
        let _ = write!(text, "\n[[engine]]\n{table}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(name: &str, scale: f64) -> EngineCurve {
        EngineCurve {
            name: name.to_owned(),
            scale,
            offset: -12.5,
            against: "results".to_owned(),
            votes: 1_000,
            games: 20,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let engines = [
            engine("monju/material", 345.25),
            engine("a \"b\" c\\d", 600.0),
        ];
        let read = Calibration::parse(&render(&engines)).expect("its own text");
        let expected = engines.map(|engine| (engine.name.clone(), engine.curve()));
        assert_eq!(read, Calibration::new(expected));
    }

    #[test]
    fn what_is_no_calibration_is_refused_in_one_line() {
        let typed = render(&[engine("x", -3.0)]);
        for text in ["", "version = 2", "version = 1\nscale = 3", "[[", &typed] {
            let what = Calibration::parse(text).expect_err(text);
            assert_eq!(what.lines().count(), 1, "{what}");
        }
        let error = Calibration::read(Path::new("absent.toml")).expect_err("absent");
        assert!(error.to_string().contains("monju calibrate"), "{error}");
    }
}
