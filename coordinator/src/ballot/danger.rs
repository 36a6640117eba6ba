//! Judgements on the material after the moves of a ballot, for the rule and the time policy `careful`.

use monju_engine::{
    Game, Move,
    danger::{Danger, after_move},
};
use monju_proto::v1::Vote;
use std::collections::BTreeMap;

/// Most nodes that a judgement expands: some ms, up to tens where threats abound (`docs/BENCHMARKS.md`).
const NODES: u64 = 200;

/// The judgements of a ballot by move. They are functions of the position and the move alone.
#[derive(Debug, Default)]
pub(super) struct Judgements(BTreeMap<String, Danger>);

impl Judgements {
    /// Returns the judgement on a move, if it was judged.
    pub fn on(&self, mv: &str) -> Option<Danger> {
        self.0.get(mv).copied()
    }

    /// Judges one of the moves that is not judged yet; returns false if there is none, or if it is left unjudged
    /// because the time is over.
    pub fn judge_one(
        &mut self,
        game: &Game,
        moves: impl IntoIterator<Item = Move>,
        is_due: impl Fn() -> bool,
    ) -> bool {
        let mut moves = moves.into_iter();
        let Some(mv) = moves.find(|mv| !self.0.contains_key(&mv.to_string())) else {
            return false;
        };
        let mut was_due = false;
        let judged = after_move(game.position(), mv, NODES, &mut |_| {
            was_due = is_due();
            was_due
        });
        if !was_due {
            self.0.insert(mv.to_string(), judged.danger);
        }
        !was_due
    }
}

/// Judges the moves of recorded votes that were not judged.
pub fn judge_votes(game: &Game, votes: &mut [Vote]) {
    let mut judgements = Judgements::default();
    for vote in votes.iter_mut().filter(|vote| vote.counted) {
        if let (true, Ok(mv)) = (vote.danger.is_empty(), game.parse_move(vote.chosen())) {
            judgements.judge_one(game, [mv], || false);
            let judgement = judgements.on(&mv.to_string());
            vote.danger = judgement.map_or("", Danger::name).to_owned();
        }
    }
}

/// Returns the recorded judgement on a vote's move.
pub(super) fn judgement(vote: &Vote) -> Option<Danger> {
    vote.danger.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ballot::vote::tests::vote;

    #[test]
    fn recorded_judgements_stay_and_others_are_made() {
        // A pawn attacks White's silver, which White may take with it or leave.
        let game = Game::from_usi("sfen 8k/9/9/9/4s4/4P4/9/9/K8 w - 1").expect("a position");
        let mut votes = ["5e5f", "1a1b", "1a1b"].map(|mv| vote(mv, "one", mv, 0));
        votes[2].danger = "unknown".to_owned();
        // The first move of the variation stands for a line without a move of its own.
        let line = votes[1].line.as_mut().expect("a line");
        line.pv = vec![std::mem::take(&mut line.r#move)];
        judge_votes(&game, &mut votes);
        let judged: Vec<&str> = votes.iter().map(|vote| &*vote.danger).collect();
        assert_eq!(judged, ["holds", "fails", "unknown"]);
        assert_eq!(judgement(&votes[1]), Some(Danger::Fails));
        votes[1].danger = "of a later build".to_owned();
        assert_eq!(judgement(&votes[1]), None);
    }
}
