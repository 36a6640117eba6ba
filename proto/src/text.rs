//! Text of strangers, fit for terminals, logs and GUIs.

use std::borrow::Cow;

/// Returns true for a character that only shows itself: no control character, no line separator, and none
/// that turns the direction of the text around it.
pub fn is_plain(c: char) -> bool {
    let turns =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !(c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}'))
}

/// Returns the text with blanks in place of characters that are not plain.
pub fn plain(text: &str) -> Cow<'_, str> {
    match text.chars().all(is_plain) {
        true => text.into(),
        false => text.replace(|c| !is_plain(c), " ").into(),
    }
}

/// Returns the plain text's first `longest` characters.
pub fn excerpt(text: &str, longest: usize) -> String {
    plain(text).chars().take(longest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal() {
        let text = "\u{1b}[2J文殊\r\n\u{9b}31m\u{202e}end";
        assert_eq!(plain(text), " [2J文殊   31m end");
        assert!(matches!(plain("文殊 ▲7六歩"), Cow::Borrowed(_)));
        assert_eq!(excerpt("文殊\u{7}!", 3), "文殊 ");
    }
}
