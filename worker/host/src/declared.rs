//! Options as an engine declares them, and settings of a configuration that do not fit.

use crate::options::{OptionValue, UsiOptions};
use std::collections::{BTreeMap, BTreeSet};

/// Options that every engine may be sent: the protocol has them whether they are declared or not.
const IMPLIED: [&str; 2] = ["USI_Hash", "USI_Ponder"];

/// The options that an engine has declared, each with the text behind `type`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredOptions(BTreeMap<String, String>);

impl DeclaredOptions {
    /// Takes in the text that follows `option name`.
    pub fn hear(&mut self, option: &str) {
        let (name, declaration) = option.split_once(" type ").unwrap_or((option, ""));
        let declaration = declaration.trim().to_owned();
        self.0.insert(name.trim().to_owned(), declaration);
    }

    /// Iterates over names and the texts behind `type`.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let options = self.0.iter();
        options.map(|(name, declaration)| (name.as_str(), declaration.as_str()))
    }

    /// Returns the line that sets an option; a button has no value.
    pub fn set_option(&self, name: &str, value: &OptionValue) -> String {
        match self.0.get(name).map(String::as_str) {
            Some("button") => format!("setoption name {name}"),
            _ => format!("setoption name {name} value {value}"),
        }
    }

    /// Returns doubts about options that the engine is to be sent, one line each. They are sent all the same:
    /// some engines have options that they do not declare.
    pub fn doubts(&self, options: &UsiOptions) -> Vec<String> {
        let doubts = (options.0.iter()).filter_map(|(name, value)| match self.0.get(name) {
            None => self.unknown(name),
            Some(declaration) => unfit(declaration, value)
                .map(|what| format!("its option '{name}' cannot be '{value}': {what}")),
        });
        doubts.collect()
    }

    fn unknown(&self, name: &str) -> Option<String> {
        if IMPLIED.contains(&name) {
            return None;
        }
        let is_alike = |known: &&String| known.eq_ignore_ascii_case(name);
        let alike = self.0.keys().find(is_alike);
        let instead = alike.map_or(String::new(), |alike| format!(", but '{alike}'"));
        Some(format!("it declares no option '{name}'{instead}"))
    }
}

/// Returns the reason why a declared option does not take a value.
fn unfit(declaration: &str, value: &OptionValue) -> Option<String> {
    let value = value.to_string();
    let (kind, rest) = declaration
        .split_once(char::is_whitespace)
        .unwrap_or((declaration, ""));
    match kind {
        "check" if value != "true" && value != "false" => Some("it is true or false".to_owned()),
        "spin" => {
            let number = |word: &str| {
                let mut words = rest.split_whitespace();
                words.find(|&other| other == word);
                words.next()?.parse::<i64>().ok()
            };
            let range = number("min").zip(number("max"));
            let (least, most) = range.unwrap_or((i64::MIN, i64::MAX));
            match value.parse::<i64>() {
                Err(_) => Some("it is a number".to_owned()),
                Ok(value) if (least..=most).contains(&value) => None,
                Ok(_) => Some(format!("it goes from {least} to {most}")),
            }
        }
        "combo" => {
            let values = choices(rest);
            // Engines do not mind the case.
            let is_one = (values.iter()).any(|other| other.eq_ignore_ascii_case(&value));
            let values = Vec::from_iter(values).join(", ");
            (!is_one && !values.is_empty()).then(|| format!("it is one of {values}"))
        }
        _ => None,
    }
}

/// The values of a `combo`, which may be of several words: each behind `var`, and the one behind `default`.
fn choices(declaration: &str) -> BTreeSet<String> {
    let mut values: Vec<String> = Vec::new();
    for word in declaration.split_whitespace() {
        match (word, values.last_mut()) {
            ("default" | "var", _) => values.push(String::new()),
            (word, Some(value)) if value.is_empty() => word.clone_into(value),
            (word, Some(value)) => {
                value.push(' ');
                value.push_str(word);
            }
            (_, None) => {}
        }
    }
    values.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_is_pressed_without_a_value() {
        let mut declared = DeclaredOptions::default();
        declared.hear("Clear Hash type button");
        let empty = OptionValue::Text(String::new());
        assert_eq!(
            declared.set_option("Clear Hash", &empty),
            "setoption name Clear Hash"
        );
        assert_eq!(
            declared.set_option("Book", &empty),
            "setoption name Book value "
        );
    }

    fn doubts(name: &str, value: OptionValue) -> Vec<String> {
        let mut declared = DeclaredOptions::default();
        for option in [
            "Threads type spin default 1 min 1 max 512",
            "Book File type string default <empty>",
            "OwnBook type check default true",
            "Style type combo default Very Solid var Very Solid var Risky",
            "Rule type combo var A var B default None",
            "Odd type spin default 3",
            "Clear type button",
        ] {
            declared.hear(option);
        }
        declared.doubts(&UsiOptions(vec![(name.to_owned(), value)]))
    }

    #[test]
    fn fitting_values_raise_no_doubts() {
        let text = |text: &str| OptionValue::Text(text.to_owned());
        for (name, value) in [
            ("Threads", OptionValue::Number(512)),
            ("Threads", text("8")),
            ("Book File", text("standard book.db")),
            ("OwnBook", OptionValue::Switch(false)),
            ("Style", text("very solid")),
            ("Style", text("Risky")),
            ("Rule", text("A")),
            ("Rule", text("B")),
            ("Rule", text("None")),
            ("Odd", OptionValue::Number(-9)),
            ("Clear", text("")),
            ("USI_Hash", OptionValue::Number(64)),
        ] {
            assert_eq!(doubts(name, value.clone()), [""; 0], "{name} {value}");
        }
    }

    #[test]
    fn unfit_values_are_named_with_the_declared_range() {
        let text = |text: &str| OptionValue::Text(text.to_owned());
        for (name, value, expected) in [
            (
                "Threds",
                OptionValue::Number(2),
                "it declares no option 'Threds'",
            ),
            (
                "threads",
                OptionValue::Number(2),
                "it declares no option 'threads', but 'Threads'",
            ),
            (
                "Threads",
                OptionValue::Number(600),
                "its option 'Threads' cannot be '600': it goes from 1 to 512",
            ),
            (
                "Threads",
                text("many"),
                "its option 'Threads' cannot be 'many': it is a number",
            ),
            (
                "OwnBook",
                OptionValue::Number(0),
                "its option 'OwnBook' cannot be '0': it is true or false",
            ),
            (
                "Style",
                text("Wild"),
                "its option 'Style' cannot be 'Wild': it is one of Risky, Very Solid",
            ),
        ] {
            assert_eq!(doubts(name, value), [expected]);
        }
    }
}
