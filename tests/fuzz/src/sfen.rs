//! Positions and moves: SFEN, `startpos moves …`.

use crate::{corpus, fuzz_target::FuzzTarget};
use monju_engine::{Game, Move};

pub const TARGET: FuzzTarget = FuzzTarget {
    name: "sfen",
    run,
    corpus: || {
        let mut inputs = corpus::lines("tests/data/openings/taya_36ply.sfen", 97);
        inputs.extend(corpus::lines("tests/data/mate/mates.tsv", 101));
        inputs.extend(corpus::lines("tests/data/rules/legal_moves_5000.tsv", 499));
        inputs.extend([
            b"startpos".to_vec(),
            b"sfen 4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1 moves R*5b".to_vec(),
        ]);
        inputs
    },
    words: &[
        "startpos",
        "sfen ",
        " moves ",
        "7g7f",
        "3c3d",
        "8h2b+",
        "P*5e",
        "+R",
        "+B",
        "18p",
        "/9/",
        " b ",
        " w ",
        " - 1",
        "lnsgkgsnl",
    ],
    mutations: 200_000,
};

/// An accepted position is written, read back, played on, and every listed move of it is legal.
fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(word) = text.split_whitespace().last()
        && let Ok(mv) = word.parse::<Move>()
    {
        assert_eq!(mv.to_string().parse(), Ok(mv));
    }
    for text in [text.to_string(), format!("sfen {text}")] {
        let Ok(game) = Game::from_usi(&text) else {
            continue;
        };
        let position = game.position();
        let sfen = position.to_string();
        let again = Game::from_usi(&sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"));
        assert_eq!(again.position(), position, "{sfen}");
        let legal = game.legal_moves();
        for mv in legal.iter().take(4) {
            assert_eq!(game.parse_move(&mv.to_string()), Ok(*mv), "{sfen}");
            let mut after = game.clone();
            after.play(*mv).expect("a listed move");
            assert_eq!(
                after.position().key(),
                after.position().recomputed_key(),
                "{sfen} {mv}"
            );
            let _ = after.repetition();
        }
        let _ = game.can_declare_win();
    }
}
