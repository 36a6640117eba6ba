//! Agreement of the voters with each other and with the decisions.

use monju_proto::v1::Vote;
use serde::Serialize;
use std::collections::BTreeMap;

/// A voter over all ballots, identified by name, engine, evaluator and noise. The same name with
/// another noise, as in the cells of an experiment, is another voter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Voter {
    /// Its name on the ballots.
    pub player: String,
    /// Its engine.
    pub engine: String,
    /// Its evaluator; empty for a foreign engine.
    pub evaluator: String,
    /// Its noise in centipawns.
    pub sigma: f64,
    /// Number of its votes that counted.
    pub votes: u64,
    /// Number of these that the recorded decision followed.
    pub followed_as_recorded: u64,
    /// Number of these that the decision under the rule follows.
    pub followed: u64,
}

/// Counts votes and agreement, ballot by ballot.
#[derive(Debug, Default)]
pub struct VoterTable {
    voters: Vec<Voter>,
    /// Indices by name, engine, evaluator and the bits of σ.
    index: BTreeMap<(String, String, String, u64), usize>,
    /// Numbers of common ballots and of those with the same move, by two indices in order.
    pairs: BTreeMap<(usize, usize), (u64, u64)>,
}

impl VoterTable {
    /// Enters the votes of a ballot, its recorded decision, and the one under the rule.
    pub fn enter(&mut self, votes: &[Vote], recorded: &str, replayed: &str) {
        let counted: Vec<(usize, &str)> = votes
            .iter()
            .filter(|vote| vote.counted)
            .filter_map(|vote| Some((self.index_of(vote), &*vote.line.as_ref()?.r#move)))
            .collect();
        for (place, (voter, mv)) in counted.iter().enumerate() {
            let entry = &mut self.voters[*voter];
            entry.votes += 1;
            entry.followed_as_recorded += u64::from(*mv == recorded);
            entry.followed += u64::from(*mv == replayed);
            for (other, its_mv) in &counted[place + 1..] {
                let pair = ((*voter).min(*other), (*voter).max(*other));
                let (both, same) = self.pairs.entry(pair).or_default();
                *both += 1;
                *same += u64::from(mv == its_mv);
            }
        }
    }

    fn index_of(&mut self, vote: &Vote) -> usize {
        let player = vote.player.clone().unwrap_or_default();
        let voters = &mut self.voters;
        let key = (
            player.name.clone(),
            player.engine.clone(),
            player.evaluator.clone(),
            player.sigma.to_bits(),
        );
        *self.index.entry(key).or_insert_with(|| {
            voters.push(Voter {
                player: player.name,
                engine: player.engine,
                evaluator: player.evaluator,
                sigma: player.sigma,
                votes: 0,
                followed_as_recorded: 0,
                followed: 0,
            });
            voters.len() - 1
        })
    }

    /// Returns the voters in the order of their first votes, and the share of agreement of each pair.
    pub fn tabulate(self) -> (Vec<Voter>, Vec<Vec<Option<f64>>>) {
        let count = self.voters.len();
        let share = |one: usize, other: usize| match one == other {
            true => Some(1.0),
            false => {
                let (both, same) = self.pairs.get(&(one.min(other), one.max(other)))?;
                Some(*same as f64 / *both as f64)
            }
        };
        let row = |one| (0..count).map(|other| share(one, other)).collect();
        let rows = (0..count).map(row).collect();
        (self.voters, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::{Line, PlayerInfo};

    #[test]
    fn a_name_with_another_noise_engine_or_evaluator_is_another_voter() {
        let vote = |engine: &str, evaluator: &str, sigma| Vote {
            player: Some(PlayerInfo {
                name: "noise-1".to_owned(),
                engine: engine.to_owned(),
                evaluator: evaluator.to_owned(),
                sigma,
                ..PlayerInfo::default()
            }),
            line: Some(Line {
                r#move: "7g7f".to_owned(),
                ..Line::default()
            }),
            counted: true,
            ..Vote::default()
        };
        let mut table = VoterTable::default();
        for (engine, evaluator, sigma) in [
            ("monju", "material", 25.0),
            ("monju", "material", 100.0),
            ("monju", "nnue", 25.0),
            ("other", "", 25.0),
            ("monju", "material", 25.0),
        ] {
            table.enter(&[vote(engine, evaluator, sigma)], "7g7f", "2g2f");
        }
        let (voters, _) = table.tabulate();
        let seen: Vec<(&str, f64, u64)> = voters
            .iter()
            .map(|voter| (voter.evaluator.as_str(), voter.sigma, voter.votes))
            .collect();
        let expected = [
            ("material", 25.0, 2),
            ("material", 100.0, 1),
            ("nnue", 25.0, 1),
            ("", 25.0, 1),
        ];
        assert_eq!(seen, expected);
    }
}
