//! Specification of a match between two sides, made in memory instead of read from a file.

use super::{
    openings::{Openings, OpeningsError},
    specification::Specification,
    statistics::Sprt,
};
use monju_team::config::ConfigError;
use std::{
    env,
    fmt::Display,
    path::{Path, PathBuf},
};
use toml::{Table, Value};

/// A match: two sides on paired openings.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedMatch {
    /// Name in the store.
    pub name: String,
    /// Side whose score is reported, and its opponent.
    pub sides: [MatchPlayer; 2],
    /// File of openings.
    pub openings: PathBuf,
    /// First opening to use, counted from 0.
    pub skip: usize,
    /// Only openings that tuning leaves alone are used, besides.
    pub held_out: bool,
    /// Largest number of games, which is even.
    pub games: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// Milliseconds beyond the clock or the time of a move after which a move loses.
    pub margin_ms: u64,
    /// Plies after which a game is drawn.
    pub maximum_plies: u32,
    /// Centipawns beyond which both sides must agree for a game to end; 0 for never.
    pub adjudication: i32,
    /// Sequential test that ends the match early.
    pub stop: Option<Sprt>,
}

/// One side of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchPlayer {
    /// Program or player.
    pub kind: MatchPlayerKind,
    /// Nodes of a move.
    pub nodes: Option<u64>,
    /// Iterations of a move.
    pub depth: Option<u32>,
    /// Milliseconds of main time, byoyomi and increment; `None` without a clock.
    pub clock_ms: Option<[u64; 3]>,
    /// Nodes that count as a millisecond of the clock; `None` for a clock of time.
    pub nodes_per_ms: Option<u32>,
}

/// Program or player of a side.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchPlayerKind {
    /// A USI engine.
    Program {
        /// Program and arguments.
        command: Vec<String>,
        /// Options with their values.
        options: Vec<(String, String)>,
        /// Words of every `go`, in place of those that the limits and the clock give.
        go: Option<String>,
        /// Whether it thinks on the opponent's time, too.
        ponder: bool,
    },
    /// A native player in this process.
    Native {
        /// Static evaluation, as NAME or NAME:FILE.
        evaluator: Option<String>,
        /// Standard deviation of the evaluation noise.
        sigma: Option<String>,
        /// Options of the search.
        search: Option<String>,
        /// Transposition table in MiB.
        hash_mib: u32,
    },
}

/// Error of a match.
#[derive(Debug, thiserror::Error)]
pub enum PairedMatchError {
    /// A native player has no clock.
    #[error(
        "a native player has no main time and no increment; name the program instead, as in \
         --first monju --first-arguments engine"
    )]
    NativeClock,
    /// The file has too few openings for the games.
    #[error("{} has only {left} openings from number {skip} on for {pairs} pairs; play fewer games", .file.display())]
    FewOpenings {
        /// The file.
        file: PathBuf,
        /// Openings from `skip` on.
        left: usize,
        /// Openings that are left out.
        skip: usize,
        /// Pairs of games.
        pairs: u32,
    },
    /// The openings cannot be read.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// The settings of a side are wrong.
    #[error("{0}")]
    Specification(String),
}

/// The error names a file that nobody has, and is not kept as the cause.
impl From<ConfigError> for PairedMatchError {
    fn from(error: ConfigError) -> Self {
        Self::Specification(without_line(&error))
    }
}

/// Name by which errors call a specification that is made in memory.
pub(crate) const IN_MEMORY: &str = "match.toml";

/// Returns a message about a specification that is made in memory without its line, which no file has.
pub fn without_line(message: &impl Display) -> String {
    let text = message.to_string();
    let what = text
        .split_once(IN_MEMORY)
        .and_then(|(_, rest)| rest.split_once(": "))
        .map(|(_, what)| what.to_owned());
    what.unwrap_or(text)
}

/// Names of the sides in the specification.
const SIDES: [&str; 2] = ["first", "second"];

impl PairedMatch {
    /// The specification of the match, with a single cell.
    ///
    /// # Errors
    /// The settings of a side are wrong, or there are too few openings.
    pub fn specification(&self) -> Result<Specification, PairedMatchError> {
        let mut table = Table::new();
        table.insert("version".to_owned(), Value::Integer(1));
        table.insert("name".to_owned(), self.name.clone().into());
        table.insert("seed".to_owned(), number(self.seed));
        table.insert("games".to_owned(), number(self.games));
        table.insert("ballots".to_owned(), Value::Boolean(false));
        let openings = self.openings.to_string_lossy().into_owned();
        table.insert("openings".to_owned(), openings.into());
        let mut ensembles = Table::new();
        for (side, name) in self.sides.iter().zip(SIDES) {
            table.insert(name.to_owned(), name.into());
            ensembles.insert(name.to_owned(), self.ensemble(side, name)?.into());
        }
        table.insert("ensemble".to_owned(), ensembles.into());
        let mut adjudication = Table::new();
        adjudication.insert("maximum_plies".to_owned(), number(self.maximum_plies));
        adjudication.insert("score".to_owned(), i64::from(self.adjudication).into());
        table.insert("adjudication".to_owned(), adjudication.into());
        if let Some(sprt) = &self.stop {
            table.insert("stop".to_owned(), sprt.table().into());
        }
        let (openings, skip) = self.played_openings()?;
        let folder = env::current_dir().unwrap_or_default();
        let parsed = Specification::parse_as_it_is(&table.to_string(), &folder.join(IN_MEMORY))?;
        Ok(parsed.with_openings(openings, &skip.to_string()))
    }

    /// The openings that are used, and the number of the first one.
    fn played_openings(&self) -> Result<(Openings, usize), PairedMatchError> {
        let openings = Openings::read(&self.openings)?;
        let skip = match self.held_out {
            true => self.skip.max(openings.tuned()),
            false => self.skip,
        };
        let openings = openings.from(skip);
        let pairs = self.games / 2;
        if openings.len() < pairs as usize {
            return Err(PairedMatchError::FewOpenings {
                file: self.openings.clone(),
                left: openings.len(),
                skip,
                pairs,
            });
        }
        Ok((openings, skip))
    }

    /// The table of one side.
    fn ensemble(&self, side: &MatchPlayer, name: &str) -> Result<Table, PairedMatchError> {
        let mut table = Table::new();
        table.insert("margin_ms".to_owned(), number(self.margin_ms));
        if let Some(nodes) = side.nodes {
            table.insert("nodes".to_owned(), number(nodes));
        }
        if let Some(depth) = side.depth {
            table.insert("depth".to_owned(), number(depth));
        }
        match &side.kind {
            MatchPlayerKind::Program {
                command,
                options,
                go,
                ponder,
            } => {
                let keys = ["main_time_ms", "byoyomi_ms", "increment_ms"];
                for (key, time) in keys.into_iter().zip(side.clock_ms.into_iter().flatten()) {
                    table.insert(key.to_owned(), number(time));
                }
                if let Some(nodes) = side.nodes_per_ms {
                    table.insert("nodes_per_ms".to_owned(), number(nodes));
                }
                let mut engine = Table::new();
                engine.insert("command".to_owned(), command.clone().into());
                if let Some(go) = go {
                    engine.insert("go".to_owned(), go.clone().into());
                }
                if *ponder {
                    engine.insert("ponder".to_owned(), true.into());
                }
                let options = options
                    .iter()
                    .map(|(name, value)| (name.clone(), Value::from(value.clone())));
                engine.insert("options".to_owned(), options.collect::<Table>().into());
                table.insert("engine".to_owned(), engine.into());
            }
            MatchPlayerKind::Native {
                evaluator,
                sigma,
                search,
                hash_mib,
            } => {
                match side.clock_ms {
                    None => {}
                    Some([0, byoyomi, 0]) => {
                        table.insert("time_ms".to_owned(), number(byoyomi));
                    }
                    Some(_) => return Err(PairedMatchError::NativeClock),
                }
                table.insert("hash_mib".to_owned(), number(*hash_mib));
                let mut player = Table::new();
                player.insert("name".to_owned(), name.into());
                for (key, value) in [
                    ("evaluator", evaluator),
                    ("sigma", sigma),
                    ("search", search),
                ] {
                    if let Some(value) = value {
                        player.insert(key.to_owned(), value.clone().into());
                    }
                }
                table.insert("player".to_owned(), vec![Value::Table(player)].into());
            }
        }
        Ok(table)
    }
}

/// A number of TOML, which has 64 bits with a sign.
fn number(value: impl Into<u64>) -> Value {
    Value::Integer(i64::try_from(value.into()).unwrap_or(i64::MAX))
}

/// Name of a match in its store, by the name of the file.
pub fn name_of_store(file: &Path) -> String {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy());
    let plain = |letter: char| match letter.is_alphanumeric() || "-_.".contains(letter) {
        true => letter,
        false => '-',
    };
    match stem {
        Some(stem) if !stem.is_empty() => stem.chars().map(plain).collect(),
        _ => "match".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        specification::Members,
        statistics::{EloModel, Sprt},
    };
    use std::fs;

    fn paired(openings: &Path) -> PairedMatch {
        PairedMatch {
            name: "match".to_owned(),
            sides: [
                MatchPlayer {
                    kind: MatchPlayerKind::Program {
                        command: ["fairy", "--quiet", "${HOME}", "$a"]
                            .map(str::to_owned)
                            .into(),
                        options: vec![("UCI_Variant".to_owned(), "shogi".to_owned())],
                        go: None,
                        ponder: false,
                    },
                    nodes: None,
                    depth: None,
                    clock_ms: Some([1000, 0, 10]),
                    nodes_per_ms: Some(50),
                },
                MatchPlayer {
                    kind: MatchPlayerKind::Native {
                        evaluator: Some("material".to_owned()),
                        sigma: Some("1/4 pawn exchange".to_owned()),
                        search: Some("null_move=0".to_owned()),
                        hash_mib: 2,
                    },
                    nodes: Some(50),
                    depth: None,
                    clock_ms: None,
                    nodes_per_ms: None,
                },
            ],
            openings: openings.to_owned(),
            skip: 0,
            held_out: false,
            games: 4,
            seed: 3,
            margin_ms: 20,
            maximum_plies: 80,
            adjudication: 0,
            stop: Some(Sprt {
                model: EloModel::Normalized,
                elo0: 0.0,
                elo1: 10.0,
                alpha: 0.05,
                beta: 0.05,
                minimum_pairs: 10,
            }),
        }
    }

    #[test]
    fn a_match_becomes_a_specification() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let openings = folder.path().join("openings.sfen");
        let lines = "startpos moves 7g7f\nstartpos moves 2g2f\nstartpos moves 6g6f\n";
        fs::write(&openings, lines).expect("writable");
        let asked = paired(&openings);
        let specification = asked.specification().expect("a match");
        assert_eq!((specification.cells[0].pairs, specification.seed), (2, 3));
        let [cell] = &specification.cells[..] else {
            panic!("one cell")
        };
        let Members::Engine(engine) = &cell.first.members else {
            panic!("an engine")
        };
        // It has no grid.
        assert_eq!(engine.spec.arguments, ["--quiet", "${HOME}", "$a"]);
        assert_eq!(engine.spec.options.0.len(), 2);
        let (told, nodes) = &engine.spec.options.0[1];
        assert_eq!(
            (told.as_str(), nodes.to_string().as_str()),
            ("NodesTime", "50")
        );
        let clock = cell.first.clock.expect("a clock");
        assert_eq!(clock.increment.as_millis(), 10);
        assert_eq!(cell.second.limits.nodes, Some(50));
        assert_eq!(cell.second.players().len(), 1);
        assert_eq!(cell.adjudication.maximum_plies, 80);
        assert_eq!(cell.adjudication.score, None);
        assert_eq!(specification.stop, asked.stop);

        let skipped = PairedMatch {
            skip: 1,
            ..asked.clone()
        };
        let skipped = skipped.specification().expect("a match");
        assert_eq!(skipped.openings.len(), 2);
        assert_ne!(skipped.hash, specification.hash, "other games");
        let more = PairedMatch {
            games: 6,
            ..asked.clone()
        };
        let more = more.specification().expect("a match");
        assert_eq!(more.hash, specification.hash, "the same games and others");
    }

    #[test]
    fn the_openings_held_out_are_those_that_tuning_leaves_alone() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("openings.sfen");
        let firsts = ["1g1f", "2g2f", "3g3f", "4g4f", "5g5f", "6g6f", "7g7f"];
        let lines = firsts.map(|mv| format!("startpos moves {mv}\nstartpos moves {mv} 3c3d\n"));
        fs::write(&file, lines.concat()).expect("writable");
        let held_out = PairedMatch {
            held_out: true,
            ..paired(&file)
        };
        let held_out = held_out.specification().expect("a match");
        let last = ["startpos moves 7g7f", "startpos moves 7g7f 3c3d"];
        assert_eq!(held_out.openings.lines(), last);
        let skipped = PairedMatch {
            skip: 12,
            ..paired(&file)
        };
        let skipped = skipped.specification().expect("a match");
        assert_eq!(skipped.hash, held_out.hash, "the same games");
        let tuned = Openings::read(&file).expect("openings");
        let tuned = tuned.without_held_out();
        assert_eq!(tuned.len(), 12);
        let is_tuned = |line| tuned.lines().contains(line);
        assert!(!held_out.openings.lines().iter().any(is_tuned));
    }

    #[test]
    fn wrong_matches_are_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let openings = folder.path().join("openings.sfen");
        fs::write(&openings, "startpos\nstartpos moves 7g7f\n").expect("writable");
        let good = paired(&openings);
        let few = PairedMatch {
            skip: 1,
            ..good.clone()
        };
        let error = few.specification().expect_err("too few").to_string();
        assert!(
            error.contains("has only 1 openings from number 1 on for 2 pairs"),
            "{error}"
        );
        let mut unknown = good.clone();
        unknown.sides[1].kind = MatchPlayerKind::Native {
            evaluator: Some("magic".to_owned()),
            sigma: None,
            search: None,
            hash_mib: 1,
        };
        let error = unknown.specification().expect_err("unknown").to_string();
        assert!(error.starts_with("player \"second\": "), "{error}");
        let mut clock = good;
        clock.sides[1].clock_ms = Some([100, 0, 0]);
        let error = clock.specification().expect_err("a clock").to_string();
        assert!(
            error.contains("a native player has no main time"),
            "{error}"
        );
    }

    #[test]
    fn stores_name_their_matches() {
        assert_eq!(name_of_store(Path::new("a/my match.db")), "my-match");
        assert_eq!(name_of_store(Path::new("")), "match");
    }
}
