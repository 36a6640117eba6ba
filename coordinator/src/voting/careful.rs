//! Rule `careful`: who is ahead takes no risk.

use super::{
    poll::{Choice, Poll},
    tally::{leaders, tally},
};
use monju_engine::danger::Danger;

/// Mean win rate from which the team is ahead.
pub const AHEAD: f64 = 0.6;

/// Returns, when the team is ahead, the move with the most votes among those after which it keeps its
/// material (Hiramatsu et al., section 2: who keeps the gain need not take risks). Otherwise, or when
/// there is no such move, the majority decides.
pub fn careful(poll: &Poll<'_>) -> Option<Choice> {
    let is_ahead = poll.win_rate.is_some_and(|rate| rate >= AHEAD);
    let keeps = |danger| danger == Some(Danger::Holds);
    let safe = (poll.opinions.iter()).filter(|opinion| is_ahead && keeps(opinion.danger));
    match leaders(&tally(safe.map(|opinion| opinion.mv.as_str()))) {
        none if none.is_empty() => poll.majority_instead(),
        best => poll.break_tie(best),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voting::{Ground, Opinion};

    #[test]
    fn a_team_that_is_ahead_prefers_moves_that_keep_its_material() {
        let judged = |mv, danger| Opinion {
            danger: Some(danger),
            ..Opinion::plain(mv)
        };
        let opinions = [
            judged("7g7f", Danger::Fails),
            judged("7g7f", Danger::Fails),
            judged("5g5f", Danger::Unknown),
            judged("2g2f", Danger::Holds),
        ];
        let decide = |win_rate| {
            let poll = Poll {
                opinions: &opinions,
                primary: None,
                win_rate,
                seed: 1,
            };
            careful(&poll).expect("votes")
        };
        assert_eq!(decide(Some(0.6)), Choice::new("2g2f", Ground::Votes));
        let majority = Choice::new("7g7f", Ground::Majority);
        assert_eq!(decide(Some(0.59)), majority, "not ahead");
        assert_eq!(decide(None), majority, "without a calibration");
    }

    #[test]
    fn without_a_safe_move_the_majority_decides() {
        let opinions = ["7g7f", "7g7f", "2g2f"].map(|mv| Opinion {
            danger: Some(Danger::Unknown),
            ..Opinion::plain(mv)
        });
        let poll = Poll {
            opinions: &opinions,
            primary: None,
            win_rate: Some(0.9),
            seed: 1,
        };
        assert_eq!(careful(&poll), Some(Choice::new("7g7f", Ground::Majority)));
    }
}
