//! Training examples as lists of pieces.

use super::parameters::HANDS;
use crate::{
    dataset::ExampleSet,
    example::{TrainingExample, TrainingExampleError},
};
use monju_engine::{
    eval::MaterialValues,
    rules::{Color, PieceKind, Position},
};

/// Pieces of a complete set, kings included.
const SET: usize = 40;

/// One position from the side to move.
#[derive(Clone, Debug)]
pub(super) struct MaterialExample {
    /// Number of each piece's parameter plus 1, negative for the opponent's pieces; unused entries are 0.
    pub pieces: [i16; SET],
    pub score: i16,
    pub result: i8,
}

/// Quiet positions to train or to validate on.
#[derive(Clone, Debug, Default)]
pub struct MaterialSet {
    pub(super) examples: Vec<MaterialExample>,
}

impl ExampleSet for MaterialSet {
    fn add(&mut self, example: &TrainingExample) -> Result<bool, TrainingExampleError> {
        let position = example.position()?;
        if !example.is_quiet(&position) {
            return Ok(false);
        }
        // A packed position has exactly 40 pieces.
        let mut pieces = [0; SET];
        for (slot, place) in pieces.iter_mut().zip(places(&position)) {
            *slot = place;
        }
        self.examples.push(MaterialExample {
            pieces,
            score: example.score,
            result: example.result,
        });
        Ok(true)
    }

    fn len(&self) -> usize {
        self.examples.len()
    }
}

/// Lists the pieces of a position as [`MaterialExample::pieces`] has them.
fn places(position: &Position) -> impl Iterator<Item = i16> + '_ {
    let us = position.side_to_move();
    let signed = move |color: Color, place: usize| {
        let place = place as i16 + 1;
        if color == us { place } else { -place }
    };
    let standing = position.occupied().squares().filter_map(move |square| {
        let (color, kind) = position.piece(square).get()?;
        let seen = match color {
            Color::Black => square,
            Color::White => square.flip(),
        };
        Some(signed(color, MaterialValues::place_of(kind, seen)))
    });
    let held = Color::ALL.into_iter().flat_map(move |color| {
        PieceKind::HAND.into_iter().flat_map(move |kind| {
            let count = position.hand(color).count(kind);
            std::iter::repeat_n(signed(color, HANDS + kind.index()), count)
        })
    });
    standing.chain(held)
}
