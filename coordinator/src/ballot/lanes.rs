//! Votes of a search that carries several virtual players (Tohske, section 4), each of which has an
//! entry of its own on the ballot.

use monju_proto::v1::{Candidate, Line, PlayerInfo};

/// Moves of the variation that virtual players beside the first one have.
const SHOWN_MOVES: usize = 32;

/// Returns the virtual players of a player, or itself. The first keeps the name, so that it can be the
/// primary; the others get numbered names, and each gets the next noise seed.
pub fn players_of(info: PlayerInfo) -> impl Iterator<Item = PlayerInfo> {
    let lanes = info.lanes.max(1);
    (0..lanes).map(move |lane| PlayerInfo {
        name: match lane {
            0 => info.name.clone(),
            _ => format!("{}#{}", info.name, lane + 1),
        },
        noise_seed: info.noise_seed.map(|seed| seed_of(seed, lane)),
        // The same for all.
        settings: match lane {
            0 => info.settings.clone(),
            _ => Vec::new(),
        },
        ..info.clone()
    })
}

/// Returns the noise seed of a virtual player.
pub(super) fn seed_of(seed: u64, lane: u32) -> u64 {
    seed.wrapping_add(lane.into())
}

/// Returns the line of a virtual player. Without candidates by lane, as before the first iteration, it is the line
/// of the search. The nodes were searched once and are counted on the first lane, which has the ranking and the
/// whole variation as well.
pub(super) fn line_of(line: &Line, lane: u32) -> Line {
    let mut own = match lane {
        0 => Line {
            lanes: Vec::new(),
            ..line.clone()
        },
        _ => Line {
            r#move: line.r#move.clone(),
            pv: line.pv.iter().take(SHOWN_MOVES).cloned().collect(),
            nodes: 0,
            lanes: Vec::new(),
            candidates: Vec::new(),
            ..*line
        },
    };
    if let Some(Candidate { r#move, score, .. }) = line.lanes.get(lane as usize) {
        if own.pv.first() != Some(r#move) {
            own.pv = vec![r#move.clone()];
        }
        own.r#move.clone_from(r#move);
        own.score = *score;
    }
    own
}
