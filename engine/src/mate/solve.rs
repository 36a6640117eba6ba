//! A solver of mate problems, which returns whole lines.

use super::{
    proof_number::Mate,
    proof_tree::ProofTree,
    solver::{Gap, MateProgress, Solver},
};
use crate::rules::{Move, Position};

/// Largest length of a mate, in plies.
const LONGEST: u16 = 511;

/// Positions that a search for a shorter mate may take besides as many as the first mate took.
const SHORTENING_POSITIONS: u64 = 5_000;

/// A mate problem and the effort for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MateQuestion {
    /// Size of the table in MiB, limited to 1 to 1024.
    pub table_mib: usize,
    /// Largest number of positions to search.
    pub nodes: u64,
    /// Looks for the shortest mate with all the effort; otherwise a mate that is found is shortened with
    /// about as much effort as it took.
    pub shortest: bool,
}

impl MateQuestion {
    /// Largest table, in MiB; it is allocated anew for each problem.
    pub const MAX_TABLE_MIB: usize = 1 << 10;

    /// Returns the question for a short mate with a table of some MiB.
    pub const fn new(table_mib: usize) -> Self {
        Self {
            table_mib,
            nodes: u64::MAX,
            shortest: false,
        }
    }
}

/// Answer to a mate problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The result.
    pub verdict: Verdict,
    /// Positions searched.
    pub nodes: u64,
}

/// Result of a mate problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The side to move mates, whatever the defence: every answer to every check has been refuted.
    Mate {
        /// A line of checks that ends with mate. The defence resists as long as possible.
        line: Vec<Move>,
        /// No mate is shorter.
        shortest: bool,
    },
    /// There is no mate by checks alone.
    NoMate,
    /// There is no result.
    Unknown(Gap),
}

/// Looks for a mate by the side to move until it is found or disproved, the limit of positions is
/// reached, or `is_over` returns true.
///
/// ```
/// use monju_engine::{Position, mate::{MateQuestion, Verdict, solve_mate}};
/// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")?;
/// let solution = solve_mate(&position, &MateQuestion::new(1), |_| false);
/// let Verdict::Mate { line, shortest: true } = solution.verdict else {
///     panic!("a mate");
/// };
/// assert_eq!(line.len(), 1);
/// # Ok::<(), monju_engine::SfenError>(())
/// ```
pub fn solve_mate(
    position: &Position,
    question: &MateQuestion,
    mut is_over: impl FnMut(MateProgress) -> bool,
) -> Solution {
    let mib = question.table_mib.clamp(1, MateQuestion::MAX_TABLE_MIB);
    let Ok(mut solver) = Solver::new(mib, question.nodes, &mut is_over) else {
        return Solution {
            verdict: Verdict::Unknown(Gap::Memory),
            nodes: 0,
        };
    };
    let verdict = solve(&mut solver, &mut position.clone(), question.shortest);
    Solution {
        verdict,
        nodes: solver.nodes(),
    }
}

fn solve(solver: &mut Solver<'_>, position: &mut Position, want_shortest: bool) -> Verdict {
    let mut plies = match solver.settle(position, LONGEST, u64::MAX) {
        Mate::In { plies, .. } => plies,
        Mate::None => return Verdict::NoMate,
        Mate::TooLong => return Verdict::Unknown(Gap::TooLong),
        Mate::Unknown => return Verdict::Unknown(solver.gap()),
    };
    let mut tree = match ProofTree::build(solver, position, plies) {
        Ok(tree) => tree,
        Err(gap) => return Verdict::Unknown(gap),
    };
    let effort = solver.nodes() + SHORTENING_POSITIONS;
    let end = match want_shortest {
        true => u64::MAX,
        false => solver.nodes() + effort,
    };
    let shortest = loop {
        plies = tree.plies();
        solver.note(plies);
        if plies == 1 {
            break true;
        }
        let budget = end.saturating_sub(solver.nodes());
        match solver.settle(position, plies - 2, budget) {
            Mate::In { plies, .. } => match ProofTree::build(solver, position, plies) {
                Ok(shorter) => tree = shorter,
                Err(_) => break false,
            },
            Mate::None | Mate::TooLong => break true,
            Mate::Unknown => break false,
        }
    };
    let line = match want_shortest && shortest {
        true => tree.best_line(solver, position),
        false => tree.line(position),
    };
    Verdict::Mate { line, shortest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Game;
    use std::{fs, path::Path};

    /// A position with lines of checks that take millions of positions.
    const LONG_CHECKS: &str = "sfen 1nS1k1Gnl/4+L2g1/3p1s1pp/2psppp2/1p7/2PP1PP1P/+BPS+n5/K1gL3+r1/3R4+b w GNL3Pp 118 moves 4c5b";

    fn solve(sfen: &str, shortest: bool) -> Verdict {
        let question = MateQuestion {
            shortest,
            ..MateQuestion::new(1)
        };
        solve_mate(&Position::from_sfen(sfen).unwrap(), &question, |_| false).verdict
    }

    fn problems() -> Vec<(String, usize)> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/mate/mates.tsv");
        let text = fs::read_to_string(file).unwrap();
        let problems = text.lines().filter(|line| !line.starts_with('#'));
        let fields = problems.map(|problem| {
            let (sfen, plies) = problem.split_once('\t').unwrap();
            let plies = plies.split('\t').next().unwrap().parse().unwrap();
            (sfen.to_owned(), plies)
        });
        fields.collect()
    }

    /// Asserts that a line is one of checks that ends with mate.
    fn assert_mates(sfen: &str, line: &[Move]) {
        let mut game = Game::from_usi(&format!("sfen {sfen}")).unwrap();
        for (ply, &mv) in line.iter().enumerate() {
            game.play(mv).unwrap();
            let checked = game.position().in_check();
            assert!(checked || ply % 2 == 1, "{sfen}: {mv} is no check");
        }
        assert!(game.legal_moves().is_empty(), "{sfen}");
    }

    #[test]
    fn a_solution_is_a_line_to_the_mate() {
        for (sfen, plies) in problems().into_iter().step_by(25) {
            let Verdict::Mate { line, shortest } = solve(&sfen, false) else {
                panic!("{sfen}: no mate");
            };
            assert!(line.len() >= plies, "{sfen}: a mate in {}", line.len());
            assert!(!shortest || line.len() == plies, "{sfen}: {}", line.len());
            assert_mates(&sfen, &line);
        }
    }

    #[test]
    fn the_shortest_mate_is_as_long_as_published() {
        for (sfen, plies) in problems().into_iter().step_by(25) {
            let Verdict::Mate { line, shortest } = solve(&sfen, true) else {
                panic!("{sfen}: no mate");
            };
            assert!(shortest, "{sfen}");
            assert_eq!(line.len(), plies, "{sfen}");
            assert_mates(&sfen, &line);
        }
    }

    #[test]
    fn positions_without_a_mate_are_reported() {
        for sfen in [
            "4k4/9/9/9/9/9/9/9/4K4 b P 1",
            // A lone rook can only give perpetual check.
            "8k/9/9/9/9/9/9/7R1/K8 b - 1",
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        ] {
            assert_eq!(solve(sfen, false), Verdict::NoMate);
        }
    }

    #[test]
    fn an_ended_search_has_no_result() {
        let game = Game::from_usi(LONG_CHECKS).unwrap();
        let mut looks = 0;
        let solution = solve_mate(game.position(), &MateQuestion::new(1), |_| {
            looks += 1;
            looks == 3
        });
        assert_eq!((solution.verdict, looks), (Verdict::Unknown(Gap::Ended), 3));
    }

    #[test]
    fn a_search_ends_at_its_limit_of_positions() {
        let game = Game::from_usi(LONG_CHECKS).unwrap();
        let question = MateQuestion {
            nodes: 10_000,
            ..MateQuestion::new(1)
        };
        let solution = solve_mate(game.position(), &question, |_| false);
        assert_eq!(solution.verdict, Verdict::Unknown(Gap::Nodes));
        assert!(solution.nodes <= 10_000, "{}", solution.nodes);
    }
}
