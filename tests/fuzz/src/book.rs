//! Opening books, of both formats.

use crate::fuzz_target::FuzzTarget;
use monju_engine::{
    Game, Position,
    book::{Book, BookMove, BookPosition},
};

pub const TARGET: FuzzTarget = FuzzTarget {
    name: "book",
    run,
    corpus: || BOOKS.iter().map(|book| book.as_bytes().to_vec()).collect(),
    words: &[
        "monju book 1\n",
        "#YANEURAOU-DB2016 1.00\n",
        "sfen ",
        "\nsfen 4k4/9/9/9/9/9/9/9/4K4 b P 1\n",
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - ",
        "7g7f",
        "2g2f",
        "8h2b+",
        "P*5e",
        " games ",
        " wins ",
        " value ",
        " depth ",
        " reply ",
        "none",
        "resign",
        "win",
        "\n# a remark\n",
        "\n// another\n",
        "\r\n",
        "\u{feff}",
    ],
    mutations: 10_000,
};

const BOOKS: [&str; 4] = [
    "monju book 1\n# a remark\n\
     sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
     7g7f 66 games 120 wins 66\n2g2f 54 games 101 wins 54 value 31 depth 18 reply 8c8d\n1g1f 0\n",
    "#YANEURAOU-DB2016 1.00\n// another remark\n\
     sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n\
     7g7f 3c3d 41 20 7\n2g2f none 39 20 5\n5g5f\nresign none 0 0\n\
     sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3\n\
     8h2b+ 3a2b -120 18 1\n2g2f 8c8d 55\n",
    "#YANEURAOU-DB2016 1.00\nsfen 4k4/9/9/9/9/9/9/9/4K4 b P 41\nP*5e none 90 3\n5i5h 5a5b 12 3\n",
    "monju book 1\nsfen 4k4/9/9/9/9/9/9/9/4K4 w r2b 12\nR*5b 3 value -32001\n",
];

/// A book that is accepted has legal moves only, says what it would draw, and is read as it is written.
fn run(bytes: &[u8]) {
    let Ok(book) = Book::from_bytes(bytes) else {
        return;
    };
    for (sfen, entry) in book.iter() {
        let position = format!("sfen {sfen} {}", entry.ply);
        let game = Game::from_usi(&position).expect("a position that was read can be read again");
        for known in &entry.moves {
            assert!(
                game.position().is_legal(known.mv),
                "{position} {}",
                known.mv
            );
        }
        let weight = |entry: &BookMove| u64::from(entry.weight);
        let total: u64 = entry.moves.iter().map(weight).sum();
        for draw in [0, u64::MAX / 3, u64::MAX] {
            let drawn = book.choose(&game, draw);
            assert_eq!(drawn.is_some(), total > 0, "{position}");
            let Some(mv) = drawn else { continue };
            let known = entry.moves.iter().find(|known| known.mv == mv);
            assert!(known.is_some_and(|known| known.weight > 0), "{position}");
            let reply = book.reply(&game, mv);
            let mut after: Position = game.position().clone();
            after.make(mv);
            assert!(
                reply.is_none_or(|reply| after.is_legal(reply)),
                "{position}"
            );
        }
    }
    let again = Book::from_bytes(book.to_text("a remark\nof two lines").as_bytes());
    assert_eq!(again.as_ref(), Ok(&book));
    // A database that is read may have moves that are never drawn, by their values.
    if let Some(other) = through_database(&book) {
        through_database(&other);
    }
}

/// Returns a book after its way through a database, in which values of mates are cut and moves that are never drawn are
/// left out; `None` if nothing is left.
fn through_database(book: &Book) -> Option<Book> {
    let drawn = |entry: &BookPosition| entry.moves.iter().filter(|one| one.weight > 0).count();
    let drawn: Vec<usize> = book.iter().map(|(_, entry)| drawn(entry)).collect();
    let moves: usize = drawn.iter().sum();
    let other = Book::from_bytes(book.to_yaneuraou().as_bytes());
    if moves == 0 {
        assert!(other.is_err(), "it has nothing to be drawn");
        return None;
    }
    let other = other.expect("a database");
    let positions = drawn.iter().filter(|&&moves| moves > 0).count();
    assert_eq!((other.len(), other.moves()), (positions, moves));
    Some(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_of_the_corpus_is_a_book() {
        for text in BOOKS {
            assert_eq!(Book::from_bytes(text.as_bytes()).err(), None, "{text}");
        }
    }
}
