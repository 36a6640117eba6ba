//! Tests of the diagnosis and of gathering facts.

use super::*;
use crate::{
    choices::ConsultationSettings,
    roster::{Link, ReachError, Roster},
    service::Ensemble,
    testing::{FakeWorker, PlayerStep},
    voting::Rule,
};
use monju_proto::v1::{
    Arrival, Candidate, ExamineResponse, FormTrial, Limits, Line, PlayerInfo, Setting, Vote,
};
use std::{sync::Arc, time::Duration};
use tonic::Status;

fn player(name: &str, engine: &str, evaluator: &str) -> PlayerFacts {
    PlayerFacts {
        vote: Vote {
            player: Some(PlayerInfo {
                name: name.to_owned(),
                engine: engine.to_owned(),
                evaluator: evaluator.to_owned(),
                ..PlayerInfo::default()
            }),
            line: Some(Line {
                r#move: "7g7f".to_owned(),
                nodes: 500_000,
                time_ms: 1_000,
                ..Line::default()
            }),
            arrival: Arrival::Final.into(),
            legal: true,
            counted: true,
            ..Vote::default()
        },
        is_calibrated: false,
        examined: Ok(ExamineResponse::default()),
    }
}

fn facts() -> Facts {
    Facts {
        version: "0.1.0".to_owned(),
        build: "0.1.0+abc".to_owned(),
        rule: Rule::Majority,
        primary: None,
        test_time: Duration::from_secs(2),
        workers: vec![WorkerFacts {
            name: "desk".to_owned(),
            address: "in-process".to_owned(),
            failure: String::new(),
            is_draining: false,
            version: "0.1.0".to_owned(),
            build: "0.1.0+abc".to_owned(),
            players: 2,
            round_trip: Some(CallTimes {
                median: Duration::from_micros(300),
                longest: Duration::from_micros(900),
            }),
        }],
        players: vec![
            player("native", "monju", "material"),
            player("gps", "GPSShogi", ""),
        ],
    }
}

fn findings(facts: &Facts) -> Vec<(Severity, String, String)> {
    let found = diagnose(facts).into_iter();
    found
        .map(|finding| {
            assert!(!finding.mend.is_empty());
            (finding.severity, finding.about, finding.what)
        })
        .collect()
}

#[test]
fn a_healthy_team_has_no_findings() {
    assert_eq!(findings(&facts()), []);
}

#[test]
fn a_lost_outdated_or_empty_worker_is_an_error() {
    let mut sick = facts();
    let desk = sick.workers[0].clone();
    sick.workers = vec![
        WorkerFacts {
            failure: "refused".to_owned(),
            ..desk.clone()
        },
        WorkerFacts {
            version: "0.0.9".to_owned(),
            players: 0,
            ..desk
        },
    ];
    let said = findings(&sick);
    assert_eq!(said.len(), 3);
    for ((severity, _, what), expected) in said.iter().zip(["refused", "0.0.9", "no player"]) {
        assert_eq!(*severity, Severity::Error);
        assert!(what.contains(expected), "{what}");
    }
}

#[test]
fn a_worker_that_is_not_heard_has_a_remedy_of_its_own() {
    for (failure, is_draining, remedy) in [
        ("refused", false, "correct its address"),
        ("it takes no new questions (draining)", true, "--resume"),
        (
            "quarantined: a setting has control characters",
            false,
            "correct its configuration",
        ),
    ] {
        let mut sick = facts();
        sick.workers[0].failure = failure.to_owned();
        sick.workers[0].is_draining = is_draining;
        let found = diagnose(&sick);
        assert!(found[0].mend.contains(remedy), "{found:?}");
    }
}

#[test]
fn workers_that_enrol_themselves_are_no_fault() {
    let nobody = Facts {
        workers: Vec::new(),
        players: Vec::new(),
        ..facts()
    };
    let found = diagnose(&nobody);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].severity, Severity::Warning);
    assert!(found[0].mend.contains("monju status"), "{found:?}");
}

#[test]
fn a_worker_of_another_build_is_told() {
    for (build, words) in [("0.1.0+def", "build 0.1.0+def"), ("", "an older build")] {
        let mut mixed = facts();
        mixed.workers[0].build = build.to_owned();
        let said = findings(&mixed);
        assert_eq!(said.len(), 1, "{said:?}");
        let (severity, about, what) = &said[0];
        assert_eq!((*severity, about.as_str()), (Severity::Warning, "desk"));
        assert!(what.contains(words) && what.contains("0.1.0+abc"), "{what}");
    }
}

#[test]
fn votes_that_would_not_count_are_errors_and_slow_ones_warnings() {
    for (arrival, severity) in [
        (Arrival::Provisional, Severity::Warning),
        (Arrival::Late, Severity::Error),
        (Arrival::Failed, Severity::Error),
        (Arrival::Illegal, Severity::Error),
        (Arrival::Resigned, Severity::Error),
    ] {
        let mut sick = facts();
        sick.players[1].vote.arrival = arrival.into();
        let said = findings(&sick);
        assert_eq!(said.len(), 1, "{arrival:?}: {said:?}");
        assert_eq!((said[0].0, &*said[0].1), (severity, "gps"));
    }
    let mut mute = facts();
    for player in &mut mute.players {
        player.vote.counted = false;
    }
    assert_eq!(findings(&mute)[0].2, "no player has a vote");
}

#[test]
fn a_fatal_form_of_go_is_named_with_the_safe_ones() {
    let trial = |form: &str, configured, survived| FormTrial {
        form: form.to_owned(),
        configured,
        survived,
        failure: "the engine ended (signal: 6)".to_owned(),
        answer_ms: 5,
    };
    let mut sick = facts();
    sick.players[1].examined = Ok(ExamineResponse {
        trials: vec![
            trial("nodes", true, false),
            trial("depth", false, false),
            trial("byoyomi", true, true),
            trial("infinite", false, true),
            // Workers never send these forms.
            trial("clock", true, false),
            trial("ponder", true, false),
        ],
        ..ExamineResponse::default()
    });
    let findings = diagnose(&sick);
    assert_eq!(findings.len(), 1);
    assert_eq!(
        findings[0].what,
        "does not survive these forms of its go list: nodes (the engine ended (signal: 6))"
    );
    assert_eq!(findings[0].mend, "set go = [\"byoyomi\", \"infinite\"]");
    let nodes = Some(1_000);
    let own = |time_ms| Limits {
        nodes,
        time_ms,
        ..Limits::default()
    };
    for (configured, time_ms, is_told) in [
        (true, None, true),
        (false, Some(9), true),
        (false, None, false),
    ] {
        let mut limited = facts();
        let player = &mut limited.players[1];
        player.vote.player.as_mut().expect("a player").limits = Some(own(time_ms));
        player.examined = Ok(ExamineResponse {
            trials: vec![
                trial("nodes", configured, true),
                trial("infinite", true, true),
            ],
            ..ExamineResponse::default()
        });
        let what: Vec<String> = diagnose(&limited).into_iter().map(|one| one.what).collect();
        let expected = match is_told {
            true => vec![],
            false => vec!["is not told its nodes, and thinks for a time instead".to_owned()],
        };
        assert_eq!(what, expected);
    }
    // No configuration is without `infinite`.
    sick.players[1].examined = Ok(ExamineResponse {
        trials: vec![trial("byoyomi", true, true), trial("infinite", true, false)],
        ..ExamineResponse::default()
    });
    let findings = diagnose(&sick);
    assert!(
        findings[0].mend.starts_with("take another version"),
        "{findings:?}"
    );
}

#[test]
fn options_that_an_engine_may_not_take_are_warnings() {
    let mut sick = facts();
    let doubt = "it declares no option 'Threds'".to_owned();
    sick.players[1].examined = Ok(ExamineResponse {
        doubts: vec![doubt.clone()],
        ..ExamineResponse::default()
    });
    assert_eq!(
        findings(&sick),
        [(Severity::Warning, "gps".to_owned(), doubt)]
    );
}

#[test]
fn what_an_engine_reports_is_a_problem_of_its_player() {
    let mut sick = facts();
    sick.players[1].examined = Ok(ExamineResponse {
        errors: vec!["error: no such file".to_owned()],
        warnings: vec!["warning: no large pages".to_owned()],
        ..ExamineResponse::default()
    });
    let about = || "gps".to_owned();
    let error = "does not play as it is told to; it said: error: no such file".to_owned();
    let warning = "said: warning: no large pages".to_owned();
    assert_eq!(
        findings(&sick),
        [
            (Severity::Error, about(), error),
            (Severity::Warning, about(), warning)
        ]
    );
}

#[test]
fn rules_that_cannot_work_are_named() {
    let mut sick = facts();
    sick.primary = Some("nobody".to_owned());
    sick.rule = Rule::Optimistic;
    let found = findings(&sick);
    assert!(found[0].2.contains("'nobody' is on no worker"));
    assert!(found[1].2.contains("GPSShogi, monju/material"), "{found:?}");

    for player in &mut sick.players {
        player.is_calibrated = true;
    }
    assert_eq!(findings(&sick).len(), 1);

    let mut ranked = facts();
    ranked.rule = Rule::Ranked;
    let line = ranked.players[0].vote.line.as_mut().expect("a line");
    line.candidates = vec![Candidate::default(), Candidate::default()];
    let found = findings(&ranked);
    assert_eq!(found.len(), 1);
    assert!(found[0].2.contains("'gps' ranks no other move"));
}

#[test]
fn players_with_different_rules_of_the_game_are_named() {
    let option = |name: &str, value: &str| {
        Ok(ExamineResponse {
            rule_options: vec![Setting {
                name: name.to_owned(),
                value: value.to_owned(),
            }],
            ..ExamineResponse::default()
        })
    };
    let mut sick = facts();
    sick.players[0].examined = option("MaxMovesToDraw", "256");
    sick.players[1].examined = option("MaxMovesToDraw", "0");
    assert_eq!(
        findings(&sick)[0].2,
        "has MaxMovesToDraw = 0, and native has 256"
    );
    sick.players[1].examined = option("EnteringKingRule", "NoEnteringKing");
    assert!(findings(&sick)[0].2.contains("NoEnteringKing"));
    sick.players[1].examined = option("EnteringKingRule", "CSARule27");
    assert_eq!(findings(&sick), []);
}

#[test]
fn players_that_another_session_holds_are_one_line() {
    let mut busy = facts();
    let held = "the players are held by monju usi (process 7) at 10.0.0.2 for a game; ask again when that is over";
    for (player, worker) in busy.players.iter_mut().zip(["pc2", "pc1"]) {
        player.vote.player.as_mut().expect("a player").worker = worker.to_owned();
        player.vote.arrival = Arrival::Failed.into();
        player.vote.counted = false;
        player.vote.failure = held.to_owned();
        let status = Status::failed_precondition(held);
        player.examined = Err(ReachError::Later(Box::new(status)));
    }
    let what = "the players are held by monju usi (process 7) at 10.0.0.2 for a game and could not be tried";
    let line = (Severity::Warning, "pc1, pc2".to_owned(), what.to_owned());
    assert_eq!(findings(&busy), std::slice::from_ref(&line));

    // The game may begin between the test move and the examination.
    let mut later = facts();
    later.players[1]
        .vote
        .player
        .as_mut()
        .expect("a player")
        .worker = "pc1".to_owned();
    later.players[1].examined = busy.players[1].examined.clone();
    assert_eq!(findings(&later), [(line.0, "pc1".to_owned(), line.2)]);

    // Everything else that is wrong is still told.
    busy.players[0].vote.failure = "the engine ended".to_owned();
    let said = findings(&busy);
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!(
        (said[0].0, &*said[0].2),
        (Severity::Error, "the engine ended")
    );
}

#[tokio::test(start_paused = true)]
async fn the_doctor_finds_lost_workers_and_late_players() {
    let (link, _server) = FakeWorker::named("desk")
        .player("quick", &[PlayerStep::Answer("7g7f")])
        .with_lanes(3)
        .player("silent", &[PlayerStep::Wait(60_000)])
        .link();
    let lost = Link::remote("http://127.0.0.1:9", None).expect("an address");
    let roster = Roster::new(vec![link, lost]);
    let ensemble = Ensemble {
        settings: ConsultationSettings::default(),
        primary: None,
        overhead: Duration::ZERO,
        calibration: Arc::default(),
        resignation: None,
        book: None,
    };
    let facts = gather(&roster, &ensemble, Duration::from_secs(1)).await;
    assert_eq!(facts.workers.len(), 2);
    assert!(facts.workers[0].round_trip.is_some());
    assert_ne!(facts.workers[1].failure, "");
    let arrivals: Vec<Arrival> = facts
        .players
        .iter()
        .map(|player| player.vote.arrival())
        .collect();
    assert_eq!(arrivals, [Arrival::Final, Arrival::Late]);
    assert_eq!(
        facts.players[1].name(),
        "silent",
        "a search of three votes is one player"
    );
    let errors = diagnose(&facts)
        .into_iter()
        .filter(|finding| finding.severity == Severity::Error);
    let about: Vec<String> = errors.map(|finding| finding.about).collect();
    assert!(about.contains(&"silent".to_owned()), "{about:?}");
    assert!(
        about.contains(&"http://127.0.0.1:9".to_owned()),
        "{about:?}"
    );
}
