//! Figures as PDF, drawn from their SVG, for papers that take no SVG.
//!
//! Only the elements that our figures have are known: rectangles, lines, polylines, polygons, circles, and text. Text
//! is in Helvetica and Symbol, which every reader of PDF has, so that no font is embedded; letters that neither has
//! become question marks.

use std::{collections::BTreeSet, fmt::Write as _};

/// Widths of Helvetica's letters from space to tilde, in thousandths of its size.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Width of other letters.
const WIDTH: u16 = 556;

/// Half the height of a small letter, as a share of the size of its font.
const HALF_EX: f64 = 0.26;

/// Control points of a quarter of a circle lie so far along its tangents, as a share of the radius.
const ROUND: f64 = 0.552_285;

/// Returns a figure as a PDF file of one page with the size of the figure.
pub fn pdf(svg: &str) -> Vec<u8> {
    let mut page = Page::default();
    for (element, text) in elements(svg) {
        match text {
            Some(text) => page.text(element, &text),
            None => page.element(element),
        }
    }
    page.file()
}

/// Letters of a figure that are question marks in its PDF.
pub fn letters_without_pdf(svg: &str) -> BTreeSet<char> {
    let texts = elements(svg).filter_map(|(_, text)| text);
    let letters: BTreeSet<char> = texts
        .flat_map(|text| text.chars().collect::<Vec<_>>())
        .collect();
    let is_known = |letter: char| letter == '?' || code(letter) != UNKNOWN;
    letters
        .into_iter()
        .filter(|letter| !is_known(*letter))
        .collect()
}

/// The elements of a figure, those of texts with their text.
fn elements(svg: &str) -> impl Iterator<Item = (&str, Option<String>)> {
    let mut rest = svg;
    std::iter::from_fn(move || {
        let (element, after) = rest.split_once('<')?.1.split_once('>')?;
        rest = after;
        let text = element.starts_with("text ").then(|| {
            let text = after.split('<').next().unwrap_or_default();
            unescaped(text.trim())
        });
        Some((element, text))
    })
}

/// A page that is drawn.
#[derive(Debug, Default)]
struct Page {
    size: (f64, f64),
    content: String,
    /// Opacities that were used, in percent.
    opacities: Vec<u32>,
}

impl Page {
    fn element(&mut self, element: &str) {
        let number = |name| number(element, name);
        match element.split(' ').next().unwrap_or_default() {
            "svg" => self.size = (number("width"), number("height")),
            "rect" => {
                let (x, y) = (number("x"), number("y"));
                let path = format!("{x} {y} {} {} re", number("width"), number("height"));
                self.paint(element, &path);
            }
            "line" => {
                let from = format!("{} {} m", number("x1"), number("y1"));
                let path = format!("{from} {} {} l", number("x2"), number("y2"));
                self.paint(element, &path);
            }
            "polyline" => self.paint(element, &path(element)),
            "polygon" => self.paint(element, &format!("{} h", path(element))),
            "circle" => self.paint(element, &circle(number("cx"), number("cy"), number("r"))),
            _ => {}
        }
    }

    /// Fills and strokes a path as its element says.
    fn paint(&mut self, element: &str, path: &str) {
        let colour = |name| attribute(element, name).and_then(colour);
        let operator = match (colour("fill"), colour("stroke")) {
            (Some(fill), Some(stroke)) => format!("{fill} rg {stroke} RG {path} B"),
            (Some(fill), None) => format!("{fill} rg {path} f"),
            (None, Some(stroke)) => format!("{stroke} RG {path} S"),
            (None, None) => return,
        };
        let width = attribute(element, "stroke-width").unwrap_or("1");
        let opacity = self.opacity(element);
        let _ = writeln!(self.content, "{opacity} gs {width} w {operator}");
    }

    fn text(&mut self, element: &str, text: &str) {
        let size = number(element, "font-size");
        let width = text.chars().map(width).sum::<f64>() * size;
        let across = match attribute(element, "text-anchor") {
            Some("middle") => -width / 2.0,
            Some("end") => -width,
            _ => 0.0,
        };
        let down = match attribute(element, "dy") {
            Some("0.76em") => 0.76 * size,
            Some("0.5ex") => HALF_EX * size,
            Some("-0.5ex") => -HALF_EX * size,
            _ => 0.0,
        };
        let turned = attribute(element, "transform")
            .and_then(|transform| transform.strip_prefix("rotate(")?.split(',').next())
            .and_then(|angle| angle.trim().parse::<f64>().ok())
            .unwrap_or(0.0);
        let (sin, cos) = turned.to_radians().sin_cos();
        let x = number(element, "x") + across * cos - down * sin;
        let y = number(element, "y") + across * sin + down * cos;
        let fill = attribute(element, "fill").and_then(colour);
        let opacity = self.opacity(element);
        // The page grows downwards, letters do not.
        let _ = writeln!(
            self.content,
            "{opacity} gs BT {} rg {cos:.4} {sin:.4} {sin:.4} {:.4} {x:.2} {y:.2} Tm {}ET",
            fill.unwrap_or_default(),
            -cos,
            shown(text, size)
        );
    }

    /// The name of the state with an element's opacity.
    fn opacity(&mut self, element: &str) -> String {
        let share = attribute(element, "opacity").and_then(|text| text.parse::<f64>().ok());
        let percent = (100.0 * share.unwrap_or(1.0)).round().clamp(0.0, 100.0) as u32;
        if !self.opacities.contains(&percent) {
            self.opacities.push(percent);
        }
        format!("/O{percent}")
    }

    /// The objects of the file, and the table of their places.
    fn file(self) -> Vec<u8> {
        let (width, height) = self.size;
        let content = format!("1 0 0 -1 0 {height} cm\n{}", self.content);
        let states = self.opacities.iter().map(|percent| {
            let share = f64::from(*percent) / 100.0;
            format!("/O{percent} << /ca {share} /CA {share} >> ")
        });
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R \
                 /Resources << /Font << /F1 5 0 R /F2 6 0 R >> /ExtGState << {}>> >> >>",
                states.collect::<String>()
            ),
            format!(
                "<< /Length {} >>\nstream\n{content}endstream",
                content.len()
            ),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
                .to_owned(),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>".to_owned(),
        ];
        let mut file = "%PDF-1.4\n".to_owned();
        let mut places = String::new();
        for (index, object) in objects.iter().enumerate() {
            let _ = writeln!(places, "{:010} 00000 n ", file.len());
            let _ = writeln!(file, "{} 0 obj\n{object}\nendobj", index + 1);
        }
        let start = file.len();
        let count = objects.len() + 1;
        let _ = write!(
            file,
            "xref\n0 {count}\n0000000000 65535 f \n{places}trailer\n<< /Size {count} /Root 1 0 R >>\n\
             startxref\n{start}\n%%EOF\n"
        );
        file.into_bytes()
    }
}

/// The value of an attribute of an element.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let begin = format!(" {name}=\"");
    let (_, value) = element.split_once(&begin)?;
    value.split('"').next()
}

fn number(element: &str, name: &str) -> f64 {
    let value = attribute(element, name).and_then(|text| text.parse().ok());
    value.unwrap_or(0.0)
}

/// A colour such as `#0072B2` as three shares; `None` for `none`.
fn colour(text: &str) -> Option<String> {
    let digits = text.strip_prefix('#')?;
    let word = u32::from_str_radix(digits, 16).ok()?;
    let share = |shift: u32| f64::from(word >> shift & 0xff) / 255.0;
    Some(format!("{:.3} {:.3} {:.3}", share(16), share(8), share(0)))
}

/// The path along the points of an element.
fn path(element: &str) -> String {
    let points = attribute(element, "points").unwrap_or_default();
    let points = points.split_whitespace();
    let pairs = points.filter_map(|point| point.split_once(','));
    let steps = pairs.enumerate().map(|(index, (x, y))| {
        let operator = if index == 0 { "m" } else { "l" };
        format!("{x} {y} {operator}")
    });
    steps.collect::<Vec<_>>().join(" ")
}

fn circle(x: f64, y: f64, r: f64) -> String {
    let c = ROUND * r;
    let (left, right, top, bottom) = (x - r, x + r, y - r, y + r);
    format!(
        "{right} {y} m {right} {} {} {bottom} {x} {bottom} c {} {bottom} {left} {} {left} {y} c \
         {left} {} {} {top} {x} {top} c {} {top} {right} {} {right} {y} c h",
        y + c,
        x + c,
        x - c,
        y + c,
        y - c,
        x - c,
        x + c,
        y - c
    )
}

/// The width of a letter, as a share of the size of its font.
fn width(letter: char) -> f64 {
    let index = (letter as usize).checked_sub(' ' as usize);
    let known = index.and_then(|index| WIDTHS.get(index));
    f64::from(*known.unwrap_or(&WIDTH)) / 1000.0
}

/// Font and code of a letter that no font has.
const UNKNOWN: (&str, u8) = ("F1", b'?');

/// A letter's font and its code there.
fn code(letter: char) -> (&'static str, u8) {
    match letter {
        ' '..='~' | '\u{a1}'..='\u{ff}' => ("F1", letter as u32 as u8),
        '–' => ("F1", 0x96),
        '—' => ("F1", 0x97),
        '…' => ("F1", 0x85),
        '†' => ("F1", 0x86),
        '‘' => ("F1", 0x91),
        '’' => ("F1", 0x92),
        '“' => ("F1", 0x93),
        '”' => ("F1", 0x94),
        'σ' => ("F2", b's'),
        'α' => ("F2", b'a'),
        'β' => ("F2", b'b'),
        'δ' => ("F2", b'd'),
        'ε' => ("F2", b'e'),
        'λ' => ("F2", b'l'),
        'μ' => ("F2", b'm'),
        '−' => ("F2", b'-'),
        '≤' => ("F2", 0xa3),
        '≥' => ("F2", 0xb3),
        '→' => ("F2", 0xae),
        '√' => ("F2", 0xd6),
        '≈' => ("F2", 0xbb),
        '∞' => ("F2", 0xa5),
        _ => UNKNOWN,
    }
}

/// The operators that show a text.
fn shown(text: &str, size: f64) -> String {
    let mut shown = String::new();
    let mut open = "";
    for letter in text.chars() {
        let (font, code) = code(letter);
        if font != open {
            if !open.is_empty() {
                shown.push_str(") Tj ");
            }
            let _ = write!(shown, "/{font} {size:.2} Tf (");
            open = font;
        }
        match code {
            b'(' | b')' | b'\\' => {
                let _ = write!(shown, "\\{}", char::from(code));
            }
            b' '..=b'~' => shown.push(char::from(code)),
            _ => {
                let _ = write!(shown, "\\{code:03o}");
            }
        }
    }
    if !open.is_empty() {
        shown.push_str(") Tj ");
    }
    shown
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&apos;", "'")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SVG: &str = "<svg width=\"860\" height=\"470\" viewBox=\"0 0 860 470\">\n\
        <rect x=\"0\" y=\"0\" width=\"860\" height=\"470\" opacity=\"1\" fill=\"#FFFFFF\" stroke=\"none\"/>\n\
        <polyline fill=\"none\" opacity=\"0.2\" stroke=\"#0072B2\" stroke-width=\"2\" points=\"1,2 3,4 \"/>\n\
        <circle cx=\"5\" cy=\"6\" r=\"3\" opacity=\"1\" fill=\"#000000\" stroke=\"none\"/>\n\
        <text x=\"10\" y=\"20\" dy=\"0.76em\" text-anchor=\"end\" font-size=\"10\" opacity=\"1\" fill=\"#000000\" \
        transform=\"rotate(270, 10, 20)\">\nσ (a&lt;b) − ± 歩 √3 ≈ ∞\n</text>\n</svg>";

    #[test]
    fn every_object_stands_where_the_table_says() {
        let file = String::from_utf8(pdf(SVG)).expect("ASCII");
        assert!(file.is_ascii() && file.starts_with("%PDF-1.4\n"));
        let start: usize = (file.rsplit_once("startxref\n").expect("a start").1)
            .trim_end_matches("\n%%EOF\n")
            .parse()
            .expect("a number");
        let table: Vec<&str> = file[start..].lines().skip(3).take(6).collect();
        for (index, line) in table.iter().enumerate() {
            let place: usize = line[..10].parse().expect("a place");
            let begin = format!("{} 0 obj\n", index + 1);
            assert!(file[place..].starts_with(&begin), "{line}");
        }
        let (_, stream) = file.split_once("stream\n").expect("a stream");
        let (stream, _) = stream.split_once("endstream").expect("its end");
        assert!(file.contains(&format!("/Length {} ", stream.len())));
    }

    #[test]
    fn shapes_and_letters_are_kept() {
        let file = String::from_utf8(pdf(SVG)).expect("ASCII");
        for part in [
            "/MediaBox [0 0 860 470]",
            "1.000 1.000 1.000 rg 0 0 860 470 re f",
            "/O20 gs 2 w 0.000 0.447 0.698 RG 1 2 m 3 4 l S",
            "/O20 << /ca 0.2 /CA 0.2 >>",
            "8 6 m ",
            "/F2 10.00 Tf (s) Tj /F1 10.00 Tf ( \\(a<b\\) ) Tj /F2 10.00 Tf (-) Tj \
             /F1 10.00 Tf ( \\261 ? ) Tj /F2 10.00 Tf (\\326) Tj /F1 10.00 Tf (3 ) Tj /F2 10.00 Tf (\\273) Tj \
             /F1 10.00 Tf ( ) Tj /F2 10.00 Tf (\\245) Tj ET",
            "-0.0000 -1.0000 -1.0000 0.0000 17.60 ",
        ] {
            assert!(file.contains(part), "no {part} in\n{file}");
        }
        assert_eq!(letters_without_pdf(SVG), ['歩'].into(), "what is a ? there");
    }
}
