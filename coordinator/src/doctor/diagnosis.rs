//! Findings from the facts, each with its remedy.

use super::facts::{Facts, PlayerFacts, WorkerFacts};
use crate::{calibration::scale_name, door::QUARANTINED};
use monju_proto::reservation::names_holder;
use monju_proto::v1::{Arrival, ExamineResponse, FormTrial};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Round trip above which votes arrive too late to be fresh.
const LONG_ROUND_TRIP: Duration = Duration::from_millis(50);

/// Name of the 27-point rule in engine options; Monju judges declarations by this rule.
const DECLARATION_RULE: &str = "CSARule27";

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It may lose games.
    Error,
    /// It costs strength, or is probably not intended.
    Warning,
}

/// A problem that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its severity.
    pub severity: Severity,
    /// The worker or player, or "ensemble".
    pub about: String,
    /// The problem.
    pub what: String,
    /// The remedy.
    pub mend: String,
}

/// Returns the problems in the facts, errors first.
pub fn diagnose(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    for worker in &facts.workers {
        check_worker(worker, facts, &mut findings);
    }
    for player in &facts.players {
        check_vote(player, facts.test_time, &mut findings);
        check_engine(player, &mut findings);
    }
    check_holders(facts, &mut findings);
    check_ensemble(facts, &mut findings);
    check_rules(facts, &mut findings);
    findings.sort_by_key(|finding| finding.severity);
    findings
}

fn found(
    severity: Severity,
    about: &str,
    what: impl Into<String>,
    mend: impl Into<String>,
) -> Finding {
    Finding {
        severity,
        about: about.to_owned(),
        what: what.into(),
        mend: mend.into(),
    }
}

fn check_worker(worker: &WorkerFacts, ours: &Facts, findings: &mut Vec<Finding>) {
    let name = &worker.name;
    if !worker.failure.is_empty() {
        let (problem, mend) = if worker.is_draining {
            (
                "not asked",
                "start it again, or 'monju drain --worker URL --resume'",
            )
        } else if worker.failure.starts_with(QUARANTINED) {
            ("not heard", "correct its configuration, or its program")
        } else {
            (
                "not reached",
                "start it with 'monju worker', or correct its address",
            )
        };
        let what = format!("{problem} at {}: {}", worker.address, worker.failure);
        findings.push(found(Severity::Error, name, what, mend));
        return;
    }
    if worker.version == ours.version && worker.build != ours.build {
        let build = match worker.build.as_str() {
            "" => "an older build",
            build => build,
        };
        findings.push(found(
            Severity::Warning,
            name,
            format!("runs build {build}, and this is {}", ours.build),
            "copy this program to its machine",
        ));
    }
    if worker.version != ours.version {
        findings.push(found(
            Severity::Error,
            name,
            format!(
                "runs version {}, and this is {}",
                worker.version, ours.version
            ),
            "copy this program to its machine",
        ));
    }
    if worker.players == 0 {
        findings.push(found(
            Severity::Error,
            name,
            "hosts no player",
            "give it [[player]] tables, or --players M",
        ));
    }
    if let Some(times) = worker.round_trip
        && times.longest > LONG_ROUND_TRIP
    {
        let mend = match &*worker.address {
            "in-process" => "take load off this machine, or host fewer players on it",
            _ => "use a cable instead of a wireless network, or take load off its machine",
        };
        findings.push(found(
            Severity::Warning,
            name,
            format!("answers within {} ms at worst", times.longest.as_millis()),
            mend,
        ));
    }
}

/// Returns the text by which another session is said to hold a player; it could not be tried.
fn held(player: &PlayerFacts) -> Option<String> {
    let of_vote = Some(player.vote.failure.clone());
    let of_examination = player.examined.as_ref().err().map(ToString::to_string);
    let mut reasons = of_vote.into_iter().chain(of_examination);
    reasons.find(|reason| names_holder(reason))
}

/// Names each session that holds players in one finding, with their workers.
fn check_holders(facts: &Facts, findings: &mut Vec<Finding>) {
    let mut workers = BTreeMap::<String, BTreeSet<&str>>::new();
    for player in &facts.players {
        if let Some(reason) = held(player) {
            let info = player.vote.player.as_ref();
            let worker = info.map_or("", |info| info.worker.as_str());
            workers.entry(reason).or_default().insert(worker);
        }
    }
    for (reason, workers) in workers {
        // The advice of the refusal is the remedy.
        let holder = reason
            .rsplit_once(';')
            .map_or(&*reason, |(holder, _)| holder);
        let about = Vec::from_iter(workers).join(", ");
        let what = format!("{holder} and could not be tried");
        let mend = "run 'monju doctor' again when that is over";
        findings.push(found(Severity::Warning, &about, what, mend));
    }
}

/// Engine name of native players.
const NATIVE: &str = "monju";

fn check_vote(player: &PlayerFacts, test_time: Duration, findings: &mut Vec<Finding>) {
    let (name, vote) = (player.name(), &player.vote);
    let test_ms = test_time.as_millis();
    let mut error = |what: String, mend: &str| {
        findings.push(found(Severity::Error, name, what, mend));
    };
    match vote.arrival() {
        Arrival::Final => {}
        Arrival::Provisional => {
            let what = format!("did not finish within {test_ms} ms; its last line counts");
            let is_native = vote
                .player
                .as_ref()
                .is_some_and(|player| player.engine == NATIVE);
            let mend = match is_native {
                true => "play with more time a move, or a smaller overhead_ms",
                false => "list in go a form that limits its time, or give it a smaller clock_share",
            };
            findings.push(found(Severity::Warning, name, what, mend));
            return;
        }
        Arrival::Late | Arrival::Unspecified => error(
            format!("has no vote within {test_ms} ms"),
            "play with more time a move, or leave it out",
        ),
        // One line names the holder.
        Arrival::Failed if names_holder(&vote.failure) => {}
        Arrival::Failed => error(vote.failure.clone(), "see the log of its worker"),
        Arrival::Illegal => error(
            format!("votes for an illegal move: {}", vote.failure),
            "correct its command and options; its votes would never count",
        ),
        Arrival::Resigned | Arrival::DeclaredWin => error(
            "resigns or declares a win in the start position".to_owned(),
            "correct its command and options; its votes would never count",
        ),
    }
    if vote.arrival() == Arrival::Final && player.nodes_per_second() == 0 {
        let what = "says nothing about its nodes";
        let mend = "that does no harm unless it is limited by nodes";
        findings.push(found(Severity::Warning, name, what, mend));
    }
}

fn check_engine(player: &PlayerFacts, findings: &mut Vec<Finding>) {
    let name = player.name();
    let examined = match &player.examined {
        Ok(examined) => examined,
        // A lost worker or an engine that does not start was reported already.
        Err(_) if player.vote.arrival() == Arrival::Failed => return,
        Err(reason) if names_holder(&reason.to_string()) => return,
        Err(reason) => {
            let what = format!("cannot be examined: {reason}");
            let mend = "see the log of its worker";
            findings.push(found(Severity::Error, name, what, mend));
            return;
        }
    };
    for error in &examined.errors {
        let what = format!("does not play as it is told to; it said: {error}");
        let mend = "correct its command and options, or the files that they name";
        findings.push(found(Severity::Error, name, what, mend));
    }
    for warning in &examined.warnings {
        let what = format!("said: {warning}");
        let mend =
            "correct its command and options, or the files that they name, unless it is meant";
        findings.push(found(Severity::Warning, name, what, mend));
    }
    for doubt in &examined.doubts {
        let mend = "correct the name or the value in its options, unless it is meant: it is sent all the same";
        findings.push(found(Severity::Warning, name, doubt, mend));
    }
    check_own_limits(player, examined, findings);
    /// Forms of `go` that workers never send.
    const UNSENT: [&str; 3] = ["clock", "increment", "ponder"];
    let is_fatal =
        |trial: &&FormTrial| trial.configured && !trial.survived && !UNSENT.contains(&&*trial.form);
    let fatal: Vec<&FormTrial> = examined.trials.iter().filter(is_fatal).collect();
    if fatal.is_empty() {
        return;
    }
    let what: Vec<String> = fatal
        .iter()
        .map(|trial| format!("{} ({})", trial.form, trial.failure))
        .collect();
    // A configuration cannot do without `infinite`.
    let is_wanted = |trial: &&FormTrial| trial.survived || trial.form == "infinite";
    let survived = examined.trials.iter().filter(is_wanted);
    let forms: Vec<String> = survived.map(|trial| format!("{:?}", trial.form)).collect();
    let mend = match fatal.iter().any(|trial| trial.form == "infinite") {
        true => "take another version of the engine, which must stop when it is told to".to_owned(),
        false => format!("set go = [{}]", forms.join(", ")),
    };
    findings.push(found(
        Severity::Error,
        name,
        format!(
            "does not survive these forms of its go list: {}",
            what.join(", ")
        ),
        mend,
    ));
}

/// A limit that an engine is not told becomes a time.
fn check_own_limits(player: &PlayerFacts, examined: &ExamineResponse, findings: &mut Vec<Finding>) {
    let info = player.vote.player.as_ref();
    let own = info.and_then(|info| info.limits);
    let Some(own) = own.filter(|own| own.time_ms.is_none()) else {
        return;
    };
    let is_told = |form: &str| {
        let trial = examined.trials.iter().find(|trial| trial.form == form);
        trial.is_none_or(|trial| trial.configured)
    };
    for (limit, is_set) in [
        ("nodes", own.nodes.is_some()),
        ("depth", own.depth.is_some()),
    ] {
        if is_set && !is_told(limit) {
            findings.push(found(
                Severity::Error,
                player.name(),
                format!("is not told its {limit}, and thinks for a time instead"),
                format!("list \"{limit}\" in its go if it supports that, or leave {limit} out"),
            ));
        }
    }
}

fn check_ensemble(facts: &Facts, findings: &mut Vec<Finding>) {
    let mut add = |severity, what: String, mend: &str| {
        findings.push(found(severity, "ensemble", what, mend));
    };
    // Players that are held may well have votes for their own session.
    let has_no_vote =
        |player: &PlayerFacts| !player.vote.counted && !names_holder(&player.vote.failure);
    if facts.workers.is_empty() {
        let what = "the configuration names no worker, and those that enrol themselves cannot be tried here".to_owned();
        let mend = "name them in workers, or see them with 'monju status'";
        add(Severity::Warning, what, mend);
    } else if facts.players.iter().all(has_no_vote) {
        let what = "no player has a vote".to_owned();
        add(Severity::Error, what, "see above; at least one is needed");
    }
    if let Some(primary) = &facts.primary
        && facts.players.iter().all(|player| player.name() != primary)
    {
        let what = format!("the primary player '{primary}' is on no worker");
        add(Severity::Error, what, "name one of the players above");
    }
    let scales: BTreeSet<String> = facts
        .players
        .iter()
        .filter_map(|player| player.vote.player.as_ref())
        .map(scale_name)
        .collect();
    let uncalibrated = facts.players.iter().any(|player| !player.is_calibrated);
    if facts.rule.compares_scores() && scales.len() > 1 && uncalibrated {
        let scales: Vec<String> = scales.into_iter().collect();
        let what = format!(
            "rule '{}' cannot compare the scores of {}, so the majority will decide",
            facts.rule,
            scales.join(", ")
        );
        let mend = "play games with --log, then 'monju calibrate' and the key calibration";
        add(Severity::Warning, what, mend);
    }
    if facts.rule.judges_danger() && uncalibrated {
        let what = format!(
            "rule '{}' does not know the win rates of all players, so the majority may decide",
            facts.rule
        );
        let mend = "play games with --log, then 'monju calibrate' and the key calibration";
        add(Severity::Warning, what, mend);
    }
    for player in &facts.players {
        let line = player.vote.line.as_ref();
        let ranks = line.is_some_and(|line| line.candidates.len() > 1);
        if facts.rule.ranks_moves() && player.vote.counted && !ranks {
            let what = format!("'{}' ranks no other move than its own", player.name());
            add(
                Severity::Warning,
                what,
                "set its option MultiPV, if it has one",
            );
        }
    }
}

/// Checks that options about the rules of the game are the same for all players.
fn check_rules(facts: &Facts, findings: &mut Vec<Finding>) {
    let mut seen: Vec<(&str, &str, &str)> = Vec::new();
    for player in &facts.players {
        let Ok(examined) = &player.examined else {
            continue;
        };
        for option in &examined.rule_options {
            let (name, value) = (option.name.as_str(), option.value.as_str());
            let other = seen
                .iter()
                .find(|(_, known, other)| *known == name && *other != value);
            if name == "EnteringKingRule" && value != DECLARATION_RULE {
                findings.push(found(
                    Severity::Warning,
                    player.name(),
                    format!("judges declarations by EnteringKingRule = {value}"),
                    format!("set its option EnteringKingRule = {DECLARATION_RULE:?}"),
                ));
            } else if let Some((who, _, other)) = other {
                findings.push(found(
                    Severity::Warning,
                    player.name(),
                    format!("has {name} = {value}, and {who} has {other}"),
                    "set the same value in their options",
                ));
            }
            seen.push((player.name(), name, value));
        }
    }
}
