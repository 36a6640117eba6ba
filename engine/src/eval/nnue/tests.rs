use super::{simd::Kernel, *};
use crate::{
    eval::Noise,
    rules::Game,
    search::{Control, Limits, Memory, SearchOptions, search},
};

/// Compares itself with an evaluator that starts afresh wherever it is asked.
#[derive(Clone)]
struct Checked {
    follows: Nnue,
    fresh: Nnue,
    compared: usize,
}

impl Evaluator for Checked {
    fn reset(&mut self, position: &Position) {
        self.follows.reset(position);
    }

    fn push(&mut self, position: &Position, mv: Move) {
        self.follows.push(position, mv);
    }

    fn pop(&mut self) {
        self.follows.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        self.fresh.reset(position);
        let value = self.follows.evaluate(position);
        assert_eq!(value, self.fresh.evaluate(position), "{position}");
        self.compared += 1;
        value
    }
}

/// How often a search of this position has compared.
fn compared(features: Features, position: &str, nodes: u64) -> usize {
    let evaluator = Nnue::new(Arc::new(Network::sample(features)));
    let checked = Checked {
        fresh: evaluator.clone(),
        follows: evaluator,
        compared: 0,
    };
    let mut memory = Memory::<_, i32>::new(1, 1, &checked, SearchOptions::default()).unwrap();
    let game = Game::from_usi(position).unwrap();
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let control = Control::new();
    control.apply(&limits);
    search(
        &game,
        &game.legal_moves(),
        &limits,
        &control,
        &mut memory,
        (&Noise::new(0.0, 0).unwrap(), 1),
        &mut |_| (),
    );
    memory.evaluator().compared
}

#[test]
fn following_a_search_equals_starting_afresh_at_every_node() {
    for features in [Features::KP, Features::HalfKP] {
        for position in [
            "startpos moves 7g7f 3c3d 8h2b+ 3a2b",
            // Kings in the open: checks, captures, and many moves of kings.
            "4k4/1r7/4ppp2/9/3K5/2B6/PP2G4/9/L7L b RBG2S2N9P2gs2nl4p 1",
            // Incomplete sets, one side without a king.
            "8k/9/9/3p5/9/4P4/9/9/9 b 2NLr 1",
        ] {
            let compared = compared(features, position, 3000);
            assert!(compared > 300, "{compared} at {position}");
        }
    }
}

#[test]
fn every_kernel_values_every_position_alike() {
    let network = Network::sample(Features::KP);
    let mut evaluators: Vec<Nnue> = Kernel::available()
        .into_iter()
        .map(|kernel| Nnue::new(Arc::new(network.clone().with_kernel(kernel))))
        .collect();
    let mut values = Vec::new();
    for sfen in crate::bench::POSITIONS {
        let position = Position::from_sfen(sfen).unwrap();
        let of = |evaluator: &mut Nnue| {
            evaluator.reset(&position);
            evaluator.evaluate(&position)
        };
        let all: Vec<i32> = evaluators.iter_mut().map(of).collect();
        assert!(all.iter().all(|&value| value == all[0]), "{sfen}: {all:?}");
        values.push(all[0]);
    }
    values.sort_unstable();
    values.dedup();
    assert!(
        values.len() > 15,
        "a network tells positions apart: {values:?}"
    );
}

#[test]
fn noise_on_pieces_is_followed_like_the_network() {
    let network = Arc::new(Network::sample(Features::KP));
    let noise = Noise::new(50.0, 7).unwrap();
    let (mut plain, mut noisy) = (
        Nnue::new(Arc::clone(&network)),
        Nnue::perturbed(Arc::clone(&network), &noise),
    );
    let game = Game::from_usi("startpos moves 7g7f 3c3d 8h2b+ 3a2b").unwrap();
    let mut position = Position::startpos();
    plain.reset(&position);
    noisy.reset(&position);
    assert_eq!(
        plain.evaluate(&position),
        noisy.evaluate(&position),
        "level"
    );
    for &mv in game.moves() {
        plain.push(&position, mv);
        noisy.push(&position, mv);
        position.make(mv);
    }
    let difference = noisy.evaluate(&position) - plain.evaluate(&position);
    assert_ne!(difference, 0);
    let mut fresh = Nnue::perturbed(network, &noise);
    fresh.reset(&position);
    assert_eq!(fresh.evaluate(&position), noisy.evaluate(&position));
}
