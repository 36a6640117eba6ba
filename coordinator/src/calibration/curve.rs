//! Win rates as functions of scores.

use super::score::scale_name;
use monju_proto::{
    convert::{RankedScore, UNKNOWN_LENGTH},
    v1::{Ballot, CalibrationCurve, PlayerInfo, Score},
};
use std::collections::BTreeMap;

/// Win rate that each ply of a mate's length costs, so that shorter mates rank first.
const MATE_PLY: f64 = 1e-6;

/// A win rate as a logistic function of centipawns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Centipawns that multiply the odds by e; positive.
    pub scale: f64,
    /// Centipawns by which the engine's score is too low on average.
    pub offset: f64,
}

impl Curve {
    /// Returns the expected result for the side to move, between 0 and 1.
    pub fn win_rate(&self, centipawns: f64) -> f64 {
        let rate = 1.0 / (1.0 + (-(centipawns + self.offset) / self.scale).exp());
        // Below every winning mate and above every losing one.
        let bound = MATE_PLY * f64::from(UNKNOWN_LENGTH + 1);
        rate.clamp(bound, 1.0 - bound)
    }
}

/// The curves of the calibrated engines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    /// Curves by the names that [`scale_name`] gives.
    pub(super) curves: BTreeMap<String, Curve>,
}

impl Calibration {
    /// A calibration of these curves, by the names that [`scale_name`] gives.
    pub fn new(curves: impl IntoIterator<Item = (String, Curve)>) -> Self {
        Self {
            curves: curves.into_iter().collect(),
        }
    }

    /// Returns the curves for a roster.
    pub fn to_curves(&self) -> Vec<CalibrationCurve> {
        let curves = self.curves.iter().map(|(engine, curve)| CalibrationCurve {
            engine: engine.clone(),
            scale: curve.scale,
            offset: curve.offset,
        });
        curves.collect()
    }

    /// Returns the calibration of a roster.
    pub fn of_curves(curves: &[CalibrationCurve]) -> Self {
        Self::new(curves.iter().map(|curve| {
            let CalibrationCurve {
                engine,
                scale,
                offset,
            } = curve.clone();
            (engine, Curve { scale, offset })
        }))
    }

    /// Tells whether the win rates of a ballot's votes are those of this calibration.
    pub fn gave(&self, ballot: &Ballot) -> bool {
        let mut applied = [ballot.clone()];
        self.apply(&mut applied);
        let rates = |ballot: &Ballot| -> Vec<_> {
            let votes = ballot.votes.iter().filter(|vote| vote.counted);
            votes.map(|vote| vote.win_rate).collect()
        };
        rates(&applied[0]) == rates(ballot)
    }

    /// Returns true if the engine of this player is calibrated.
    pub fn knows(&self, player: &PlayerInfo) -> bool {
        self.curves.contains_key(&scale_name(player))
    }

    /// Returns the expected result for the side to move; `None` for engines without a curve and for
    /// scores that do not rank.
    pub fn win_rate(&self, player: &PlayerInfo, score: &Score) -> Option<f64> {
        let curve = self.curves.get(&scale_name(player))?;
        match score.ranked()? {
            RankedScore::Centipawns(cp) => Some(curve.win_rate(cp.into())),
            RankedScore::Mates(plies) => Some(1.0 - MATE_PLY * f64::from(plies)),
            RankedScore::Mated(plies) => Some(MATE_PLY * f64::from(plies)),
        }
    }

    /// Replaces the win rates of recorded votes by those of this calibration.
    pub fn apply(&self, ballots: &mut [Ballot]) {
        for vote in ballots.iter_mut().flat_map(|ballot| &mut ballot.votes) {
            let none = PlayerInfo::default();
            let player = vote.player.as_ref().unwrap_or(&none);
            let score = vote.line.as_ref().and_then(|line| line.score.as_ref());
            vote.win_rate = score.and_then(|score| self.win_rate(player, score));
        }
    }
}
