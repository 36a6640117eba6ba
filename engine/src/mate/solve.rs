//! A solver of mate problems, which returns whole lines.

use super::proof_number::{MAX_PLIES, Mate, MateSearch};
use crate::rules::{Move, MoveList, Position};

/// Largest table of the solver, in MiB; it is allocated anew for each problem.
const MAX_TABLE_MIB: usize = 1 << 10;

/// Entries of the first table. Most problems need no more, and a large table takes longer to clear than
/// they take to solve.
const FIRST_TABLE: usize = 1 << 12;

/// Factor by which each further table is larger.
const GROWTH: usize = 16;

/// Solution of a mate problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solution {
    /// A line of checks that ends with mate. The defence resists as long as possible against the
    /// mates found, which need not be the shortest.
    Mate(Vec<Move>),
    /// There is no mate by checks alone.
    NoMate,
    /// The search was interrupted or lacked memory.
    Unknown,
}

/// Looks for a mate by the side to move until it is found or disproved, or `is_over` returns true. The
/// table has `table_mib` MiB, limited to 1 to 1024.
///
/// ```
/// use monju_engine::{Position, mate::{Solution, solve_mate}};
/// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")?;
/// let Solution::Mate(line) = solve_mate(&position, 1, || false) else {
///     panic!("a mate");
/// };
/// assert_eq!(line.len(), 1);
/// # Ok::<(), monju_engine::SfenError>(())
/// ```
pub fn solve_mate(
    position: &Position,
    table_mib: usize,
    mut is_over: impl FnMut() -> bool,
) -> Solution {
    let most = (table_mib.clamp(1, MAX_TABLE_MIB) << 20) / MateSearch::POSITION_BYTES;
    let mut position = position.clone();
    let mut size = FIRST_TABLE.min(most);
    let mut search = loop {
        let Ok(mut search) = MateSearch::try_new(size) else {
            return Solution::Unknown;
        };
        if size == most {
            break search;
        }
        // A table with as many entries as positions visited holds nearly all of them.
        let mut ended = false;
        let (mate, _) = search.search(&mut position, size as u64, &mut |_| {
            ended = is_over();
            ended
        });
        match mate {
            Mate::In { .. } => break search,
            Mate::None => return Solution::NoMate,
            Mate::Unknown if ended => return Solution::Unknown,
            Mate::Unknown => size = (size * GROWTH).min(most),
        }
    };
    let mut line = Vec::new();
    while line.len() < MAX_PLIES {
        let mv = match settle(&mut search, &mut position, &mut is_over) {
            Mate::In { mv, .. } => mv,
            Mate::None if line.is_empty() => return Solution::NoMate,
            Mate::None | Mate::Unknown => return Solution::Unknown,
        };
        line.push(mv);
        position.make(mv);
        let mut longest = None;
        for &answer in MoveList::legal(&position).as_slice() {
            let undo = position.make(answer);
            // Usually found in the table.
            let mate = settle(&mut search, &mut position, &mut is_over);
            position.unmake(answer, undo);
            let Mate::In { plies, .. } = mate else {
                return Solution::Unknown;
            };
            if longest.is_none_or(|(_, most)| plies > most) {
                longest = Some((answer, plies));
            }
        }
        let Some((answer, _)) = longest else {
            return Solution::Mate(line);
        };
        line.push(answer);
        position.make(answer);
    }
    Solution::Unknown
}

/// Searches until a mate by the side to move is found or disproved.
fn settle(
    search: &mut MateSearch,
    position: &mut Position,
    is_over: &mut impl FnMut() -> bool,
) -> Mate {
    search.search(position, u64::MAX, &mut |_| is_over()).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Game;
    use std::{fs, path::Path};

    /// A position with lines of checks that take millions of positions.
    const LONG_CHECKS: &str = "sfen 1nS1k1Gnl/4+L2g1/3p1s1pp/2psppp2/1p7/2PP1PP1P/+BPS+n5/K1gL3+r1/3R4+b w GNL3Pp 118 moves 4c5b";

    fn solve(sfen: &str) -> Solution {
        solve_mate(&Position::from_sfen(sfen).unwrap(), 1, || false)
    }

    #[test]
    fn a_solution_is_a_line_to_the_mate() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/mate/mates.tsv");
        let text = fs::read_to_string(file).unwrap();
        let problems = text.lines().filter(|line| !line.starts_with('#'));
        for problem in problems.step_by(25) {
            let (sfen, plies) = problem.split_once('\t').unwrap();
            let plies: usize = plies.split('\t').next().unwrap().parse().unwrap();
            let Solution::Mate(line) = solve(sfen) else {
                panic!("{sfen}: no mate");
            };
            assert!(line.len() >= plies, "{sfen}: a mate in {}", line.len());
            let mut game = Game::from_usi(&format!("sfen {sfen}")).unwrap();
            for (ply, mv) in line.into_iter().enumerate() {
                game.play(mv).unwrap();
                let checked = game.position().in_check();
                assert!(checked || ply % 2 == 1, "{sfen}: {mv} is no check");
            }
            assert!(game.legal_moves().is_empty(), "{sfen}");
        }
    }

    #[test]
    fn positions_without_a_mate_are_reported() {
        assert_eq!(solve("4k4/9/9/9/9/9/9/9/4K4 b P 1"), Solution::NoMate);
        // A lone rook can only give perpetual check.
        assert_eq!(solve("8k/9/9/9/9/9/9/7R1/K8 b - 1"), Solution::NoMate);
        assert_eq!(
            solve("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
            Solution::NoMate
        );
    }

    #[test]
    fn an_interrupted_search_has_no_result() {
        let game = Game::from_usi(LONG_CHECKS).unwrap();
        let mut looks = 0;
        let solution = solve_mate(game.position(), 1, || {
            looks += 1;
            looks == 3
        });
        assert_eq!((solution, looks), (Solution::Unknown, 3));
    }
}
