//! Parts of a vote.

use monju_proto::{
    convert::RankedScore,
    v1::{Line, Score, Vote},
};

/// Value of a mate in centipawns, less its length, in comparisons of scores of one engine. More than any
/// evaluation.
const MATE: f64 = 100_000.0;

/// Greatest evaluation in centipawns; greater ones count as equal to it.
pub(super) const MOST_CENTIPAWNS: i32 = 50_000;

/// Returns the ballot name of the player.
pub(super) fn name(vote: &Vote) -> &str {
    vote.player.as_ref().map_or("", |player| &player.name)
}

/// Returns the score of the vote's line.
pub(super) fn score_of(vote: &Vote) -> Option<&Score> {
    let line: &Line = vote.line.as_ref()?;
    line.score.as_ref()
}

/// Returns the score in the engine's own centipawns; `None` without a score that ranks.
pub(super) fn centipawns(vote: &Vote) -> Option<f64> {
    Some(match score_of(vote).and_then(Score::ranked)? {
        RankedScore::Centipawns(cp) => cp.clamp(-MOST_CENTIPAWNS, MOST_CENTIPAWNS).into(),
        RankedScore::Mates(plies) => MATE - f64::from(plies),
        RankedScore::Mated(plies) => f64::from(plies) - MATE,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use monju_proto::v1::{PlayerInfo, score::Kind};

    pub fn vote(name: &str, engine: &str, mv: &str, cp: i32) -> Vote {
        Vote {
            player: Some(PlayerInfo {
                name: name.to_owned(),
                engine: engine.to_owned(),
                ..PlayerInfo::default()
            }),
            line: Some(Line {
                r#move: mv.to_owned(),
                score: Some(Score {
                    kind: Some(Kind::Cp(cp)),
                    bound: 1,
                }),
                ..Line::default()
            }),
            counted: true,
            ..Vote::default()
        }
    }

    /// Turns the score of a vote into a bound.
    pub fn make_bound(vote: &mut Vote) {
        let line = vote.line.as_mut().expect("a line");
        line.score.as_mut().expect("a score").bound = 2;
    }
}
