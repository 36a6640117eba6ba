//! Reading a specification from its file.

use super::{
    definition::{Cell, Specification},
    file::{self, SpecificationFile},
    parameters::{self, GridPoint},
};
use monju_team::config::{ConfigError, Source};
use std::{fs, path::Path};

/// Version of the format that this build reads.
const VERSION: u32 = 1;

impl Specification {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// The file cannot be read, or a key of it is wrong; the error names the line and a remedy.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text =
            fs::read_to_string(path).map_err(|error| ConfigError::unreadable(path, error))?;
        Self::parse(&text, path)
    }

    /// Checks a text. Errors name it by `path`, and its relative paths start from the folder of `path`.
    ///
    /// # Errors
    /// As for [`Specification::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        Self::parse_with(text, path, None, GridPoint::substitute)?.with_files()
    }

    /// Checks a text without a grid, in which a `$` is no name of a parameter but stands for itself: one that was made
    /// of the arguments of a command.
    ///
    /// # Errors
    /// As for [`Specification::parse`].
    pub(crate) fn parse_as_it_is(text: &str, path: &Path) -> Result<Self, ConfigError> {
        Self::parse_with(text, path, None, |_, text, _| Ok(text.to_owned()))?.with_files()
    }

    /// Reads the specification of a sealed bundle, whose openings have their own place there and whose
    /// files of weights need not be there. Its hashes lack those weights.
    ///
    /// # Errors
    /// As for [`Specification::read`].
    pub fn read_sealed(path: &Path, openings: &Path) -> Result<Self, ConfigError> {
        let text =
            fs::read_to_string(path).map_err(|error| ConfigError::unreadable(path, error))?;
        Self::parse_with(&text, path, Some(openings), GridPoint::substitute)
    }

    fn parse_with(
        text: &str,
        path: &Path,
        openings: Option<&Path>,
        substitute: impl Fn(&GridPoint, &str, &Source) -> Result<String, ConfigError>,
    ) -> Result<Self, ConfigError> {
        let source = Source::new(text, path);
        let points = parameters::expand(text, &source)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut cells = Vec::with_capacity(points.len());
        let mut hashed = Vec::with_capacity(points.len());
        let mut settings = Vec::with_capacity(points.len());
        let mut first: Option<(SpecificationFile, toml::Table)> = None;
        for point in points {
            let text = substitute(&point, text, &source)?;
            let source = Source::new(&text, path);
            let file: SpecificationFile =
                toml::from_str(&text).map_err(|error| source.syntax(&error))?;
            if file.version != VERSION {
                let what = format!(
                    "version {} is not known; use version = {VERSION}",
                    file.version
                );
                return Err(source.error(&["version"], what));
            }
            let common = file::common(&text);
            if let Some((_, expected)) = &first
                && let Some(key) = file::difference(expected, &common)
            {
                let what = format!(
                    "{key} is the same for all cells; only ensembles, first, second and \
                     adjudication may depend on the grid"
                );
                return Err(source.error(&[key], what));
            }
            if let Some((first, second)) = file.sides(&source, folder)? {
                cells.push(Cell {
                    label: point.label(),
                    parameters: point.parameters,
                    first,
                    second,
                    adjudication: file.adjudication.validate(&source)?,
                    pairs: 0,
                    hash: String::new(),
                });
                settings.push(file.settings(&text));
            }
            hashed.push(file.played(&text));
            first.get_or_insert((file, common));
        }
        // A text without a grid has one point, so there is a first one.
        let Some((file, _)) = first else {
            return Err(source.error(&["grid"], "the grid is empty; give it values".to_owned()));
        };
        let specification =
            file.finish(&source, (folder, openings), (cells, &settings), &hashed)?;
        Ok(Self {
            text: text.to_owned(),
            ..specification
        })
    }
}
