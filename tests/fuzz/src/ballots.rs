//! Logs of ballots.

use crate::{corpus, fuzz_target::FuzzTarget};
use monju_coordinator::{
    calibration,
    record::{
        read::Log,
        schema::{LogLine, LoggedBallot},
    },
    replay::Replay,
};
use std::path::Path;

pub const TARGET: FuzzTarget = FuzzTarget {
    name: "ballots",
    run,
    corpus: || {
        let log = corpus::file("tests/data/replay/three-ballots.jsonl");
        let lines = log.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
        lines.filter(|line| !line.is_empty()).collect()
    },
    words: &[
        "{\"kind\":\"ballot\",\"version\":1,",
        "{\"kind\":\"result\",\"version\":1,",
        "\"votes\":[",
        "\"score\":{\"cp\":",
        "{\"mate\":",
        "null",
        "\"counted\":true",
        "\"arrival\":\"final\"",
        "\"late\"",
        "\"win_rate\":",
        "\"lanes\":",
        "\"decision\":",
        "\"tie_break\":",
        "\"winner\":\"black\"",
        "\"limits\":{",
        "\"settings\":{",
        "}\n{",
    ],
    mutations: 20_000,
};

/// Ballots that are read are written again as they were, decided again, and learned from.
fn run(bytes: &[u8]) {
    let mut log = Log::default();
    let path = Path::new("ballots.jsonl");
    if log.extend(bytes, path).is_err() {
        return;
    }
    for ballot in &log.ballots {
        let logged = LoggedBallot::of(ballot, 0).expect("a position that was read");
        let text = LogLine::Ballot(Box::new(logged)).render().expect("a line");
        let mut again = Log::default();
        let read = again.extend(text.as_bytes(), path);
        assert!(read.is_ok(), "{read:?} of {text}");
        let again = again.ballots.first().expect("the ballot");
        let twice = LoggedBallot::of(again, 0).expect("a position that was read");
        let twice = LogLine::Ballot(Box::new(twice)).render().expect("a line");
        assert_eq!(text, twice);
    }
    let _ = Replay::default().run(&log.ballots);
    let _ = calibration::learn::learn(&log);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_of_the_corpus_is_a_ballot() {
        for input in (TARGET.corpus)() {
            let mut log = Log::default();
            let read = log.extend(&input[..], Path::new("ballots.jsonl"));
            assert!(read.is_ok(), "{read:?}");
            assert_eq!((log.ballots.len(), log.cut_short), (1, 0));
        }
    }
}
