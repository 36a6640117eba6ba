//! The cells that others are compared with.

use super::definition::{Cell, Specification, UnknownCell};

/// Base of the comparisons between cells: one cell, by its label, or, by some of its parameters, a cell for every value
/// of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base<'a> {
    /// The parameters that it names, with their values.
    named: Vec<(&'a str, &'a str)>,
}

impl<'a> Base<'a> {
    /// Reads a base, as `players=4 sigma=1/4` or `players=4`; `None` if no cell has these parameters.
    pub fn of(text: &str, cells: &'a [Cell]) -> Option<Self> {
        let whole = cells.iter().find(|cell| cell.label == text);
        let named = match whole {
            Some(cell) => parameters(cell).collect(),
            None => cells.iter().find_map(|cell| named_by(text, cell))?,
        };
        Some(Self { named })
    }

    /// Returns the index of the cell that a cell is compared with; `None` for a base, and where no base has its other
    /// parameters.
    pub fn of_cell(&self, index: usize, cells: &[Cell]) -> Option<usize> {
        let cell = cells.get(index).filter(|cell| !self.contains(cell))?;
        let is_base = |base: &Cell| {
            let mut others = parameters(base).filter(|(name, _)| !self.names(name));
            self.contains(base) && others.all(|(name, value)| cell.parameter(name) == Some(value))
        };
        cells.iter().position(is_base)
    }

    fn contains(&self, cell: &Cell) -> bool {
        let mut named = self.named.iter();
        named.all(|(name, value)| cell.parameter(name) == Some(value))
    }

    fn names(&self, parameter: &str) -> bool {
        self.named.iter().any(|(name, _)| *name == parameter)
    }
}

impl Specification {
    /// Compares the other cells with this [`Base`], in place of the one that the file names.
    ///
    /// # Errors
    /// There is no such cell.
    pub fn with_base(mut self, label: &str) -> Result<Self, UnknownCell> {
        if Base::of(label, &self.cells).is_none() {
            let labels: Vec<&str> = self.cells.iter().map(|cell| &*cell.label).collect();
            return Err(UnknownCell {
                label: label.to_owned(),
                known: labels.join(", "),
            });
        }
        self.report.base = Some(label.to_owned());
        Ok(self)
    }

    /// Returns the base that the file names.
    pub fn base(&self) -> Option<Base<'_>> {
        Base::of(self.report.base.as_deref()?, &self.cells)
    }
}

fn parameters(cell: &Cell) -> impl Iterator<Item = (&str, &str)> {
    let parameters = cell.parameters.iter();
    parameters.map(|(name, value)| (name.as_str(), value.as_str()))
}

/// Returns the parameters of a cell that a text consists of, in the order of the cell's label; `None` if it has others.
fn named_by<'a>(text: &str, cell: &'a Cell) -> Option<Vec<(&'a str, &'a str)>> {
    let mut rest = text;
    let mut named = Vec::new();
    for (name, value) in parameters(cell) {
        let own = format!("{name}={value}");
        let Some(after) = rest.strip_prefix(&own) else {
            continue;
        };
        match after.strip_prefix(' ') {
            Some(after) if !after.is_empty() => rest = after,
            None if after.is_empty() => rest = after,
            _ => continue,
        }
        named.push((name, value));
    }
    (rest.is_empty() && !named.is_empty()).then_some(named)
}

#[cfg(test)]
mod tests {
    use crate::specification::Specification;

    /// Returns the index of the cell that each cell is compared with.
    fn bases(base: &str) -> Option<Vec<Option<usize>>> {
        let text = r#"
            version = 1
            name = "t"
            games = 2
            openings = "openings.sfen"
            first = "a"
            second = "b"
            [grid]
            players = [1, 10]
            sigma = ["1/8 pawn exchange", "1/4 pawn exchange"]
            [ensemble.a]
            nodes = 10
            player = [{ name = "n", count = "$players", sigma = "$sigma" }]
            [ensemble.b]
            nodes = 10
            player = [{ name = "s" }]
        "#;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let openings = "startpos moves 7g7f\n";
        std::fs::write(folder.path().join("openings.sfen"), openings).expect("writable");
        let specification = Specification::parse(text, &folder.path().join("t.toml"));
        let specification = specification.expect("a good file");
        let specification = specification.with_base(base).ok()?;
        let cells = &specification.cells;
        let base = specification.base().expect("a base");
        Some(
            (0..cells.len())
                .map(|cell| base.of_cell(cell, cells))
                .collect(),
        )
    }

    #[test]
    fn a_base_is_one_cell_or_one_for_every_value_of_the_others() {
        let all = |of: [Option<usize>; 4]| Some(of.to_vec());
        let first = [None, Some(0), Some(0), Some(0)];
        assert_eq!(bases("players=1 sigma=1/8 pawn exchange"), all(first));
        assert_eq!(bases("players=10"), all([Some(2), Some(3), None, None]));
        let spaced = [Some(1), None, Some(3), None];
        assert_eq!(bases("sigma=1/4 pawn exchange"), all(spaced));
        for wrong in ["players=2", "players=1 ", "players", "sigma=1/4", ""] {
            assert_eq!(bases(wrong), None, "{wrong}");
        }
    }
}
