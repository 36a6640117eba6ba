//! Diversity of the votes (table 1 of Ito et al. (2011)).

use monju_proto::v1::Vote;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Number of different moves from which ballots are counted together.
pub const MOST_COUNTED: usize = 10;

/// The players whose votes are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    All,
    /// The native players of this noise, in thousandths of a centipawn.
    Noise(u64),
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diversity {
    /// Noise of the counted players in centipawns; null for all players of a ballot.
    pub sigma: Option<f64>,
    /// Mean number of players on a ballot.
    pub players: f64,
    /// Number of ballots by the number of different moves, from 1; the last one includes all with more.
    pub ballots: Vec<u64>,
    /// Mean number of different moves on a ballot.
    pub mean: f64,
}

/// Counts different moves, ballot by ballot.
#[derive(Debug, Default)]
pub struct DiversityCounter {
    rows: BTreeMap<Group, Row>,
}

#[derive(Debug, Default)]
struct Row {
    ballots: [u64; MOST_COUNTED],
    players: u64,
    moves: u64,
}

impl DiversityCounter {
    /// Enters the votes of a ballot. Groups of one voter have no diversity and are left out.
    pub fn enter(&mut self, votes: &[Vote]) {
        let mut groups = BTreeMap::<Group, Vec<&str>>::new();
        for vote in votes.iter().filter(|vote| vote.counted) {
            let Some(line) = &vote.line else { continue };
            let sigma = vote.player.as_ref().map_or(0.0, |player| player.sigma);
            let noise = Group::Noise((sigma * 1_000.0).round() as u64);
            for group in [Group::All, noise] {
                if group != Group::Noise(0) {
                    groups.entry(group).or_default().push(&line.r#move);
                }
            }
        }
        for (group, moves) in groups.into_iter().filter(|(_, moves)| moves.len() > 1) {
            let different = moves.iter().collect::<BTreeSet<_>>().len();
            let row = self.rows.entry(group).or_default();
            row.ballots[different.min(MOST_COUNTED) - 1] += 1;
            row.players += moves.len() as u64;
            row.moves += different as u64;
        }
    }

    /// Returns the rows: all players, then by noise.
    pub fn tabulate(self) -> Vec<Diversity> {
        let diversity = |(group, row): (Group, Row)| {
            let count = row.ballots.iter().sum::<u64>() as f64;
            Diversity {
                sigma: match group {
                    Group::All => None,
                    Group::Noise(thousandths) => Some(thousandths as f64 / 1_000.0),
                },
                players: row.players as f64 / count,
                ballots: row.ballots.to_vec(),
                mean: row.moves as f64 / count,
            }
        };
        self.rows.into_iter().map(diversity).collect()
    }
}
