//! The analysis as one page that needs nothing else.

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
///
/// # Errors
/// A number is not finite, which JSON cannot represent.
pub fn render(title: &str, data: &Value) -> serde_json::Result<String> {
    // In a script, no text of the data may look like the end of it.
    let data = serde_json::to_string(data)?.replace('<', "\\u003c");
    let page = PAGE.replacen(STYLE, monju_page::STYLE, 1);
    let page = page.replacen(PARTS, monju_page::PARTS, 1);
    let page = page.replacen(BOARD, monju_page::BOARD, 1);
    let page = page.replacen(TITLE, &escaped(title), 1);
    Ok(page.replacen(DATA, &data, 1))
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_cannot_end_the_script() {
        let data = json!({ "black": "</script><b>", "positions": [] });
        let page = render("<a & b>", &data).expect("JSON");
        assert!(page.contains("<title>&lt;a &amp; b>"), "{page}");
        assert_eq!(page.matches("</script>").count(), 1);
        assert!(page.contains(r#"{"black":"\u003c/script>"#));
        assert!(!page.contains(DATA));
    }

    #[test]
    fn the_page_needs_nothing_from_outside() {
        assert!(!PAGE.contains("http:") && !PAGE.contains("https:") && !PAGE.contains("src="));
        assert!(PAGE.contains("default-src 'none'"));
    }
}
