//! How ballots name what is enumerated in the protocol, in one word each, and how they are read.

use monju_proto::v1::{Arrival, Bound, TieBreak};

/// Every way to arrive, with its word.
const ARRIVALS: [(Arrival, &str); 8] = [
    (Arrival::Unspecified, "thinking"),
    (Arrival::Final, "final"),
    (Arrival::Provisional, "provisional"),
    (Arrival::Late, "late"),
    (Arrival::Failed, "failed"),
    (Arrival::Illegal, "illegal"),
    (Arrival::Resigned, "resigned"),
    (Arrival::DeclaredWin, "declared-win"),
];

/// Every way to choose, with its word.
const TIE_BREAKS: [(TieBreak, &str); 8] = [
    (TieBreak::None, "none"),
    (TieBreak::Random, "random"),
    (TieBreak::Primary, "primary"),
    (TieBreak::Fallback, "fallback"),
    (TieBreak::Rules, "rules"),
    (TieBreak::Score, "score"),
    (TieBreak::Majority, "majority"),
    (TieBreak::Resignation, "resignation"),
];

/// The bounds that are no exact scores, with their words.
const BOUNDS: [(Bound, &str); 2] = [(Bound::Lower, "lower"), (Bound::Upper, "upper")];

fn word_of<T: PartialEq>(words: &[(T, &'static str)], value: &T) -> Option<&'static str> {
    let found = words.iter().find(|(known, _)| known == value);
    found.map(|(_, word)| *word)
}

fn value_of<T: Copy>(words: &[(T, &str)], word: &str) -> Option<T> {
    let found = words.iter().find(|(_, known)| *known == word);
    found.map(|(value, _)| *value)
}

/// How a vote arrived, in one word.
pub fn arrival(arrival: Arrival) -> &'static str {
    word_of(&ARRIVALS, &arrival).unwrap_or_default()
}

/// The arrival that a word names.
pub fn read_arrival(word: &str) -> Option<Arrival> {
    value_of(&ARRIVALS, word)
}

/// How a move without a plain winner was chosen, in one word.
pub fn tie_break(tie_break: TieBreak) -> &'static str {
    word_of(&TIE_BREAKS, &tie_break).unwrap_or_default()
}

/// The tie break that a word names.
pub fn read_tie_break(word: &str) -> Option<TieBreak> {
    value_of(&TIE_BREAKS, word)
}

/// The bound of a score that is not exact.
pub fn bound(bound: Bound) -> Option<&'static str> {
    word_of(&BOUNDS, &bound)
}

/// The bound that a word names.
pub fn read_bound(word: &str) -> Option<Bound> {
    value_of(&BOUNDS, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_a_word_of_its_own() {
        for number in 0..8 {
            let of_arrival = Arrival::try_from(number).expect("known");
            assert_eq!(read_arrival(arrival(of_arrival)), Some(of_arrival));
            let of_tie = TieBreak::try_from(number).expect("known");
            assert_eq!(read_tie_break(tie_break(of_tie)), Some(of_tie));
        }
        assert!(Arrival::try_from(8).is_err() && TieBreak::try_from(8).is_err());
        assert_eq!(bound(Bound::Lower).and_then(read_bound), Some(Bound::Lower));
        assert_eq!(bound(Bound::Exact), None);
    }
}
