//! The ballot as one JSON object.
//!
//! Stable keys: `position`; `votes[]` with `player`, `move`, `score` (`cp` or `mate`), `depth`,
//! `nodes`, `time_ms`, `pv`, `arrival`, `legal`, `counted`; `tally` (move: votes); `decision` with
//! `move`, `rule`, `tie_break`, `elapsed_ms`. A player without a line has `null` as its move and
//! score. A mate of unknown length is `"+"` (the side to move mates) or `"-"`.

use super::notation;
use monju_engine::Game;
use monju_proto::v1::{Ballot, Bound, Score, Vote, score::Kind};
use serde_json::{Map, Value, json};

pub(super) fn render(game: &Game, ballot: &Ballot) -> String {
    let tally: Map<String, Value> = ballot
        .tally
        .iter()
        .map(|count| (count.r#move.clone(), count.votes.into()))
        .collect();
    let votes: Vec<Value> = ballot.votes.iter().map(|given| vote(game, given)).collect();
    let decision = ballot.decision.as_ref().map(|decision| {
        json!({
            "move": decision.r#move,
            "japanese": notation::japanese(game, &decision.r#move),
            "ponder": known(&decision.ponder),
            "rule": decision.rule,
            "tie_break": notation::tie_break(decision.tie_break()),
            "elapsed_ms": decision.elapsed_ms,
        })
    });
    let ballot = json!({
        "position": notation::position(game),
        "sfen": game.position().to_string(),
        "seed": ballot.seed,
        "votes": votes,
        "tally": tally,
        "decision": decision,
    });
    format!("{ballot:#}\n")
}

fn vote(game: &Game, vote: &Vote) -> Value {
    let player = vote.player.clone().unwrap_or_default();
    let line = vote.line.as_ref();
    json!({
        "player": player.name,
        "worker": player.worker,
        "engine": player.engine,
        "evaluator": known(&player.evaluator),
        "sigma": player.sigma,
        "noise_seed": vote.noise_seed,
        "move": line.map(|line| &line.r#move),
        "japanese": line.and_then(|line| notation::japanese(game, &line.r#move)),
        "score": line.and_then(|line| line.score.as_ref()).map(score),
        "depth": line.map_or(0, |line| line.depth),
        "nodes": line.map_or(0, |line| line.nodes),
        "time_ms": line.map_or(0, |line| line.time_ms),
        "pv": line.map_or(&[][..], |line| &line.pv),
        "arrival": notation::arrival(vote.arrival()),
        "arrived_ms": vote.arrived_ms,
        "legal": vote.legal,
        "counted": vote.counted,
        "failure": known(&vote.failure),
    })
}

fn score(score: &Score) -> Value {
    let mut object = match score.kind {
        Some(Kind::Cp(cp)) => json!({ "cp": cp }),
        Some(Kind::Mate(plies)) => json!({ "mate": plies }),
        Some(Kind::MateOfUnknownLength(true)) => json!({ "mate": "+" }),
        Some(Kind::MateOfUnknownLength(false)) => json!({ "mate": "-" }),
        None => return Value::Null,
    };
    match score.bound() {
        Bound::Lower => object["bound"] = "lower".into(),
        Bound::Upper => object["bound"] = "upper".into(),
        Bound::Exact | Bound::Unspecified => {}
    }
    object
}

/// An empty text of the protocol means that there is none.
fn known(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
