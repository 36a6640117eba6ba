//! Rule `optimistic`: the highest score wins.

use super::poll::{Choice, Poll, greatest};

/// Returns the move of the vote with the highest score (Sugiyama et al. 2010). Without comparable
/// scores, the majority decides.
pub fn optimistic(poll: &Poll<'_>) -> Option<Choice> {
    by_score(poll, |value| value)
}

/// Returns the move of the vote with the greatest `worth` of its score; without scores, the majority
/// decides.
pub(super) fn by_score(poll: &Poll<'_>, worth: impl Fn(f64) -> f64) -> Option<Choice> {
    match greatest_of(poll, |_| true, worth) {
        none if none.is_empty() => poll.majority_instead(),
        best => poll.break_tie(best),
    }
}

/// Returns the moves of the votes with the highest score, among the moves that `admit` accepts.
pub(super) fn highest<'a>(poll: &Poll<'a>, admit: impl Fn(&str) -> bool) -> Vec<&'a str> {
    greatest_of(poll, admit, |value| value)
}

fn greatest_of<'a>(
    poll: &Poll<'a>,
    admit: impl Fn(&str) -> bool,
    worth: impl Fn(f64) -> f64,
) -> Vec<&'a str> {
    let valued: Vec<(&str, f64)> = poll
        .opinions
        .iter()
        .filter(|opinion| admit(&opinion.mv))
        .filter_map(|opinion| Some((opinion.mv.as_str(), worth(opinion.value?))))
        .collect();
    let mut moves = greatest(valued);
    moves.sort_unstable();
    moves.dedup();
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voting::{Ground, Opinion};

    #[test]
    fn one_high_score_outvotes_all_others() {
        let vote = |mv, value| Opinion {
            value,
            ..Opinion::plain(mv)
        };
        let mut opinions = [
            vote("7g7f", Some(0.5)),
            vote("7g7f", Some(0.5)),
            vote("2g2f", Some(0.7)),
            vote("5g5f", None),
        ];
        let decide = |opinions: &[Opinion]| {
            let poll = Poll {
                win_rate: None,
                opinions,
                primary: None,
                seed: 1,
            };
            optimistic(&poll).expect("votes")
        };
        assert_eq!(decide(&opinions), Choice::new("2g2f", Ground::Votes));
        for opinion in &mut opinions {
            opinion.value = None;
        }
        assert_eq!(decide(&opinions), Choice::new("7g7f", Ground::Majority));
    }
}
