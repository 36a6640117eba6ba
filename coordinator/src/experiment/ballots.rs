//! The ballots of games as JSON lines: what a replay of another rule needs, and no more.

use super::record::Side;
use monju_proto::v1::{Ballot, TieBreak, score::Kind};
use serde_json::{Value, json};

/// One ballot as one line. The position is that of the game before `ply`, counted from 1.
pub fn ballot_line(ballot: &Ballot, game: u32, side: Side) -> String {
    let ply = ballot
        .position
        .as_ref()
        .map_or(1, |position| position.moves.len() + 1);
    let votes: Vec<Value> = ballot
        .votes
        .iter()
        .map(|vote| {
            let player = vote.player.as_ref();
            let line = vote.line.as_ref();
            let score = line.and_then(|line| line.score.as_ref()?.kind);
            json!({
                "player": player.map(|player| player.name.as_str()),
                "noise_seed": vote.noise_seed,
                "move": line.map(|line| line.r#move.as_str()),
                "score": score.map(|kind| match kind {
                    Kind::Cp(cp) => json!({ "cp": cp }),
                    Kind::Mate(plies) => json!({ "mate": plies }),
                    Kind::MateOfUnknownLength(mates) => json!({ "mate_of_unknown_length": mates }),
                }),
                "depth": line.map(|line| line.depth),
                "nodes": line.map(|line| line.nodes),
                "arrival": vote.arrival().as_str_name().trim_start_matches("ARRIVAL_").to_lowercase(),
                "counted": vote.counted,
            })
        })
        .collect();
    let decision = ballot.decision.as_ref();
    let tie_break = decision.map_or(TieBreak::None, |decision| decision.tie_break());
    let line = json!({
        "game": game,
        "ply": ply,
        "side": side.name(),
        "seed": ballot.seed,
        "votes": votes,
        "decision": {
            "move": decision.map(|decision| decision.r#move.as_str()),
            "rule": decision.map(|decision| decision.rule.as_str()),
            "tie_break": tie_break.as_str_name().trim_start_matches("TIE_BREAK_").to_lowercase(),
        },
    });
    format!("{line}\n")
}
