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
