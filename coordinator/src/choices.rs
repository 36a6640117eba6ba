//! The settings that a consultation may choose for itself.

use crate::{clock::TimePolicy, pondering::Pondering, voting::Rule};
use monju_engine::names::UnknownName;
use monju_proto::v1::Begin;

/// The settings of an ensemble that a consultation may override.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsultationSettings {
    /// Voting rule.
    pub rule: Rule,
    /// The way in which the time on a clock is spent.
    pub time_policy: TimePolicy,
    /// The positions that are pondered on.
    pub pondering: Pondering,
    /// The opening book is left aside.
    pub without_book: bool,
    /// Number of moves from the start of a game that may come from the book; `None` leaves it to the book.
    pub book_plies: Option<u32>,
}

/// Overrides of [`ConsultationSettings`] and of the primary player; `None` leaves a setting to the ensemble.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsultationChoices {
    /// Voting rule.
    pub rule: Option<Rule>,
    /// The way in which the time on a clock is spent.
    pub time_policy: Option<TimePolicy>,
    /// The positions that are pondered on.
    pub pondering: Option<Pondering>,
    /// Ballot name of the primary player.
    pub primary: Option<String>,
    /// The opening book is left aside; false leaves it to the ensemble.
    pub without_book: bool,
    /// Number of moves from the start of a game that may come from the book.
    pub book_plies: Option<u32>,
}

impl ConsultationChoices {
    /// Reads the choices that a request names.
    ///
    /// # Errors
    /// A name is unknown.
    pub fn of(begin: &Begin) -> Result<Self, UnknownName> {
        fn named<T>(name: &str) -> Result<Option<T>, UnknownName>
        where
            T: std::str::FromStr<Err = UnknownName>,
        {
            (!name.is_empty()).then(|| name.parse()).transpose()
        }
        Ok(Self {
            rule: named(&begin.rule)?,
            time_policy: named(&begin.time_policy)?,
            pondering: named(&begin.pondering)?,
            primary: (!begin.primary.is_empty()).then(|| begin.primary.clone()),
            without_book: begin.without_book,
            book_plies: begin.book_plies,
        })
    }

    /// Names the choices in a request; the wire spells an absent one as an empty text.
    pub fn named_in(&self, begin: Begin) -> Begin {
        Begin {
            rule: self.rule.map_or("", Rule::name).to_owned(),
            time_policy: self.time_policy.map_or("", TimePolicy::name).to_owned(),
            pondering: self.pondering.map_or("", Pondering::name).to_owned(),
            primary: self.primary.clone().unwrap_or_default(),
            without_book: self.without_book || begin.without_book,
            book_plies: self.book_plies.or(begin.book_plies),
            ..begin
        }
    }

    /// Returns these choices, with those of `base` in place of absent ones.
    pub fn or(self, base: Self) -> Self {
        Self {
            rule: self.rule.or(base.rule),
            time_policy: self.time_policy.or(base.time_policy),
            pondering: self.pondering.or(base.pondering),
            primary: self.primary.or(base.primary),
            without_book: self.without_book || base.without_book,
            book_plies: self.book_plies.or(base.book_plies),
        }
    }

    /// Returns `settings` with these choices applied.
    pub fn over(&self, settings: ConsultationSettings) -> ConsultationSettings {
        ConsultationSettings {
            rule: self.rule.unwrap_or(settings.rule),
            time_policy: self.time_policy.unwrap_or(settings.time_policy),
            pondering: self.pondering.unwrap_or(settings.pondering),
            without_book: self.without_book || settings.without_book,
            book_plies: self.book_plies.or(settings.book_plies),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_survive_the_wire() {
        let none = ConsultationChoices::default();
        assert_eq!(none.named_in(Begin::default()), Begin::default());
        assert_eq!(ConsultationChoices::of(&Begin::default()), Ok(none.clone()));
        let chosen = ConsultationChoices {
            rule: Some(Rule::MeanScore),
            time_policy: Some(TimePolicy::Decided),
            pondering: Some(Pondering::Spread),
            primary: Some("a".to_owned()),
            without_book: true,
            book_plies: Some(0),
        };
        let begin = chosen.named_in(Begin::default());
        assert_eq!(begin.rule, "mean-score");
        assert_eq!(ConsultationChoices::of(&begin), Ok(chosen.clone()));
        assert_eq!(none.or(chosen.clone()), chosen);
    }
}
