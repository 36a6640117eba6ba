//! The benchmark: fixed positions, searched to a fixed depth.
//!
//! The sum of the nodes is the signature of the search: the same on every machine and in every build
//! until the search, the evaluation or the order of move generation changes. Because new weights of a
//! learned evaluator change it as well, the search is identified by its signature with `material`.

pub use crate::positions::{MIDDLEGAME, POSITIONS};

use crate::{
    eval::Model,
    player::{Answer, Player},
    rules::{Game, GameError},
    search::{Control, Limits, Line},
};
use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// Result of one search of the benchmark.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The position as SFEN.
    pub position: &'static str,
    /// The player's choice.
    pub answer: Answer,
    /// Last line of the search, with the nodes and the time of the whole search.
    pub line: Line,
    /// The last line of each finished iteration, the shallowest first.
    pub iterations: Vec<Line>,
}

impl Measurement {
    /// Returns the nodes per second; 0 when the rules decide the position without a search.
    pub fn nodes_per_second(&self) -> f64 {
        self.line.nodes as f64 / self.line.time.as_secs_f64().max(1e-9)
    }
}

/// Searches one position as the first of a new game. Blocks, and needs the same stack as
/// [`Player::think`].
///
/// # Errors
/// The position is invalid; those in [`POSITIONS`] are valid.
///
/// ```
/// use monju_engine::{Limits, Model, Player, PlayerSettings, bench};
/// let mut player = Player::new(PlayerSettings {
///     evaluator: Model::material(),
///     hash_mib: 1,
///     ..PlayerSettings::default()
/// })?;
/// let limits = Limits {
///     nodes: Some(500),
///     ..Limits::default()
/// };
/// let measured = bench::measure(&mut player, 1, bench::POSITIONS[0], &limits).unwrap();
/// assert_eq!(measured.line.nodes, 500);
/// # Ok::<(), monju_engine::PlayerError>(())
/// ```
pub fn measure(
    player: &mut Player,
    noise_seed: u64,
    position: &'static str,
    limits: &Limits,
) -> Result<Measurement, GameError> {
    let game = Game::from_usi(position)?;
    player.new_game(noise_seed);
    let mut iterations: Vec<Line> = Vec::new();
    let mut keep = |line: &Line| {
        if line.ends_iteration {
            iterations.push(line.clone());
        }
    };
    let outcome = player.think(&game, limits, &Control::new(), &mut keep);
    Ok(Measurement {
        position,
        iterations,
        answer: outcome.answer,
        line: outcome.line,
    })
}

/// Measures the time to follow a move, evaluate the position and take the move back: the median over
/// the suite, each position with all its legal moves.
///
/// # Errors
/// A position is invalid; those in [`POSITIONS`] are valid.
pub fn evaluation_time(model: &Model) -> Result<Duration, GameError> {
    const ROUNDS: u32 = 20;
    let mut evaluator = model.evaluator();
    let mut times = Vec::new();
    for position in POSITIONS {
        let game = Game::from_usi(position)?;
        let moves = game.legal_moves();
        let mut position = game.position().clone();
        evaluator.reset(&position);
        let start = Instant::now();
        for _ in 0..ROUNDS {
            for &mv in &moves {
                evaluator.push(&position, mv);
                let undo = position.make(mv);
                black_box(evaluator.evaluate(&position));
                position.unmake(mv, undo);
                evaluator.pop();
            }
        }
        times.push(start.elapsed() / (ROUNDS * moves.len().max(1) as u32));
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::PlayerSettings;
    use std::{collections::HashSet, fs, path::Path, thread};

    /// The signature of `material` at depth 5 with 16 MiB. A commit that changes the search states the
    /// new one in its message.
    const SIGNATURE: u64 = 24_549;

    fn signature() -> u64 {
        let settings = PlayerSettings {
            evaluator: Model::material(),
            hash_mib: 16,
            ..PlayerSettings::default()
        };
        let mut player = Player::new(settings).expect("good settings");
        let limits = Limits {
            depth: Some(5),
            ..Limits::default()
        };
        let nodes = POSITIONS.map(|position| {
            let measured = measure(&mut player, 1, position, &limits);
            measured.expect("a good position").line.nodes
        });
        nodes.iter().sum()
    }

    #[test]
    fn the_signature_is_the_same_in_every_run_and_build() {
        let runs = thread::Builder::new()
            .stack_size(crate::search::STACK_BYTES)
            .spawn(|| [signature(), signature()])
            .expect("a thread")
            .join()
            .expect("no panic");
        assert_eq!(runs, [SIGNATURE; 2]);
    }

    #[test]
    fn the_suite_is_the_start_position_and_the_published_ones() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../tests/data/problems/bench_positions.tsv");
        let text = fs::read_to_string(path).expect("the published positions");
        let published = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split('\t').next());
        let start = Game::startpos().position().to_string();
        let expected: HashSet<&str> = published.chain([start.as_str()]).collect();
        let suite: HashSet<&str> = POSITIONS.into_iter().collect();
        assert_eq!(suite, expected);
        assert_eq!(suite.len(), POSITIONS.len(), "no position is listed twice");
    }
}
