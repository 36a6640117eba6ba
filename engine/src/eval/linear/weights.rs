//! The weights of the evaluator `linear` and their file.
//!
//! The file begins with the 16 bytes `monju linear v1\n`. Then come little-endian 16-bit integers in
//! sixteenths of a centipawn: the right to move; the single values ([`layout::SINGLE`]: 14 kinds × 5
//! files × 9 ranks on the board as the owner sees it, then 38 places in hand); and the values of
//! relations in the order of [`Layout::pairs`]. The last 8 bytes are the FNV-1a hash of all bytes
//! before.

use super::{
    index::{self, COUNT},
    layout::{self, Layout, SINGLE},
};
use crate::{
    eval::{material::MaterialWeights, noise::Noise, weights_error::WeightsError},
    fnv1a::fnv1a,
    rules::{Color, Piece, PieceKind, Square},
};

/// Units of a weight in a centipawn.
pub const UNIT: i32 = 16;

/// Binary digits of [`UNIT`] behind the point.
const UNIT_BITS: u32 = UNIT.trailing_zeros();

const MAGIC: &[u8; 16] = b"monju linear v1\n";
const HASH_BYTES: usize = 8;

/// The values of `linear` as they are learned and stored, in 1/[`UNIT`] centipawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// Value of the right to move.
    pub turn: i16,
    /// Values of single pieces: [`layout::placed`], then [`layout::HELD`] + index in hand.
    pub single: Vec<i16>,
    /// Values of relations, in the order of [`Layout::pairs`].
    pub pairs: Vec<i16>,
}

impl Values {
    /// Returns the length of a file of weights, in bytes.
    pub fn file_bytes() -> usize {
        MAGIC.len() + 2 * (1 + SINGLE + Layout::get().pairs().len()) + HASH_BYTES
    }

    /// Reads a file of weights.
    ///
    /// # Errors
    /// The file has another header or length, or is damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            return Err(WeightsError::Header {
                expected: "monju linear v1",
            });
        }
        let expected = Self::file_bytes();
        if bytes.len() != expected {
            return Err(WeightsError::Length {
                expected,
                given: bytes.len(),
            });
        }
        let (content, hash) = bytes.split_at(expected - HASH_BYTES);
        if fnv1a(content).to_le_bytes() != hash {
            return Err(WeightsError::Damaged);
        }
        let mut numbers = content[MAGIC.len()..]
            .chunks_exact(2)
            .map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
        let turn = numbers.next().unwrap_or_default();
        Ok(Self {
            turn,
            single: numbers.by_ref().take(SINGLE).collect(),
            pairs: numbers.collect(),
        })
    }

    /// Returns the bytes of a file of these weights.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let numbers = [self.turn].into_iter();
        for number in numbers
            .chain(self.single.iter().copied())
            .chain(self.pairs.iter().copied())
        {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(fnv1a(&bytes).to_le_bytes());
        bytes
    }

    /// Returns the values of `material` with relations of value 0, where learning starts.
    pub fn material() -> Self {
        let material = MaterialWeights::embedded();
        let material = material.values();
        let mut single = vec![0; SINGLE];
        for kind in PieceKind::ALL {
            for square in Square::all() {
                let value = material.placed(kind, square);
                single[layout::placed(kind, square)] = (value * UNIT) as i16;
            }
        }
        for kind in PieceKind::HAND {
            for count in 1..=kind.count_in_set() {
                single[layout::HELD + index::hand_place(kind, count)] =
                    (material.hand[kind.index()] * UNIT) as i16;
            }
        }
        Self {
            turn: (material.turn * UNIT) as i16,
            single,
            pairs: vec![0; Layout::get().pairs().len()],
        }
    }
}

/// The weights in lookup tables for a search, from Black's side.
pub struct LinearWeights {
    /// Value of the right to move, from the side to move.
    pub turn: i32,
    /// Values of single pieces on the board, by piece and square.
    pub placed: Box<[[i32; Square::COUNT]; Piece::COUNT]>,
    /// Values of single pieces in hand, by the piece's number.
    pub held: [i32; index::BOARD],
    /// Values of relations, a row for each number.
    pub rows: Box<[[i16; COUNT]]>,
    /// The values that fill the tables.
    values: Values,
    hash: u64,
}

impl std::fmt::Debug for LinearWeights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LinearWeights({:016x})", self.hash)
    }
}

impl LinearWeights {
    /// Reads a file of weights.
    ///
    /// # Errors
    /// The file has another header or length, or is damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        Values::from_bytes(bytes).map(|values| Self::new(&values))
    }

    /// Fills the lookup tables.
    pub fn new(values: &Values) -> Self {
        let mut weights = Self {
            turn: 0,
            placed: Box::new([[0; Square::COUNT]; Piece::COUNT]),
            held: [0; index::BOARD],
            rows: vec![[0; COUNT]; COUNT].into_boxed_slice(),
            hash: fnv1a(&values.to_bytes()),
            values: values.clone(),
        };
        weights.spread();
        weights
    }

    /// Returns weights with the values of `material`.
    pub fn material() -> Self {
        Self::new(&Values::material())
    }

    /// Replaces the values.
    pub fn assign(&mut self, values: Values) {
        self.hash = fnv1a(&values.to_bytes());
        self.values = values;
        self.spread();
    }

    fn spread(&mut self) {
        let values = &self.values;
        self.turn = values.turn.into();
        for kind in PieceKind::ALL {
            for square in Square::all() {
                let value = values.single[layout::placed(kind, square)].into();
                self.placed[Piece::new(Color::Black, kind).index()][square.index()] = value;
                self.placed[Piece::new(Color::White, kind).index()][square.flip().index()] = -value;
            }
        }
        for place in 0..index::HAND {
            let value = values.single[layout::HELD + place].into();
            self.held[1 + place] = value;
            self.held[1 + index::HAND + place] = -value;
        }
        let table = Layout::get().table();
        for (row, places) in self.rows.iter_mut().zip(table.chunks_exact(COUNT)) {
            for (entry, &place) in row.iter_mut().zip(places) {
                *entry = match place {
                    0 => 0,
                    1.. => values.pairs[place as usize - 1],
                    _ => values.pairs[-place as usize - 1].saturating_neg(),
                };
            }
        }
    }

    /// Returns the weights with noise added to each value of a piece and of a relation. An evaluation
    /// sums 40 of the former and 780 of the latter, so that its noise is much larger than each.
    pub fn perturbed(&self, noise: &Noise) -> Self {
        let mut values = self.values.clone();
        let all = values.single.iter_mut().chain(&mut values.pairs);
        for (number, value) in (0..).zip(all) {
            let noisy = i32::from(*value) + noise.in_fractions::<UNIT_BITS>(number);
            *value = noisy.clamp(-i32::from(i16::MAX), i16::MAX.into()) as i16;
        }
        Self::new(&values)
    }

    /// Returns the mean value of capturing a pawn in centipawns: its loss on the board and its gain
    /// as the first pawn in hand.
    pub fn pawn_exchange(&self) -> f64 {
        let value = |single: usize| f64::from(self.values.single[single]);
        let squares = || Square::all().filter(|square| square.rank() > 0);
        let on_board: f64 = squares()
            .map(|square| value(layout::placed(PieceKind::Pawn, square)))
            .sum();
        let in_hand = value(layout::HELD + index::hand_place(PieceKind::Pawn, 1));
        (on_board / squares().count() as f64 + in_hand) / f64::from(UNIT)
    }

    /// Returns the FNV-1a hash of the file of these weights.
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

#[cfg(test)]
impl LinearWeights {
    /// Returns weights without any pattern, so that every term counts.
    pub fn sample() -> Self {
        let mut state = 11_u64;
        let mut next = |bound: i32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            ((state >> 33) as i32 % (2 * bound + 1) - bound) as i16
        };
        let mut values = Values::material();
        for value in &mut values.single {
            *value = value.saturating_add(next(300));
        }
        for value in &mut values.pairs {
            *value = next(200);
        }
        Self::new(&values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_small_and_read_as_it_was_written() {
        let mut values = Values::material();
        for (number, pair) in values.pairs.iter_mut().enumerate() {
            *pair = (number as i16).wrapping_mul(31);
        }
        let bytes = values.to_bytes();
        assert_eq!(bytes.len(), Values::file_bytes());
        assert!(bytes.len() < 2_000_000, "{}", bytes.len());
        assert_eq!(Values::from_bytes(&bytes), Ok(values));
    }

    #[test]
    fn wrong_truncated_and_damaged_files_are_refused() {
        let bytes = Values::material().to_bytes();
        let refused = |bytes: &[u8]| Values::from_bytes(bytes).expect_err("refused").to_string();
        assert!(refused(b"").contains("monju linear v1"));
        assert!(refused(&[0x7a; 900_000]).contains("monju linear v1"));
        assert!(refused(&bytes[..bytes.len() - 1]).contains("bytes"));
        assert!(refused(&[&bytes[..], &[0]].concat()).contains("bytes"));
        let mut damaged = bytes;
        damaged[100_000] ^= 1;
        assert!(refused(&damaged).contains("damaged"));
    }
}
