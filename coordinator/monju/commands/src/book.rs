//! `monju book`: opening books.

use super::{
    learn::progress::TerminalProgress,
    output::print,
    text_table::{Align, align},
};
use monju_engine::{
    Game,
    book::{Book, BookMove},
    counted,
};
use monju_learn::book::{BookConversionRun, BookSize, BuildRun, SearchRun, read_book};
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::PathBuf};

/// Plies that share a line of the summary.
const BAND: u32 = 10;

/// Makes a book from games, and prints its size.
///
/// # Errors
/// A file cannot be read or written, or no position is left.
pub fn build(run: &BuildRun) -> anyhow::Result<()> {
    let summary = run.run(&mut TerminalProgress::default())?;
    let without = match summary.without_winner {
        0 => String::new(),
        games => format!("; {} without a winner left out", counted(games, "game")),
    };
    print(&format!(
        "{}: {} from {}{without}{}\n",
        run.output.display(),
        size_text(summary.size),
        counted(summary.games, "game"),
        summary.records
    ))
}

/// Searches the positions of a book, and prints the size of the new one.
///
/// # Errors
/// A file cannot be read or written, or the values of an earlier run have other settings.
pub fn search(run: &SearchRun) -> anyhow::Result<()> {
    let summary = run.run(&mut TerminalProgress::default())?;
    print(&format!(
        "{}: {}, of {} searched\n",
        run.output.display(),
        size_text(summary.size),
        summary.searched
    ))
}

/// Converts a book, and prints its size.
///
/// # Errors
/// The book cannot be read, or the output cannot be written.
pub fn convert(run: &BookConversionRun) -> anyhow::Result<()> {
    let size = run.run()?;
    print(&format!("{}: {}\n", run.output.display(), size_text(size)))
}

/// A look into a book.
#[derive(Clone, Debug)]
pub struct ShowBook {
    /// The book.
    pub book: PathBuf,
    /// The position to show; `None` for the whole book in numbers.
    pub game: Option<Game>,
    /// One JSON object instead of a table.
    pub json: bool,
}

impl ShowBook {
    /// Prints the moves of the position, or the size of the book.
    ///
    /// # Errors
    /// The book cannot be read.
    pub fn run(self) -> anyhow::Result<()> {
        let book = read_book(&self.book)?;
        let text = match (&self.game, self.json) {
            (Some(game), false) => moves_text(&book, game),
            (Some(game), true) => moves_json(&book, game).to_string() + "\n",
            (None, false) => summary_text(&book),
            (None, true) => summary_json(&book).to_string() + "\n",
        };
        print(&text)
    }
}

/// Returns the share of the draws of each move of a position, with the move.
fn shares<'a>(book: &'a Book, game: &Game) -> Vec<(f64, &'a BookMove)> {
    let Some(entry) = book.find(game.position()) else {
        return Vec::new();
    };
    let playable = book.playable(game);
    let total: f64 = playable.iter().map(|one| f64::from(one.weight)).sum();
    let share = |one: &BookMove| match playable.iter().any(|other| other.mv == one.mv) {
        true => f64::from(one.weight) / total,
        false => 0.0,
    };
    let moves = entry.moves.iter();
    moves.map(|one| (share(one), one)).collect()
}

fn moves_text(book: &Book, game: &Game) -> String {
    let shares = shares(book, game);
    if shares.is_empty() {
        return "the position is not in the book\n".to_owned();
    }
    let head = [
        "move", "", "drawn", "weight", "games", "wins", "value", "depth", "reply",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    let number = |number: u32| match number {
        0 => "-".to_owned(),
        number => number.to_string(),
    };
    let or_dash = |text: Option<String>| text.unwrap_or("-".to_owned());
    for (share, one) in shares {
        rows.push(vec![
            one.mv.to_string(),
            game.japanese(one.mv),
            format!("{:.1} %", 100.0 * share),
            one.weight.to_string(),
            number(one.games),
            // A move of some games may have none that was won.
            match one.games {
                0 => number(one.wins),
                _ => one.wins.to_string(),
            },
            or_dash(one.value.map(|value| format!("{value:+}"))),
            or_dash(one.depth.map(|depth| depth.to_string())),
            or_dash(one.reply.map(|reply| reply.to_string())),
        ]);
    }
    let mut sides = [Align::Right; 9];
    (sides[0], sides[1]) = (Align::Left, Align::Left);
    let mut text = String::new();
    align(&mut text, &sides, &rows);
    text
}

fn moves_json(book: &Book, game: &Game) -> Value {
    let moves: Vec<Value> = shares(book, game)
        .into_iter()
        .map(|(share, one)| {
            json!({
                "move": one.mv.to_string(),
                "probability": share,
                "weight": one.weight,
                "games": one.games,
                "wins": one.wins,
                "value": one.value,
                "depth": one.depth,
                "reply": one.reply.map(|reply| reply.to_string()),
            })
        })
        .collect();
    json!({ "position": game.to_usi(), "moves": moves })
}

/// Returns the number of positions in each band of plies, by its first ply.
fn bands(book: &Book) -> BTreeMap<u32, usize> {
    let mut bands = BTreeMap::new();
    for (_, entry) in book.iter() {
        let band = entry.ply.saturating_sub(1) / BAND * BAND + 1;
        *bands.entry(band).or_insert(0) += 1;
    }
    bands
}

fn size_text(BookSize { positions, moves }: BookSize) -> String {
    let moves = counted(moves, "move");
    format!("{} with {moves}", counted(positions, "position"))
}

fn summary_text(book: &Book) -> String {
    let size = BookSize {
        positions: book.len(),
        moves: book.moves(),
    };
    let mut text = size_text(size) + "\n";
    let mut rows = vec![vec!["move".to_owned(), "positions".to_owned()]];
    for (first, positions) in bands(book) {
        let last = first + BAND - 1;
        rows.push(vec![format!("{first}-{last}"), positions.to_string()]);
    }
    align(&mut text, &[Align::Left, Align::Right], &rows);
    text
}

fn summary_json(book: &Book) -> Value {
    let bands: Vec<Value> = bands(book)
        .into_iter()
        .map(|(first, positions)| json!({ "from_move": first, "positions": positions }))
        .collect();
    json!({ "positions": book.len(), "moves": book.moves(), "bands": bands })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book() -> Book {
        let text = "monju book 1\n\
            sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
            7g7f 3 games 5 wins 3\n2g2f 1 value -12 depth 9 reply 8c8d\n1g1f 0 games 2\n";
        Book::from_bytes(text.as_bytes()).unwrap()
    }

    #[test]
    fn the_moves_of_a_position_are_shown() {
        let text = moves_text(&book(), &Game::startpos());
        let expected = "\
move                drawn  weight  games  wins  value  depth  reply
7g7f  ▲７六歩(77)  75.0 %       3      5     3      -      -      -
2g2f  ▲２六歩(27)  25.0 %       1      -     -    -12      9   8c8d
1g1f  ▲１六歩(17)   0.0 %       0      2     0      -      -      -
";
        assert_eq!(text, expected, "\n{text}");
        let other = Game::from_usi("startpos moves 7g7f").unwrap();
        assert_eq!(
            moves_text(&book(), &other),
            "the position is not in the book\n"
        );
    }

    #[test]
    fn the_json_keys_stay_the_same() {
        let json = moves_json(&book(), &Game::startpos());
        assert_eq!(json["moves"][0]["probability"], 0.75);
        assert_eq!(json["moves"][1]["reply"], "8c8d");
        assert_eq!(json["moves"][2]["value"], Value::Null);
        let summary = summary_json(&book());
        assert_eq!(
            (&summary["positions"], &summary["moves"]),
            (&json!(1), &json!(3))
        );
        assert_eq!(
            summary_text(&book()),
            "1 position with 3 moves\nmove  positions\n1-10          1\n"
        );
    }
}
