//! Tests that records are read back, also from damaged files.

use super::{
    read::Log,
    schema::{GameResult, LogLine, LoggedBallot, VERSION, Winner},
    *,
};
use monju_proto::v1::{
    Arrival, Bound, Candidate, Clock, Decision, Limits, Line, PlayerInfo, Position, Score, Setting,
    Tally, TieBreak, Vote, score::Kind,
};
use std::fs;

fn score(kind: Kind, bound: Bound) -> Option<Score> {
    Some(Score {
        kind: Some(kind),
        bound: bound.into(),
    })
}

fn vote(name: &str, mv: &str, kind: Kind) -> Vote {
    Vote {
        player: Some(PlayerInfo {
            name: name.to_owned(),
            engine: "monju".to_owned(),
            evaluator: "material".to_owned(),
            sigma: 53.75,
            worker: "desk".to_owned(),
            weight: Some(2.5),
            noise_model: "position".to_owned(),
            weights_hash: "00ff".to_owned(),
            limits: Some(Limits {
                nodes: Some(5_000),
                ..Limits::default()
            }),
            clock_share: Some(0.5),
            lanes: 2,
            settings: vec![Setting {
                name: "threads".to_owned(),
                value: "1".to_owned(),
            }],
            ..PlayerInfo::default()
        }),
        line: Some(Line {
            r#move: mv.to_owned(),
            score: score(kind, Bound::Exact),
            depth: 9,
            nodes: 5_000,
            time_ms: 80,
            pv: vec![mv.to_owned()],
            candidates: vec![Candidate {
                r#move: mv.to_owned(),
                score: score(Kind::MateOfUnknownLength(true), Bound::Lower),
                pv: vec![mv.to_owned(), "3c3d".to_owned()],
            }],
            ..Line::default()
        }),
        arrival: Arrival::Final.into(),
        arrived_ms: 81,
        legal: true,
        counted: true,
        noise_seed: Some(u64::from(u32::MAX)),
        win_rate: Some(0.625),
        ..Vote::default()
    }
}

/// A ballot without a default value.
fn ballot() -> Ballot {
    let silent = Vote {
        player: Some(PlayerInfo {
            name: "gps".to_owned(),
            engine: "GPSShogi".to_owned(),
            weight: Some(1.0),
            ..PlayerInfo::default()
        }),
        arrival: Arrival::Failed.into(),
        failure: "the engine ended".to_owned(),
        ..Vote::default()
    };
    Ballot {
        id: 7,
        game_id: "game-1".to_owned(),
        position: Some(Position {
            start: "startpos".to_owned(),
            moves: vec!["7g7f".to_owned(), "3c3d".to_owned()],
            ..Position::default()
        }),
        seed: 42,
        votes: vec![
            vote("monju-1", "2g2f", Kind::Cp(-31)),
            vote("monju-2", "8h2b+", Kind::Mate(5)),
            silent,
        ],
        tally: ["2g2f", "8h2b+"]
            .map(|mv| Tally {
                r#move: mv.to_owned(),
                votes: 1,
            })
            .to_vec(),
        decision: Some(Decision {
            r#move: "2g2f".to_owned(),
            ponder: "8c8d".to_owned(),
            rule: "majority".to_owned(),
            tie_break: TieBreak::Random.into(),
            elapsed_ms: 99,
            win_rate: Some(0.625),
            book: true,
        }),
        limits: Some(Limits {
            clock: Some(Clock {
                black_ms: 1,
                white_ms: 2,
                black_increment_ms: 3,
                white_increment_ms: 4,
                byoyomi_ms: 5,
            }),
            multi_pv: Some(4),
            ..Limits::default()
        }),
        deadline_ms: Some(100),
        primary: "gps".to_owned(),
    }
}

fn result() -> GameResult {
    GameResult {
        version: VERSION,
        game_id: "game-1".to_owned(),
        winner: Winner::White,
        reason: "gameover".to_owned(),
    }
}

fn in_a_folder(test: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().expect("a folder");
    test(&folder.path().join("ballots.jsonl"));
}

#[test]
fn records_are_read_back() {
    in_a_folder(|path| {
        let recorder = Recorder::open(path).expect("a log");
        recorder.ballot(&ballot());
        recorder.result(result());
        recorder.flush();
        // Another process appends.
        let second = Recorder::open(path).expect("a log");
        second.ballot(&ballot());
        second.flush();
        let log = Log::read([path]).expect("its own lines");
        assert_eq!(log.ballots, [ballot(), ballot()]);
        assert_eq!(log.results, [result()]);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_that_cannot_be_written_is_told_at_the_end() {
    let recorder = Recorder::open(Path::new("/dev/full")).expect("a device without room");
    assert!(recorder.flush(), "nothing was to be written");
    recorder.ballot(&ballot());
    assert!(!recorder.flush());
}

#[test]
fn a_line_that_a_crash_cut_short_costs_only_itself() {
    in_a_folder(|path| {
        let logged = LoggedBallot::of(&ballot(), 1).expect("a position");
        let line = LogLine::Ballot(Box::new(logged)).render().expect("JSON");
        fs::write(path, format!("{line}{}", &line[..line.len() / 2])).expect("written");
        let recorder = Recorder::open(path).expect("a log");
        recorder.ballot(&ballot());
        recorder.flush();
        let log = Log::read([path]).expect("its own lines");
        assert_eq!((log.ballots.len(), log.cut_short), (2, 1));
    });
}

/// The cut may fall between any two bytes, within a letter or after a brace, and another line may
/// follow on the same line.
#[test]
fn a_line_may_be_cut_short_anywhere() {
    in_a_folder(|path| {
        let logged = LoggedBallot::of(&ballot(), 1).expect("a position");
        let line = LogLine::Ballot(Box::new(logged)).render().expect("JSON");
        let line = line.trim_end();
        for cut in 1..line.len() {
            let torn = &line.as_bytes()[..cut];
            let text = [line.as_bytes(), b"\n", torn, b"\n", line.as_bytes(), b"\n"].concat();
            fs::write(path, text).expect("written");
            let log = Log::read([path]).unwrap_or_else(|error| panic!("cut after {cut}: {error}"));
            assert_eq!(
                (log.ballots.len(), log.cut_short),
                (2, 1),
                "cut after {cut}"
            );
        }
        let joined = format!("{}{line}\n{line}\n", &line[..40]);
        fs::write(path, joined).expect("written");
        let log = Log::read([path]).expect("its own lines");
        assert_eq!((log.ballots.len(), log.cut_short), (1, 1));
    });
}

/// A file system may keep the length of a file and lose what was written last.
#[test]
fn zeros_that_a_power_loss_leaves_cost_no_other_line() {
    in_a_folder(|path| {
        let logged = LoggedBallot::of(&ballot(), 1).expect("a position");
        let line = LogLine::Ballot(Box::new(logged)).render().expect("JSON");
        let line = line.trim_end();
        for (damaged, cut_short) in [
            ("\0".repeat(4_096), 1),
            (format!("{}{}", &line[..40], "\0".repeat(60)), 1),
            (format!("{}{line}", "\0".repeat(60)), 0),
        ] {
            fs::write(path, format!("{line}\n{damaged}\n{line}\n")).expect("written");
            let log = Log::read([path]).expect("its own lines");
            let ballots = if cut_short == 0 { 3 } else { 2 };
            assert_eq!((log.ballots.len(), log.cut_short), (ballots, cut_short));
        }
        // Zeros make no other text a line of a log.
        fs::write(path, "7g7f\0").expect("written");
        let error = Log::read([path]).expect_err("no log").to_string();
        assert!(error.contains(":1: not JSON"), "{error}");
    });
}

#[test]
fn a_malformed_log_is_refused_with_file_and_line() {
    in_a_folder(|path| {
        for (text, expected) in [
            ("{}", "not a line of a ballot log"),
            ("\n7g7f", ":2: not JSON"),
            (
                "{\"version\":99,\"kind\":\"ballot\"}",
                "version 99 is newer",
            ),
            ("{\"version\":1,\"kind\":\"poem\"}", "unknown variant"),
            ("{\"version\":1,\"kind\":\"result\"}", "missing field"),
        ] {
            fs::write(path, text).expect("written");
            let error = Log::read([path]).expect_err(text).to_string();
            assert!(error.contains(expected), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    });
}

#[test]
fn a_log_that_cannot_be_written_is_refused() {
    let error = Recorder::open(Path::new("/absent/folder/log")).expect_err("no folder");
    assert!(error.to_string().contains("choose another file"), "{error}");
}

#[test]
fn every_key_is_documented() {
    let documentation = include_str!("../../BALLOTS.md");
    let logged = LoggedBallot::of(&ballot(), 1).expect("a position");
    let lines = [LogLine::Ballot(Box::new(logged)), LogLine::Result(result())];
    for line in lines {
        let value = serde_json::to_value(&line).expect("JSON");
        assert_documented(&value, documentation);
    }
}

fn assert_documented(value: &serde_json::Value, documentation: &str) {
    match value {
        serde_json::Value::Object(object) => {
            for (key, value) in object {
                // The keys of some objects depend on the ballot.
                if documentation.contains(&format!("`{key}.*`")) {
                    continue;
                }
                assert_documented(value, documentation);
                assert!(documentation.contains(&format!("`{key}`")), "{key}");
            }
        }
        serde_json::Value::Array(items) => {
            items
                .iter()
                .for_each(|item| assert_documented(item, documentation));
        }
        _ => {}
    }
}

/// Records so many ballots in a log whose files are of a limited size.
fn record_rotating(recorder: &Recorder, count: usize) {
    for _ in 0..count {
        recorder.ballot(&ballot());
    }
    recorder.flush();
}

/// Returns the number of ballots of all files that begin with the name of a log, which are alike.
fn ballots_of(path: &Path) -> usize {
    let entries = fs::read_dir(path.parent().expect("a folder")).expect("a folder");
    let files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|file| file.is_file())
        .collect();
    let logs = (files.iter()).map(|file| Log::read([&**file]).expect("whole lines"));
    logs.map(|log| {
        assert_eq!(log.cut_short, 0);
        log.ballots.len()
    })
    .sum()
}

const SMALL: Rotation = Rotation {
    bytes: Some(8_000),
    days: None,
};

#[test]
fn names_that_are_taken_and_files_that_are_gone_cost_no_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ballots.jsonl");
    // Two processes put the files of one log aside, many of them within a second.
    let recorders = [(); 2].map(|()| Recorder::open_rotating(&path, SMALL).expect("a log"));
    for _ in 0..20 {
        for recorder in &recorders {
            record_rotating(recorder, 3);
        }
    }
    assert_eq!(ballots_of(&path), 120);
    // The log is removed while it is in use, with all that stood in it.
    let left = Log::read([&*path]).expect("whole lines").ballots.len();
    fs::remove_file(&path).expect("a log");
    record_rotating(&recorders[0], 30);
    assert_eq!(ballots_of(&path), 120 - left + 30);
}

/// Other systems do not rename a folder with an open file.
#[cfg(unix)]
#[test]
fn a_log_that_cannot_be_put_aside_grows_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).expect("a folder");
    let path = inner.join("ballots.jsonl");
    let recorder = Recorder::open_rotating(&path, SMALL).expect("a log");
    record_rotating(&recorder, 1);
    // The folder has another name now, so that there is no place for a new file.
    let moved = folder.path().join("moved");
    fs::rename(&inner, &moved).expect("renamed");
    record_rotating(&recorder, 30);
    assert_eq!(ballots_of(&moved.join("ballots.jsonl")), 31);
    fs::rename(&moved, &inner).expect("renamed");
    record_rotating(&recorder, 30);
    assert_eq!(ballots_of(&path), 61);
    assert!(fs::metadata(&path).expect("a log").len() < 8_000 + 4_000);
}

#[test]
fn files_are_read_in_the_order_of_their_ballots() {
    in_a_folder(|path| {
        let older = path.with_extension("jsonl.20261124T205800");
        for (file, id, decided) in [(path, 2, 2_000), (&*older, 1, 1_000)] {
            let ballot = Ballot { id, ..ballot() };
            let logged = LoggedBallot::of(&ballot, decided).expect("a position");
            let line = LogLine::Ballot(Box::new(logged)).render().expect("JSON");
            fs::write(file, line).expect("written");
        }
        // As a shell lists `ballots.jsonl*`.
        let log = Log::read([path, &older]).expect("its own lines");
        let ids: Vec<u64> = log.ballots.iter().map(|ballot| ballot.id).collect();
        assert_eq!((ids, log.began_unix_ms), (vec![1, 2], Some(1_000)));
    });
}

/// Votes counted twice, and the curves of a calibration changed.
#[test]
fn a_copy_among_the_logs_counts_once() {
    in_a_folder(|path| {
        let copy = path.with_extension("jsonl.bak");
        let line = |id| {
            let ballot = Ballot { id, ..ballot() };
            let logged = LoggedBallot::of(&ballot, 1_000).expect("a position");
            LogLine::Ballot(Box::new(logged)).render().expect("JSON")
        };
        fs::write(&copy, line(1)).expect("written");
        fs::write(path, line(1) + &line(2)).expect("written");
        let log = Log::read([&*copy, path, path]).expect("its own lines");
        let ids: Vec<u64> = log.ballots.iter().map(|ballot| ballot.id).collect();
        assert_eq!((ids, log.repeated), (vec![1, 2], 3));
    });
}

#[test]
fn a_log_is_put_aside_at_its_size_and_every_line_stays_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ballots.jsonl");
    let rotation = Rotation {
        bytes: Some(8_000),
        days: Some(1),
    };
    // One that was put aside long ago is deleted with the next change of files.
    let old = folder.path().join("ballots.jsonl.20210101T000000");
    fs::write(&old, "").expect("a file");
    // One that was put aside before the clock was set may be of today.
    let unset = folder.path().join("ballots.jsonl.19700101T000007");
    fs::write(&unset, "").expect("a file");
    const BALLOTS: usize = 60;
    for _ in 0..2 {
        // The second recorder goes on with the file of the first.
        let recorder = Recorder::open_rotating(&path, rotation).expect("a log");
        record_rotating(&recorder, BALLOTS / 2);
    }
    let entries = fs::read_dir(folder.path()).expect("a folder");
    let files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert!(
        files.len() > 3 && !old.exists() && unset.exists(),
        "{files:?}"
    );
    let mut ballots = 0;
    for file in &files {
        let text = fs::read_to_string(file).expect("a log");
        assert!(text.len() < 8_000 + 4_000, "{}", text.len());
        assert!(text.ends_with('\n') || text.is_empty());
        let log = Log::read([&**file]).expect("whole lines");
        assert_eq!(log.cut_short, 0);
        ballots += log.ballots.len();
    }
    assert_eq!(ballots, BALLOTS);
}
