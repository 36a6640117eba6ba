//! From counted and searched positions to the weights of a book (Shimoyama, section 11).
//!
//! The paper prefers moves of high value and prints no formula; [`ValueWeights`] has ours. The value of a
//! move is that of the position after it, where that was searched, and else that of its own position if
//! it is the best move there. A pass from the leaves of the book upwards first makes the values agree
//! (negamax); where moves lead in a circle, the position that closes it takes the first one's own value.
//! Departures: the best move of a search enters the book although no game has it, as if played once.

use super::{
    pass::{candidate_moves, key_after, leaves_first, position_of},
    values::SearchedValues,
};
use monju_engine::{
    Position,
    book::{Book, BookMove, BookPosition, ValueWeights, WeighedMove},
};
use std::collections::HashMap;

/// The way from values to weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weighing {
    pub weights: ValueWeights,
    /// The values of positions come from those after them.
    pub minimax: bool,
}

/// A candidate of a position.
struct ValuedMove {
    entry: BookMove,
    value: i32,
}

/// Returns the book of the searched positions of `counted`.
pub(super) fn weigh(counted: &Book, values: &SearchedValues, weighing: Weighing) -> Book {
    let mut backed: HashMap<&str, i32> = HashMap::new();
    let mut book = Book::default();
    for (key, entry) in leaves_first(counted, values) {
        let position = position_of(key, entry);
        let value_of = |child: &str| {
            let own = values.get(child).map(|found| found.value);
            backed
                .get(child)
                .copied()
                .filter(|_| weighing.minimax)
                .or(own)
        };
        let candidates = candidates(&position, key, entry, values, value_of);
        let best = candidates.iter().map(|candidate| candidate.value).max();
        backed.insert(key, best.unwrap_or(values[key].value));
        let has_games = entry.moves.iter().any(|one| one.games > 0);
        let weights: Vec<WeighedMove> = (candidates.iter())
            .map(|candidate| WeighedMove {
                count: games_of(&candidate.entry, has_games).max(1),
                value: candidate.value,
            })
            .collect();
        let weights = weighing.weights.of(entry.ply, &weights);
        let moves = candidates.iter().zip(weights);
        let moves = moves.filter(|(_, weight)| *weight > 0);
        let moves: Vec<BookMove> = moves
            .map(|(candidate, weight)| BookMove {
                weight,
                value: Some(candidate.value),
                ..candidate.entry
            })
            .collect();
        if !moves.is_empty() && book.insert(&position, moves).is_err() {
            unreachable!("the moves were legal and different");
        }
    }
    book
}

/// Returns the moves of a position whose value is known: those of the book, and the best one.
fn candidates(
    position: &Position,
    key: &str,
    entry: &BookPosition,
    values: &SearchedValues,
    value_of: impl Fn(&str) -> Option<i32>,
) -> Vec<ValuedMove> {
    let own = values[key];
    candidate_moves(position, entry, own.best)
        .into_iter()
        .filter_map(|entry| {
            let child = key_after(position, entry.mv);
            let searched = values.get(&child);
            let (value, depth) = match (value_of(&child), searched) {
                (Some(value), Some(found)) => (-value, found.depth + 1),
                _ if entry.mv == own.best => (own.value, own.depth),
                _ => return None,
            };
            let entry = BookMove {
                depth: Some(depth),
                reply: searched.map(|found| found.best).or(entry.reply),
                ..entry
            };
            Some(ValuedMove { entry, value })
        })
        .collect()
}

/// Returns the games of a move: in a position where none has any, as in books of other programs, weights are counts.
pub(super) fn games_of(one: &BookMove, has_games: bool) -> u32 {
    match has_games {
        true => one.games,
        false => one.weight,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::values::SearchedValue;
    use monju_engine::{Game, book::key_of};

    fn position(moves: &str) -> Position {
        let game = Game::from_usi(&format!("startpos moves {moves}")).unwrap();
        game.position().clone()
    }

    fn found(best: &str, value: i32) -> SearchedValue {
        SearchedValue {
            best: best.parse().unwrap(),
            value,
            depth: 10,
        }
    }

    /// A book of the start, both its moves, and one reply, with their values.
    fn small() -> (Book, SearchedValues) {
        let mut book = Book::default();
        let mut values = SearchedValues::new();
        let mut add = |position: &Position, moves: &[(&str, u32)], value: SearchedValue| {
            let moves = moves
                .iter()
                .map(|(mv, games)| BookMove {
                    games: *games,
                    ..BookMove::new(mv.parse().unwrap(), 0)
                })
                .collect();
            book.insert(position, moves).unwrap();
            values.insert(key_of(position), value);
        };
        let start = [("7g7f", 9), ("2g2f", 4), ("1g1f", 1)];
        add(&Position::startpos(), &start, found("7g7f", 60));
        add(&position("7g7f"), &[("3c3d", 2)], found("8c8d", -40));
        add(&position("2g2f"), &[("3c3d", 2)], found("3c3d", -10));
        add(&position("2g2f 3c3d"), &[("7g7f", 1)], found("7g7f", -20));
        (book, values)
    }

    fn weighed(minimax: bool) -> Vec<(String, u32, Option<i32>)> {
        let (book, values) = small();
        let weights = ValueWeights::default();
        let book = weigh(&book, &values, Weighing { weights, minimax });
        let start = book.find(&Position::startpos()).unwrap();
        let moves = start.moves.iter();
        moves
            .map(|one| (one.mv.to_string(), one.weight, one.value))
            .collect()
    }

    #[test]
    fn a_move_has_the_value_of_the_position_after_it() {
        // 1g1f leads to no searched position and is left out.
        let by_search = [
            ("7g7f".to_owned(), 3000, Some(40)),
            ("2g2f".to_owned(), 1098, Some(10)),
        ];
        assert_eq!(weighed(false), by_search);
    }

    #[test]
    fn values_come_up_from_the_leaves() {
        // After 2g2f 3c3d Black stands at -20: White at 20 after 2g2f, so that 2g2f is worth -20.
        let by_minimax = [
            ("7g7f".to_owned(), 3000, Some(40)),
            ("2g2f".to_owned(), 602, Some(-20)),
        ];
        assert_eq!(weighed(true), by_minimax);
    }

    #[test]
    fn values_come_up_from_the_leaves_without_plies() {
        // Black's rook goes there and back, so that the texts of the positions are not in the reverse order.
        let line = ["2h3h", "3c3d", "3h2h", "8c8d", "2g2f"];
        let values_of = |plies: bool| {
            let (mut book, mut values) = (Book::default(), SearchedValues::new());
            let mut game = Game::startpos();
            for mv in line {
                let key = key_of(game.position());
                let ply = if plies { game.position().ply() } else { 1 };
                let position = Position::from_sfen(&format!("{key} {ply}")).unwrap();
                let moves = vec![BookMove::new(mv.parse().unwrap(), 1)];
                book.insert(&position, moves).unwrap();
                values.insert(key, found(mv, 7 * game.position().ply() as i32));
                game.play(mv.parse().unwrap()).unwrap();
            }
            let weights = ValueWeights::default();
            let weighing = Weighing {
                weights,
                minimax: true,
            };
            let book = weigh(&book, &values, weighing);
            let values = book.iter().map(|(key, entry)| {
                let value = entry.moves[0].value;
                (key.to_owned(), value.unwrap())
            });
            values.collect::<HashMap<String, i32>>()
        };
        let without_plies = values_of(false);
        assert_eq!(without_plies, values_of(true));
        // The value of the last position, 35 for Black, is that of the whole line.
        assert_eq!(without_plies[&key_of(&Position::startpos())], 35);
    }

    #[test]
    fn the_best_move_of_a_search_enters_the_book() {
        let (book, values) = small();
        let weighing = Weighing {
            weights: ValueWeights::default(),
            minimax: true,
        };
        let book = weigh(&book, &values, weighing);
        let after = book.find(&position("7g7f")).unwrap();
        let moves: Vec<String> = after.moves.iter().map(|one| one.mv.to_string()).collect();
        assert_eq!(moves, ["8c8d"], "3c3d has no value");
    }
}
