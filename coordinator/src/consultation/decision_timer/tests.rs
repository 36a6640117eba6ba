//! Tests of decisions that cannot change any more, and of scores.

use super::*;
use crate::voting::{Opinion, Poll, Rule, decide, tally};
use monju_proto::v1::Line;
use monju_proto::v1::score;
use proptest::prelude::*;

fn vote(mv: &str, arrival: Arrival) -> Vote {
    Vote {
        line: (!mv.is_empty()).then(|| Line {
            r#move: mv.to_owned(),
            ..Line::default()
        }),
        arrival: arrival.into(),
        legal: !mv.is_empty(),
        counted: !mv.is_empty(),
        ..Vote::default()
    }
}

fn standing(votes: &[(&str, Arrival)]) -> Ballot {
    Ballot {
        votes: votes.iter().map(|(mv, how)| vote(mv, *how)).collect(),
        ..Ballot::default()
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_that_is_charged_is_thought_through() {
    let ms = Duration::from_millis;
    let near = RoundTrips {
        usual: Duration::ZERO,
        longest: Duration::ZERO,
    };
    let decides_after = |whole_seconds| {
        let mut timer = DecisionTimer::without_a_clock(TimePolicy::Fixed, ms(5));
        let budget = Budget {
            most: ms(3_880),
            whole_seconds,
            ..Budget::fixed(ms(1_060))
        };
        timer.start(budget, near, Instant::now(), Instant::now());
        timer.decide_at().expect("a clock") - Instant::now()
    };
    assert_eq!(decides_after(None), ms(1_065));
    assert_eq!(decides_after(Some(ms(120))), ms(1_885));
}

#[test]
fn a_lead_is_safe_when_the_open_votes_cannot_close_it() {
    use Arrival::*;
    let safe = |votes: &[(&str, Arrival)]| cannot_be_overtaken(&standing(votes), "a", false);
    assert!(safe(&[("a", Final), ("a", Final), ("b", Provisional)]));
    assert!(
        !safe(&[("a", Final), ("b", Provisional)]),
        "a tie is possible"
    );
    assert!(
        !safe(&[("a", Final), ("a", Provisional)]),
        "a move may change"
    );
    assert!(safe(&[("a", Final), ("a", Final), ("b", Failed)]));
    assert!(
        !safe(&[("a", Final), ("a", Failed), ("", Unspecified)]),
        "the last vote of a failed player may be an early one"
    );
    assert!(!safe(&[
        ("a", Final),
        ("a", Final),
        ("b", Failed),
        ("", Unspecified)
    ]));
    assert!(!safe(&[("a", Final), ("", Unspecified)]));
    assert!(
        safe(&[("a", Final), ("", Failed)]),
        "a failed player does not vote any more"
    );
    assert!(!safe(&[("a", Final), ("", Resigned)]));
}

proptest! {
    #[test]
    fn no_vote_to_come_overtakes_a_safe_lead(
        certain in prop::collection::vec("[abc]", 1..12),
        to_come in prop::collection::vec("[abc]", 0..6),
        needs_half in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let mut votes: Vec<(&str, Arrival)> =
            certain.iter().map(|mv| (mv.as_str(), Arrival::Final)).collect();
        let so_far = tally(certain.iter().map(String::as_str));
        let leader = so_far[0].mv.clone();
        votes.extend(to_come.iter().map(|_| ("", Arrival::Unspecified)));
        if cannot_be_overtaken(&standing(&votes), &leader, needs_half) {
            let all = certain.iter().chain(&to_come);
            let opinions: Vec<Opinion> = all.map(|mv| Opinion::plain(mv)).collect();
            let rules = match needs_half {
                true => [Rule::PrimaryUnlessOutvoted; 2],
                false => [Rule::Majority, Rule::MajorityThenOptimistic],
            };
            for rule in rules {
                for primary in (0..opinions.len()).map(Some).chain([None]) {
                    let poll = Poll {
                        win_rate: None,
                        opinions: &opinions,
                        primary,
                        seed,
                    };
                    let choice = decide(rule, &poll).expect("votes");
                    prop_assert_eq!(&choice.mv, &leader);
                }
            }
        }
    }
}

#[test]
fn mates_are_large_scores_and_lower_bounds_are_not_scores() {
    let score = |kind, bound: Bound| {
        centipawns(&Score {
            kind: Some(kind),
            bound: bound.into(),
        })
    };
    assert_eq!(score(score::Kind::Cp(37), Bound::Exact), Some(37));
    assert_eq!(score(score::Kind::Cp(37), Bound::Lower), None);
    let won = score(score::Kind::Mate(3), Bound::Exact);
    assert!(won.is_some_and(|won| won > 20_000), "{won:?}");
    for lost in [
        score(score::Kind::Mate(-3), Bound::Unspecified),
        score(score::Kind::MateOfUnknownLength(false), Bound::Exact),
    ] {
        assert!(lost.is_some_and(|lost| lost < -20_000), "{lost:?}");
    }
}
