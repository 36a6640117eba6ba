//! Who votes like whom, and who is followed.

use monju_proto::v1::Vote;
use serde::Serialize;
use std::collections::BTreeMap;

/// A voter over all ballots.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Member {
    /// Its name on the ballots.
    pub player: String,
    /// Its engine, as it was recorded first.
    pub engine: String,
    /// Its evaluator, likewise; empty for a foreign engine.
    pub evaluator: String,
    /// Its noise in centipawns, likewise.
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
    index: BTreeMap<String, usize>,
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
        *self.index.entry(player.name.clone()).or_insert_with(|| {
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
