//! Notes on moves: time and score.

use super::{specification::Adjudication, stored_text::StoredTextError};
use monju_engine::Color;
use std::{fmt, str::FromStr, time::Duration};

/// Time and score of one move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// Milliseconds from the question to the decision, including the wait for a core that games share; those of the
    /// clock where it counts nodes.
    pub time_ms: u64,
    /// Score by the side that made the move, in centipawns for Black; `None` where it gave none.
    pub score: Option<i32>,
}

impl Note {
    /// The time in whole seconds, as game records count it.
    pub fn seconds(&self) -> u64 {
        Duration::from_millis(self.time_ms).as_secs()
    }
}

/// Notes of the moves after the opening, written as `1012:35 998: 1003:-31000`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(pub Vec<Note>);

impl Notes {
    /// Returns the winner on whom the last moves agree for as long as the adjudication asks for.
    pub fn agreed_winner(&self, rules: &Adjudication) -> Option<Color> {
        let limit = rules.score?;
        let recent = self.0.len().checked_sub(rules.score_plies as usize)?;
        let recent = &self.0[recent..];
        let all =
            |test: &dyn Fn(i32) -> bool| recent.iter().all(|note| note.score.is_some_and(test));
        if all(&|score| score > limit) {
            Some(Color::Black)
        } else if all(&|score| score < -limit) {
            Some(Color::White)
        } else {
            None
        }
    }
}

impl fmt::Display for Notes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, note) in self.0.iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(formatter, "{space}{}:", note.time_ms)?;
            if let Some(score) = note.score {
                write!(formatter, "{score}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for Notes {
    type Err = StoredTextError;

    fn from_str(text: &str) -> Result<Self, StoredTextError> {
        let note = |word: &str| {
            let (time, score) = word.split_once(':')?;
            Some(Note {
                time_ms: time.parse().ok()?,
                score: match score {
                    "" => None,
                    score => Some(score.parse().ok()?),
                },
            })
        };
        let words = text.split_whitespace();
        let notes =
            words.map(|word| note(word).ok_or_else(|| StoredTextError::Note(word.to_owned())));
        Ok(Self(notes.collect::<Result<_, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn notes_are_written_and_read(notes in proptest::collection::vec((any::<u64>(), any::<Option<i32>>()), 0..20)) {
            let notes = notes.into_iter().map(|(time_ms, score)| Note { time_ms, score });
            let notes = Notes(notes.collect());
            prop_assert_eq!(notes.to_string().parse(), Ok(notes));
        }
    }

    #[test]
    fn an_unreadable_note_is_quoted() {
        for word in ["12", "x:3", "12:x", ":5"] {
            let error = format!("7:1 {word}")
                .parse::<Notes>()
                .expect_err("no note")
                .to_string();
            assert!(error.contains(&format!("'{word}'")), "{error}");
        }
    }
}
