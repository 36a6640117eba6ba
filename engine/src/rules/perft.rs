use super::{
    check::CheckInfo,
    generate::{Scope, generate},
    move_list::MoveList,
    position::Position,
    sink::MoveCounter,
};

/// Counts the lines of exactly `depth` legal moves. The last ply is counted in bulk.
///
/// ```
/// use monju_engine::{Position, rules::perft};
/// assert_eq!(perft(&mut Position::startpos(), 3), 25_470);
/// ```
pub fn perft(position: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => count_legal(position) as u64,
        _ => {
            let moves = MoveList::legal(position);
            let mut nodes = 0;
            for &mv in &*moves {
                let undo = position.make(mv);
                nodes += perft(position, depth - 1);
                position.unmake(mv, undo);
            }
            nodes
        }
    }
}

/// Counts like [`perft`], but makes and unmakes the moves of the last ply as well.
pub fn perft_every_leaf(position: &mut Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = MoveList::legal(position);
    let mut nodes = 0;
    for &mv in &*moves {
        let undo = position.make(mv);
        nodes += perft_every_leaf(position, depth - 1);
        position.unmake(mv, undo);
    }
    nodes
}

/// Returns the number of legal moves.
#[inline]
pub(super) fn count_legal(position: &Position) -> usize {
    let mut count = MoveCounter::default();
    let info = CheckInfo::new(position);
    generate::<true, _>(position, &info, Scope::ALL, &mut count);
    count.0
}
