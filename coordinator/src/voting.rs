//! Voting rules: pure functions from the votes that count to a move.
//!
//! [`decide`] applies a rule that was chosen by name; each rule is a function of its own below.

mod majority;
mod mean_score;
mod optimistic;
mod pessimistic;
mod primary;
#[cfg(test)]
mod properties;
mod ranked;
mod rule;
mod single;
mod tally;
mod weighted;

pub use majority::{majority, majority_then_optimistic};
pub use mean_score::mean_score;
pub use optimistic::optimistic;
pub use pessimistic::pessimistic;
pub use primary::primary_unless_outvoted;
pub use ranked::{RANKED_MOVES, ranked};
pub use rule::{Rule, UnknownRule};
pub use single::single;
pub use tally::{Count, tally};
pub use weighted::weighted;

use crate::seed;

/// One vote that counts, as the rules see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Opinion {
    /// The move, as USI text.
    pub mv: String,
    /// What it weighs under [`weighted`]; finite and not negative.
    pub weight: f64,
    /// What the player thinks of the move, in a unit that all opinions of the poll share: win rates,
    /// or the centipawns of one engine. `None` where the score does not rank or compare.
    pub value: Option<f64>,
    /// The moves that the player ranks, best first; its own move alone when it ranks no others.
    pub ranking: Vec<String>,
}

impl Opinion {
    /// A vote for a move and nothing else.
    pub fn plain(mv: &str) -> Self {
        Self {
            mv: mv.to_owned(),
            weight: 1.0,
            value: None,
            ranking: vec![mv.to_owned()],
        }
    }
}

/// What a rule decides from.
#[derive(Clone, Copy, Debug)]
pub struct Poll<'a> {
    /// The votes that count.
    pub opinions: &'a [Opinion],
    /// Index of the vote of the player whom the rule follows, or whose word decides ties: the primary
    /// player, or whoever's turn it is. `None` without such a player, or where its vote does not count.
    pub primary: Option<usize>,
    /// Decides between equals; should differ from position to position.
    pub seed: u64,
}

impl<'a> Poll<'a> {
    /// The primary player's move.
    fn primary_move(&self) -> Option<&'a str> {
        self.primary
            .and_then(|index| self.opinions.get(index))
            .map(|opinion| opinion.mv.as_str())
    }

    /// The vote counts, most first.
    fn tally(&self) -> Vec<Count> {
        tally(self.opinions.iter().map(|opinion| opinion.mv.as_str()))
    }

    /// One of several equal moves: the primary player's, if it is among them, else one that the
    /// seed draws. With a diverse team, ties are best broken in favour of its strongest member
    /// (Marcolino et al. 2014). `None` when there is no move.
    fn break_tie(&self, mut equal: Vec<&str>) -> Option<Choice> {
        equal.sort_unstable();
        equal.dedup();
        let (mv, ground) = match (equal.as_slice(), self.primary_move()) {
            ([], _) => return None,
            ([only], _) => (*only, Ground::Votes),
            (_, Some(primary)) if equal.contains(&primary) => (primary, Ground::Primary),
            _ => (equal[seed::draw(self.seed, equal.len())], Ground::Draw),
        };
        Some(Choice::new(mv, ground))
    }

    /// What is decided when a rule has nothing to go by.
    fn majority_instead(&self) -> Option<Choice> {
        majority(self).map(|choice| Choice {
            ground: Ground::Majority,
            ..choice
        })
    }
}

/// How the winner was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// The rule had one winner.
    Votes,
    /// It was drawn among equals.
    Draw,
    /// It is the primary player's move, and that decided.
    Primary,
    /// It was the best by score among equals.
    Score,
    /// The rule had nothing to go by, so the majority decided.
    Majority,
}

/// The move that a rule chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move, as USI text.
    pub mv: String,
    /// Why this one.
    pub ground: Ground,
}

impl Choice {
    fn new(mv: &str, ground: Ground) -> Self {
        Self {
            mv: mv.to_owned(),
            ground,
        }
    }
}

/// Applies a rule. `None` only without votes.
pub fn decide(rule: Rule, poll: &Poll<'_>) -> Option<Choice> {
    match rule {
        Rule::Majority => majority(poll),
        Rule::Weighted => weighted(poll),
        Rule::Optimistic => optimistic(poll),
        Rule::Pessimistic => pessimistic(poll),
        Rule::MajorityThenOptimistic => majority_then_optimistic(poll),
        Rule::MeanScore => mean_score(poll),
        Rule::Ranked => ranked(poll),
        Rule::PrimaryUnlessOutvoted => primary_unless_outvoted(poll),
        // Whom they follow is known before the poll.
        Rule::Single | Rule::Alternate | Rule::HandOver => single(poll),
    }
}

/// The keys with the greatest of finite sums. Sums that differ by rounding alone are equal.
fn greatest<'a>(sums: impl IntoIterator<Item = (&'a str, f64)> + Clone) -> Vec<&'a str> {
    let best = sums
        .clone()
        .into_iter()
        .map(|(_, sum)| sum)
        .fold(f64::NEG_INFINITY, f64::max);
    let least = best - 1e-9 * best.abs().max(1.0);
    let of_best = sums.into_iter().filter(|(_, sum)| *sum >= least);
    of_best.map(|(mv, _)| mv).collect()
}
