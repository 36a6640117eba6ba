//! Scores in JSON: `{"cp": 31}`, `{"mate": -4}`, `{"mate": "+"}`, each with a `bound` unless it is
//! exact.

use crate::ballot::names;
use monju_proto::v1::{Bound, Score, score::Kind};
use serde::{Deserialize, Serialize};

/// A score from the side to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreRecord {
    /// Centipawns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// Plies to mate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<MateRecord>,
    /// "lower" or "upper", unless the score is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
}

/// Distance to a mate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MateRecord {
    /// Plies: positive when the side to move mates.
    Plies(i32),
    /// Unknown: "+" when the side to move mates, "-" when it is mated.
    Unknown(String),
}

impl ScoreRecord {
    /// The record of a score; `None` for one without a value.
    pub fn of(score: &Score) -> Option<Self> {
        let (cp, mate) = match score.kind? {
            Kind::Cp(cp) => (Some(cp), None),
            Kind::Mate(plies) => (None, Some(MateRecord::Plies(plies))),
            Kind::MateOfUnknownLength(mates) => {
                let sign = if mates { "+" } else { "-" };
                (None, Some(MateRecord::Unknown(sign.to_owned())))
            }
        };
        Some(Self {
            cp,
            mate,
            bound: names::bound(score.bound()).map(str::to_owned),
        })
    }

    /// Returns the recorded score; `None` if the record holds none.
    pub fn score(&self) -> Option<Score> {
        let kind = match (&self.cp, &self.mate) {
            (Some(cp), None) => Kind::Cp(*cp),
            (None, Some(MateRecord::Plies(plies))) => Kind::Mate(*plies),
            (None, Some(MateRecord::Unknown(sign))) if sign == "+" => {
                Kind::MateOfUnknownLength(true)
            }
            (None, Some(MateRecord::Unknown(sign))) if sign == "-" => {
                Kind::MateOfUnknownLength(false)
            }
            _ => return None,
        };
        let bound = match &self.bound {
            None => Bound::Exact,
            Some(name) => names::read_bound(name)?,
        };
        Some(Score {
            kind: Some(kind),
            bound: bound.into(),
        })
    }
}
