use super::{simd::Kernel, *};
use crate::{
    eval::{
        Noise,
        watched::{Watched, search_with},
    },
    rules::Game,
};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How often a search of this position has compared the evaluator with one that starts afresh
/// wherever it is asked.
fn compared(architecture: Architecture, position: &str, nodes: u64) -> usize {
    let follows = Nnue::new(Arc::new(Network::sample(architecture)));
    let (mut fresh, compared) = (follows.clone(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&compared);
    let checked = Watched {
        inner: follows,
        evaluate: move |follows: &mut Nnue, position: &Position| {
            fresh.reset(position);
            let value = follows.evaluate(position);
            assert_eq!(value, fresh.evaluate(position), "{position}");
            count.fetch_add(1, Ordering::Relaxed);
            value
        },
    };
    search_with(&checked, &Game::from_usi(position).unwrap(), nodes);
    compared.load(Ordering::Relaxed)
}

#[test]
fn following_a_search_equals_starting_afresh_at_every_node() {
    for architecture in Architecture::ALL {
        for position in [
            "startpos moves 7g7f 3c3d 8h2b+ 3a2b",
            // Kings in the open: checks, captures, and many moves of kings.
            "4k4/1r7/4ppp2/9/3K5/2B6/PP2G4/9/L7L b RBG2S2N9P2gs2nl4p 1",
            // Incomplete sets, one side without a king.
            "8k/9/9/3p5/9/4P4/9/9/9 b 2NLr 1",
        ] {
            let compared = compared(architecture, position, 3000);
            assert!(compared > 300, "{compared} at {position}");
        }
    }
}

#[test]
fn every_kernel_values_every_position_alike() {
    for architecture in [Architecture::KP, Architecture::KPPairs] {
        every_kernel_values_alike(&Network::sample(architecture));
    }
}

fn every_kernel_values_alike(network: &Network) {
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
    let network = Arc::new(Network::sample(Architecture::KP));
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
