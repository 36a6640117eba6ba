use super::{color::Color, position::Position};

/// What repetition says about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// Not the fourth occurrence.
    None,
    /// Fourth occurrence: a draw.
    Draw,
    /// Fourth occurrence by perpetual check: this side gave the checks and loses.
    PerpetualCheckBy(Color),
}

/// One position of a game's history, as far as repetition looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyHistoryEntry {
    /// Key of the position, hands and side to move included.
    pub key: u64,
    /// Who moves.
    pub side: Color,
    /// Whether that side is in check.
    pub in_check: bool,
}

impl KeyHistoryEntry {
    pub(super) fn of(position: &Position) -> Self {
        Self {
            key: position.key(),
            side: position.side_to_move(),
            in_check: position.in_check(),
        }
    }
}

/// Judges the last position of a history: at its fourth occurrence the game ends. A side whose
/// every move since the first of the four gave check loses.
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
