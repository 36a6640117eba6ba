//! Players as they are started: checked settings, every default filled in.

use crate::{
    cores::CoreSet,
    go::GoForm,
    options::UsiOptions,
    problem::{PlayerProblem, PlayersError},
};
use monju_engine::{
    EvaluatorChoice, Limits, Model, PlayerError, PlayerSettings, SearchChoices,
    eval::{Noise, NoiseModel, Sigma},
};
use monju_proto::convert::MOST_PLAYERS;
use std::{collections::BTreeMap, path::PathBuf};

/// One player, checked and ready to be started.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSpec {
    /// Unique name.
    pub name: String,
    /// Limits that replace the ballot's.
    pub limits: Limits,
    /// Share of a ballot's time that it takes; all of it where absent.
    pub clock_share: Option<f64>,
    /// Weight of its vote under the rule "weighted".
    pub weight: f64,
    /// The engine behind it.
    pub kind: PlayerKind,
}

impl PlayerSpec {
    /// Tells whether another program is behind it.
    pub fn is_foreign(&self) -> bool {
        matches!(self.kind, PlayerKind::Usi(_))
    }
}

/// The engine behind a player, with the settings that belong to it.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayerKind {
    /// The engine of Monju.
    Native(Box<NativeSpec>),
    /// A USI engine.
    Usi(UsiSpec),
}

/// A native player.
#[derive(Clone, Debug, PartialEq)]
pub struct NativeSpec {
    /// The static evaluation.
    pub evaluator: EvaluatorChoice,
    /// Standard deviation of the evaluation noise.
    pub sigma: Sigma,
    /// Quantity that the noise is added to.
    pub noise_model: NoiseModel,
    /// Noise seed of every game; where absent, each game's own.
    pub seed: Option<u64>,
    /// Transposition table in MiB; where absent, a share of the worker's total.
    pub hash_mib: Option<u32>,
    /// Threads that search together.
    pub threads: u32,
    /// Virtual players of its search, each with a vote of its own.
    pub lanes: u32,
    /// Switches and numbers of its search.
    pub search: SearchChoices,
    /// Cores on which it thinks.
    pub cores: CoreSet,
}

/// A USI engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsiSpec {
    /// The program: a path, or a name to find in `PATH`.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder to run in.
    pub directory: Option<PathBuf>,
    /// Variables added to its environment.
    pub environment: BTreeMap<String, String>,
    /// Options set before `isready`.
    pub options: UsiOptions,
    /// Forms of `go` that it survives.
    pub go: Vec<GoForm>,
    /// Cores on which it thinks.
    pub cores: CoreSet,
}

impl UsiSpec {
    /// A program without arguments, options or limits to the forms of `go`.
    pub fn of_program(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            directory: None,
            environment: BTreeMap::new(),
            options: UsiOptions::default(),
            go: Vec::new(),
            cores: CoreSet::default(),
        }
    }
}

/// Returns the native players `name-1` to `name-count`, which differ only by their noise of `sigma`.
pub fn noise_players(
    name: &str,
    count: u32,
    sigma: impl Into<Sigma>,
) -> Result<Vec<PlayerSpec>, PlayersError> {
    let sigma = sigma.into();
    let fail = |problem| PlayersError {
        index: 0,
        player: name.to_owned(),
        problem,
    };
    check_count(count).map_err(fail)?;
    check_sigma(sigma).map_err(fail)?;
    let player = |number| PlayerSpec {
        name: format!("{name}-{number}"),
        limits: Limits::default(),
        clock_share: None,
        weight: 1.0,
        kind: PlayerKind::Native(Box::new(NativeSpec {
            evaluator: EvaluatorChoice::default(),
            sigma,
            noise_model: NoiseModel::default(),
            seed: None,
            hash_mib: None,
            threads: 1,
            lanes: 1,
            search: SearchChoices::NONE,
            cores: CoreSet::default(),
        })),
    };
    Ok((1..=count).map(player).collect())
}

pub fn check_count(count: u32) -> Result<(), PlayerProblem> {
    if (1..=MOST_PLAYERS).contains(&count) {
        Ok(())
    } else {
        Err(PlayerProblem::Count(count))
    }
}

pub fn check_hash(hash_mib: u32) -> Result<(), PlayerProblem> {
    PlayerSettings::check_hash(hash_mib as usize)?;
    Ok(())
}

pub fn check_lane_threads(lanes: u32, threads: u32) -> Result<(), PlayerProblem> {
    PlayerSettings::check_lane_threads(lanes as usize, threads as usize)?;
    Ok(())
}

pub fn check_lane_search(lanes: u32, search: &SearchChoices) -> Result<(), PlayerProblem> {
    PlayerSettings::check_lane_search(lanes as usize, search)?;
    Ok(())
}

pub fn check_threads(threads: u32) -> Result<(), PlayerProblem> {
    PlayerSettings::check_threads(threads as usize)?;
    Ok(())
}

pub fn check_lanes(lanes: u32) -> Result<(), PlayerProblem> {
    PlayerSettings::check_lanes(lanes as usize)?;
    Ok(())
}

/// Checks a sigma by the scale of one evaluator: the player's own is not loaded yet.
pub fn check_sigma(sigma: Sigma) -> Result<(), PlayerProblem> {
    let centipawns = sigma.in_centipawns(&Model::material());
    Noise::new(centipawns, 0).map_err(PlayerError::from)?;
    Ok(())
}
