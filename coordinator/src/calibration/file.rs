//! The calibration as a file, which `monju calibrate` writes and coordinators read.

use super::curve::{Calibration, Curve};
use serde::{Deserialize, Serialize};
use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

/// Version of the file that this build reads and writes.
const VERSION: u32 = 1;

/// Error of reading a calibration: one line, with the remedy.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    /// The file cannot be read.
    #[error("calibration {}: {source}; correct the path, or make one with 'monju calibrate'", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The text is not of the expected form.
    #[error("calibration {}: {source}; make it again with 'monju calibrate'", .path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// The deviation from the expected form.
        source: FormError,
    },
}

/// Deviation of a text from the form of a calibration.
#[derive(Debug, thiserror::Error)]
pub enum FormError {
    /// Not TOML, or other keys.
    #[error("line {line}: {what}")]
    Syntax {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// A version of another build.
    #[error("version {0} is not known")]
    Version(u32),
    /// Parameters that are not those of a win rate.
    #[error("the curve of '{0}' is not a win rate")]
    Curve(String),
}

/// The curve of one engine, and the data that it was learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineCurve {
    /// The engine, as [`super::scale_name`] names it.
    pub name: String,
    /// See [`Curve::scale`].
    pub scale: f64,
    /// See [`Curve::offset`].
    pub offset: f64,
    /// The data that its scores were compared with: "results", "last scores", or the name of an engine.
    pub against: String,
    /// Number of votes that it was learned from.
    pub votes: u64,
    /// Number of games with these votes.
    pub games: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CalibrationFile {
    version: u32,
    #[serde(default)]
    engine: Vec<EngineCurve>,
}

impl Calibration {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or is not a calibration.
    pub fn read(path: &Path) -> Result<Self, CalibrationError> {
        let text = fs::read_to_string(path).map_err(|source| CalibrationError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text).map_err(|source| CalibrationError::Form {
            path: path.to_owned(),
            source,
        })
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// It is not a calibration.
    pub fn parse(text: &str) -> Result<Self, FormError> {
        let file: CalibrationFile = toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            FormError::Syntax {
                line: 1 + text.as_bytes()[..start]
                    .iter()
                    .filter(|&&byte| byte == b'\n')
                    .count(),
                what: error.message().replace('\n', ", "),
            }
        })?;
        if file.version != VERSION {
            return Err(FormError::Version(file.version));
        }
        for engine in &file.engine {
            let usable = engine.scale.is_finite() && engine.scale > 0.0;
            if !usable || !engine.offset.is_finite() {
                return Err(FormError::Curve(engine.name.clone()));
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
    /// Returns the function itself.
    pub fn curve(&self) -> Curve {
        Curve {
            scale: self.scale,
            offset: self.offset,
        }
    }
}

/// Returns the text of a calibration file.
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
    use std::error::Error as _;

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
    fn a_written_file_is_read_back() {
        let engines = [
            engine("monju/material", 345.25),
            engine("a \"b\" c\\d", 600.0),
        ];
        let read = Calibration::parse(&render(&engines)).expect("its own text");
        let expected = engines.map(|engine| (engine.name.clone(), engine.curve()));
        assert_eq!(read, Calibration::new(expected));
    }

    #[test]
    fn a_malformed_calibration_is_refused_in_one_line() {
        let typed = render(&[engine("x", -3.0)]);
        for text in ["", "version = 2", "version = 1\nscale = 3", "[[", &typed] {
            let error = Calibration::parse(text).expect_err(text);
            assert_eq!(error.to_string().lines().count(), 1, "{error}");
            assert!(error.source().is_none(), "a cause is told a second time");
        }
        let error = Calibration::parse("version = 1\n\nscale = 3").expect_err("another key");
        assert!(
            error.to_string().starts_with("line 3: unknown field"),
            "{error}"
        );
        let error = Calibration::read(Path::new("absent.toml")).expect_err("absent");
        assert!(error.to_string().contains("monju calibrate"), "{error}");
    }
}
