//! The limits of a ballot as a player's own settings change them.

use monju_engine::Limits;
use std::time::Duration;

/// Limits of a player's configuration, by which players of different strength are matched (Ito et al. (2011),
/// section 4).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnLimits {
    /// These replace the ballot's.
    pub limits: Limits,
    /// The share of the ballot's time that the player takes; all of it, unless told.
    pub clock_share: Option<f64>,
}

/// Replaces each limit of the ballot by the player's own limit of the same kind, where it has one.
pub fn own_first(own: &OwnLimits, asked: &Limits) -> Limits {
    let OwnLimits {
        limits,
        clock_share,
    } = own;
    let share = |time: Duration| match clock_share {
        Some(share) => time.mul_f64(*share).max(Duration::from_millis(1)),
        None => time,
    };
    Limits {
        nodes: limits.nodes.or(asked.nodes),
        depth: limits.depth.or(asked.depth),
        time: limits.time.or(asked.time.map(share)),
        multi_pv: limits.multi_pv.or(asked.multi_pv),
        search_moves: asked.search_moves.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_limits_replace_those_of_the_same_kind_only() {
        let mut own = OwnLimits::default();
        own.limits.nodes = Some(500);
        let asked = Limits {
            nodes: Some(9000),
            depth: Some(7),
            time: Some(Duration::from_secs(1)),
            ..Limits::default()
        };
        let merged = own_first(&own, &asked);
        assert_eq!(merged.nodes, Some(500));
        assert_eq!(merged.depth, Some(7));
        assert_eq!(merged.time, Some(Duration::from_secs(1)));

        own.clock_share = Some(0.25);
        let quarter = own_first(&own, &asked).time;
        assert_eq!(quarter, Some(Duration::from_millis(250)));
        assert_eq!(own_first(&own, &Limits::default()).time, None);
    }
}
