//! The analysis as one page that needs nothing else.

use monju_page::server::json_text;
use monju_proto::text::plain;
use serde_json::Value;

/// The page; the data stand between two of its lines.
const PAGE: &str = include_str!("page.html");

/// Marks of the places of what all pages share.
const STYLE: &str = "STYLE";
const PARTS: &str = "PARTS";
const BOARD: &str = "BOARD";
/// Mark of the place of the data.
const DATA: &str = "\"DATA\"";
/// Mark of the place of the title.
const TITLE: &str = "TITLE";

/// Returns the page of an analysis.
pub fn render(title: &str, data: &Value) -> String {
    // In a script, no text of the data may look like the end of it.
    let data = json_text(data).replace('<', "\\u003c");
    let page = PAGE.replacen(STYLE, monju_page::STYLE, 1);
    let page = page.replacen(PARTS, monju_page::PARTS, 1);
    let page = page.replacen(BOARD, monju_page::BOARD, 1);
    let page = page.replacen(DATA, &data, 1);
    page.replacen(TITLE, &escaped(title), 1)
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    plain(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_cannot_end_the_script() {
        let data = json!({ "black": "</script><b>", "positions": [] });
        let page = render("<a & b> \"DATA\"", &data);
        assert!(page.contains("<title>&lt;a &amp; b> \"DATA\"<"), "{page}");
        assert_eq!(page.matches("</script>").count(), 1);
        assert!(page.contains(r#"{"black":"\u003c/script>"#));
    }

    #[test]
    fn names_cannot_turn_the_text_around_them() {
        let data = json!({ "black": "\u{202e}elif", "positions": [] });
        let page = render("a\u{200b}b\u{1b}", &data);
        assert!(
            page.contains("<title>a b ") && page.contains(r#"{"black":" elif"#),
            "{page}"
        );
    }

    #[test]
    fn the_page_needs_nothing_from_outside() {
        assert!(!PAGE.contains("http:") && !PAGE.contains("https:") && !PAGE.contains("src="));
        assert!(PAGE.contains("default-src 'none'"));
    }
}
