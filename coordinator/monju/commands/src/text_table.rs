//! Aligned columns of text.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use console::measure_text_width;

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

/// Writes rows as [`align`] does, in at most so many columns of a terminal. The first row has the headings; where the
/// rows do not fit, those that are dispensable are left out, the first ones first.
pub fn align_within(
    text: &mut String,
    sides: &[Align],
    rows: &[Vec<String>],
    dispensable: &[&str],
    columns: Option<usize>,
) {
    let without = |left_out: &[&str]| {
        let is_kept = |column: usize| {
            let heading = rows.first().and_then(|headings| headings.get(column));
            heading.is_none_or(|heading| !left_out.contains(&heading.as_str()))
        };
        let sides: Vec<Align> = kept(sides, is_kept);
        let rows: Vec<Vec<String>> = rows.iter().map(|row| kept(row, is_kept)).collect();
        let mut table = String::new();
        align(&mut table, &sides, &rows);
        table
    };
    let fits = |table: &String| {
        let width = table.lines().map(measure_text_width).max();
        columns.is_none_or(|columns| width.unwrap_or(0) <= columns)
    };
    let table = (0..dispensable.len())
        .map(|number| without(&dispensable[..number]))
        .find(fits);
    text.push_str(&table.unwrap_or_else(|| without(dispensable)));
}

/// Returns the cells of the columns that are kept.
fn kept<T: Clone>(cells: &[T], is_kept: impl Fn(usize) -> bool) -> Vec<T> {
    let cells = cells.iter().enumerate();
    cells
        .filter(|(column, _)| is_kept(*column))
        .map(|(_, cell)| cell.clone())
        .collect()
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
