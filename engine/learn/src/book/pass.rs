//! The pass through a book that values each position after those that its moves lead to.

use super::values::SearchedValues;
use monju_engine::{
    Move, Position,
    book::{Book, BookMove, BookPosition, key_of},
};
use std::collections::HashMap;

/// Returns the searched positions of `counted`, each after those that its moves lead to. The plies of a database
/// may be missing, so the moves alone tell the order. Of moves in a circle, the one that closes it does not count.
pub(super) fn leaves_first<'a>(
    counted: &'a Book,
    values: &SearchedValues,
) -> Vec<(&'a str, &'a BookPosition)> {
    let positions: Vec<(&str, &BookPosition)> = (counted.iter())
        .filter(|(key, _)| values.contains_key(*key))
        .collect();
    let children = children(&positions, values);
    let mut has_parent = vec![false; positions.len()];
    for &child in children.iter().flatten() {
        has_parent[child] = true;
    }
    let mut starts: Vec<usize> = (0..positions.len()).collect();
    // Circles close where a game enters them, if that is known.
    starts.sort_by_key(|&index| (has_parent[index], positions[index].1.ply));
    let mut is_met = vec![false; positions.len()];
    let mut ordered = Vec::with_capacity(positions.len());
    // A depth-first walk, without recursion: the positions under way, and the moves left of each.
    let mut line = Vec::new();
    for start in starts {
        if !is_met[start] {
            is_met[start] = true;
            line.push((start, children[start].iter()));
        }
        while let Some((index, left)) = line.last_mut() {
            match left.find(|child| !is_met[**child]) {
                Some(&child) => {
                    is_met[child] = true;
                    line.push((child, children[child].iter()));
                }
                None => {
                    ordered.push(positions[*index]);
                    line.pop();
                }
            }
        }
    }
    ordered
}

/// Returns the positions after the candidates of each position, by their indices.
fn children(positions: &[(&str, &BookPosition)], values: &SearchedValues) -> Vec<Vec<usize>> {
    let indices: HashMap<&str, usize> = (positions.iter().enumerate())
        .map(|(index, (key, _))| (*key, index))
        .collect();
    let of = |(key, entry): &(&str, &BookPosition)| {
        let position = position_of(key, entry);
        let moves = candidate_moves(&position, entry, values[*key].best);
        let after = moves.iter().map(|one| key_after(&position, one.mv));
        after
            .filter_map(|child| indices.get(&*child).copied())
            .collect()
    };
    positions.iter().map(of).collect()
}

/// Returns the position of an entry.
pub(super) fn position_of(key: &str, entry: &BookPosition) -> Position {
    let Ok(position) = Position::from_sfen(&format!("{key} {}", entry.ply)) else {
        unreachable!("the key is the text of a position");
    };
    position
}

/// Returns the moves of a position, with the best one of its search.
pub(super) fn candidate_moves(
    position: &Position,
    entry: &BookPosition,
    best: Move,
) -> Vec<BookMove> {
    let mut moves = entry.moves.clone();
    if position.is_legal(best) && moves.iter().all(|known| known.mv != best) {
        moves.push(BookMove::new(best, 0));
    }
    moves
}

/// Returns the key of the position after a move.
pub(super) fn key_after(position: &Position, mv: Move) -> String {
    let mut after = position.clone();
    after.make(mv);
    key_of(&after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::values::SearchedValue;
    use monju_engine::Game;

    /// Returns the order of the positions on a line of moves, by their number on it, with all plies 1.
    fn order(line: &str) -> Vec<usize> {
        let (mut book, mut values) = (Book::default(), SearchedValues::new());
        let mut keys = Vec::new();
        let mut game = Game::startpos();
        for mv in line.split(' ') {
            let mv: Move = mv.parse().unwrap();
            let key = key_of(game.position());
            let position = Position::from_sfen(&key).unwrap();
            let value = SearchedValue {
                best: mv,
                value: 0,
                depth: 1,
            };
            values.insert(key.clone(), value);
            if !keys.contains(&key) {
                book.insert(&position, vec![BookMove::new(mv, 1)]).unwrap();
                keys.push(key);
            }
            game.play(mv).unwrap();
        }
        let ordered = leaves_first(&book, &values).into_iter();
        ordered
            .map(|(key, _)| keys.iter().position(|known| known == key).unwrap())
            .collect()
    }

    #[test]
    fn a_line_is_valued_from_its_end() {
        assert_eq!(order("2h3h 3c3d 3h2h 8c8d 2g2f"), [4, 3, 2, 1, 0]);
    }

    #[test]
    fn a_circle_closes_where_it_is_entered() {
        assert_eq!(order("7g7f 3c3d 2h3h 8b7b 3h2h 7b8b"), [5, 4, 3, 2, 1, 0]);
        let circle = order("2h3h 8b7b 3h2h 7b8b");
        assert_eq!(circle.len(), 4, "without an entry: {circle:?}");
    }
}
