//! Property tests of every rule, or of groups of rules.

use super::*;
use monju_engine::danger::Danger;
use proptest::prelude::*;

const MOVES: [&str; 5] = ["7g7f", "2g2f", "5g5f", "8h2b+", "P*5e"];

fn opinion() -> impl Strategy<Value = Opinion> {
    let moves = || prop::sample::select(&MOVES[..]);
    (
        moves(),
        0_u32..4,
        prop::option::of(0_u32..8),
        prop::collection::vec(moves(), 0..4),
    )
        .prop_map(|(mv, weight, value, others)| Opinion {
            // A judgement is one of the position after the move.
            danger: [Some(Danger::Holds), Some(Danger::Fails), None]
                [MOVES.iter().position(|known| *known == mv).unwrap_or(0) % 3],
            mv: mv.to_owned(),
            weight: weight.into(),
            value: value.map(|eighths| f64::from(eighths) / 8.0),
            ranking: std::iter::once(mv)
                .chain(others)
                .map(str::to_owned)
                .collect(),
        })
}

fn opinions() -> impl Strategy<Value = Vec<Opinion>> {
    prop::collection::vec(opinion(), 1..12)
}

fn rule() -> impl Strategy<Value = Rule> {
    prop::sample::select(Rule::ALL)
}

fn poll(opinions: &[Opinion], primary: Option<usize>, seed: u64) -> Poll<'_> {
    Poll {
        opinions,
        primary,
        // The team is ahead with every other seed.
        win_rate: Some([0.5, 0.7][(seed % 2) as usize]),
        seed,
    }
}

fn winner(rule: Rule, poll: &Poll<'_>) -> Choice {
    decide(rule, poll).expect("votes")
}

#[test]
fn no_rule_decides_without_votes() {
    for &rule in Rule::ALL {
        assert_eq!(decide(rule, &poll(&[], None, 1)), None, "{rule}");
    }
}

proptest! {
    #[test]
    fn the_winner_has_a_vote(
        rule in rule(), opinions in opinions(), primary in prop::option::of(0_usize..12), seed: u64,
    ) {
        let choice = winner(rule, &poll(&opinions, primary, seed));
        prop_assert!(opinions.iter().any(|opinion| opinion.mv == choice.mv));
    }

    #[test]
    fn unanimous_votes_win(rule in rule(), count in 1_usize..9, seed: u64, first in opinion()) {
        let opinions = vec![first; count];
        let choice = winner(rule, &poll(&opinions, Some(0), seed));
        prop_assert_eq!(&choice.mv, &opinions[0].mv);
        prop_assert!(choice.ground != Ground::Random && choice.ground != Ground::Score);
    }

    #[test]
    fn the_order_of_the_votes_does_not_matter(
        rule in rule(), opinions in opinions(), turn in 0_usize..12, primary in 0_usize..12, seed: u64,
    ) {
        let count = opinions.len();
        let (turn, primary) = (turn % count, primary % count);
        let mut turned = opinions.clone();
        turned.rotate_left(turn);
        let moved = (primary + count - turn) % count;
        prop_assert_eq!(
            winner(rule, &poll(&opinions, Some(primary), seed)),
            winner(rule, &poll(&turned, Some(moved), seed))
        );
    }

    #[test]
    fn doubling_every_vote_changes_nothing(
        rule in rule(), opinions in opinions(), primary in 0_usize..12, seed: u64,
    ) {
        let primary = Some(primary % opinions.len());
        let twice = [opinions.clone(), opinions.clone()].concat();
        prop_assert_eq!(
            winner(rule, &poll(&opinions, primary, seed)),
            winner(rule, &poll(&twice, primary, seed))
        );
    }

    #[test]
    fn one_more_vote_of_the_same_kind_never_hurts_the_winner(
        rule in prop::sample::select(vec![
            Rule::Majority, Rule::Weighted, Rule::Optimistic, Rule::MajorityThenOptimistic,
            Rule::PrimaryUnlessOutvoted, Rule::Careful, Rule::Single, Rule::Alternate, Rule::HandOver,
        ]),
        opinions in opinions(), primary in 0_usize..12, seed: u64,
    ) {
        let primary = Some(primary % opinions.len());
        let before = winner(rule, &poll(&opinions, primary, seed));
        // A copy of the best vote, since one without score or ranking could hurt the winner.
        let best = opinions
            .iter()
            .filter(|opinion| opinion.mv == before.mv)
            .max_by(|one, two| one.value.partial_cmp(&two.value).expect("numbers"))
            .expect("the winner has a vote")
            .clone();
        let mut more = opinions.clone();
        more.push(best);
        prop_assert_eq!(&before.mv, &winner(rule, &poll(&more, primary, seed)).mv);
    }

    #[test]
    fn a_rule_reads_nothing_that_it_does_not_claim(
        rule in rule(), opinions in opinions(), other in opinion(), primary in 0_usize..12,
        rate in prop::option::of(0.0_f64..1.0), seed: u64,
    ) {
        let primary = Some(primary % opinions.len());
        let mut changed = opinions.clone();
        let first = &mut changed[0];
        if !rule.weighs_votes() {
            first.weight = other.weight;
        }
        if !rule.compares_scores() {
            first.value = other.value;
        }
        if !rule.ranks_moves() {
            first.ranking = other.ranking;
        }
        if !rule.judges_danger() {
            first.danger = other.danger;
        }
        let before = poll(&opinions, primary, seed);
        let mut after = poll(&changed, primary, seed);
        if !rule.judges_danger() {
            after.win_rate = rate;
        }
        prop_assert_eq!(winner(rule, &before), winner(rule, &after));
    }

    #[test]
    fn the_unit_of_values_and_weights_does_not_matter(
        rule in rule(), opinions in opinions(), primary in 0_usize..12, seed: u64,
        scale in 0.1_f64..100.0, shift in -5.0_f64..5.0,
    ) {
        let primary = Some(primary % opinions.len());
        let changed: Vec<Opinion> = opinions
            .iter()
            .map(|opinion| Opinion {
                weight: opinion.weight * scale,
                value: opinion.value.map(|value| value * scale + shift),
                ..opinion.clone()
            })
            .collect();
        prop_assert_eq!(
            winner(rule, &poll(&opinions, primary, seed)),
            winner(rule, &poll(&changed, primary, seed))
        );
    }

    #[test]
    fn a_careful_team_that_is_ahead_plays_a_safe_move_if_one_has_a_vote(
        opinions in opinions(), seed: u64,
    ) {
        let poll = Poll { win_rate: Some(0.7), ..poll(&opinions, None, seed) };
        let choice = careful(&poll).expect("votes");
        let is_safe = |opinion: &Opinion| opinion.danger == Some(Danger::Holds);
        let chosen = opinions.iter().find(|opinion| opinion.mv == choice.mv).expect("a vote");
        prop_assert_eq!(is_safe(chosen), opinions.iter().any(is_safe));
    }

    #[test]
    fn a_careful_team_that_is_not_ahead_is_the_majority(
        opinions in opinions(), primary in 0_usize..12, seed: u64,
    ) {
        let primary = Some(primary % opinions.len());
        let poll = Poll { win_rate: Some(0.5), ..poll(&opinions, primary, seed) };
        prop_assert_eq!(careful(&poll).map(|choice| choice.mv), majority(&poll).map(|choice| choice.mv));
    }

    #[test]
    fn optimistic_takes_the_highest_score(opinions in opinions(), seed: u64) {
        let choice = optimistic(&poll(&opinions, None, seed)).expect("votes");
        let of = |admit: &dyn Fn(&Opinion) -> bool| {
            let values = opinions.iter().filter(|opinion| admit(opinion));
            values.filter_map(|opinion| opinion.value).fold(f64::NEG_INFINITY, f64::max)
        };
        prop_assert_eq!(of(&|opinion| opinion.mv == choice.mv).max(of(&|_| true)), of(&|_| true));
        if opinions.iter().any(|opinion| opinion.value.is_some()) {
            prop_assert_eq!(of(&|opinion| opinion.mv == choice.mv), of(&|_| true));
        }
    }

    #[test]
    fn pessimistic_is_optimistic_with_negated_scores(opinions in opinions(), seed: u64) {
        let negated: Vec<Opinion> = opinions
            .iter()
            .map(|opinion| Opinion {
                value: opinion.value.map(|value| -value),
                ..opinion.clone()
            })
            .collect();
        prop_assert_eq!(
            pessimistic(&poll(&opinions, None, seed)),
            optimistic(&poll(&negated, None, seed))
        );
    }

    #[test]
    fn without_scores_rankings_and_primary_every_rule_is_the_majority(
        moves in prop::collection::vec(prop::sample::select(&MOVES[..]), 1..12), seed: u64,
    ) {
        let opinions: Vec<Opinion> = moves.into_iter().map(Opinion::plain).collect();
        let poll = poll(&opinions, None, seed);
        let expected = winner(Rule::Majority, &poll).mv;
        for &rule in Rule::ALL {
            prop_assert_eq!(&winner(rule, &poll).mv, &expected, "{}", rule);
        }
    }
}
