//! The text of a configuration file, and places in it.

use super::error::ConfigError;
use std::{error::Error, ops::Range, path::Path};
use toml::de::{DeTable, DeValue};

/// The cause of an error: a text, or an error that keeps its own causes.
type Problem = Box<dyn Error + Send + Sync>;

/// The text of a configuration file, with its path.
pub struct Source<'a> {
    text: &'a str,
    path: &'a Path,
}

impl<'a> Source<'a> {
    /// A text, and the path that its errors name.
    pub fn new(text: &'a str, path: &'a Path) -> Self {
        Self { text, path }
    }

    /// The error of a text that is not TOML, or not of the expected form.
    pub fn syntax(&self, error: &toml::de::Error) -> ConfigError {
        let what = error
            .message()
            .replace("unknown field", "unknown key")
            .replace("missing field", "missing key")
            .replace(", expected", "; expected")
            .replace('\n', ", ");
        self.at(error.span(), what)
    }

    /// The error of the value under a key.
    pub fn error(&self, keys: &[&str], what: impl Into<Problem>) -> ConfigError {
        let span = DeTable::parse(self.text)
            .ok()
            .and_then(|table| span_of(table.get_ref(), keys));
        self.at(span, what)
    }

    /// The error of a line, counted from 1.
    pub fn line_error(&self, line: usize, what: impl Into<Problem>) -> ConfigError {
        ConfigError::new(format!("{}:{line}", self.path.display()), what)
    }

    /// Returns the path of the text.
    pub fn path(&self) -> &Path {
        self.path
    }

    /// The error of the value at a path through tables and arrays, placed at the deepest part of the
    /// path that exists.
    pub fn path_error(&self, path: &[&str], what: impl Into<Problem>) -> ConfigError {
        let span = DeTable::parse(self.text).ok().and_then(|table| {
            let (first, rest) = path.split_first()?;
            let mut value = table.get_ref().get(*first)?;
            for part in rest {
                let inner = match value.get_ref() {
                    DeValue::Table(inner) => inner.get(*part),
                    DeValue::Array(inner) => {
                        part.parse().ok().and_then(|index: usize| inner.get(index))
                    }
                    _ => None,
                };
                match inner {
                    Some(inner) => value = inner,
                    None => break,
                }
            }
            Some(value.span())
        });
        self.at(span, what)
    }

    /// The error of a table in an array of tables.
    pub fn element_error(&self, key: &str, index: usize, what: impl Into<Problem>) -> ConfigError {
        let span = DeTable::parse(self.text).ok().and_then(|table| {
            let elements = table.get_ref().get(key)?.get_ref().as_array()?;
            Some(elements.get(index)?.span())
        });
        self.at(span, what)
    }

    fn at(&self, span: Option<Range<usize>>, what: impl Into<Problem>) -> ConfigError {
        let path = self.path.display();
        let place = match span {
            Some(span) => {
                let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
                let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
                format!("{path}:{line}")
            }
            None => path.to_string(),
        };
        ConfigError::new(place, what)
    }
}

fn span_of(table: &DeTable, keys: &[&str]) -> Option<Range<usize>> {
    let (first, rest) = keys.split_first()?;
    let value = table.get(*first)?;
    match value.get_ref() {
        DeValue::Table(inner) if !rest.is_empty() => span_of(inner, rest),
        _ => Some(value.span()),
    }
}
