//! Lines of a GUI.

use crate::{corpus, fuzz_target::FuzzTarget};
use monju_usi::fuzzing;

pub const TARGET: FuzzTarget = FuzzTarget {
    name: "gui",
    run: |bytes| fuzzing::gui(&String::from_utf8_lossy(bytes)),
    corpus: || {
        let mut inputs = corpus::usi_logs("recv:");
        inputs.push(b"setoption name MultiPV value 3\ngo btime 0 wtime 0 byoyomi 1000".to_vec());
        inputs.push(b"setoption name Sigma value 50\nsetoption name Role value single".to_vec());
        inputs.push(b"go ponder btime 1 wtime 2 binc 3 winc 4\nponderhit btime 9".to_vec());
        inputs.push(b"go searchmoves 7g7f 2g2f depth 9 nodes 5\ngo mate infinite".to_vec());
        inputs
    },
    words: &[
        "position startpos",
        " moves ",
        "position sfen ",
        "go ",
        "btime ",
        "wtime ",
        "byoyomi ",
        "binc ",
        "winc ",
        "nodes ",
        "depth ",
        "movetime ",
        "infinite",
        "ponder",
        "mate ",
        "searchmoves ",
        "setoption name ",
        " value ",
        "USI_Hash",
        "USI_Ponder",
        "Threads",
        "NetworkDelay",
        "MinimumThinkingTime",
        "ResignBelow",
        "MaxMovesToDraw",
        "EnteringKingRule",
        "DrawValueBlack",
        "gameover win",
        "ponderhit",
        "stop",
        "usinewgame",
        "isready",
        "quit",
        "\u{feff}",
    ],
    mutations: 20_000,
};
