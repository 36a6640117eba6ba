//! Files of weights and of training data.

use crate::{corpus, fuzz_target::FuzzTarget};
use monju_engine::{EvaluatorKind, Game, Model, eval::nnue::Network, fnv1a};
use monju_learn::TrainingExample;
use monju_records as records;
use std::sync::OnceLock;

pub const TARGET: FuzzTarget = FuzzTarget {
    name: "weights",
    run,
    corpus: || {
        let mut inputs = vec![with_kind(0, &corpus::file("engine/weights/material.txt"))];
        for (kind, name) in [(1, "linear.bin"), (2, "nn.bin")] {
            let bytes = corpus::file(&format!("engine/weights/{name}"));
            inputs.push(with_kind(kind, &bytes[..200]));
        }
        inputs.push(with_kind(2, &nn_bin()[..200]));
        // Edits of whole files: an offset of three bytes, and a byte.
        inputs.push(with_kind(3, &[13, 0, 0, 1, 0, 1, 0, 7]));
        inputs.push(with_kind(4, &[8, 0, 0, 0, 200, 0, 0, 9]));
        inputs.push(with_kind(5, b"monju records v1\n\x01\x00\x00\x00"));
        inputs.push(with_kind(6, &[0; 40]));
        inputs
    },
    words: &[
        "monju",
        "pawn ",
        "king ",
        "Features=HalfKP",
        "\u{0}\u{0}\u{0}\u{0}",
        "rook 990\n",
    ],
    mutations: 5_000,
};

fn with_kind(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let mut input = vec![kind];
    input.extend(bytes);
    input
}

fn nn_bin() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        // The weights of the repository have their own architecture, which `nn.bin` does not know.
        let network = Network::from_bytes(&corpus::file("engine/weights/nn.bin")).expect("weights");
        network.to_nn_bin().unwrap_or_else(|_| network.to_bytes())
    })
}

/// Weights that are accepted evaluate a position, whatever their numbers are.
fn run(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else {
        return;
    };
    match kind % 7 {
        0 => evaluate(EvaluatorKind::Material, rest),
        1 => evaluate(EvaluatorKind::Linear, rest),
        2 => evaluate(EvaluatorKind::Nnue, rest),
        3 => evaluate(EvaluatorKind::Linear, &edited(linear(), rest)),
        4 => evaluate(EvaluatorKind::Nnue, &sealed(edited(nnue(), rest))),
        5 => {
            if let Ok(read) = records::from_bytes(rest) {
                let written = records::to_bytes(&read);
                assert_eq!(records::from_bytes(&written).as_ref(), Ok(&read));
            }
        }
        _ => {
            let Some((example, _)) = rest.split_first_chunk() else {
                return;
            };
            if let Ok(example) = TrainingExample::from_bytes(example) {
                assert_eq!(
                    TrainingExample::from_bytes(&example.to_bytes()),
                    Ok(example)
                );
            }
        }
    }
}

fn evaluate(kind: EvaluatorKind, bytes: &[u8]) {
    let Ok(model) = Model::from_bytes(kind, bytes) else {
        return;
    };
    let game = Game::from_usi("startpos moves 7g7f 3c3d 8h2b+").expect("a game");
    let mut evaluator = model.evaluator();
    evaluator.reset(game.position());
    let _ = evaluator.evaluate(game.position());
    let _ = model.pawn_exchange();
}

fn linear() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| corpus::file("engine/weights/linear.bin"))
}

fn nnue() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| corpus::file("engine/weights/nn.bin"))
}

/// A whole file with some bytes changed.
fn edited(file: &[u8], edits: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for edit in edits.chunks_exact(4) {
        let at = u32::from_le_bytes([edit[0], edit[1], edit[2], 0]) as usize;
        let at = at % bytes.len();
        bytes[at] = edit[3];
    }
    bytes
}

/// The file with the hash that its weights have.
fn sealed(mut file: Vec<u8>) -> Vec<u8> {
    const HEADER: usize = 12;
    if let Some(end) = file.iter().position(|byte| *byte == b'\n')
        && let Some((header, weights)) = file[end + 1..].split_at_mut_checked(HEADER)
    {
        header[4..].copy_from_slice(&fnv1a(weights).to_le_bytes());
    }
    file
}
