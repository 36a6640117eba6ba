//! Text of strangers, fit for terminals, logs and GUIs.

use std::{borrow::Cow, fmt};

/// Returns true for a character that only shows itself: no control character, no line separator, none that turns
/// the direction of the text around it, and none that shows nothing, by which two names look like one.
pub fn is_plain(c: char) -> bool {
    let is_hidden = matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    );
    !(c.is_control() || is_hidden)
}

/// Returns the text with blanks in place of characters that are not plain.
pub fn plain(text: &str) -> Cow<'_, str> {
    match text.chars().all(is_plain) {
        true => text.into(),
        false => text.replace(|c| !is_plain(c), " ").into(),
    }
}

/// Returns the text of several lines with blanks in place of characters that are not plain, its line breaks and tabs
/// excepted.
pub fn plain_lines(text: &str) -> Cow<'_, str> {
    let is_shown = |c| is_plain(c) || matches!(c, '\n' | '\t');
    match text.chars().all(is_shown) {
        true => text.into(),
        false => text.replace(|c| !is_shown(c), " ").into(),
    }
}

/// Greatest length of the name of a player or a worker, in characters.
pub const LONGEST_NAME: usize = 64;

/// Tells whether a text may be the name of a player or a worker: one plain word of 1 to [`LONGEST_NAME`] characters.
pub fn is_name(text: &str) -> bool {
    let is_word = text.chars().all(|c| is_plain(c) && !c.is_whitespace());
    is_word && (1..=LONGEST_NAME).contains(&text.chars().count())
}

/// Returns the plain text's first `longest` characters.
pub fn excerpt(text: &str, longest: usize) -> String {
    plain(text).chars().take(longest).collect()
}

/// Greatest length of an error that may quote what somebody else has said, in characters.
const LONGEST_ERROR: usize = 1_000;

/// Returns an error as plain text of a limited length, whatever it quotes.
pub fn brief(error: impl fmt::Display) -> String {
    excerpt(&error.to_string(), LONGEST_ERROR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_steers_a_terminal() {
        let text = "\u{1b}[2J文殊\r\n\u{9b}31m\u{202e}end";
        assert_eq!(plain(text), " [2J文殊   31m end");
        assert!(matches!(plain("文殊 ▲7六歩"), Cow::Borrowed(_)));
        assert_eq!(excerpt("文殊\u{7}!", 3), "文殊 ");
        assert_eq!(brief("\u{7}".repeat(2_000)), " ".repeat(LONGEST_ERROR));
        assert_eq!(plain_lines("a\tb\r\nc\u{1b}"), "a\tb \nc ");
    }

    /// Characters that steer or hide text, by the Unicode standard: those of bidirectional text, the zero-width and the
    /// line separators.
    fn steering() -> impl Strategy<Value = char> {
        prop_oneof![
            prop::char::range('\u{0}', '\u{1f}'),
            prop::char::range('\u{7f}', '\u{9f}'),
            prop::char::range('\u{200b}', '\u{200f}'),
            prop::char::range('\u{2028}', '\u{202e}'),
            prop::char::range('\u{2060}', '\u{2069}'),
            Just('\u{feff}'),
        ]
    }

    proptest! {
        #[test]
        fn no_text_carries_a_character_that_steers_or_hides(
            before in ".{0,9}",
            steering in steering(),
            after in ".{0,9}",
            longest in 0_usize..30,
        ) {
            let text = format!("{before}{steering}{after}");
            prop_assert!(!is_plain(steering));
            let shown = plain(&text);
            prop_assert!(!shown.contains(steering) && shown.chars().all(is_plain));
            prop_assert_eq!(shown.chars().count(), text.chars().count());
            let again = plain(&shown);
            prop_assert_eq!(again.as_ref(), shown.as_ref());
            let short = excerpt(&text, longest);
            prop_assert!(shown.starts_with(&short) && short.chars().count() <= longest);
            let lines = plain_lines(&text);
            prop_assert_eq!(lines.contains(steering), matches!(steering, '\n' | '\t'));
        }
    }
}
