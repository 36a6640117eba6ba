//! How many different moves the members name (table 1 of paper 002).

use monju_proto::v1::Vote;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Ballots with this many different moves, and with more, are counted together.
pub const MOST_COUNTED: usize = 10;

/// Whose votes are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Everybody,
    /// The native players of this noise, in thousandths of a centipawn.
    Noise(u64),
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diversity {
    /// The noise in centipawns of the players whose votes these are; null for all of a ballot.
    pub sigma: Option<f64>,
    /// Players on a ballot, on average.
    pub players: f64,
    /// Ballots by the number of different moves, from 1; the last counts all that have more, too.
    pub ballots: Vec<u64>,
    /// Different moves on a ballot, on average.
    pub mean: f64,
}

/// Counts different moves, ballot by ballot.
#[derive(Debug, Default)]
pub struct Counts {
    rows: BTreeMap<Group, Row>,
}

#[derive(Debug, Default)]
struct Row {
    ballots: [u64; MOST_COUNTED],
    players: u64,
    moves: u64,
}

impl Counts {
    /// Enters a ballot's votes. Groups of one voter say nothing about diversity.
    pub fn enter(&mut self, votes: &[Vote]) {
        let mut groups = BTreeMap::<Group, Vec<&str>>::new();
        for vote in votes.iter().filter(|vote| vote.counted) {
            let Some(line) = &vote.line else { continue };
            let sigma = vote.player.as_ref().map_or(0.0, |player| player.sigma);
            let noise = Group::Noise((sigma * 1_000.0).round() as u64);
            for group in [Group::Everybody, noise] {
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

    /// The rows: all of a ballot, then by noise.
    pub fn tabulate(self) -> Vec<Diversity> {
        let diversity = |(group, row): (Group, Row)| {
            let count = row.ballots.iter().sum::<u64>() as f64;
            Diversity {
                sigma: match group {
                    Group::Everybody => None,
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
