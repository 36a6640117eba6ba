use super::{simd::Kernel, *};
use crate::{
    eval::Noise,
    rules::{Game, testing::random_positions},
};
use std::num::NonZeroU8;

#[test]
fn every_kernel_values_every_position_alike() {
    for &architecture in Architecture::ALL {
        let mut values = every_kernel_values_alike(&Network::sample(architecture));
        let count = values.len();
        values.sort_unstable();
        values.dedup();
        assert!(
            2 * values.len() > count,
            "different positions have different values: {values:?}"
        );
    }
}

/// Returns the positions of the suite and of random games.
fn positions() -> Vec<Position> {
    let read = |sfen: &&str| Position::from_sfen(sfen).unwrap();
    let mut positions: Vec<_> = crate::positions::POSITIONS.iter().map(read).collect();
    positions.extend(random_positions(11, 8, 150));
    positions
}

/// A file of any bytes is refused, or all kernels give the same values for it.
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
    // The largest possible weights.
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
fn without_weights_for_missing_pieces_whole_games_are_the_same() {
    for &architecture in Architecture::ALL {
        let network = Network::sample(architecture);
        let without = network.without_missing();
        assert_ne!(network, without);
        assert_eq!(without, without.without_missing());
        let [mut before, mut after] =
            [network, without].map(|network| Nnue::new(Arc::new(network)));
        let mut values = |position: &Position| {
            before.reset(position);
            after.reset(position);
            (before.evaluate(position), after.evaluate(position))
        };
        for position in random_positions(7, 2, 60) {
            let (before, after) = values(&position);
            assert_eq!(before, after, "{architecture}: {position}");
        }
        let sparse = Position::from_sfen("8k/9/7G1/9/9/9/9/9/K8 b G 1").unwrap();
        let (before, after) = values(&sparse);
        assert_ne!(before, after, "{architecture}");
    }
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

/// A `nn.bin` of zeros except for a few weights, each at its place in the format.
struct HandMade {
    bytes: Vec<u8>,
    /// Offset of the rows of the first layer.
    rows: usize,
    /// Offset of the later layers.
    layers: usize,
}

impl HandMade {
    const DESCRIPTION: &str = "made by hand";

    fn new(hash: u32, first_hash: u32, features: usize) -> Self {
        let mut bytes = 0x7af3_2f16_u32.to_le_bytes().to_vec();
        bytes.extend(hash.to_le_bytes());
        bytes.extend((Self::DESCRIPTION.len() as u32).to_le_bytes());
        bytes.extend(Self::DESCRIPTION.as_bytes());
        bytes.extend(first_hash.to_le_bytes());
        let rows = bytes.len() + 2 * 256;
        bytes.resize(rows + 2 * 256 * features, 0);
        bytes.extend(0x6333_7156_u32.to_le_bytes());
        let layers = bytes.len();
        bytes.resize(layers + 32 * (4 + 512) + 32 * (4 + 32) + 4 + 32, 0);
        Self {
            bytes,
            rows,
            layers,
        }
    }

    /// Sets the weight of a feature for a sum of the first layer.
    fn row(&mut self, feature: usize, sum: usize, weight: i16) {
        let at = self.rows + 2 * (256 * feature + sum);
        self.bytes[at..][..2].copy_from_slice(&weight.to_le_bytes());
    }

    /// Sets the weight of an input for an output of the second layer.
    fn second(&mut self, input: usize, output: usize, weight: i8) {
        self.bytes[self.layers + 4 * 32 + 512 * output + input] = weight as u8;
    }

    /// Sets the weight of an input for an output of the third layer.
    fn third(&mut self, input: usize, output: usize, weight: i8) {
        self.bytes[self.layers + 32 * (4 + 512) + 4 * 32 + 32 * output + input] = weight as u8;
    }

    fn output(&mut self, bias: i32, weights: [(usize, i8); 3]) {
        let at = self.layers + 32 * (4 + 512) + 32 * (4 + 32);
        self.bytes[at..][..4].copy_from_slice(&bias.to_le_bytes());
        for (input, weight) in weights {
            self.bytes[at + 4 + input] = weight as u8;
        }
    }
}

/// Files made by hand have the values computed by hand (`FV_SCALE` 16, a pawn of 90).
#[test]
fn a_nn_bin_has_the_same_values_as_in_other_engines() {
    // The own pawn on 7g (a pawn on 1a has number 90), and the own king on 5i.
    const PAWN: usize = 90 + 6 * 9 + 6;
    const KING: usize = 4 * 9 + 8;
    let make = |mut file: HandMade, pawn: usize| {
        file.row(pawn, 3, 100);
        // 64 counts as 1 in the hidden layers: 100 for the pawn of the side to move, and half of it
        // for the opponent's.
        file.second(3, 0, 64);
        file.second(256 + 3, 1, 32);
        file.third(0, 5, 64);
        file.third(1, 6, 64);
        file.third(2, 7, 64);
        file.output(160, [(5, 10), (6, -3), (7, 16)]);
        file
    };
    let half_kp = make(
        HandMade::new(0x3e5a_a6ee, 0x5d69_d7b8, 81 * 1548),
        KING * 1548 + PAWN,
    );
    let mut kp = make(HandMade::new(0x5c64_64a9, 0x3f57_15ff, 1710), PAWN);
    // The own king on 5i; kings have the last numbers.
    kp.row(1548 + KING, 7, 20);
    kp.second(7, 2, 64);
    let evaluator = |file: &HandMade| {
        let network = Network::from_bytes(&file.bytes).expect("a network");
        Nnue::new(Arc::new(network))
    };
    let fv_scale = NonZeroU8::new(24).expect("a scale");
    let network = Network::from_bytes(&kp.bytes).expect("a network");
    let scaled = network.clone().scaled(fv_scale);
    assert_ne!(network.hash() >> 32, scaled.hash() >> 32);
    assert_eq!(scaled.hash(), network.scaled(fv_scale).hash());
    let mut scaled = Nnue::new(Arc::new(scaled));
    let (mut half_kp, mut kp) = (evaluator(&half_kp), evaluator(&kp));
    let (own, other, bias, king) = (1000, -150, 160, 320);
    for (moves, expected_half_kp, expected_kp) in [
        ("", own + other + bias, own + other + bias + king),
        ("moves 7g7f", own + bias, own + bias + king),
        ("moves 7g7f 3c3d", bias, bias + king),
        ("moves 2g2f 3c3d", own + bias, own + bias + king),
        ("moves 7g7f 2c2d", other + bias, other + bias + king),
        // A move of the king changes all HalfKP features of its side.
        ("moves 5i5h", own + bias, own + other + bias + king),
        ("moves 5i5h 2c2d", other + bias, own + other + bias),
    ] {
        let game = Game::from_usi(&format!("startpos {moves}")).expect("a game");
        for (evaluator, expected) in [(&mut half_kp, expected_half_kp), (&mut kp, expected_kp)] {
            evaluator.reset(game.position());
            let value = evaluator.evaluate(game.position());
            assert_eq!(value, expected * 100 / (90 * 16), "after {moves:?}");
        }
        scaled.reset(game.position());
        let value = scaled.evaluate(game.position());
        assert_eq!(value, expected_kp * 100 / (90 * 24), "after {moves:?}");
    }
}
