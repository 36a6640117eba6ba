use super::{color::Color, hand::Hand, position::Position};

/// Judgement of a position by the repetition rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// The position has not occurred four times.
    None,
    /// The fourth occurrence, which is a draw.
    Draw,
    /// The fourth occurrence by perpetual check of this side, which loses.
    PerpetualCheckBy(Color),
}

/// One position of the key history: the data that the repetition rule needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyHistoryEntry {
    /// Key of the position, hands and side to move included.
    pub key: u64,
    /// Key of the pieces on the board and the side to move.
    pub board: u64,
    /// Hand of the side to move.
    pub hand: Hand,
    /// Side to move.
    pub side: Color,
    /// The side to move is in check.
    pub in_check: bool,
}

impl KeyHistoryEntry {
    pub(super) fn of(position: &Position) -> Self {
        Self::known(position, position.in_check())
    }

    /// Returns the entry of a position whose side to move is known to be in check or not.
    #[inline(always)]
    pub fn known(position: &Position, in_check: bool) -> Self {
        let side = position.side_to_move();
        Self {
            key: position.key(),
            board: position.board_key(),
            hand: position.hand(side),
            side,
            in_check,
        }
    }
}

/// Judges the last position of a history: the game ends at its fourth occurrence. A side that gave
/// check with every move since the first of the four loses.
pub fn judge(history: &[KeyHistoryEntry]) -> Repetition {
    let Some((current, earlier)) = history.split_last() else {
        return Repetition::None;
    };
    let first = earlier
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, entry)| entry.key == current.key)
        .map(|(index, _)| index)
        .nth(2);
    let Some(first) = first else {
        return Repetition::None;
    };
    let cycle = &history[first + 1..];
    for checker in Color::ALL {
        let mut answers = cycle
            .iter()
            .filter(|entry| entry.side != checker)
            .peekable();
        if answers.peek().is_some() && answers.all(|entry| entry.in_check) {
            return Repetition::PerpetualCheckBy(checker);
        }
    }
    Repetition::Draw
}
