//! Files of weights and of training data.

use crate::{corpus, fuzz_target::FuzzTarget};
use monju_engine::{
    Color, EvaluatorKind, Game, Model,
    eval::{Architecture, Network},
    fnv1a,
};
use monju_learn::TrainingExample;
use monju_records::{self as records, GameRecord, RecordedResult};
use std::sync::LazyLock;

pub const TARGET: FuzzTarget = FuzzTarget {
    name: "weights",
    run,
    corpus: || {
        let mut inputs = vec![with_kind(0, &corpus::file("engine/weights/material.txt"))];
        // The right to move, and a pawn on a square.
        let odd = [(16, 0x00), (17, 0x80), (30, 0xff), (31, 0x7f)];
        inputs.extend([edits(1, &[]), edits(1, &odd)]);
        // The first layer of a `nn.bin` is after its header, its description and a hash.
        inputs.extend(network_edits(2, &NN_BIN, 181));
        inputs.extend(network_edits(3, &NETWORK, NETWORK_HEADER));
        inputs.extend(network_edits(4, &PAIRED_NETWORK, NETWORK_HEADER));
        inputs.push(with_kind(5, &record_file()));
        inputs.push(with_kind(6, &example()));
        inputs
    },
    words: &[
        "turn ",
        "hand ",
        "+R\n",
        " 10000 ",
        " -10000 ",
        "# a remark\n",
        "end\n",
        "\u{0}\u{0}\u{0}\u{0}",
        "monju records v1\n",
    ],
    mutations: 700,
};

/// The position that weights evaluate.
const POSITION: &str = "startpos moves 7g7f 3c3d 8h2b+";

/// Length of Monju's file of a network up to its weights: the first line and the hashes of the architecture and of the
/// weights.
const NETWORK_HEADER: usize = 28;

static LINEAR: LazyLock<Vec<u8>> = LazyLock::new(|| corpus::file("engine/weights/linear.bin"));
static NN_BIN: LazyLock<Vec<u8>> = LazyLock::new(|| corpus::file("engine/weights/nn.bin"));

/// The network of the repository in Monju's own format.
static NETWORK: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let network = Network::from_bytes(&NN_BIN).expect("weights");
    network.to_bytes()
});

/// A network of the architecture that no other engine has.
static PAIRED_NETWORK: LazyLock<Vec<u8>> =
    LazyLock::new(|| Network::sample(Architecture::KPPairs).to_bytes());

fn with_kind(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let mut input = vec![kind];
    input.extend(bytes);
    input
}

/// An input that leaves a file whole and sets some of its bytes.
fn edits(kind: u8, edits: &[(usize, u8)]) -> Vec<u8> {
    let mut input = vec![kind, 0, 0, 0];
    for (place, byte) in edits {
        input.extend(&place.to_le_bytes()[..3]);
        input.push(*byte);
    }
    input
}

/// Inputs for a file of a network: one that changes nothing, and one with numbers that no learner makes: in the first
/// bias of the first layer, which begins at `first`, in those of the last two, and in the last weight.
fn network_edits(kind: u8, file: &[u8], first: usize) -> [Vec<u8>; 2] {
    let end = file.len();
    let odd = [
        (first + 1, 0x7f),
        (end - 1_185, 0x80),
        (end - 33, 0x7f),
        (end - 1, 0x80),
    ];
    [edits(kind, &[]), edits(kind, &odd)]
}

fn record_file() -> Vec<u8> {
    const ENDGAME: &str = "4k4/9/9/9/9/9/9/9/4K4 b P 1";
    let endgame = format!("sfen {ENDGAME} moves P*5e");
    let games = [
        (None, POSITION, RecordedResult::Won(Color::Black)),
        (Some(ENDGAME), endgame.as_str(), RecordedResult::Drawn),
    ];
    let games = games.map(|(start, text, result)| {
        let game = Game::from_usi(text).expect("a game");
        GameRecord::new(start, game.moves().to_vec(), result).expect("a record")
    });
    records::to_bytes(&games)
}

fn example() -> [u8; TrainingExample::SIZE] {
    let game = Game::from_usi(POSITION).expect("a game");
    let example = TrainingExample {
        position: game.position().to_packed().expect("a position"),
        score: -31_999,
        best_move: game.parse_move("3a2b").expect("a legal move"),
        ply: 4,
        result: -1,
        is_last: true,
    };
    example.to_bytes()
}

fn run(bytes: &[u8]) {
    is_accepted(bytes);
}

/// Weights that are accepted evaluate a position, whatever their numbers are, and data are written as they were read.
/// Returns true if the input is accepted.
fn is_accepted(bytes: &[u8]) -> bool {
    let Some((kind, rest)) = bytes.split_first() else {
        return false;
    };
    match kind % 7 {
        0 => is_evaluated(EvaluatorKind::Material, rest),
        1 => is_evaluated(EvaluatorKind::Linear, &sealed_linear(edited(&LINEAR, rest))),
        2 => is_evaluated(EvaluatorKind::Nnue, &edited(&NN_BIN, rest)),
        3 => is_evaluated(EvaluatorKind::Nnue, &sealed_network(edited(&NETWORK, rest))),
        4 => {
            let file = sealed_network(edited(&PAIRED_NETWORK, rest));
            is_evaluated(EvaluatorKind::Nnue, &file)
        }
        5 => {
            let read = records::from_bytes(rest);
            if let Ok(read) = &read {
                let written = records::to_bytes(read);
                assert_eq!(records::from_bytes(&written).as_ref(), Ok(read));
            }
            read.is_ok()
        }
        _ => {
            let Some((example, _)) = rest.split_first_chunk() else {
                return false;
            };
            let example = TrainingExample::from_bytes(example);
            if let Ok(example) = &example {
                let again = TrainingExample::from_bytes(&example.to_bytes());
                assert_eq!(again.as_ref(), Ok(example));
            }
            example.is_ok()
        }
    }
}

fn is_evaluated(kind: EvaluatorKind, bytes: &[u8]) -> bool {
    let Ok(model) = Model::from_bytes(kind, bytes) else {
        return false;
    };
    let game = Game::from_usi(POSITION).expect("a game");
    let mut evaluator = model.evaluator();
    evaluator.reset(game.position());
    let _ = evaluator.evaluate(game.position());
    let _ = model.pawn_exchange();
    true
}

/// A file of which the end is cut off, by as many bytes as the first three bytes of an input say, and in which others
/// are set: three bytes for the place of each, and one for its value.
fn edited(file: &[u8], input: &[u8]) -> Vec<u8> {
    let (cut, edits) = input.split_at_checked(3).unwrap_or_default();
    let kept = file.len() - number(cut) % file.len();
    let mut bytes = file[..kept].to_vec();
    for edit in edits.chunks_exact(4) {
        bytes[number(&edit[..3]) % kept] = edit[3];
    }
    bytes
}

fn number(bytes: &[u8]) -> usize {
    let digits = bytes.iter().rev();
    digits.fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// The file with the hash that its content has: the last 8 bytes.
fn sealed_linear(mut file: Vec<u8>) -> Vec<u8> {
    if let Some((content, hash)) = file.split_last_chunk_mut::<8>() {
        *hash = fnv1a(content).to_le_bytes();
    }
    file
}

/// The file with the hash that its weights have: the 8 bytes before them.
fn sealed_network(mut file: Vec<u8>) -> Vec<u8> {
    if let Some((header, weights)) = file.split_at_mut_checked(NETWORK_HEADER) {
        header[NETWORK_HEADER - 8..].copy_from_slice(&fnv1a(weights).to_le_bytes());
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_of_the_corpus_is_accepted() {
        for input in (TARGET.corpus)() {
            let beginning = &input[..input.len().min(40)];
            assert!(is_accepted(&input), "{beginning:02x?}");
        }
    }
}
