//! Limits as a USI `go` command that a given engine survives.

use monju_engine::Limits;
use serde::Deserialize;
use std::{fmt::Write as _, time::Duration};
use strum::{IntoStaticStr, VariantArray};

/// Thinking time of an engine that understands neither node nor depth limits, for a ballot without a time
/// limit.
const FALLBACK_TIME: Duration = Duration::from_millis(1000);

/// Time beyond that of its `go` after which an engine is told to stop.
const OVERSPEND_GRACE: Duration = Duration::from_millis(100);

/// A form of `go` that an engine understands, as the configuration lists them.
///
/// Some engines abort on forms they do not know, so only listed forms are ever sent. The forms
/// `clock`, `increment` and `ponder` are accepted and not used: a coordinator turns the clock into
/// thinking time, and every engine ponders by `go infinite`, then `stop` and a fresh `go`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, IntoStaticStr, VariantArray)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum GoForm {
    /// `go nodes N`
    Nodes,
    /// `go depth D`
    Depth,
    /// `go movetime T`
    Movetime,
    /// `go btime 0 wtime 0 byoyomi T`
    Byoyomi,
    /// `go btime T wtime T` without increments
    Clock,
    /// `go btime T wtime T binc I winc I`
    Increment,
    /// `go infinite`, until `stop`
    Infinite,
    /// `go ponder …`, then `ponderhit`
    Ponder,
    /// `go … searchmoves …`
    Searchmoves,
}

impl GoForm {
    /// Every form.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// The name that configurations use.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The command that starts a search, and the time after which it is stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoPlan {
    /// The whole `go` command.
    pub command: String,
    /// Time from `go` to `stop`, unless the engine has answered.
    pub stop_after: Option<Duration>,
}

/// Expresses limits in the forms that an engine survives.
///
/// Nodes and depth are sent where the engine knows them, and a time limit beside them is kept by
/// `stop`. Otherwise the time is sent as `movetime`, else as `byoyomi`, else as `infinite` with a
/// `stop`. Nodes or depth that cannot be expressed, without any time limit, become
/// a fixed time. No limits at all are `infinite`.
///
/// Moves to choose from are named after that, to an engine that knows how.
pub fn plan(limits: &Limits, forms: &[GoForm]) -> GoPlan {
    let mut plan = timed(limits, forms);
    if !limits.search_moves.is_empty() && forms.contains(&GoForm::Searchmoves) {
        plan.command.push_str(" searchmoves");
        for mv in &limits.search_moves {
            let _ = write!(plan.command, " {mv}");
        }
    }
    plan
}

fn timed(limits: &Limits, forms: &[GoForm]) -> GoPlan {
    let nodes = limits.nodes.filter(|_| forms.contains(&GoForm::Nodes));
    let depth = limits.depth.filter(|_| forms.contains(&GoForm::Depth));
    if nodes.is_some() || depth.is_some() {
        let mut command = "go".to_owned();
        if let Some(depth) = depth {
            let _ = write!(command, " depth {depth}");
        }
        if let Some(nodes) = nodes {
            let _ = write!(command, " nodes {nodes}");
        }
        return GoPlan {
            command,
            stop_after: limits.time,
        };
    }

    let inexpressible = limits.nodes.is_some() || limits.depth.is_some();
    let time = limits.time.or(inexpressible.then_some(FALLBACK_TIME));
    let Some(time) = time else {
        return infinite(None);
    };
    let time_ms = time.as_millis().max(1);
    let command = if forms.contains(&GoForm::Movetime) {
        format!("go movetime {time_ms}")
    } else if forms.contains(&GoForm::Byoyomi) {
        format!("go btime 0 wtime 0 byoyomi {time_ms}")
    } else {
        return infinite(Some(time));
    };
    GoPlan {
        command,
        stop_after: Some(time.saturating_add(OVERSPEND_GRACE)),
    }
}

/// A search until `stop`, which may come by itself.
pub fn infinite(stop_after: Option<Duration>) -> GoPlan {
    GoPlan {
        command: "go infinite".to_owned(),
        stop_after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use GoForm::*;

    fn limits(nodes: Option<u64>, depth: Option<u32>, time_ms: Option<u64>) -> Limits {
        Limits {
            nodes,
            depth,
            time: time_ms.map(Duration::from_millis),
            ..Limits::default()
        }
    }

    #[test]
    fn limits_become_the_safest_go_that_keeps_them() {
        let all: &[GoForm] = &[
            Nodes, Depth, Movetime, Byoyomi, Clock, Increment, Infinite, Ponder,
        ];
        let safest: &[GoForm] = &[Byoyomi, Infinite];
        let bare: &[GoForm] = &[Infinite];
        let table = [
            // wanted                                 forms    command                              stop after, ms
            (limits(None, None, None), all, "go infinite", None),
            (limits(None, None, None), bare, "go infinite", None),
            (limits(Some(500), None, None), all, "go nodes 500", None),
            (
                limits(Some(500), None, Some(80)),
                all,
                "go nodes 500",
                Some(80),
            ),
            (
                limits(Some(500), Some(6), None),
                all,
                "go depth 6 nodes 500",
                None,
            ),
            (
                limits(Some(500), Some(6), None),
                &[Depth, Infinite],
                "go depth 6",
                None,
            ),
            (
                limits(None, None, Some(300)),
                all,
                "go movetime 300",
                Some(400),
            ),
            (
                limits(None, None, Some(300)),
                safest,
                "go btime 0 wtime 0 byoyomi 300",
                Some(400),
            ),
            (
                limits(None, None, Some(300)),
                bare,
                "go infinite",
                Some(300),
            ),
            (
                limits(None, None, Some(300)),
                &[Clock, Increment, Infinite],
                "go infinite",
                Some(300),
            ),
            (
                limits(Some(500), None, Some(300)),
                safest,
                "go btime 0 wtime 0 byoyomi 300",
                Some(400),
            ),
            (
                limits(Some(500), None, None),
                safest,
                "go btime 0 wtime 0 byoyomi 1000",
                Some(1100),
            ),
            (limits(None, Some(6), None), bare, "go infinite", Some(1000)),
        ];
        for (wanted, forms, command, stop_after_ms) in table {
            let plan = plan(&wanted, forms);
            assert_eq!(plan.command, command, "{wanted:?} in {forms:?}");
            assert_eq!(
                plan.stop_after,
                stop_after_ms.map(Duration::from_millis),
                "{wanted:?} in {forms:?}"
            );
        }
    }

    #[test]
    fn moves_to_choose_from_are_named_to_engines_that_know_how() {
        let moves = ["9g9f", "1g1f"].map(|mv| mv.parse().expect("a move"));
        let wanted = Limits {
            search_moves: moves.to_vec(),
            ..limits(Some(500), None, None)
        };
        let told = plan(&wanted, &[Nodes, Searchmoves, Infinite]);
        assert_eq!(told.command, "go nodes 500 searchmoves 9g9f 1g1f");
        assert_eq!(plan(&wanted, &[Nodes, Infinite]).command, "go nodes 500");
    }

    #[test]
    fn a_time_that_rounds_to_nothing_is_one_millisecond() {
        let wanted = Limits {
            time: Some(Duration::from_micros(10)),
            ..Limits::default()
        };
        let plan = plan(&wanted, &[Byoyomi, Infinite]);
        assert_eq!(plan.command, "go btime 0 wtime 0 byoyomi 1");
    }
}
