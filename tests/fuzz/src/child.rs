//! Lines of a USI engine that a worker hosts.

use crate::{corpus, fuzz_target::FuzzTarget};
use monju_coordinator::door;
use monju_host::{DeclaredOptions, EngineAnswer, EngineInfo, UsiOptions};
use std::time::Duration;

pub const TARGET: FuzzTarget = FuzzTarget {
    name: "child",
    run,
    corpus: || {
        let mut inputs = corpus::usi_logs("send:");
        inputs.push(
            b"info depth 14 seldepth 18 multipv 1 score cp -110 upperbound nodes 288293 nps 287717 \
              hashfull 142 time 1002 pv 5g5f 6c6d B*4e 8h2b+\nbestmove 5g5f ponder 6c6d"
                .to_vec(),
        );
        inputs.push(b"info multipv 2 score mate + pv 7g7f\nbestmove resign\nbestmove win".to_vec());
        inputs.push(b"option name Threads type spin default 1 min 1 max 8".to_vec());
        inputs.push(b"option name Style type combo default Normal var Solid var Normal".to_vec());
        inputs
    },
    words: &[
        "info ",
        "depth ",
        "seldepth ",
        "multipv ",
        "score cp ",
        "score mate ",
        "lowerbound",
        "upperbound",
        "nodes ",
        "hashfull ",
        "time ",
        " pv ",
        "7g7f",
        "P*5e",
        "8h2b+",
        "string ",
        "bestmove ",
        " ponder ",
        "resign",
        "win",
        "(none)",
        "option name ",
        " type spin",
        " default ",
        " min ",
        " max ",
        " var ",
    ],
    mutations: 20_000,
};

/// Everything that an engine says becomes a line that the coordinator takes: an engine is not punished for
/// what its host makes of its words.
fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let elapsed = Duration::from_millis(7);
    let mut info = EngineInfo::default();
    let mut declared = DeclaredOptions::default();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("info ") {
            info.hear(rest);
            let line = info.line(elapsed);
            assert_eq!(door::line_within(line.clone()).map(drop), Ok(()), "{rest}");
        } else if let Some(rest) = line.strip_prefix("bestmove ") {
            if let Some(answer) = EngineAnswer::parse(rest) {
                // A word that can be no move is refused, and costs the engine this vote.
                let word = &answer.mv;
                let may_be_move = word.len() <= 6 && word.chars().all(|c| c.is_ascii_graphic());
                let line = std::mem::take(&mut info).answer(answer, elapsed);
                assert_eq!(
                    door::line_within(line.clone()).is_ok(),
                    may_be_move,
                    "{rest}"
                );
            }
        } else if let Some(rest) = line.strip_prefix("option name ") {
            declared.hear(rest);
        }
    }
    let _ = declared.doubts(&UsiOptions::default());
    let _ = declared.iter().count();
}
