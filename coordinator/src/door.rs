//! The door through which everything comes that a worker says. Behind it, numbers are finite and in the ranges
//! of configurations, and texts are short and plain.

use monju_engine::rules::MOST_LEGAL_MOVES;
use monju_proto::convert::{
    GREATEST_DEPTH, GREATEST_NUMBER, GREATEST_WEIGHT, LONGEST_VARIATION, MOST_PLAYERS,
    UNKNOWN_LENGTH,
};
use monju_proto::text::{excerpt, is_plain};
use monju_proto::v1::{
    Candidate, DescribeResponse, DrainResponse, EnrolRequest, ExamineResponse, Limits, Line,
    PlayerInfo, ThinkResult, score::Kind, worker_client::WorkerClient,
};
use std::iter;
use tonic::{Status, transport::Channel};

/// Greatest message of a worker, in bytes: a description of as many players as a configuration can have.
const LONGEST_MESSAGE: usize = 2 << 20;
/// Greatest message of a player's search, in bytes.
const LONGEST_THOUGHT: usize = 256 << 10;
/// Greatest number of votes of all workers together. A search has as many votes as virtual players.
pub const MOST_VOTES: usize = 4_096;
/// Greatest number of votes of a worker that a configuration lists: as many as it can have players.
pub const MOST_VOTES_LISTED: usize = 1_024;
/// Greatest number of votes of a worker that has enrolled itself: as many as a large machine has cores.
pub const MOST_VOTES_ENROLLED: usize = 256;
/// Greatest number of virtual players of one search, as in configurations.
const MOST_LANES: usize = 16;
/// Greatest length of a name; those of configurations have 64 characters and a number.
const LONGEST_NAME: usize = 80;
/// Greatest length of other texts: values of options may be paths.
const LONGEST_TEXT: usize = 4_096;
/// Greatest number of settings of one player.
const MOST_SETTINGS: usize = 500;
/// Greatest length of a move: `resign` is the longest.
const LONGEST_MOVE: usize = 6;
/// About the greatest number of moves of all variations of one line together; a move and its reply stay of each.
const MOST_MOVES: usize = 2_048;
/// Greatest size of the settings of one player, in bytes: programs have some hundreds of short ones.
const MOST_SETTINGS_BYTES: usize = 64 << 10;
/// Greatest score, in centipawns.
const MOST_CENTIPAWNS: i32 = 1_000_000;
/// Greatest number of findings of an examination, and of problems of a preparation.
const MOST_FINDINGS: usize = 1_000;

/// First word of an [`Offence`].
pub const QUARANTINED: &str = "quarantined";

/// Reason why nothing is heard of a worker or a player any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{QUARANTINED}: {0}")]
pub struct Offence(String);

impl From<Offence> for Status {
    fn from(offence: Offence) -> Self {
        Self::invalid_argument(offence.to_string())
    }
}

/// Returns the client of a worker for everything but searches.
pub fn worker_client(channel: Channel) -> WorkerClient<Channel> {
    WorkerClient::new(channel).max_decoding_message_size(LONGEST_MESSAGE)
}

/// Returns the client of a worker for a search.
pub fn search_client(channel: Channel) -> WorkerClient<Channel> {
    WorkerClient::new(channel).max_decoding_message_size(LONGEST_THOUGHT)
}

/// Checks the description of a worker.
///
/// # Errors
/// It says something that no configuration can say.
pub fn description(response: &DescribeResponse) -> Result<(), Offence> {
    let DescribeResponse {
        name,
        version,
        players,
        held_by,
        build,
        draining: _,
        loading,
        instance: _,
        holds: _,
    } = response;
    text("its name", name, LONGEST_NAME)?;
    text("its version", version, LONGEST_NAME)?;
    text("its build", build, LONGEST_NAME)?;
    text("the holder of its players", held_by, LONGEST_TEXT)?;
    at_most("players", players.len(), MOST_PLAYERS as usize)?;
    at_most("players that load", loading.len(), players.len())?;
    for name in loading {
        text("the name of a player that loads", name, LONGEST_NAME)?;
    }
    players.iter().try_for_each(player)
}

/// Returns the number of votes that players have: each of its virtual players gives a search one.
pub fn votes(players: &[PlayerInfo]) -> usize {
    let lanes = players.iter().map(|info| info.lanes.max(1) as usize);
    lanes.sum()
}

/// Checks the number of votes of a worker, all its players together.
///
/// # Errors
/// It has more than `most`.
pub fn votes_within(response: &DescribeResponse, most: usize) -> Result<(), Offence> {
    let DescribeResponse { name, players, .. } = response;
    at_most(&format!("votes of worker {name}"), votes(players), most)
}

fn player(info: &PlayerInfo) -> Result<(), Offence> {
    let PlayerInfo {
        name,
        engine,
        evaluator,
        sigma,
        noise_seed: _,
        worker,
        weight,
        noise_model,
        weights_hash,
        limits,
        clock_share,
        settings,
        lanes,
        // The roster writes it down anew.
        build: _,
    } = info;
    text("the name of a player", name, LONGEST_NAME)?;
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(Offence("the name of a player is not one word".to_owned()));
    }
    for (what, value) in [
        ("the engine", engine),
        ("the evaluator", evaluator),
        ("the worker", worker),
        ("the noise model", noise_model),
        ("the weights' hash", weights_hash),
    ] {
        text(&format!("{what} of {name}"), value, LONGEST_TEXT)?;
    }
    let share = clock_share.unwrap_or(1.0);
    let (sigmas, weights) = (0.0..=f64::MAX, 0.0..=GREATEST_WEIGHT);
    let shares = f64::MIN_POSITIVE..=1.0;
    let numbers = [
        ("sigma", *sigma, sigmas, "0 or more".to_owned()),
        (
            "weight",
            weight.unwrap_or(1.0),
            weights,
            format!("from 0 to {GREATEST_WEIGHT}"),
        ),
        (
            "clock_share",
            share,
            shares,
            "above 0 and at most 1".to_owned(),
        ),
    ];
    for (what, value, range, expected) in numbers {
        if !range.contains(&value) {
            let what = format!("{what} of {name} is {value}, and must be {expected}");
            return Err(Offence(what));
        }
    }
    at_most(&format!("lanes of {name}"), *lanes as usize, MOST_LANES)?;
    let multi_pv = limits.and_then(|limits: Limits| limits.multi_pv);
    let ranked = multi_pv.unwrap_or(0) as usize;
    at_most(&format!("ranked moves of {name}"), ranked, MOST_LEGAL_MOVES)?;
    at_most(
        &format!("settings of {name}"),
        settings.len(),
        MOST_SETTINGS,
    )?;
    let bytes = settings.iter().map(|it| it.name.len() + it.value.len());
    at_most(
        &format!("bytes of settings of {name}"),
        bytes.sum(),
        MOST_SETTINGS_BYTES,
    )?;
    settings.iter().try_for_each(|setting| {
        let what = format!("a setting of {name}");
        text(&what, &setting.name, LONGEST_TEXT)?;
        text(&what, &setting.value, LONGEST_TEXT)
    })
}

fn line(line: &Line) -> Result<(), Offence> {
    let Line {
        r#move,
        // `line_within` brings scores into their range.
        score: _,
        depth,
        selective_depth,
        nodes,
        time_ms,
        pv,
        candidates,
        lanes,
        hash_full,
    } = line;
    a_move(r#move)?;
    at_most("moves of a variation", pv.len(), LONGEST_VARIATION)?;
    pv.iter().try_for_each(|mv| a_move(mv))?;
    at_most("candidates", candidates.len(), MOST_LEGAL_MOVES)?;
    at_most("candidates by lane", lanes.len(), MOST_LANES)?;
    let mut others = candidates.iter().chain(lanes);
    others.try_for_each(|candidate| {
        let Candidate {
            r#move,
            score: _,
            pv,
        } = candidate;
        a_move(r#move)?;
        at_most("moves of a variation", pv.len(), LONGEST_VARIATION)?;
        pv.iter().try_for_each(|mv| a_move(mv))
    })?;
    let depths = GREATEST_DEPTH.into();
    for (what, value, greatest) in [
        ("depth", (*depth).into(), depths),
        ("selective depth", (*selective_depth).into(), depths),
        ("filling of a table", hash_full.unwrap_or(0).into(), 1_000),
        ("nodes", *nodes, GREATEST_NUMBER),
        ("time", *time_ms, GREATEST_NUMBER),
    ] {
        if value > greatest {
            return Err(Offence(format!("a {what} of {value}")));
        }
    }
    Ok(())
}

/// Checks a line of a search, brings its scores into their range, and shortens its variations where they are longer
/// together than a ballot has room for.
///
/// # Errors
/// No search says such a line.
pub fn line_within(mut said: Line) -> Result<Line, Offence> {
    line(&said)?;
    let others = said.candidates.iter_mut().chain(&mut said.lanes);
    for score in iter::once(&mut said.score).chain(others.map(|other| &mut other.score)) {
        match score.as_mut().and_then(|score| score.kind.as_mut()) {
            Some(Kind::Cp(cp)) => *cp = (*cp).clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS),
            Some(Kind::Mate(plies)) => *plies = (*plies).clamp(-UNKNOWN_LENGTH, UNKNOWN_LENGTH),
            Some(Kind::MateOfUnknownLength(_)) | None => {}
        }
    }
    let candidates = || said.candidates.iter().chain(&said.lanes);
    let moves = said.pv.len() + candidates().map(|it| it.pv.len()).sum::<usize>();
    if moves > MOST_MOVES {
        // A move and its reply stay of each.
        let each = (MOST_MOVES / (1 + candidates().count())).max(2);
        said.pv.truncate(each);
        for candidate in said.candidates.iter_mut().chain(&mut said.lanes) {
            candidate.pv.truncate(each);
        }
    }
    Ok(said)
}

/// Checks the result of a search, as [`line_within`].
///
/// # Errors
/// No search has such a result.
pub fn result(result: ThinkResult) -> Result<ThinkResult, Offence> {
    let ThinkResult { line, noise_seed } = result;
    let line = line.map(line_within).transpose()?;
    Ok(ThinkResult { line, noise_seed })
}

/// Makes the findings of an examination fit to be shown.
pub fn examined(mut response: ExamineResponse) -> ExamineResponse {
    response.trials.truncate(MOST_FINDINGS);
    for trial in &mut response.trials {
        trial.form = excerpt(&trial.form, LONGEST_NAME);
        trial.failure = excerpt(&trial.failure, LONGEST_TEXT);
    }
    response.rule_options.truncate(MOST_FINDINGS);
    for option in &mut response.rule_options {
        option.name = excerpt(&option.name, LONGEST_TEXT);
        option.value = excerpt(&option.value, LONGEST_TEXT);
    }
    response.doubts = problems(response.doubts);
    response.errors = problems(response.errors);
    response.warnings = problems(response.warnings);
    response
}

/// Makes the problems that a worker tells fit to be shown.
pub fn problems(mut problems: Vec<String>) -> Vec<String> {
    problems.truncate(MOST_FINDINGS);
    let shown = problems
        .iter()
        .map(|problem| excerpt(problem, LONGEST_TEXT));
    shown.collect()
}

/// Makes the answer of a worker that is told to drain fit to be shown.
pub fn drained(mut response: DrainResponse) -> DrainResponse {
    response.name = excerpt(&response.name, LONGEST_NAME);
    response
}

/// Returns the port of a worker that enrols itself.
///
/// # Errors
/// It is none.
pub fn port(request: &EnrolRequest) -> Result<u16, Offence> {
    match u16::try_from(request.port) {
        Ok(port @ 1..) => Ok(port),
        _ => Err(Offence(format!("{} is no port", request.port))),
    }
}

fn a_move(mv: &str) -> Result<(), Offence> {
    let is_one = mv.len() <= LONGEST_MOVE && mv.chars().all(|c| c.is_ascii_graphic());
    match is_one {
        true => Ok(()),
        false => Err(Offence(format!("'{}' is no move", excerpt(mv, 20)))),
    }
}

fn text(what: &str, text: &str, longest: usize) -> Result<(), Offence> {
    // A character has at most four bytes.
    if text.len() > 4 * longest || text.chars().count() > longest {
        Err(Offence(format!("{what} has {} bytes", text.len())))
    } else if !text.chars().all(is_plain) {
        Err(Offence(format!("{what} has control characters")))
    } else {
        Ok(())
    }
}

fn at_most(what: &str, number: usize, most: usize) -> Result<(), Offence> {
    match number <= most {
        true => Ok(()),
        false => Err(Offence(format!("{number} {what}, of at most {most}"))),
    }
}

#[cfg(test)]
mod tests;
