//! What learning makes small: by how much other moves look better than the recorded one.

use super::{
    Settings,
    parameters::Gradient,
    search::{MATE, Study},
};
use crate::{
    eval::linear::UNIT,
    learn::records::Record,
    rules::{Move, MoveList, Position},
};

/// Where T(x) and its slope count as nothing, in widths.
const NEGLIGIBLE: f32 = 4.0;

/// The objective's form, and the search beneath it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objective {
    depth: u32,
    width: f32,
    tolerance: f32,
}

/// What a position has taught.
pub(super) struct Lesson {
    /// The sum of T(x) over the other moves.
    pub loss: f32,
    /// Whether no other move has a better value than the recorded one.
    pub agreed: bool,
}

impl Objective {
    pub fn new(settings: &Settings) -> Self {
        Self {
            depth: settings.depth,
            width: settings.width,
            tolerance: settings.tolerance,
        }
    }

    /// T(x) and how it falls with x, where the recorded move is better by x centipawns.
    fn penalty(&self, better: f32, progress: f32) -> (f32, f32) {
        let x = (better + self.tolerance * progress) / self.width;
        let falling = 1.0 / (1.0 + libm::expf(x));
        // log(1 + exp(-x)), without overflow.
        let loss = libm::log1pf(libm::expf(-x.abs())) + (-x).max(0.0);
        (loss, falling)
    }

    /// Compares the recorded move of a position with all others and with a pass, and adds the
    /// slopes to `gradient`. `None` where there is nothing to compare, or the game is decided by
    /// mate.
    pub fn lesson(
        &self,
        study: &mut Study,
        game: &Record,
        ply: usize,
        gradient: &mut Gradient,
    ) -> Option<Lesson> {
        let recorded = *game.moves().get(ply)?;
        // The paper does not say what progress is; here it is the share of the game that is over.
        let progress = ply as f32 / game.moves().len() as f32;
        let position = game.position(ply);
        let legal = MoveList::legal(&position);
        if legal.as_slice().len() < 2 {
            return None;
        }
        study.visit(&position);
        let value = study.value_of(Some(recorded), self.depth, -2 * MATE, 2 * MATE);
        if value.abs() >= MATE {
            return None;
        }
        let own_leaf = study.leaf(Some(recorded));
        let cut_off = (self.tolerance * progress - NEGLIGIBLE * self.width) as i32;
        let alpha = value + cut_off;
        let mut lesson = Lesson {
            loss: 0.0,
            agreed: true,
        };
        let mut sum = 0.0;
        let others = legal
            .as_slice()
            .iter()
            .copied()
            .filter(|&mv| mv != recorded)
            .map(Some);
        let pass = (!position.in_check()).then_some(None);
        for other in others.chain(pass) {
            let found = study.value_of(other, self.depth, alpha, 2 * MATE);
            lesson.agreed &= found <= value || other.is_none();
            if found <= alpha || found.abs() >= MATE {
                continue;
            }
            let (loss, slope) = self.penalty((value - found) as f32, progress);
            lesson.loss += loss;
            sum += slope;
            self.teach(gradient, study.leaf(other), &position, slope);
        }
        if sum > 0.0 {
            self.teach(gradient, own_leaf, &position, -sum);
        }
        Some(lesson)
    }

    /// Adds the slope of the loss by the values of a leaf.
    fn teach(&self, gradient: &mut Gradient, leaf: Position, root: &Position, slope: f32) {
        // The evaluation counts in fractions of a centipawn, the width in centipawns.
        let slope = slope / (self.width * UNIT as f32);
        gradient.add(&leaf, root.side_to_move(), slope);
    }

    /// The move that the training search prefers in a position.
    pub fn favourite(&self, study: &mut Study, position: &Position) -> Option<Move> {
        study.visit(position);
        let mut best = None;
        let mut alpha = -2 * MATE;
        for &mv in MoveList::legal(position).as_slice() {
            let value = study.value_of(Some(mv), self.depth, alpha, 2 * MATE);
            if value > alpha {
                alpha = value;
                best = Some(mv);
            }
        }
        best
    }
}
