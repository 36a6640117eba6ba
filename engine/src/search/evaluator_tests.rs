//! Evaluators that follow a search agree with evaluators that start afresh at every node.

use super::{
    limits::{Control, Limits},
    memory::SearchMemory,
    options::SearchOptions,
    start::{PlayersNoise, search},
    testing::Watched,
};
use crate::{
    eval::{
        Architecture, Evaluator, EvaluatorKind, Linear, LinearWeights, Material, MaterialWeights,
        Network, Nnue, Noise,
    },
    positions::POSITIONS,
    rules::{Game, Position},
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Searches a position and compares every value with the value of an evaluator that starts afresh
/// there. Returns the number of values.
fn compared_with_fresh<E: Evaluator + Clone>(evaluator: &E, game: &Game, nodes: u64) -> usize {
    let (mut fresh, compared) = (evaluator.clone(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&compared);
    let checked = Watched {
        inner: evaluator.clone(),
        evaluate: move |follows: &mut E, position: &Position| {
            fresh.reset(position);
            let value = follows.evaluate(position);
            assert_eq!(value, fresh.evaluate(position), "{position}");
            count.fetch_add(1, Ordering::Relaxed);
            value
        },
    };
    search_with(&checked, game, nodes);
    compared.load(Ordering::Relaxed)
}

/// Searches the position of a game on one thread.
fn search_with<E: Evaluator + Clone>(evaluator: &E, game: &Game, nodes: u64) {
    let mut memory =
        SearchMemory::<_, i32>::new(1, 1, evaluator, SearchOptions::default()).expect("a megabyte");
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let control = Control::new();
    control.apply(&limits);
    search(
        game,
        &game.legal_moves(),
        &limits,
        &control,
        &mut memory,
        PlayersNoise {
            evaluations: &Noise::new(0.0, 0).expect("no noise"),
            leaves: None,
            count: 1,
        },
        &mut |_| (),
    );
}

/// Compares the values of searches from six positions of the suite.
fn compare_suite<E: Evaluator + Clone>(evaluator: &E) {
    for start in POSITIONS.iter().take(6) {
        let game = Game::from_usi(start).expect("a position");
        let compared = compared_with_fresh(evaluator, &game, 4_000);
        assert!(compared > 300, "{compared} at {start}");
    }
}

#[test]
fn every_evaluator_follows_a_search() {
    for &kind in EvaluatorKind::ALL {
        match kind {
            EvaluatorKind::Material => {
                compare_suite(&Material::new(MaterialWeights::embedded()));
            }
            EvaluatorKind::Linear => {
                compare_suite(&Linear::new(Arc::new(LinearWeights::sample())));
            }
            EvaluatorKind::Nnue => compare_networks(),
        }
    }
}

/// Compares the values of searches by networks of all architectures.
fn compare_networks() {
    for &architecture in Architecture::ALL {
        let evaluator = Nnue::new(Arc::new(Network::sample(architecture)));
        for position in [
            "startpos moves 7g7f 3c3d 8h2b+ 3a2b",
            // Kings in the open: checks, captures, and many moves of kings.
            "4k4/1r7/4ppp2/9/3K5/2B6/PP2G4/9/L7L b RBG2S2N9P2gs2nl4p 1",
            // Incomplete sets, one side without a king.
            "8k/9/9/3p5/9/4P4/9/9/9 b 2NLr 1",
        ] {
            let game = Game::from_usi(position).unwrap();
            let compared = compared_with_fresh(&evaluator, &game, 3000);
            assert!(compared > 300, "{compared} at {position}");
        }
    }
}
