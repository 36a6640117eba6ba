//! The grid: every `"$name"` in the file takes each of the values of `name` in turn.
//!
//! Values replace their names in the text, which is then read like any other file. So a grid may be
//! over any key, and errors name the line in the file.

use crate::hash::short_hash;
use monju_proto::text::is_plain;
use monju_team::config::{ConfigError, Source};
use std::{collections::BTreeSet, path::Path};
use toml::de::{DeTable, DeValue};

/// Key of a text that stands in place of a file, with the hash of the labels that the file's cells had.
const LABELS: &str = "labels";

/// Key and value of such a text that give it a number of cells.
const NUMBERED: (&str, &str) = ("cell", "$cell");

/// Hash of the labels of the cells that a text describes, in any order; `None` where it is not known.
pub(crate) fn labels_of(text: &str) -> Option<String> {
    let table: toml::Table = toml::from_str(text).ok()?;
    if let Some(known) = table.get(LABELS) {
        return known.as_str().map(str::to_owned);
    }
    if table.get(NUMBERED.0).and_then(toml::Value::as_str) == Some(NUMBERED.1) {
        return None;
    }
    let points = expand(text, &Source::new(text, Path::new(""))).ok()?;
    let mut labels: Vec<String> = points.iter().map(GridPoint::label).collect();
    labels.sort_unstable();
    Some(short_hash(labels.iter().map(String::as_bytes)))
}

/// Adds to a text in place of a file what is known of the file's cells: their number, and the hash of their labels.
pub(crate) fn describe_cells(file: &mut toml::Table, cells: Option<u64>, labels: Option<&str>) {
    /// More cells than any experiment has.
    const MOST_CELLS: u64 = 100_000;
    let cells = cells.filter(|cells| *cells <= MOST_CELLS);
    // Of a grid on which nothing depends, nobody reads a number of cells.
    let number = |number: u64| toml::Value::Integer(number.try_into().unwrap_or(i64::MAX));
    let numbers: Vec<toml::Value> = (0..cells.unwrap_or(1)).map(number).collect();
    let (key, value) = NUMBERED;
    let grid: toml::Table = [(key.to_owned(), numbers.into())].into_iter().collect();
    if cells.is_some() {
        file.insert(key.to_owned(), value.into());
    }
    if let Some(labels) = labels {
        file.insert(LABELS.to_owned(), labels.into());
    }
    file.insert("grid".to_owned(), grid.into());
}

/// One value for every parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GridPoint {
    /// Names, and values in the form for readers.
    pub parameters: Vec<(String, String)>,
    /// The same values as TOML.
    literals: Vec<String>,
}

/// A name with its values, each in the form for readers and as TOML.
struct GridParameter {
    name: String,
    values: Vec<(String, String)>,
}

/// Number of the cells that a text describes; `None` where its grid is wrong.
pub(crate) fn cells_of(text: &str) -> Option<u64> {
    let points = expand(text, &Source::new(text, Path::new(""))).ok()?;
    Some(points.len() as u64)
}

/// Combines every condition with every combination of the grid's values; the first parameter changes
/// last.
pub(super) fn expand(text: &str, source: &Source) -> Result<Vec<GridPoint>, ConfigError> {
    let root = DeTable::parse(text).map_err(|error| source.syntax(&error))?;
    let root = root.get_ref();
    let mut points = conditions(root, source)?;
    let lines = text.lines().filter(|line| !is_comment(line));
    let text = lines.collect::<Vec<_>>().join("\n");
    for parameter in grid(root, source)? {
        let used = text.contains(&format!("\"${}\"", parameter.name))
            || text.contains(&format!("${{{}}}", parameter.name));
        if !used {
            let what = format!(
                "nothing depends on '{name}'; write \"${name}\" where its value belongs",
                name = parameter.name
            );
            return Err(source.path_error(&["grid", &parameter.name], what));
        }
        if points[0]
            .parameters
            .iter()
            .any(|(name, _)| *name == parameter.name)
        {
            let what = format!(
                "'{}' is in [[condition]] as well; remove one",
                parameter.name
            );
            return Err(source.path_error(&["grid", &parameter.name], what));
        }
        points = points
            .iter()
            .flat_map(|point| {
                parameter
                    .values
                    .iter()
                    .map(|value| point.with(&parameter.name, value))
            })
            .collect();
    }
    // Texts may hold spaces and equals signs.
    let mut labels = BTreeSet::new();
    for point in &points {
        if !labels.insert(point.label()) {
            let what = format!(
                "two cells would both be '{}'; rename a value",
                point.label()
            );
            return Err(source.error(&["grid"], what));
        }
    }
    Ok(points)
}

/// Points of `[[condition]]`, in the order of the file; one empty point without conditions.
fn conditions(root: &DeTable, source: &Source) -> Result<Vec<GridPoint>, ConfigError> {
    let empty = GridPoint {
        parameters: Vec::new(),
        literals: Vec::new(),
    };
    let Some(tables) = root.get("condition") else {
        return Ok(vec![empty]);
    };
    let form = || "condition must be tables: [[condition]]".to_owned();
    let tables = tables
        .get_ref()
        .as_array()
        .ok_or_else(|| source.error(&["condition"], form()))?;
    let mut points: Vec<GridPoint> = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        let DeValue::Table(table) = table.get_ref() else {
            return Err(source.error(&["condition"], form()));
        };
        let mut point = empty.clone();
        for (name, value) in in_order(table) {
            let value = scalar(value).ok_or_else(|| {
                let index = index.to_string();
                let what = format!("{name} must be one number, plain text, or true or false");
                source.path_error(&["condition", &index, name], what)
            })?;
            point = point.with(name, &value);
        }
        let names = |point: &GridPoint| -> Vec<String> {
            point
                .parameters
                .iter()
                .map(|(name, _)| name.clone())
                .collect()
        };
        if let Some(first) = points.first()
            && names(first) != names(&point)
        {
            let what = format!(
                "every condition must have the keys of the first, in its order: {}",
                names(first).join(", ")
            );
            return Err(source.element_error("condition", index, what));
        }
        if points.iter().any(|known| known.is_same(&point)) {
            let what = format!(
                "this condition stands there twice, as {}; remove one",
                point.label()
            );
            return Err(source.element_error("condition", index, what));
        }
        points.push(point);
    }
    if points.is_empty() {
        return Err(source.error(&["condition"], "there is no condition; add one".to_owned()));
    }
    Ok(points)
}

/// Parameters of `[grid]`, in the order of the file.
fn grid(root: &DeTable, source: &Source) -> Result<Vec<GridParameter>, ConfigError> {
    let Some(table) = root.get("grid") else {
        return Ok(Vec::new());
    };
    let DeValue::Table(table) = table.get_ref() else {
        return Err(source.error(&["grid"], "grid must be a table: [grid]".to_owned()));
    };
    if table.is_empty() {
        let what = "the grid is empty; add a parameter such as sigma = [25, 50], or remove it";
        return Err(source.error(&["grid"], what.to_owned()));
    }
    let mut parameters = Vec::new();
    for (name, value) in in_order(table) {
        let wrong = |what: String| source.path_error(&["grid", name], what);
        let Some(values) = value.as_array() else {
            return Err(wrong(format!(
                "{name} must be a list of values, such as [25, 50]"
            )));
        };
        let mut read: Vec<(String, String)> = Vec::new();
        for value in values.iter() {
            let value = scalar(value.get_ref()).ok_or_else(|| {
                wrong(format!(
                    "{name} may hold numbers, plain texts, and true or false"
                ))
            })?;
            if read.iter().any(|known| is_same(known, &value)) {
                return Err(wrong(format!("{name} has {} twice; remove one", value.1)));
            }
            read.push(value);
        }
        if read.is_empty() {
            return Err(wrong(format!(
                "the grid is empty: {name} has no values; give it at least one"
            )));
        }
        parameters.push(GridParameter {
            name: name.to_owned(),
            values: read,
        });
    }
    Ok(parameters)
}

/// Keys of a table in the order of the file.
fn in_order<'a>(table: &'a DeTable) -> Vec<(&'a str, &'a DeValue<'a>)> {
    let mut keys: Vec<_> = table.iter().collect();
    keys.sort_by_key(|(key, _)| key.span().start);
    keys.into_iter()
        .map(|(key, value)| (key.get_ref().as_ref(), value.get_ref()))
        .collect()
}

/// A value in the form for readers, and as TOML.
fn scalar(value: &DeValue) -> Option<(String, String)> {
    let text = match value {
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::String(text) => {
            let literal = toml::Value::String(text.to_string()).to_string();
            return text
                .chars()
                .all(is_plain)
                .then(|| (text.to_string(), literal));
        }
        _ => return None,
    };
    Some((text.clone(), text))
}

/// Returns whether two values are the same: a number and a text that read alike would share a cell, and
/// two spellings of a number would make two cells.
fn is_same(one: &(String, String), other: &(String, String)) -> bool {
    let number = |(_, literal): &(String, String)| literal.parse::<f64>().ok();
    let (first, second) = (number(one), number(other));
    one.0 == other.0 || first.is_some() && first == second
}

impl GridPoint {
    /// Returns whether both points have the same values.
    fn is_same(&self, other: &Self) -> bool {
        let values = |point: &Self| -> Vec<(String, String)> {
            let texts = point.parameters.iter().map(|(_, text)| text.clone());
            texts.zip(point.literals.iter().cloned()).collect()
        };
        let (own, others) = (values(self), values(other));
        own.len() == others.len()
            && own
                .iter()
                .zip(&others)
                .all(|(one, other)| is_same(one, other))
    }

    fn with(&self, name: &str, (text, literal): &(String, String)) -> Self {
        let mut point = self.clone();
        point.parameters.push((name.to_owned(), text.clone()));
        point.literals.push(literal.clone());
        point
    }

    /// Label of the cell, such as `players=4 sigma=25`, or `all` without parameters.
    pub fn label(&self) -> String {
        let parts: Vec<String> = self
            .parameters
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        match parts.is_empty() {
            true => "all".to_owned(),
            false => parts.join(" "),
        }
    }

    /// The text with the values of this point: `"$name"` becomes the value as TOML, `${name}` within a
    /// text becomes the value in the form for readers.
    pub fn substitute(&self, text: &str, source: &Source) -> Result<String, ConfigError> {
        let mut result = text.to_owned();
        for ((name, value), literal) in self.parameters.iter().zip(&self.literals) {
            result = result.replace(&format!("\"${name}\""), literal);
            let placeholder = format!("${{{name}}}");
            let mut parts = result.split(&placeholder);
            let mut text = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                text += &within_text(value, &text);
                text += part;
            }
            result = text;
        }
        match left_over(&result) {
            None => Ok(result),
            Some((line, name)) => {
                let known: Vec<&str> = self.parameters.iter().map(|(name, _)| &**name).collect();
                let what = format!(
                    "no parameter is called '{name}'; give it values in [grid], or use one of: {}",
                    known.join(", ")
                );
                Err(source.line_error(line, what))
            }
        }
    }
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

/// A value as it stands within a text of TOML, which is open behind `before`: one in double quotes escapes some
/// letters, one in single quotes none.
fn within_text(value: &str, before: &str) -> String {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let mut quote = None;
    let mut is_escaped = false;
    for letter in line.chars() {
        match quote {
            None => quote = Some(letter).filter(|letter| matches!(letter, '"' | '\'')),
            Some(_) if is_escaped => is_escaped = false,
            Some('"') if letter == '\\' => is_escaped = true,
            Some(open) if letter == open => quote = None,
            Some(_) => {}
        }
    }
    match quote {
        Some('\'') => value.to_owned(),
        _ => value.replace('\\', r"\\").replace('"', "\\\""),
    }
}

/// The first line outside comments with an unknown parameter, and the parameter.
fn left_over(text: &str) -> Option<(usize, &str)> {
    for (index, line) in text.lines().enumerate() {
        if is_comment(line) {
            continue;
        }
        let name = match (line.split_once("\"$"), line.split_once("${")) {
            (Some((_, rest)), _) if !rest.starts_with('{') => rest.split('"').next(),
            (_, Some((_, rest))) => rest.split('}').next(),
            _ => None,
        };
        if let Some(name) = name {
            return Some((index + 1, name));
        }
    }
    None
}
