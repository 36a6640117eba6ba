//! Aligned columns of text.

use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Centipawns to the tenth, without a tenth that is none: shares of a pawn exchange have many more
/// digits than anybody wants to read.
pub fn centipawns(value: f64) -> String {
    let tenths = format!("{value:.1}");
    tenths.strip_suffix(".0").unwrap_or(&tenths).to_owned()
}

/// Writes rows of cells in columns two spaces apart, padded by display width: Japanese notation is
/// two columns a character. Rows may be shorter than the first.
pub fn align(text: &mut String, sides: &[Side], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..sides.len()).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for ((cell, side), width) in row.iter().zip(sides).zip(&widths) {
            let padding = " ".repeat(width - cell.width());
            let _ = match side {
                Side::Right => write!(line, "{padding}{cell}  "),
                Side::Left => write!(line, "{cell}{padding}  "),
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centipawns_are_short() {
        let texts = [50.0, 107.5, 36.025_252_5, 0.0].map(centipawns);
        assert_eq!(texts, ["50", "107.5", "36", "0"]);
    }
}
