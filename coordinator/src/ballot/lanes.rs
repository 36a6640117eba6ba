//! The votes of a search that carries several virtual players (paper 000, section 4): each has a
//! place of its own on the ballot.

use monju_proto::v1::{Candidate, Line, PlayerInfo};

/// The players behind a player: itself, or the virtual ones. The first keeps the name, so that it
/// can be the primary; the others have theirs from it, and each has the next noise seed.
pub(super) fn players_of(info: PlayerInfo) -> impl Iterator<Item = PlayerInfo> {
    let lanes = info.lanes.max(1);
    (0..lanes).map(move |lane| PlayerInfo {
        name: match lane {
            0 => info.name.clone(),
            _ => format!("{}#{}", info.name, lane + 1),
        },
        noise_seed: info.noise_seed.map(|seed| seed_of(seed, lane)),
        ..info.clone()
    })
}

/// The noise seed of a virtual player.
pub(super) fn seed_of(seed: u64, lane: u32) -> u64 {
    seed.wrapping_add(lane.into())
}

/// What a virtual player says in the line of its search. Where the search speaks for all, as before
/// its first iteration, so does the line. The nodes were searched once: the first one's line has them.
pub(super) fn line_of(line: &Line, lane: u32) -> Line {
    let mut own = Line {
        lanes: Vec::new(),
        ..line.clone()
    };
    if lane > 0 {
        own.nodes = 0;
    }
    if let Some(Candidate { r#move, score }) = line.lanes.get(lane as usize) {
        if own.pv.first() != Some(r#move) {
            own.pv = vec![r#move.clone()];
        }
        own.r#move.clone_from(r#move);
        own.score = *score;
    }
    own
}
