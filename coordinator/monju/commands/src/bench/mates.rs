//! `monju bench --mates`: the effort that mate problems take.

use crate::output::print_line;
use anyhow::Context;
use monju_engine::{
    Position, counted,
    mate::{Mate, MateParts, MateQuestion, MateSearch, Verdict, solve_mate},
};
use serde_json::{Value, json};
use std::{fs, path::PathBuf, time::Instant};

/// Entries of the table for each position of the limit, so that none is lost.
const ENTRIES_A_NODE: u64 = 2;

/// Largest table, in entries.
const MOST_ENTRIES: u64 = 1 << 24;

/// Problems in files, searched once without and once with the parts of df-pn+, and then solved.
#[derive(Clone, Debug, PartialEq)]
pub struct MateBench {
    /// Files with a position and the length of its mate, separated by a tab, in each line.
    pub files: Vec<PathBuf>,
    /// Largest number of positions for a search.
    pub nodes: u64,
    /// Table of the solver in MiB.
    pub hash_mib: usize,
    /// One JSON object instead of text.
    pub json: bool,
}

struct MateProblem {
    position: Position,
    /// Length of its mate, if the file has one.
    plies: Option<usize>,
}

/// Results over all problems.
#[derive(Default)]
struct MateSummary {
    mates: usize,
    no_mates: usize,
    unsolved: usize,
    /// Mates of the file that were denied.
    wrong: usize,
    /// Mates that are longer than the file's.
    longer: usize,
    nodes: Vec<u64>,
    times_ms: Vec<f64>,
}

impl MateSummary {
    fn mate(&mut self, problem: &MateProblem, plies: usize) {
        self.mates += 1;
        self.longer += usize::from(problem.plies.is_some_and(|known| plies > known));
    }

    fn no_mate(&mut self, problem: &MateProblem) {
        self.no_mates += 1;
        self.wrong += usize::from(problem.plies.is_some());
    }

    /// Geometric mean of the positions searched.
    fn mean_nodes(&self) -> f64 {
        let logarithms = self.nodes.iter().map(|&nodes| (nodes.max(1) as f64).ln());
        (logarithms.sum::<f64>() / self.nodes.len().max(1) as f64).exp()
    }

    /// Time within which a share of the problems ended, in milliseconds.
    fn quantile(&self, share: f64) -> f64 {
        let mut times = self.times_ms.clone();
        times.sort_by(f64::total_cmp);
        let index = (times.len().saturating_sub(1) as f64 * share) as usize;
        times.get(index).copied().unwrap_or_default()
    }

    fn line(&self, name: &str) -> String {
        format!(
            "{name:<22} {:>5} mates, {:>4} without, {:>4} unsolved, {:>2} wrong, {:>4} too long, \
             {:>9.1} nodes, median {:.2} ms, p90 {:.2} ms",
            self.mates,
            self.no_mates,
            self.unsolved,
            self.wrong,
            self.longer,
            self.mean_nodes(),
            self.quantile(0.5),
            self.quantile(0.9)
        )
    }

    fn object(&self, name: &str) -> Value {
        json!({
            "search": name,
            "mates": self.mates,
            "no_mates": self.no_mates,
            "unsolved": self.unsolved,
            "wrong": self.wrong,
            "longer": self.longer,
            "nodes": self.mean_nodes(),
            "median_ms": self.quantile(0.5),
            "p90_ms": self.quantile(0.9),
        })
    }
}

impl MateBench {
    /// Searches all problems in each way, and prints a line for each to standard output.
    ///
    /// # Errors
    /// A file cannot be read or has no position, or standard output is closed.
    pub fn run(&self) -> anyhow::Result<()> {
        let problems = self.problems()?;
        let mut rows = Vec::new();
        for (name, parts) in MateParts::STEPS {
            let summary = self.search(&problems, parts);
            if !self.json {
                print_line(&summary.line(name))?;
            }
            rows.push(summary.object(name));
        }
        let solver = self.solve(&problems);
        let name = "solved, shortened";
        if !self.json {
            return print_line(&solver.line(name));
        }
        rows.push(solver.object(name));
        let object = json!({
            "problems": problems.len(),
            "limit": self.nodes,
            "rows": rows,
        });
        print_line(&format!("{object:#}"))
    }

    /// Reads the problems; positions that cannot exist are left out, with a line that says so.
    fn problems(&self) -> anyhow::Result<Vec<MateProblem>> {
        let mut problems = Vec::new();
        let (mut refused, mut first) = (0, None);
        for file in &self.files {
            let shown = file.display();
            let text = fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
            for (number, line) in (1..).zip(text.lines()) {
                if line.starts_with('#') {
                    continue;
                }
                let mut fields = line.split('\t');
                let sfen = fields.next().unwrap_or_default();
                match Position::from_sfen(sfen.strip_prefix("sfen ").unwrap_or(sfen)) {
                    Ok(position) => problems.push(MateProblem {
                        position,
                        plies: fields.next().and_then(|plies| plies.parse().ok()),
                    }),
                    Err(_) => {
                        refused += 1;
                        first.get_or_insert(format!("{shown}:{number}"));
                    }
                }
            }
        }
        if refused > 0 {
            tell!(
                "left out: {} without a position that can exist, first {}",
                counted(refused, "line"),
                first.unwrap_or_default()
            );
        }
        anyhow::ensure!(!problems.is_empty(), "there is no position in the files");
        Ok(problems)
    }

    fn search(&self, problems: &[MateProblem], parts: MateParts) -> MateSummary {
        let mut summary = MateSummary::default();
        let entries = self.nodes.saturating_mul(ENTRIES_A_NODE).min(MOST_ENTRIES);
        let mut search = MateSearch::with(entries as usize, parts);
        for problem in problems {
            search.clear();
            let begun = Instant::now();
            let mut position = problem.position.clone();
            let (mate, nodes) = search.search(&mut position, self.nodes, &mut |_| false);
            summary.times_ms.push(begun.elapsed().as_secs_f64() * 1e3);
            summary.nodes.push(nodes);
            match mate {
                Mate::In { plies, .. } => summary.mate(problem, plies.into()),
                Mate::None => summary.no_mate(problem),
                Mate::TooLong | Mate::Unknown => summary.unsolved += 1,
            }
        }
        summary
    }

    fn solve(&self, problems: &[MateProblem]) -> MateSummary {
        let mut summary = MateSummary::default();
        let question = MateQuestion {
            nodes: self.nodes,
            ..MateQuestion::new(self.hash_mib)
        };
        for problem in problems {
            let begun = Instant::now();
            let solution = solve_mate(&problem.position, &question, |_| false);
            summary.times_ms.push(begun.elapsed().as_secs_f64() * 1e3);
            summary.nodes.push(solution.nodes);
            match solution.verdict {
                Verdict::Mate { line, .. } => summary.mate(problem, line.len()),
                Verdict::NoMate => summary.no_mate(problem),
                Verdict::Unknown(_) => summary.unsolved += 1,
            }
        }
        summary
    }
}
