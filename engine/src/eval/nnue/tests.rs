use super::{simd::Kernel, *};
use crate::{
    eval::{Noise, watched::compared_with_fresh},
    rules::{Game, testing::random_positions},
};

#[test]
fn following_a_search_equals_starting_afresh_at_every_node() {
    for architecture in Architecture::ALL {
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

#[test]
fn every_kernel_values_every_position_alike() {
    for architecture in [Architecture::KP, Architecture::KPPairs] {
        let mut values = every_kernel_values_alike(&Network::sample(architecture));
        let count = values.len();
        values.sort_unstable();
        values.dedup();
        assert!(
            2 * values.len() > count,
            "a network tells positions apart: {values:?}"
        );
    }
}

/// The suite, and positions of random games.
fn positions() -> Vec<Position> {
    let read = |sfen: &&str| Position::from_sfen(sfen).unwrap();
    let mut positions: Vec<_> = crate::bench::POSITIONS.iter().map(read).collect();
    positions.extend(random_positions(11, 8, 150));
    positions
}

/// Whatever bytes a file consists of: what is read as a network is a number, and the same everywhere.
#[test]
fn a_damaged_nn_bin_is_refused_or_values_positions_alike() {
    let good = Network::sample(Architecture::KP).to_nn_bin().unwrap();
    let mut state = 5u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
        (state >> 33) as usize
    };
    let mut read = 0;
    for round in 0..24 {
        let mut bytes = good.clone();
        for _ in 0..1 << (round % 12) {
            let at = random() % bytes.len();
            bytes[at] = [random() as u8, 0x7f, 0x80, 0xff][random() % 4];
        }
        if round % 4 == 3 {
            bytes.truncate(random() % bytes.len());
        }
        if let Ok(network) = Network::from_bytes(&bytes) {
            read += 1;
            every_kernel_values_alike(&network);
        }
    }
    assert!(read > 3, "{read}");
    // The largest weights of all.
    let head = good.len() - 17_800;
    let mut bytes = good;
    bytes[2_000..head].fill(0x7f);
    every_kernel_values_alike(&Network::from_bytes(&bytes).unwrap());
}

fn every_kernel_values_alike(network: &Network) -> Vec<i32> {
    let mut evaluators: Vec<Nnue> = Kernel::available()
        .into_iter()
        .map(|kernel| Nnue::new(Arc::new(network.clone().with_kernel(kernel))))
        .collect();
    let mut values = Vec::new();
    for position in positions() {
        let of = |evaluator: &mut Nnue| {
            evaluator.reset(&position);
            evaluator.evaluate(&position)
        };
        let all: Vec<i32> = evaluators.iter_mut().map(of).collect();
        assert!(
            all.iter().all(|&value| value == all[0]),
            "{position}: {all:?}"
        );
        values.push(all[0]);
    }
    values
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
