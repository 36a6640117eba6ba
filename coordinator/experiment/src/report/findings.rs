//! Findings: the numbers of a report.

use super::{cell_games::CellGames, repeats::DifferentGames};
use crate::{
    counted::CountedPairs,
    record::Effort,
    specification::{Cell, Specification},
    statistics::{
        Comparison, EloEstimate, GameTally, Interval, PairedComparison, Pentanomial, SprtVerdict,
        Stars, binomial_p, compare, compare_pairs, holm, normal_p, stars, wilson,
    },
    store::{CellStanding, GameRow, IncidentRow, Occasion, Origin, PlanRow, Store, StoreError},
};
use std::{collections::BTreeMap, time::SystemTime};

/// The content of a report.
#[derive(Clone, Debug)]
pub struct Findings<'a> {
    /// The experiment.
    pub specification: &'a Specification,
    /// Findings of the cells, in their order.
    pub cells: Vec<CellFindings<'a>>,
    /// Builds that played, with the numbers of their games.
    pub builds: Vec<(String, u64)>,
    /// Versions and commits that played, with the numbers of their games; `None` stands for games of a
    /// version that did not write them down.
    pub sources: BTreeMap<Option<String>, u64>,
    /// Plans by which it was played, by date; empty where the store has none.
    pub plans: Vec<PlanRow>,
    /// Machines with their games and days; `None` stands for games of a version that did not write them
    /// down.
    pub machines: BTreeMap<Option<String>, MachineShare>,
    /// Specifications and seeds with the numbers of their games; `None` stands for games of a version that
    /// did not write them down.
    pub origins: BTreeMap<Option<Origin>, u64>,
    /// Labels of the cells that the file does not have, with the numbers of their games.
    pub absent: BTreeMap<String, u64>,
}

/// Games of one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineShare {
    /// Number of games.
    pub games: u64,
    /// End of the first game; meaningless for an unknown machine.
    pub first: SystemTime,
    /// End of the last game.
    pub last: SystemTime,
}

/// Findings of one cell.
#[derive(Clone, Debug)]
pub struct CellFindings<'a> {
    /// The cell.
    pub cell: &'a Cell,
    /// Its progress.
    pub standing: CellStanding,
    /// Games by result.
    pub score: GameTally,
    /// The same with the first side as Black, and as White.
    pub by_colour: [GameTally; 2],
    /// Pairs by half points.
    pub pairs: Pentanomial,
    /// Half points of each pair, by its number.
    pub half_points: BTreeMap<u32, u32>,
    /// The cell that it is compared with; `None` without one, and for a base itself.
    pub base: Option<&'a Cell>,
    /// Comparison with the base; `None` without one, and where the win rate of one of both is no sample, because it is
    /// its own opponent.
    pub comparison: Option<Comparison>,
    /// Comparison with the base on the pairs that both have, where their openings are common or one of both scores one
    /// half of every pair.
    pub paired: Option<PairedComparison>,
    /// 95 % interval of the win rate among decided games; `None` where the first side is its own opponent.
    pub interval: Option<Interval>,
    /// Test of the win rate; `None` where the first side is its own opponent.
    pub test: Option<WinRateTest>,
    /// The marks of Ito et al. (2011).
    pub stars: Stars,
    /// Elo from pairs; `None` before the first and for a shut-out.
    pub elo: Option<EloEstimate>,
    /// The pairs that count, and the verdict of the stopping rule.
    pub counted: CountedPairs,
    /// Games that do not count.
    pub without_say: u64,
    /// Games of this cell with other settings, which are in cells of their own.
    pub other_games: u64,
    /// Builds that played, with the numbers of their games.
    pub builds: Vec<(String, u64)>,
    /// Games by the reason for which they ended.
    pub endings: BTreeMap<String, u64>,
    /// Effort of the first and of the second side.
    pub effort: [Effort; 2],
    /// Different games among those that count.
    pub different: DifferentGames,
    /// Plies of all games.
    pub plies: u64,
    /// Incidents of the pairs that count.
    pub incidents: Vec<IncidentRow>,
    /// Published number, as printed.
    pub published: Option<&'a str>,
    /// Published counts of positions with 1, 2, 3, … different moves.
    pub published_moves: Option<&'a [u64]>,
}

/// One-sided test of a win rate against one half.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WinRateTest {
    /// p by the normal approximation, which the stars follow.
    pub normal_p: f64,
    /// Exact p.
    pub exact_p: f64,
    /// The exact p, corrected for the number of tested cells (Holm).
    pub holm_p: f64,
}

impl CellFindings<'_> {
    /// Returns whether the first side has ever voted for more than one move.
    pub fn disagrees(&self) -> bool {
        self.effort[0].variety.0.keys().any(|&moves| moves > 1)
    }

    /// Games that repeat another one.
    pub fn repeated_games(&self) -> u64 {
        self.score.games().saturating_sub(self.different.different)
    }

    /// Mean plies of a game.
    pub fn mean_plies(&self) -> f64 {
        self.plies as f64 / self.score.games().max(1) as f64
    }
}

/// Gathers the findings of everything in the store.
///
/// # Errors
/// The store cannot be read.
pub async fn gather<'a>(
    specification: &'a Specification,
    store: &dyn Store,
) -> Result<Findings<'a>, StoreError> {
    let standings = store.standings().await?;
    let other_cells = store.other_cells().await?;
    let published: Vec<&str> = specification
        .report
        .published
        .iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let mut cells = Vec::with_capacity(specification.cells.len());
    let (mut builds, mut machines) = (Vec::new(), BTreeMap::new());
    let mut origins = BTreeMap::new();
    let mut sources = BTreeMap::new();
    let mut absent = BTreeMap::new();
    for other in other_cells.iter().filter(|other| other.cell.is_none()) {
        *absent.entry(other.label.clone()).or_default() += other.games;
    }
    for (index, cell) in specification.cells.iter().enumerate() {
        let CellGames {
            games,
            without_say,
            counted,
            incidents,
            different,
        } = CellGames::read(specification, store, index).await?;
        let mut builds_here = Vec::new();
        for game in &games {
            count_build(&mut builds, &game.build);
            count_build(&mut builds_here, &game.build);
            count_machine(&mut machines, game.occasion.as_ref());
            *origins.entry(game.origin.clone()).or_default() += 1;
            *sources.entry(game.source.clone()).or_default() += 1;
        }
        let mut report = CellFindings {
            cell,
            standing: standings.get(index).cloned().unwrap_or_default(),
            score: GameTally::default(),
            by_colour: [GameTally::default(); 2],
            pairs: Pentanomial::default(),
            half_points: BTreeMap::new(),
            base: None,
            comparison: None,
            paired: None,
            interval: None,
            test: None,
            stars: Stars::None,
            elo: None,
            counted,
            without_say,
            other_games: (other_cells.iter())
                .filter(|other| other.cell == Some(index))
                .map(|other| other.games)
                .sum(),
            builds: builds_here,
            endings: BTreeMap::new(),
            effort: [Effort::default(), Effort::default()],
            different,
            plies: 0,
            incidents,
            published: published.get(index).copied().filter(|text| *text != "—"),
            published_moves: specification
                .report
                .published_moves
                .get(index)
                .map(Vec::as_slice),
        };
        report.count(&games);
        cells.push(report);
    }
    correct_tests(&mut cells);
    let planned = compare_with_base(specification, &mut cells);
    correct_comparisons(&mut cells, planned);
    Ok(Findings {
        specification,
        cells,
        builds,
        sources,
        plans: store.plans().await?,
        machines,
        origins,
        absent,
    })
}

/// Corrects the p of all tests for their number.
fn correct_tests(cells: &mut [CellFindings<'_>]) {
    let mut tests: Vec<_> = (cells.iter_mut())
        .filter_map(|cell| cell.test.as_mut())
        .collect();
    let p_values: Vec<f64> = tests.iter().map(|test| test.exact_p).collect();
    for (test, corrected) in tests.iter_mut().zip(holm(&p_values)) {
        test.holm_p = corrected;
    }
}

/// Comparisons that a file plans, whether their games are played or not.
#[derive(Clone, Copy, Debug, Default)]
struct PlannedComparisons {
    unpaired: usize,
    paired: usize,
}

/// Compares all cells with the base that the file names.
fn compare_with_base<'a>(
    specification: &'a Specification,
    cells: &mut [CellFindings<'a>],
) -> PlannedComparisons {
    let mut planned = PlannedComparisons::default();
    let Some(base) = specification.base() else {
        return planned;
    };
    for index in 0..cells.len() {
        let Some(at) = base.of_cell(index, &specification.cells) else {
            continue;
        };
        let (score, pairs) = (cells[at].score, cells[at].half_points.clone());
        let is_own_opponent = cells[at].cell.is_own_opponent();
        let cell = &mut cells[index];
        cell.base = Some(&specification.cells[at]);
        let own = &cell.half_points;
        match (cell.cell.is_own_opponent(), is_own_opponent) {
            (true, true) => {}
            (false, true) => {
                planned.paired += 1;
                cell.paired = compare_pairs(own, &halves(own));
            }
            (true, false) => {
                planned.paired += 1;
                cell.paired = compare_pairs(&halves(&pairs), &pairs);
            }
            (false, false) => {
                planned.unpaired += 1;
                cell.comparison = compare(&cell.score, &score);
                if specification.common_openings {
                    planned.paired += 1;
                    cell.paired = compare_pairs(own, &pairs);
                }
            }
        }
    }
    planned
}

/// Corrects the p of all comparisons for the number of those that are planned, each of both tests by itself: a p does
/// not grow because another cell is played.
fn correct_comparisons(cells: &mut [CellFindings<'_>], planned: PlannedComparisons) {
    let holm_of = |mut p_values: Vec<f64>, planned: usize| {
        p_values.resize(planned.max(p_values.len()), 1.0);
        holm(&p_values)
    };
    let mut unpaired: Vec<_> = (cells.iter_mut())
        .filter_map(|cell| cell.comparison.as_mut())
        .collect();
    let p_values = unpaired.iter().map(|compared| compared.p).collect();
    let corrected = holm_of(p_values, planned.unpaired);
    for (compared, corrected) in unpaired.iter_mut().zip(corrected) {
        compared.holm_p = corrected;
    }
    let mut paired: Vec<_> = (cells.iter_mut())
        .filter_map(|cell| cell.paired.as_mut())
        .filter(|paired| paired.p.is_some())
        .collect();
    let p_values = paired.iter().filter_map(|paired| paired.p).collect();
    let corrected = holm_of(p_values, planned.paired);
    for (paired, corrected) in paired.iter_mut().zip(corrected) {
        paired.holm_p = Some(corrected);
    }
}

/// The half points of a side that is its own opponent, in pairs of the same numbers, played or not.
fn halves(pairs: &BTreeMap<u32, u32>) -> BTreeMap<u32, u32> {
    pairs.keys().map(|number| (*number, 2)).collect()
}

fn count_build(builds: &mut Vec<(String, u64)>, build: &str) {
    match builds.iter_mut().find(|(known, _)| known == build) {
        Some((_, games)) => *games += 1,
        None => builds.push((build.to_owned(), 1)),
    }
}

fn count_machine(
    machines: &mut BTreeMap<Option<String>, MachineShare>,
    occasion: Option<&Occasion>,
) {
    let finished = occasion.map_or(SystemTime::UNIX_EPOCH, |occasion| occasion.finished);
    let machine = occasion.map(|occasion| occasion.machine.clone());
    let share = machines.entry(machine).or_insert(MachineShare {
        games: 0,
        first: finished,
        last: finished,
    });
    share.games += 1;
    share.first = share.first.min(finished);
    share.last = share.last.max(finished);
}

impl CellFindings<'_> {
    /// Label of the cell that it is compared with, where the file names no cell that is the base of all.
    pub fn base_of_its_own(&self, specification: &Specification) -> Option<&str> {
        let label = self.base.map(|base| base.label.as_str());
        label.filter(|label| specification.report.base.as_deref() != Some(label))
    }

    /// Verdict of the stopping rule in a word; empty without a rule.
    pub fn verdict_word(&self) -> &'static str {
        match (self.counted.ratio, self.counted.verdict) {
            (None, _) => "",
            (_, SprtVerdict::Undecided) => "undecided",
            (_, SprtVerdict::Accepted) => "accepted",
            (_, SprtVerdict::Rejected) => "rejected",
        }
    }

    /// Counts the games.
    fn count(&mut self, games: &[GameRow]) {
        for game in games {
            self.score.add(game.result);
            self.by_colour[(game.game as usize).min(1)].add(game.result);
            *self.half_points.entry(game.pair).or_default() += game.result.half_points();
            *self.endings.entry(game.ending.clone()).or_default() += 1;
            self.plies += u64::from(game.plies);
            for (sum, spent) in self.effort.iter_mut().zip(&game.effort) {
                sum.nodes = sum.nodes.saturating_add(spent.nodes);
                sum.time_ms = sum.time_ms.saturating_add(spent.time_ms);
                sum.moves = sum.moves.saturating_add(spent.moves);
                sum.variety.add(&spent.variety);
            }
        }
        for points in self.half_points.values() {
            self.pairs.add(*points);
        }
        let (wins, decided) = (self.score.wins, self.score.decided());
        if !self.cell.is_own_opponent() {
            let exact_p = binomial_p(wins, decided);
            self.interval = Some(wilson(wins, decided));
            self.test = Some(WinRateTest {
                normal_p: normal_p(wins, decided),
                exact_p,
                holm_p: exact_p,
            });
            self.stars = stars(wins, decided);
        }
        self.elo = self.pairs.elo();
    }
}
