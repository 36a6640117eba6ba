//! Where in a configuration file something is wrong.

use std::{io, ops::Range, path::Path};
use toml::de::{DeTable, DeValue};

/// What is wrong, where, and what would mend it, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct ConfigError {
    /// `file:line`, or the file alone.
    place: String,
    what: String,
}

impl ConfigError {
    /// The file at `path` cannot be read.
    pub fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self {
            place: path.display().to_string(),
            what: match error.kind() {
                io::ErrorKind::NotFound => {
                    "no such file; correct the path, or copy configs/monju.toml there".to_owned()
                }
                io::ErrorKind::InvalidData => "not a text in UTF-8; save it as such".to_owned(),
                _ => format!("cannot be read: {error}"),
            },
        }
    }
}

/// A configuration text, and what it is called.
pub struct Source<'a> {
    text: &'a str,
    path: &'a Path,
}

impl<'a> Source<'a> {
    /// A text with the path that errors name.
    pub fn new(text: &'a str, path: &'a Path) -> Self {
        Self { text, path }
    }

    /// The text is not TOML, or not of the expected form.
    pub fn syntax(&self, error: &toml::de::Error) -> ConfigError {
        let what = error
            .message()
            .replace("unknown field", "unknown key")
            .replace("missing field", "missing key")
            .replace(", expected", "; expected")
            .replace('\n', ", ");
        self.at(error.span(), what)
    }

    /// The value under a key is wrong.
    pub fn error(&self, keys: &[&str], what: String) -> ConfigError {
        let span = DeTable::parse(self.text)
            .ok()
            .and_then(|table| span_of(table.get_ref(), keys));
        self.at(span, what)
    }

    /// Something in a line, counted from 1, is wrong.
    pub fn line_error(&self, line: usize, what: String) -> ConfigError {
        ConfigError {
            place: format!("{}:{line}", self.path.display()),
            what,
        }
    }

    /// What the text is called.
    pub fn path(&self) -> &Path {
        self.path
    }

    /// The value at a path through tables and arrays is wrong; the place is that of the deepest
    /// part that exists.
    pub fn path_error(&self, path: &[&str], what: String) -> ConfigError {
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

    /// A table of an array of tables is wrong.
    pub fn element_error(&self, key: &str, index: usize, what: String) -> ConfigError {
        let span = DeTable::parse(self.text).ok().and_then(|table| {
            let elements = table.get_ref().get(key)?.get_ref().as_array()?;
            Some(elements.get(index)?.span())
        });
        self.at(span, what)
    }

    fn at(&self, span: Option<Range<usize>>, what: String) -> ConfigError {
        let path = self.path.display();
        let place = match span {
            Some(span) => {
                let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
                let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
                format!("{path}:{line}")
            }
            None => path.to_string(),
        };
        ConfigError { place, what }
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
