//! Names of the protocol's enumerations in JSON ballots, and their readers.

use monju_proto::v1::{Arrival, Bound, TieBreak};

/// Every arrival, with its name.
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

/// Every tie break, with its name.
const TIE_BREAKS: [(TieBreak, &str); 9] = [
    (TieBreak::None, "none"),
    (TieBreak::Random, "random"),
    (TieBreak::Primary, "primary"),
    (TieBreak::Fallback, "fallback"),
    (TieBreak::Rules, "rules"),
    (TieBreak::Score, "score"),
    (TieBreak::Majority, "majority"),
    (TieBreak::Resignation, "resignation"),
    (TieBreak::Book, "book"),
];

/// The bounds of scores that are not exact, with their names.
const BOUNDS: [(Bound, &str); 2] = [(Bound::Lower, "lower"), (Bound::Upper, "upper")];

fn name_of<T: PartialEq>(names: &[(T, &'static str)], value: &T) -> Option<&'static str> {
    let found = names.iter().find(|(known, _)| known == value);
    found.map(|(_, name)| *name)
}

fn value_of<T: Copy>(names: &[(T, &str)], name: &str) -> Option<T> {
    let found = names.iter().find(|(_, known)| *known == name);
    found.map(|(value, _)| *value)
}

/// Returns the name of an arrival.
pub fn arrival(arrival: Arrival) -> &'static str {
    name_of(&ARRIVALS, &arrival).unwrap_or_default()
}

/// Returns the arrival of a name.
pub fn read_arrival(name: &str) -> Option<Arrival> {
    value_of(&ARRIVALS, name)
}

/// Returns the name of a tie break.
pub fn tie_break(tie_break: TieBreak) -> &'static str {
    name_of(&TIE_BREAKS, &tie_break).unwrap_or_default()
}

/// Returns the tie break of a name.
pub fn read_tie_break(name: &str) -> Option<TieBreak> {
    value_of(&TIE_BREAKS, name)
}

/// Returns the name of the bound of a score that is not exact.
pub fn bound(bound: Bound) -> Option<&'static str> {
    name_of(&BOUNDS, &bound)
}

/// Returns the bound of a name.
pub fn read_bound(name: &str) -> Option<Bound> {
    value_of(&BOUNDS, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_a_name_of_its_own() {
        for number in 0..8 {
            let of_arrival = Arrival::try_from(number).expect("known");
            assert_eq!(read_arrival(arrival(of_arrival)), Some(of_arrival));
        }
        for number in 0..9 {
            let of_tie = TieBreak::try_from(number).expect("known");
            assert_eq!(read_tie_break(tie_break(of_tie)), Some(of_tie));
        }
        assert!(Arrival::try_from(8).is_err() && TieBreak::try_from(9).is_err());
        assert_eq!(bound(Bound::Lower).and_then(read_bound), Some(Bound::Lower));
        assert_eq!(bound(Bound::Exact), None);
    }
}
