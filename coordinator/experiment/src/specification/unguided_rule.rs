//! Voting rules that have no scores to go by, so that the majority decides under their names.

use super::{
    definition::Specification,
    ensemble::{Members, SideEnsemble},
};
use monju_coordinator::calibration::{Calibration, scale_name};
use monju_engine::counted;
use monju_host::{PlayerKind, PlayerSpec, load_evaluator};
use monju_proto::v1::PlayerInfo;
use std::{collections::BTreeSet, fmt};

/// A rule of a side that leaves its decisions to the majority, in some cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnguidedRule {
    /// Name of the side.
    pub side: String,
    /// The rule, and what it lacks.
    pub what: String,
    /// Labels of the cells.
    pub cells: Vec<String>,
}

impl fmt::Display for UnguidedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, cells, .. } = self;
        match &cells[..] {
            [one] => write!(f, "in '{one}', {what}"),
            [first, others @ ..] => {
                let others = counted(others.len(), "more cell");
                write!(f, "in '{first}' and {others}, {what}")
            }
            [] => f.write_str(what),
        }
    }
}

impl Specification {
    /// Rules that have no scores to go by for lack of a calibration: those of players on several scales, or without win
    /// rates.
    pub fn unguided_rules(&self) -> Vec<UnguidedRule> {
        self.sides_that_lack(SideEnsemble::lacks_calibration)
    }

    /// Rules whose calibration does not know a native player, most likely because it was made with other weights.
    pub(crate) fn uncalibrated_rules(&self) -> Vec<UnguidedRule> {
        self.sides_that_lack(SideEnsemble::lacks_curve)
    }

    /// Sides that lack something, by that, in the order of their first cells.
    fn sides_that_lack(&self, lacks: fn(&SideEnsemble) -> Option<String>) -> Vec<UnguidedRule> {
        let mut found: Vec<UnguidedRule> = Vec::new();
        for cell in &self.cells {
            for side in [&cell.first, &cell.second] {
                let Some(what) = lacks(side) else {
                    continue;
                };
                let known =
                    (found.iter_mut()).find(|known| known.side == side.name && known.what == what);
                match known {
                    Some(known) if known.cells.contains(&cell.label) => {}
                    Some(known) => known.cells.push(cell.label.clone()),
                    None => found.push(UnguidedRule {
                        side: side.name.clone(),
                        what,
                        cells: vec![cell.label.clone()],
                    }),
                }
            }
        }
        found
    }
}

impl SideEnsemble {
    /// The scales of its players' scores, if its rule needs to compare them or to know win rates.
    fn compared_scales(&self) -> Option<BTreeSet<String>> {
        let Members::Embedded { players, rule, .. } = &self.members else {
            return None;
        };
        let scales: BTreeSet<String> = players.iter().map(scale).collect();
        let is_compared = rule.compares_scores() && scales.len() > 1;
        let has_votes = players.iter().map(votes).sum::<u32>() > 1;
        (has_votes && (is_compared || rule.judges_danger())).then_some(scales)
    }

    /// What its rule lacks without a calibration, if the majority decides in its place.
    fn lacks_calibration(&self) -> Option<String> {
        let Members::Embedded {
            players,
            rule,
            calibration: None,
            ..
        } = &self.members
        else {
            return None;
        };
        let scales = Vec::from_iter(self.compared_scales()?);
        let lacking = match rule.judges_danger() {
            true => "knows no win rates".to_owned(),
            false => format!("cannot compare the scores of {}", scales.join(", ")),
        };
        // Programs of other names may be the same engine.
        let is_native = |player: &&PlayerSpec| matches!(player.kind, PlayerKind::Native(_));
        let natives: BTreeSet<String> = players.iter().filter(is_native).map(scale).collect();
        let foreign = scales.len() - natives.len();
        let decides = match rule.judges_danger() || natives.len() > 1 || foreign < 2 {
            true => "decides",
            false => "decides, unless the programs are the same engine",
        };
        let name = &self.name;
        Some(format!(
            "rule '{rule}' of '{name}' {lacking}, as there is no calibration, and the majority {decides}"
        ))
    }

    /// The native players whose win rates its rule needs and its calibration does not have.
    fn lacks_curve(&self) -> Option<String> {
        let Members::Embedded { players, rule, .. } = &self.members else {
            return None;
        };
        let calibration = Calibration::read(self.calibration()?).ok()?;
        self.compared_scales()?;
        let unknown: BTreeSet<String> = players
            .iter()
            .filter_map(native_scale)
            .filter(|info| !calibration.knows(info))
            .map(|info| scale_name(&info))
            .collect();
        if unknown.is_empty() {
            return None;
        }
        let unknown: Vec<String> = unknown.into_iter().collect();
        Some(format!(
            "the calibration of '{}' does not have {}, which rule '{rule}' needs, and the majority may decide",
            self.name,
            unknown.join(", ")
        ))
    }
}

/// A native player as calibrations know it.
fn native_scale(player: &PlayerSpec) -> Option<PlayerInfo> {
    let PlayerKind::Native(native) = &player.kind else {
        return None;
    };
    let evaluator = load_evaluator(&native.evaluator).ok()?;
    Some(PlayerInfo {
        engine: "monju".to_owned(),
        evaluator: evaluator.to_string(),
        ..PlayerInfo::default()
    })
}

fn votes(player: &PlayerSpec) -> u32 {
    match &player.kind {
        PlayerKind::Native(native) => native.lanes,
        PlayerKind::Usi(_) => 1,
    }
}

/// Names the scale of a player's scores; a foreign engine, whose own name is not known yet, by its program.
fn scale(player: &PlayerSpec) -> String {
    match &player.kind {
        PlayerKind::Native(native) => native.evaluator.to_string(),
        PlayerKind::Usi(spec) => spec.program.display().to_string(),
    }
}
