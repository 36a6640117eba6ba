//! A solver of mate problems, which returns whole lines.

use super::{
    parts::MateParts,
    proof_number::{Mate, MateLimits, MateSearch},
    proof_tree::ProofTree,
};
use crate::rules::{Move, Position};

/// Entries of the first table. Most problems need no more, and a large table takes longer to clear than
/// they take to solve.
const FIRST_TABLE: usize = 1 << 12;

/// Factor by which each further table is larger.
const GROWTH: usize = 16;

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

/// State of a solver at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MateProgress {
    /// Positions searched so far.
    pub nodes: u64,
    /// Length of the mate found so far, in plies.
    pub plies: Option<u16>,
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

/// Reason why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The caller ended the search.
    Ended,
    /// All positions of the limit were searched.
    Nodes,
    /// There is no mate within the longest line that the solver follows.
    TooLong,
    /// The system lacks memory for the smallest table.
    Memory,
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
    let most = (question.table_mib.clamp(1, MateQuestion::MAX_TABLE_MIB) << 20)
        / MateSearch::POSITION_BYTES;
    let size = FIRST_TABLE.min(most);
    let Ok(search) = MateSearch::try_new(size, MateParts::BEST) else {
        return Solution {
            verdict: Verdict::Unknown(Gap::Memory),
            nodes: 0,
        };
    };
    let mut solver = Solver {
        search,
        size,
        most,
        nodes: 0,
        limit: question.nodes,
        found: None,
        gap: Gap::Ended,
        is_over: &mut is_over,
    };
    let mut position = position.clone();
    let verdict = solver.solve(&mut position, question.shortest);
    Solution {
        verdict,
        nodes: solver.nodes,
    }
}

/// A search whose table grows, with the limits of the question.
pub(super) struct Solver<'a> {
    search: MateSearch,
    /// Entries of the table.
    size: usize,
    /// Entries of the largest table.
    most: usize,
    nodes: u64,
    limit: u64,
    found: Option<u16>,
    /// Reason of the last missing result.
    gap: Gap,
    is_over: &'a mut dyn FnMut(MateProgress) -> bool,
}

impl Solver<'_> {
    fn solve(&mut self, position: &mut Position, want_shortest: bool) -> Verdict {
        let mut plies = match self.settle(position, LONGEST, u64::MAX) {
            Mate::In { plies, .. } => plies,
            Mate::None => return Verdict::NoMate,
            Mate::TooLong => return Verdict::Unknown(Gap::TooLong),
            Mate::Unknown => return Verdict::Unknown(self.gap),
        };
        let Some(mut tree) = ProofTree::build(self, position, plies) else {
            return Verdict::Unknown(self.gap);
        };
        let effort = self.nodes + SHORTENING_POSITIONS;
        let end = match want_shortest {
            true => u64::MAX,
            false => self.nodes + effort,
        };
        let shortest = loop {
            plies = tree.plies();
            self.found = Some(plies);
            if plies == 1 {
                break true;
            }
            let budget = end.saturating_sub(self.nodes);
            match self.settle(position, plies - 2, budget) {
                Mate::In { plies, .. } => match ProofTree::build(self, position, plies) {
                    Some(shorter) => tree = shorter,
                    None => break false,
                },
                Mate::None | Mate::TooLong => break true,
                Mate::Unknown => break false,
            }
        };
        let line = match want_shortest && shortest {
            true => tree.best_line(self, position),
            false => tree.line(position),
        };
        Verdict::Mate { line, shortest }
    }

    /// Searches for a mate in at most `plies` until it is found or disproved, or `budget` positions
    /// are searched.
    pub fn settle(&mut self, position: &mut Position, plies: u16, budget: u64) -> Mate {
        let end = self.nodes.saturating_add(budget).min(self.limit);
        loop {
            // A table with as many entries as positions visited holds nearly all of them.
            let round = match self.size == self.most {
                true => u64::MAX,
                false => self.size as u64,
            };
            let limits = MateLimits {
                plies,
                positions: round.min(end.saturating_sub(self.nodes)),
            };
            let mut ended = false;
            let (before, found) = (self.nodes, self.found);
            let (mate, visited) = self.search.search_within(position, limits, &mut |visited| {
                ended = (self.is_over)(MateProgress {
                    nodes: before + visited,
                    plies: found,
                });
                ended
            });
            self.nodes += visited;
            if mate != Mate::Unknown {
                return mate;
            }
            if ended || self.nodes >= end {
                self.gap = match ended {
                    true => Gap::Ended,
                    false => Gap::Nodes,
                };
                return Mate::Unknown;
            }
            self.grow();
        }
    }

    /// Begins with a larger table, unless memory is lacking.
    fn grow(&mut self) {
        let size = (self.size * GROWTH).min(self.most);
        match MateSearch::try_new(size, MateParts::BEST) {
            Ok(search) => (self.search, self.size) = (search, size),
            Err(_) => self.most = self.size,
        }
    }

    /// Returns a mate in at most `plies`: one that the table knows, or one that is searched for.
    pub fn mate(&mut self, position: &mut Position, plies: u16) -> Mate {
        match self.search.known_mate(position, plies) {
            Some(mate) => mate,
            None => self.settle(position, plies, u64::MAX),
        }
    }

    /// Tells whether the caller ends the search.
    pub fn is_over(&mut self) -> bool {
        let over = (self.is_over)(MateProgress {
            nodes: self.nodes,
            plies: self.found,
        });
        if over {
            self.gap = Gap::Ended;
        }
        over
    }
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
