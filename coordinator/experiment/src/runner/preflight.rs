//! Tests before the first game, which refuse what is known to fail.

use crate::{
    clock::{GameClocks, TimeControl},
    contestant::{BoardResources, ClockReading, Contestant, ContestantError, MoveQuestion},
    hash::short_hash,
    record::{Cause, Incident, MatchSide},
    specification::{Cell, DeclarationRule, DrivenEngine, Members, SideEnsemble, Specification},
};
use monju_coordinator::voting::Rule;
use monju_engine::Game;
use monju_host::{PlayerKind, UsiSpec, usi_child::ChildError};
use monju_proto::{
    text::excerpt,
    v1::{Arrival, Limits, Vote},
};
use monju_team::config::{BookConfig, ConfigError};
use std::{fmt::Write as _, fs, iter, pin::pin, time::Duration};
use tokio::time;

/// Greatest length of an engine's name in a build, in characters.
const LONGEST_NAME: usize = 60;

/// Tries, a second apart, after which an engine that is still starting does not play.
const TRIES: u32 = 20;

/// Tries after which an engine that names no move does not play.
const LATE_TRIES: u32 = 3;

/// Time for the test move, in milliseconds.
const TEST_MOVE_MS: u64 = 500;

/// Nodes for the test move of an engine that is limited in nodes.
const TEST_NODES: u64 = 1_000;

/// Longest wait for the test move of an engine that is not limited in time.
const TEST_PATIENCE: Duration = Duration::from_secs(60);

/// Time after which the user hears that a test still goes on.
const SLOW: Duration = Duration::from_secs(3);

/// Reason for which a side does not play.
#[derive(Debug, thiserror::Error)]
enum TrialError {
    #[error("{0}")]
    Handshake(#[from] ChildError),
    #[error("{0}")]
    Contestant(#[from] ContestantError),
    #[error("it said: {0}")]
    Reported(String),
    #[error("{0}")]
    Vote(String),
    #[error("it has no players")]
    NoPlayers,
    #[error("it names no move within {TEST_MOVE_MS} ms")]
    Late,
    #[error("it names no move within {} s", TEST_PATIENCE.as_secs())]
    NoMove,
}

impl TrialError {
    /// Returns whether the engine has not finished its handshake yet.
    fn is_starting(&self) -> bool {
        matches!(self, Self::Vote(reason) if reason.contains("starting"))
    }
}

/// What is known of a side under trial before its test move.
#[derive(Debug, Default)]
struct TrialFacts {
    /// Its foreign engine as a part of a build, by its name for itself and a hash of its program.
    engine: String,
    /// Doubts about its options.
    doubts: Vec<String>,
    /// Warnings of the engine.
    warnings: Vec<String>,
}

/// Findings of the tests before the first game.
#[derive(Clone, Debug, Default)]
pub struct Preflight {
    /// Warnings, one line each, about openings that are too few, about options that an engine does not declare and
    /// about values that do not fit: some engines accept them all the same. Warnings of engines are among them.
    pub warnings: Vec<String>,
    /// Foreign engines of every cell, for [`ExperimentPlan::with_engines`](crate::store::ExperimentPlan::with_engines).
    pub engines: Vec<String>,
}

/// Starts every foreign engine, asks it for a move, and reaches every coordinator. `waiting` hears of each that takes
/// its time.
///
/// # Errors
/// An engine or coordinator does not play, or an engine reports that it plays otherwise than it was told to; the error
/// names its line.
pub async fn preflight(
    specification: &Specification,
    waiting: impl Fn(&str),
) -> Result<Preflight, ConfigError> {
    playable_openings(specification)?;
    drawn_declarations(specification)?;
    let mut tested: Vec<(Members, String)> = Vec::new();
    let doubts = [repeated_openings, cells_alike, late_stop].map(|doubt| doubt(specification));
    let mut warnings: Vec<String> = doubts.into_iter().flatten().collect();
    warnings.extend(unguided_rules(specification));
    let mut engines = Vec::new();
    for cell in &specification.cells {
        let mut own = Vec::new();
        for ensemble in [&cell.first, &cell.second] {
            for trial in trials(ensemble) {
                if let Some((_, engine)) = tested.iter().find(|it| it.0 == trial.members) {
                    own.push(engine.clone());
                    continue;
                }
                let testing = async {
                    let facts = facts(&trial).await?;
                    test(&trial).await.map(|()| facts)
                };
                let facts = with_word(testing, || waiting(&still_tested(&trial))).await;
                let TrialFacts {
                    engine,
                    doubts,
                    warnings: told,
                } = facts.map_err(|error| refusal(specification, ensemble, &trial, &error))?;
                let doubts = (!doubts.is_empty()).then(|| {
                    let doubts = doubts.join("; ");
                    format!("may not do what options asks for: {doubts}; correct what is misspelt")
                });
                let told = told.iter().map(|words| format!("said: {words}"));
                for what in doubts.into_iter().chain(told) {
                    let warning = warning(specification, ensemble, &trial, &what).to_string();
                    if !warnings.contains(&warning) {
                        warnings.push(warning);
                    }
                }
                own.push(engine.clone());
                tested.push((trial.members, engine));
            }
        }
        own.sort_unstable();
        own.dedup();
        engines.push(own.concat());
    }
    Ok(Preflight { warnings, engines })
}

/// Waits for a test, and calls `word` once if it is slow.
async fn with_word<T>(test: impl Future<Output = T>, word: impl FnOnce()) -> T {
    let mut test = pin!(test);
    match time::timeout(SLOW, &mut test).await {
        Ok(outcome) => outcome,
        Err(_) => {
            word();
            test.await
        }
    }
}

/// What the user hears of a slow test.
fn still_tested(trial: &SideEnsemble) -> String {
    let tested = match (&trial.members, trial.players()) {
        (Members::Remote { .. }, _) => format!("the coordinator of '{}'", trial.name),
        (_, [player, ..]) => format!("the engine of player \"{}\"", player.name),
        (_, []) => format!("the engine of '{}'", trial.name),
    };
    format!("still testing {tested}, which is slow to answer")
}

/// Refuses openings after which no move is left to play.
fn playable_openings(specification: &Specification) -> Result<(), ConfigError> {
    let plies = |opening: &String| Game::from_usi(opening).map_or(0, |game| game.moves().len());
    let Some(longest) = specification.openings.lines().iter().map(plies).max() else {
        return Ok(());
    };
    let mut cells = specification.cells.iter();
    let Some(cell) = cells.find(|cell| cell.adjudication.maximum_plies as usize <= longest) else {
        return Ok(());
    };
    let what = format!(
        "maximum_plies of '{}' is {}, and an opening has {longest} plies: its games would be drawn without a move; \
         raise maximum_plies, or take shorter openings",
        cell.label, cell.adjudication.maximum_plies
    );
    Err(specification.key_error(&["adjudication", "maximum_plies"], what))
}

/// Refuses drawn declarations in games that both sides' scores end before: players give a declaration to come the score
/// of a mate.
fn drawn_declarations(specification: &Specification) -> Result<(), ConfigError> {
    let is_overruled = |cell: &&Cell| {
        cell.adjudication.declaration == DeclarationRule::Draw && cell.adjudication.score.is_some()
    };
    let Some(cell) = specification.cells.iter().find(is_overruled) else {
        return Ok(());
    };
    let what = format!(
        "declarations of '{}' are draws, but its games would be adjudicated as won before, since players give a \
         declaration to come the score of a mate; add score = 0",
        cell.label
    );
    Err(specification.key_error(&["adjudication", "declaration"], what))
}

/// Warns of pairs that share an opening where neither side is sure to think otherwise than before.
fn repeated_openings(specification: &Specification) -> Option<String> {
    let openings = specification.openings.len();
    let repeated = |cell: &&Cell| {
        cell.pairs as usize > openings && !cell.first.thinks_anew() && !cell.second.thinks_anew()
    };
    let cells: Vec<&Cell> = specification.cells.iter().filter(repeated).collect();
    let most = cells.iter().max_by_key(|cell| cell.pairs)?;
    let others = match cells.len() - 1 {
        0 => String::new(),
        others => format!(" (and {others} more cells)"),
    };
    let what = format!(
        "{} pairs of '{}'{others} share {openings} openings, and neither side has noise, several threads or a limit \
         of time: games may repeat, and would count as independent; add openings, or see in the report how many \
         are different",
        most.pairs, most.label
    );
    Some(specification.key_error(&["games"], what).to_string())
}

/// Warns of cells between which only chance can make a difference, such as those of a parameter on which no side that
/// plays depends.
fn cells_alike(specification: &Specification) -> Option<String> {
    let cells = &specification.cells;
    let earlier = |index: usize| cells[..index].iter().find(|it| it.is_alike(&cells[index]));
    let mut alike = (0..cells.len()).filter_map(|index| Some((earlier(index)?, &cells[index])));
    let (one, other) = alike.next()?;
    let others = match alike.count() {
        0 => String::new(),
        others => format!(", and so do {others} more cells"),
    };
    let what = format!(
        "'{}' plays the same as '{}'{others}: only chance can tell them apart; let a side that plays depend on every \
         parameter, unless this is meant",
        other.label, one.label
    );
    let name = other.parameters.iter().zip(&one.parameters);
    let name = name
        .filter(|(one, other)| one != other)
        .map(|((name, _), _)| name.as_str());
    let path: Vec<&str> = iter::once("grid").chain(name.take(1)).collect();
    Some(specification.key_error(&path, what).to_string())
}

/// Warns of a stopping rule that cannot decide before the last pair.
fn late_stop(specification: &Specification) -> Option<String> {
    let least = specification.stop?.minimum_pairs;
    let most = specification.cells.iter().map(|cell| cell.pairs).max()?;
    let what = format!(
        "the stopping rule needs {least} pairs, and no cell has more than {most}: it will never decide; lower \
         minimum_pairs, or raise games"
    );
    (least > most).then(|| specification.key_error(&["stop"], what).to_string())
}

/// Warns of voting rules under whose names the majority would decide.
fn unguided_rules(specification: &Specification) -> Vec<String> {
    let rules = specification.unguided_rules().into_iter();
    let rules = rules.chain(specification.uncalibrated_rules());
    rules
        .map(|rule| {
            let what = format!(
                "{rule}; learn win rates by 'monju calibrate' and name them by calibration, unless this is meant"
            );
            let error = specification.ensemble_error(&rule.side, "rule", what);
            error.to_string()
        })
        .collect()
}

/// Threads that take time from each other while each side of a cell thinks for a limited time, with `jobs` games at
/// once, as far as this machine runs and knows them. On other boards a side without such a limit may be to move.
fn threads_at_once(cell: &Cell, jobs: usize) -> [usize; 2] {
    let sides = cell.timed_threads();
    let boards = jobs.saturating_sub(1);
    let untimed = |boards| {
        let of = |side: &SideEnsemble| side.untimed_threads(boards, jobs);
        of(&cell.first).max(of(&cell.second))
    };
    let others = (0..=boards)
        .map(|timed| timed * sides[0].max(sides[1]) + untimed(boards - timed))
        .max()
        .unwrap_or(0);
    sides.map(|own| match own {
        0 => 0,
        own => own + others,
    })
}

/// Warns of sides whose players would share cores while time measures their effort; `cores` are those of
/// this machine.
pub fn crowded(specification: &Specification, jobs: usize, cores: usize) -> Option<String> {
    let threads = |cell: &Cell| {
        let [first, second] = threads_at_once(cell, jobs);
        first.max(second)
    };
    let cells = specification.cells.iter();
    let cells: Vec<&Cell> = cells.filter(|cell| threads(cell) > cores).collect();
    let most = cells.iter().max_by_key(|cell| threads(cell))?;
    let others = match cells.len() - 1 {
        0 => String::new(),
        others => format!(" ({others} more cells likewise)"),
    };
    Some(format!(
        "in '{}', {} threads think at once on {cores} cores, so that those with a limit of time get less than it, which \
         the results will say{others}; play fewer games at once, or limit nodes instead of time",
        most.label,
        threads(most)
    ))
}

/// The incidents of every pair of a cell whose sides share cores while time measures their effort.
pub(super) fn crowding(cell: &Cell, jobs: usize, cores: usize) -> Vec<Incident> {
    let sides = [MatchSide::First, MatchSide::Second].into_iter();
    sides
        .zip(threads_at_once(cell, jobs))
        .filter(|(_, threads)| *threads > cores)
        .map(|(side, threads)| Incident {
            game: 0,
            cause: Cause::Crowded,
            side,
            detail: format!(
                "{threads} threads thought at once on {cores} cores, and this side for less than its limit of time"
            ),
            stall: None,
        })
        .collect()
}

/// The error about a side that does not play.
fn refusal(
    specification: &Specification,
    ensemble: &SideEnsemble,
    trial: &SideEnsemble,
    error: &TrialError,
) -> ConfigError {
    let what = match error {
        TrialError::Reported(_) => format!(
            "does not play as it is told to; {error}; correct its command and options, or the files that they name"
        ),
        _ => format!("does not play: {error}; correct its command, options or go"),
    };
    match &trial.members {
        Members::Embedded { players, .. } => {
            let player = &players[0].name;
            let what = format!("player \"{player}\" {what}");
            specification.player_error(&ensemble.name, player, what)
        }
        Members::Remote { .. } => {
            specification.ensemble_error(&ensemble.name, "coordinator", error.to_string())
        }
        Members::Engine(_) => {
            let what = format!("the engine of '{}' {what}", ensemble.name);
            specification.ensemble_error(&ensemble.name, "engine", what)
        }
    }
}

/// The warning about an engine.
fn warning(
    specification: &Specification,
    ensemble: &SideEnsemble,
    trial: &SideEnsemble,
    what: &str,
) -> ConfigError {
    match trial.players() {
        [player, ..] => {
            let name = &player.name;
            let what = format!("the engine of player \"{name}\" {what}");
            specification.player_error(&ensemble.name, name, what)
        }
        [] => {
            let name = &ensemble.name;
            let what = format!("the engine of '{name}' {what}");
            specification.ensemble_error(name, "engine", what)
        }
    }
}

/// The foreign engine under trial, if the trial has one.
fn engine_of(trial: &SideEnsemble) -> Option<&UsiSpec> {
    if let Members::Engine(engine) = &trial.members {
        return Some(&engine.spec);
    }
    trial
        .players()
        .iter()
        .find_map(|player| match &player.kind {
            PlayerKind::Usi(spec) => Some(spec),
            PlayerKind::Native(_) => None,
        })
}

/// What the engine under trial says of itself; nothing for a coordinator.
///
/// # Errors
/// It does not start, or reports an error.
async fn facts(trial: &SideEnsemble) -> Result<TrialFacts, TrialError> {
    let Some(spec) = engine_of(trial) else {
        return Ok(TrialFacts::default());
    };
    let name = trial
        .players()
        .first()
        .map_or(&trial.name, |player| &player.name);
    let facts = monju_host::handshake(name, spec).await?;
    let (errors, warnings) = facts.reports.weighed(facts.name.as_deref());
    if !errors.is_empty() {
        return Err(TrialError::Reported(errors.join("; ")));
    }
    let called = facts.name.as_deref().unwrap_or("nameless engine");
    let mut engine = format!(" + {}", excerpt(called, LONGEST_NAME));
    if let Some(program) = facts.file.and_then(|file| fs::read(file).ok()) {
        let _ = write!(engine, " ({})", short_hash([&program[..]]));
    }
    Ok(TrialFacts {
        engine,
        doubts: facts.doubts,
        warnings,
    })
}

/// Each foreign engine of an ensemble alone, or the coordinator, with limits for a test move.
fn trials(ensemble: &SideEnsemble) -> Vec<SideEnsemble> {
    let limits = Limits {
        time_ms: Some(TEST_MOVE_MS),
        ..Limits::default()
    };
    let trial = |members| SideEnsemble {
        members,
        limits,
        ..ensemble.clone()
    };
    match &ensemble.members {
        Members::Remote { .. } => vec![trial(ensemble.members.clone())],
        Members::Engine(_) => vec![engine_trial(ensemble)],
        Members::Embedded { .. } => ensemble
            .foreign()
            .map(|player| {
                trial(Members::Embedded {
                    players: vec![player.clone()],
                    rule: Rule::default(),
                    primary: None,
                    calibration: None,
                    book: BookConfig::default(),
                })
            })
            .collect(),
    }
}

/// An engine with its own forms of limits, reduced for a test move.
fn engine_trial(ensemble: &SideEnsemble) -> SideEnsemble {
    let most = Duration::from_millis(TEST_MOVE_MS);
    let limits = &ensemble.limits;
    SideEnsemble {
        limits: Limits {
            nodes: limits.nodes.map(|nodes| nodes.min(TEST_NODES)),
            depth: limits.depth.map(|_| 1),
            time_ms: limits.time_ms.map(|time| time.min(TEST_MOVE_MS)),
            ..*limits
        },
        clock: ensemble.clock.map(|clock| TimeControl {
            main: clock.main.min(most),
            byoyomi: clock.byoyomi.min(most),
            increment: clock.increment.min(most),
        }),
        ..ensemble.clone()
    }
}

async fn test(trial: &SideEnsemble) -> Result<(), TrialError> {
    let mut contestant = Contestant::start(trial, &BoardResources::new(1)).await?;
    let mut outcome = Ok(());
    let mut late = 0;
    for _ in 0..TRIES {
        outcome = ask(&mut contestant).await;
        let Err(error) = &outcome else { break };
        // Wait for an engine that is still loading, also in its first search; give up one that ended.
        let is_late = matches!(error, TrialError::Late);
        late += u32::from(is_late);
        if !(error.is_starting() || is_late && late < LATE_TRIES) {
            break;
        }
        time::sleep(Duration::from_secs(1)).await;
    }
    contestant.close().await;
    outcome
}

/// Asks for a test move. An engine with words of its own for `go` is only told of a game, because they may
/// stand for a search of any length.
async fn ask(contestant: &mut Contestant) -> Result<(), TrialError> {
    contestant.new_game("preflight").await?;
    let ensemble = contestant.ensemble();
    if let Members::Engine(engine) = &ensemble.members
        && let DrivenEngine { go: Some(_), .. } = **engine
    {
        return Ok(());
    }
    let side = MatchSide::First;
    let clocks = GameClocks::new([ensemble.clock, None]);
    let clock = clocks.go_words(side, side).zip(clocks.allowed(side));
    let game = Game::startpos();
    let question = MoveQuestion {
        game: &game,
        game_id: "preflight",
        seed: 1,
        clock: clock.map(|(words, allowed)| ClockReading { words, allowed }),
    };
    // A team answers in time, or says that it is silent.
    let answer = match &contestant {
        Contestant::Team(_) => contestant.ask(&question).await?,
        Contestant::Engine(_) => time::timeout(TEST_PATIENCE, contestant.ask(&question))
            .await
            .map_err(|_| TrialError::NoMove)??,
    };
    let ballot = answer.ballot;
    let failed = ballot
        .votes
        .iter()
        .find(|vote| matches!(vote.arrival(), Arrival::Failed | Arrival::Illegal));
    let is_silent = |vote: &Vote| matches!(vote.arrival(), Arrival::Late | Arrival::Unspecified);
    let is_engine = matches!(contestant, Contestant::Engine(_));
    match failed {
        Some(vote) => Err(TrialError::Vote(vote.failure.clone())),
        None if ballot.votes.is_empty() && !is_engine => Err(TrialError::NoPlayers),
        // An engine that is still starting is late, too.
        None if ballot.votes.iter().all(is_silent) => Err(TrialError::Late),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[tokio::test(start_paused = true)]
    async fn a_slow_test_is_told_and_a_quick_one_is_not() {
        for (seconds, expected) in [(1, 0), (50, 1)] {
            let words = Cell::new(0);
            let test = async {
                time::sleep(Duration::from_secs(seconds)).await;
                seconds
            };
            let outcome = with_word(test, || words.set(words.get() + 1)).await;
            assert_eq!((outcome, words.get()), (seconds, expected));
        }
    }
}
