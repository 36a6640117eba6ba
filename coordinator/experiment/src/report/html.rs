//! The report as one page that needs nothing else: the text and the figures of the report, light or dark as the
//! reader's system is.

use std::fmt::Write as _;

/// Style of the page.
const STYLE: &str = "
:root { color-scheme: light dark; --line: #c8c8c8; --code: #f1f1f1; }
@media (prefers-color-scheme: dark) { :root { --line: #4a4a4a; --code: #2a2a2a; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem;
  color: CanvasText; background: Canvas; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: left; white-space: nowrap; }
code { background: var(--code); padding: 0 .25rem; }
figure { margin: 1.5rem 0; padding: .5rem; background: #fff; width: fit-content; max-width: 100%;
  overflow-x: auto; }
";

/// Makes a page of a report in Markdown, as [`markdown`](super::markdown) writes it, and of its figures: names
/// and contents as SVG.
pub fn html(title: &str, markdown: &str, figures: &[(String, String)]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        escaped(title)
    );
    let mut block = Block::None;
    for line in markdown.lines() {
        let kind = Block::of(line);
        if kind != block {
            page.push_str(block.end());
            page.push_str(kind.begin());
        }
        match kind {
            Block::None => {}
            Block::Heading => heading(&mut page, line),
            Block::List => {
                let item = line.trim_start_matches("- ");
                let _ = writeln!(page, "<li>{}</li>", strong(&inline(item)));
            }
            Block::Table => row(&mut page, line, block != Block::Table),
            Block::Text => {
                let _ = writeln!(page, "{}", strong(&inline(line)));
            }
        }
        block = kind;
    }
    page.push_str(block.end());
    for (name, svg) in figures {
        let name = escaped(name);
        let _ = writeln!(
            page,
            "<figure aria-label=\"{name}\">\n{}\n</figure>",
            element(svg)
        );
    }
    page.push_str("</body>\n</html>\n");
    page
}

/// A block of Markdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    None,
    Heading,
    List,
    Table,
    Text,
}

impl Block {
    fn of(line: &str) -> Self {
        match line.as_bytes() {
            [] => Self::None,
            [b'#', ..] => Self::Heading,
            [b'-', b' ', ..] => Self::List,
            [b'|', ..] => Self::Table,
            _ => Self::Text,
        }
    }

    fn begin(self) -> &'static str {
        match self {
            Self::None | Self::Heading => "",
            Self::List => "<ul>\n",
            Self::Table => "<div class=\"table\"><table>\n",
            Self::Text => "<p>\n",
        }
    }

    fn end(self) -> &'static str {
        match self {
            Self::None | Self::Heading => "",
            Self::List => "</ul>\n",
            Self::Table => "</table></div>\n",
            Self::Text => "</p>\n",
        }
    }
}

fn heading(page: &mut String, line: &str) {
    let text = line.trim_start_matches('#');
    let level = (line.len() - text.len()).min(6);
    let _ = writeln!(page, "<h{level}>{}</h{level}>", inline(text.trim()));
}

/// Writes the row of a table, whose first row has its headings; the line below those has no content.
fn row(page: &mut String, line: &str, is_first: bool) {
    let cells: Vec<String> = cells(line);
    if cells.iter().all(|cell| cell == "---") {
        return;
    }
    let tag = if is_first { "th" } else { "td" };
    page.push_str("<tr>");
    for cell in &cells {
        let _ = write!(page, "<{tag}>{}</{tag}>", inline(cell));
    }
    page.push_str("</tr>\n");
}

/// The cells of a row, in which `\|` is no separator.
fn cells(line: &str) -> Vec<String> {
    const BAR: &str = "\u{0}";
    let line = line.replace("\\|", BAR);
    let inner = line.trim().trim_matches('|');
    let cells = inner.split('|');
    cells.map(|cell| cell.trim().replace(BAR, "|")).collect()
}

/// Text with its parts between backquotes as code.
fn inline(text: &str) -> String {
    let text = escaped(text);
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return text;
    }
    let part = |(index, part): (usize, &&str)| match index % 2 {
        0 => (*part).to_owned(),
        _ => format!("<code>{part}</code>"),
    };
    parts.iter().enumerate().map(part).collect()
}

/// Text that begins with a part between two pairs of stars, which is emphasised.
fn strong(text: &str) -> String {
    let emphasised = text
        .strip_prefix("**")
        .and_then(|rest| rest.split_once("**"));
    match emphasised {
        Some((part, rest)) => format!("<strong>{part}</strong>{rest}"),
        None => text.to_owned(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The element of an SVG file, without what comes before it.
fn element(svg: &str) -> &str {
    let begin = svg.find("<svg").unwrap_or(0);
    svg[begin..].trim_end()
}
