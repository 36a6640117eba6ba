//! Tunes numbers of the search by games against itself (SPSA), at fixed nodes.
//!
//! ```text
//! cargo run --release -p monju-tests --bin tune -- --state tune.json --updates 300 --nodes 5000 \
//!     --openings configs/openings/records2016_24ply.sfen reduction_base:20 reduction_divisor:25
//! ```
//!
//! Each name comes with its step, by which it is varied: one that changes the strength by some ten Elo. The
//! numbers are a function of the arguments, however many jobs there are. What comes out has still to win a
//! match against the defaults.
#![forbid(unsafe_code)]

mod spsa;

use anyhow::{Context as _, bail};
use clap::Parser;
use monju_engine::{
    Answer, Color, Control, EvaluatorKind, Game, Limits, Model, Player, PlayerSettings, Repetition,
    STACK_BYTES, Score,
};
use monju_tests::openings;
use spsa::{Parameter, Spsa};
use std::{
    fs,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Tunes numbers of the search.
#[derive(Debug, Parser)]
struct Arguments {
    /// What is tuned, as NAME:STEP, or NAME:STEP:START.
    #[arg(required = true)]
    parameters: Vec<String>,
    /// File that holds the numbers, and is gone on from where it is there already, with the same
    /// arguments.
    #[arg(long)]
    state: PathBuf,
    /// Openings, one `startpos moves …` a line; each is played with both colours.
    #[arg(long)]
    openings: PathBuf,
    /// Static evaluation of both sides: nnue, linear or material.
    #[arg(long, default_value_t)]
    evaluator: EvaluatorKind,
    /// Nodes of each search.
    #[arg(long, default_value_t = 5000)]
    nodes: u64,
    /// Updates of the numbers.
    #[arg(long, default_value_t = 200)]
    updates: usize,
    /// Pairs of games before each.
    #[arg(long, default_value_t = 16)]
    pairs: usize,
    /// By how many steps a point more than the other side moves a number, in the last update.
    #[arg(long, default_value_t = 0.01)]
    gain: f64,
    /// Chance is a function of this.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at the same time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
}

impl Arguments {
    /// All that the numbers are a function of.
    fn recipe(&self, evaluator: &Model, openings: &[String]) -> String {
        format!(
            "{} evaluator={} nodes={} updates={} pairs={} gain={} seed={} openings={}:{}",
            self.parameters.join(" "),
            evaluator,
            self.nodes,
            self.updates,
            self.pairs,
            self.gain,
            self.seed,
            self.openings.display(),
            openings.len()
        )
    }
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let openings = openings::read(&arguments.openings)?;
    if openings.is_empty() {
        bail!("{} holds no opening", arguments.openings.display());
    }
    let parameters: Result<Vec<_>, _> = (arguments.parameters.iter())
        .map(|text| Parameter::parse(text, arguments.evaluator))
        .collect();
    let evaluator = Model::embedded(arguments.evaluator)?;
    let recipe = arguments.recipe(&evaluator, &openings);
    let mut spsa = Spsa::new(parameters?, arguments.updates, arguments.gain, recipe);
    if arguments.state.exists() {
        let state = fs::read_to_string(&arguments.state)?;
        spsa.resume(&serde_json::from_str(&state)?)
            .with_context(|| format!("cannot go on from {}", arguments.state.display()))?;
    }
    while spsa.updates < arguments.updates {
        let outcomes = play(&arguments, &evaluator, &spsa, &openings)?;
        spsa.update(&outcomes);
        let written = arguments.state.with_extension("new");
        fs::write(&written, spsa.state().to_string())?;
        fs::rename(&written, &arguments.state)?;
        println!(
            "{} of {} {}",
            spsa.updates,
            arguments.updates,
            spsa.options()
        );
    }
    Ok(())
}

/// Plays the pairs of one update: how each varied the numbers, and by how many points its first side won.
fn play(
    arguments: &Arguments,
    evaluator: &Model,
    spsa: &Spsa,
    openings: &[String],
) -> anyhow::Result<Vec<(Vec<bool>, f64)>> {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(vec![None; arguments.pairs]);
    let work = || -> anyhow::Result<()> {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= arguments.pairs {
                return Ok(());
            }
            let number = (spsa.updates * arguments.pairs + index) as u64;
            let mut state = arguments.seed << 32 ^ number;
            let up: Vec<_> = (0..spsa.parameters.len())
                .map(|_| mixed(&mut state) >> 63 == 1)
                .collect();
            let opening = &openings[mixed(&mut state) as usize % openings.len()];
            let settings = spsa.sides(&up)?.map(|search| PlayerSettings {
                evaluator: evaluator.clone(),
                hash_mib: 4,
                search,
                ..PlayerSettings::default()
            });
            let mut points = 0.0;
            for first in [Color::Black, Color::White] {
                points += match game(arguments.nodes, &settings, first, opening)? {
                    None => 0.0,
                    Some(winner) if winner == first => 1.0,
                    Some(_) => -1.0,
                };
            }
            let mut outcomes = outcomes.lock().unwrap_or_else(|error| error.into_inner());
            outcomes[index] = Some((up, points));
        }
    };
    thread::scope(|scope| {
        let workers: Result<Vec<_>, _> = (0..arguments.jobs.max(1))
            .map(|_| {
                let builder = thread::Builder::new().stack_size(STACK_BYTES);
                builder.spawn_scoped(scope, work)
            })
            .collect();
        workers?
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| bail!("a game panicked")))
    })?;
    let outcomes = outcomes
        .into_inner()
        .unwrap_or_else(|error| error.into_inner());
    Ok(outcomes.into_iter().flatten().collect())
}

/// The next of a sequence of numbers without a pattern (SplitMix64).
fn mixed(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// Plays one game of the two sides; `first` is the colour of the first. The winner, if there is one.
fn game(
    nodes: u64,
    sides: &[PlayerSettings; 2],
    first: Color,
    opening: &str,
) -> anyhow::Result<Option<Color>> {
    /// A game is decided when both sides agree on so many centipawns …
    const DECIDED: i32 = 2000;
    /// … for so many plies, and drawn after so many.
    const PLIES: usize = 6;
    const MAXIMUM_PLIES: usize = 256;

    let player = |settings: &PlayerSettings| Player::new(settings.clone());
    let mut players = [player(&sides[0])?, player(&sides[1])?];
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let mut game = Game::from_usi(opening)?;
    let mut ahead = (Color::Black, 0);
    while game.moves().len() < MAXIMUM_PLIES {
        match game.repetition() {
            Repetition::None => {}
            Repetition::Draw => return Ok(None),
            Repetition::PerpetualCheckBy(color) => return Ok(Some(!color)),
        }
        let us = game.position().side_to_move();
        let player = &mut players[usize::from(us != first)];
        let outcome = player.think(&game, &limits, &Control::new(), &mut |_| {});
        let mv = match outcome.answer {
            Answer::Move(mv) => mv,
            Answer::Resign => return Ok(Some(!us)),
            Answer::Win => return Ok(Some(us)),
        };
        let score = match outcome.line.score {
            Score::Cp(score) => score,
            Score::Mate(plies) => plies.signum() * i32::MAX,
        };
        let leader = if score > 0 { us } else { !us };
        ahead = match ahead {
            _ if score.abs() < DECIDED => (leader, 0),
            (before, plies) if before == leader => (leader, plies + 1),
            _ => (leader, 1),
        };
        if ahead.1 >= PLIES {
            return Ok(Some(ahead.0));
        }
        game.play(mv)?;
    }
    Ok(None)
}
