//! Who votes like whom, and who is followed.

use monju_proto::v1::Vote;
use serde::Serialize;
use std::collections::BTreeMap;

/// A voter over all ballots: whoever has this name, engine, evaluator and noise. The same name with
/// another noise, as in the cells of an experiment, is another voter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Member {
    /// Its name on the ballots.
    pub player: String,
    /// Its engine.
    pub engine: String,
    /// Its evaluator; empty for a foreign engine.
    pub evaluator: String,
    /// Its noise in centipawns.
    pub sigma: f64,
    /// Its votes that counted.
    pub votes: u64,
    /// How many of them the recorded decision followed.
    pub followed_as_recorded: u64,
    /// How many of them the decision under the rule follows.
    pub followed: u64,
}

/// Counts agreement, ballot by ballot.
#[derive(Debug, Default)]
pub struct Agreement {
    members: Vec<Member>,
    /// By name, engine, evaluator and the bits of σ.
    index: BTreeMap<(String, String, String, u64), usize>,
    /// Common ballots, and those of them with the same move, by two indices in order.
    pairs: BTreeMap<(usize, usize), (u64, u64)>,
}

impl Agreement {
    /// Enters a ballot's votes, its recorded decision, and the one under the rule.
    pub fn enter(&mut self, votes: &[Vote], recorded: &str, replayed: &str) {
        let counted: Vec<(usize, &str)> = votes
            .iter()
            .filter(|vote| vote.counted)
            .filter_map(|vote| Some((self.member(vote), &*vote.line.as_ref()?.r#move)))
            .collect();
        for (place, (member, mv)) in counted.iter().enumerate() {
            let entry = &mut self.members[*member];
            entry.votes += 1;
            entry.followed_as_recorded += u64::from(*mv == recorded);
            entry.followed += u64::from(*mv == replayed);
            for (other, its_mv) in &counted[place + 1..] {
                let pair = ((*member).min(*other), (*member).max(*other));
                let (both, same) = self.pairs.entry(pair).or_default();
                *both += 1;
                *same += u64::from(mv == its_mv);
            }
        }
    }

    fn member(&mut self, vote: &Vote) -> usize {
        let player = vote.player.clone().unwrap_or_default();
        let members = &mut self.members;
        let key = (
            player.name.clone(),
            player.engine.clone(),
            player.evaluator.clone(),
            player.sigma.to_bits(),
        );
        *self.index.entry(key).or_insert_with(|| {
            members.push(Member {
                player: player.name,
                engine: player.engine,
                evaluator: player.evaluator,
                sigma: player.sigma,
                votes: 0,
                followed_as_recorded: 0,
                followed: 0,
            });
            members.len() - 1
        })
    }

    /// The members in the order in which they were met, and the share of agreement of each two.
    pub fn tabulate(self) -> (Vec<Member>, Vec<Vec<Option<f64>>>) {
        let count = self.members.len();
        let share = |one: usize, other: usize| match one == other {
            true => Some(1.0),
            false => {
                let (both, same) = self.pairs.get(&(one.min(other), one.max(other)))?;
                Some(*same as f64 / *both as f64)
            }
        };
        let row = |one| (0..count).map(|other| share(one, other)).collect();
        let rows = (0..count).map(row).collect();
        (self.members, rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use monju_proto::v1::{Line, PlayerInfo};

    #[test]
    fn a_name_with_another_noise_engine_or_evaluator_is_another_member() {
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
        let mut agreement = Agreement::default();
        for (engine, evaluator, sigma) in [
            ("monju", "material", 25.0),
            ("monju", "material", 100.0),
            ("monju", "nnue", 25.0),
            ("other", "", 25.0),
            ("monju", "material", 25.0),
        ] {
            agreement.enter(&[vote(engine, evaluator, sigma)], "7g7f", "2g2f");
        }
        let (members, _) = agreement.tabulate();
        let seen: Vec<(&str, f64, u64)> = members
            .iter()
            .map(|member| (member.evaluator.as_str(), member.sigma, member.votes))
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
