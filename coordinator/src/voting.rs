//! Voting rules: pure functions from the votes that count to a move.
//!
//! [`decide`] applies a rule that was chosen by name; each rule is a function of its own below.

mod careful;
mod majority;
mod mean_score;
mod optimistic;
mod pessimistic;
mod poll;
mod primary;
#[cfg(test)]
mod properties;
mod ranked;
mod rule;
mod single;
mod tally;
mod weighted;

pub use careful::careful;
pub use majority::{majority, majority_then_optimistic};
pub use mean_score::mean_score;
pub use optimistic::optimistic;
pub use pessimistic::pessimistic;
pub use poll::{Choice, Ground, Opinion, Poll};
pub use primary::primary_unless_outvoted;
pub use ranked::{RANKED_MOVES, ranked};
pub use rule::Rule;
pub use single::single;
pub use tally::{VoteCount, tally};
pub use weighted::weighted;

/// Applies a rule; `None` only without votes.
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
        Rule::Careful => careful(poll),
        // `Poll::primary` is the player that these rules follow.
        Rule::Single | Rule::Alternate | Rule::HandOver => single(poll),
    }
}
