//! The votes that a rule decides from, and its choice.

use super::tally::{VoteCount, leaders, tally};
use crate::seed;
use monju_engine::danger::Danger;

/// One vote that counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Opinion {
    /// The move, as USI text.
    pub mv: String,
    /// Weight under [`weighted`](super::weighted); finite and not negative.
    pub weight: f64,
    /// Score of the move in a unit that all opinions of the poll share: win rates, or the centipawns
    /// of one engine. `None` where the score does not rank or compare.
    pub value: Option<f64>,
    /// The moves that the player ranks, best first; its own move alone when it ranks no others.
    pub ranking: Vec<String>,
    /// Judgement on the material after the move; `None` where it was not judged.
    pub danger: Option<Danger>,
}

impl Opinion {
    /// A vote for a move, without score or ranking.
    pub fn plain(mv: &str) -> Self {
        Self {
            mv: mv.to_owned(),
            weight: 1.0,
            value: None,
            ranking: vec![mv.to_owned()],
            danger: None,
        }
    }
}

/// The votes that a rule decides from.
#[derive(Clone, Copy, Debug)]
pub struct Poll<'a> {
    /// The votes that count.
    pub opinions: &'a [Opinion],
    /// Index of the vote of the player that the rule follows and that decides ties: the primary
    /// player, or the one whose turn it is. `None` without such a player or without its vote.
    pub primary: Option<usize>,
    /// Mean calibrated win rate of the opinions; `None` where none has one.
    pub win_rate: Option<f64>,
    /// Seed of the choice between equals; should differ from position to position.
    pub seed: u64,
}

impl<'a> Poll<'a> {
    /// Returns the primary player's move.
    pub(super) fn primary_move(&self) -> Option<&'a str> {
        self.primary
            .and_then(|index| self.opinions.get(index))
            .map(|opinion| opinion.mv.as_str())
    }

    /// Returns the vote counts, most votes first.
    pub(super) fn tally(&self) -> Vec<VoteCount> {
        tally(self.opinions.iter().map(|opinion| opinion.mv.as_str()))
    }

    /// Returns one of several equal moves: the primary player's, if it is among them, else one that
    /// the seed picks; `None` when there is no move. In a diverse team, ties are best broken in favour
    /// of its strongest member (Marcolino et al. 2014).
    pub(super) fn break_tie(&self, mut equal: Vec<&str>) -> Option<Choice> {
        equal.sort_unstable();
        equal.dedup();
        let (mv, ground) = match (equal.as_slice(), self.primary_move()) {
            ([], _) => return None,
            ([only], _) => (*only, Ground::Votes),
            (_, Some(primary)) if equal.contains(&primary) => (primary, Ground::Primary),
            _ => (equal[seed::pick(self.seed, equal.len())], Ground::Random),
        };
        Some(Choice::new(mv, ground))
    }

    /// Returns the majority's move, for a rule that has nothing to decide from.
    pub(super) fn majority_instead(&self) -> Option<Choice> {
        self.break_tie(leaders(&self.tally())).map(|choice| Choice {
            ground: Ground::Majority,
            ..choice
        })
    }
}

/// The reason for a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// The rule had one winner.
    Votes,
    /// The seed picked it among equals.
    Random,
    /// The primary player's move decided.
    Primary,
    /// It had the best score among equals.
    Score,
    /// The rule had nothing to decide from, so the majority decided.
    Majority,
}

/// The move that a rule chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move, as USI text.
    pub mv: String,
    /// The reason.
    pub ground: Ground,
}

impl Choice {
    pub(super) fn new(mv: &str, ground: Ground) -> Self {
        Self {
            mv: mv.to_owned(),
            ground,
        }
    }
}

/// Returns the keys with the greatest of finite sums. Sums that differ by rounding alone are equal.
pub(super) fn greatest<'a>(sums: impl IntoIterator<Item = (&'a str, f64)> + Clone) -> Vec<&'a str> {
    let best = sums
        .clone()
        .into_iter()
        .map(|(_, sum)| sum)
        .fold(f64::NEG_INFINITY, f64::max);
    let least = best - 1e-9 * best.abs().max(1.0);
    let of_best = sums.into_iter().filter(|(_, sum)| *sum >= least);
    of_best.map(|(mv, _)| mv).collect()
}
