//! Aligned columns of text.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// Spaces between two columns.
const GAP: u16 = 2;

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// Formats centipawns to the tenth, without a tenth of zero: shares of a pawn exchange have many more
/// digits than are worth reading.
pub fn centipawns(value: f64) -> String {
    let tenths = format!("{value:.1}");
    tenths.strip_suffix(".0").unwrap_or(&tenths).to_owned()
}

/// Writes rows of cells in columns two spaces apart, padded by display width: Japanese notation is
/// two columns a character. Rows may be shorter than the first.
pub fn align(text: &mut String, sides: &[Align], rows: &[Vec<String>]) {
    if rows.is_empty() {
        return;
    }
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .add_rows(rows);
    for (column, side) in table.column_iter_mut().zip(sides) {
        column.set_padding((0, GAP)).set_cell_alignment(match side {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
        });
    }
    text.push_str(&table.trim_fmt());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centipawns_are_short() {
        let texts = [50.0, 107.5, 36.025_252_5, 0.0].map(centipawns);
        assert_eq!(texts, ["50", "107.5", "36", "0"]);
    }

    #[test]
    fn japanese_characters_take_two_columns() {
        let rows = [vec!["７六歩", "1"], vec!["7g7f", "12"], vec!["-"]];
        let rows = rows.map(|row| row.into_iter().map(str::to_owned).collect());
        let mut text = String::new();
        align(&mut text, &[Align::Left, Align::Right], &rows);
        assert_eq!(text, "７六歩   1\n7g7f    12\n-\n");
    }
}
