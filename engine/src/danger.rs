//! Danger-discriminating search (危険判別探索): tells whether a side keeps its material until the
//! position settles (Hiramatsu et al.).
//!
//! One player, *ahead*, is assumed to stand better; the other, *worse*, attacks. The search answers one
//! question: against every attack, does the player ahead keep its gain until the other has no attack
//! left? Attacks and defences are narrow (`attacks.rs`, `defences.rs`), so that the tree is small.
//!
//! Where the paper is silent, this module chooses:
//!
//! - *Material* (section 3, 「駒の点数の総和」) is the sum of piece values; a piece in hand counts as on the
//!   board, so that only captures and promotions change it. The exchange on one square by which an attack
//!   pays has the search's own scale, on which a piece in hand is worth a little more (`eval/pieces.rs`).
//! - *Ahead* is relative: the gain is kept while the material is not below that at the root. The paper
//!   asks for more points than the opponent has ([`DangerSettings::absolute`]).
//! - A *threat* must be new and pay: see `attacks.rs`.
//! - Checks are attacks, too: see `attacks.rs`.
//!
//! The paper contradicts itself. By its section 3, `ng` at a root at which the worse side moves says that
//! the assumption holds, and `ok` that it does not; section 4 reports the wrong assumption of figure 1 as
//! `ng`. This module follows section 3.

mod attacks;
mod defences;
mod gain;
mod judgement;
mod path;
#[cfg(test)]
mod tests;
mod tree;

pub use judgement::{DEFAULT_NODES, Danger, DangerOutcome, DangerSettings, Step};
pub use tree::LAST_LENGTH;

use crate::rules::{Color, Move, Position};

/// Returns the side with fewer points; of equals, the side to move.
pub fn presumed_worse(position: &Position) -> Color {
    let us = position.side_to_move();
    match gain::balance(position, us) {
        ..=0 => us,
        _ => !us,
    }
}

/// Judges the assumption in a position. With the worse side to move, its attacks are searched; else
/// every move of the side ahead is tried first, and one that keeps the gain is enough.
///
/// ```
/// use monju_engine::{Color, Position, danger::{Danger, DangerSettings, discriminate}};
/// let settings = DangerSettings { worse: Color::Black, absolute: false, nodes: 4_000 };
/// let quiet = discriminate(&Position::startpos(), settings);
/// assert_eq!(quiet.danger, Danger::Holds);
/// ```
pub fn discriminate(position: &Position, settings: DangerSettings) -> DangerOutcome {
    discriminate_until(position, settings, &mut |_| false)
}

/// As [`discriminate`], but asks `is_over` before each node, with the number of those that it has expanded, whether to
/// leave the rest undecided.
pub(crate) fn discriminate_until(
    position: &Position,
    settings: DangerSettings,
    is_over: &mut dyn FnMut(u64) -> bool,
) -> DangerOutcome {
    let before = gain::balance(position, !settings.worse);
    let goal = gain::Goal::new(before, settings.absolute);
    tree::search(position, settings, goal, is_over)
}

/// Judges the position after a legal move of the side ahead, which is to move: does it keep the material
/// that it has before the move? The line begins with the answer to the move. `is_over` is asked before each node, with
/// the number of those that were expanded, whether to leave the rest undecided.
pub fn after_move(
    position: &Position,
    mv: Move,
    nodes: u64,
    is_over: &mut dyn FnMut(u64) -> bool,
) -> DangerOutcome {
    let settings = DangerSettings {
        worse: !position.side_to_move(),
        absolute: false,
        nodes,
    };
    let before = gain::balance(position, position.side_to_move());
    let goal = gain::Goal::new(before, false);
    let mut after = position.clone();
    after.make(mv);
    tree::search(&after, settings, goal, is_over)
}
