//! Mutations of a corpus, the same in every run: the tests have no feedback from the code, so they change
//! good inputs a little.

use crate::fuzz_target::{FuzzTarget, LONGEST};
use monju_engine::random::SplitMix64;

/// Numbers at the edges of types, as texts.
const EDGES: [&str; 12] = [
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "9223372036854775807",
    "18446744073709551615",
    "1e308",
    "nan",
];

/// Bytes at the edges of encodings.
const BYTES: [u8; 8] = [0, 0x7f, 0x80, 0xff, b'\n', b' ', 0xef, 0x1b];

/// Random numbers.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::from_state(seed))
    }

    /// The next number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.next() % bound as u64) as usize
    }
}

/// Returns a mutation of an input of the corpus, by one to five changes.
pub fn mutate(target: &FuzzTarget, corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(5) {
        change(&mut bytes, target, corpus, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, target: &FuzzTarget, corpus: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let end = (at + 1 + random.below(16)).min(bytes.len());
    match random.below(9) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => bytes[at] = BYTES[random.below(BYTES.len())],
        2 => drop(bytes.drain(at..end.max(at))),
        3 => {
            let copy = bytes[at..end.max(at)].to_vec();
            insert(bytes, at, &copy.repeat(1 + random.below(8)));
        }
        4 if !target.words.is_empty() => {
            let word = target.words[random.below(target.words.len())];
            insert(bytes, at, word.as_bytes());
        }
        5 => replace_number(bytes, at, EDGES[random.below(EDGES.len())]),
        6 => {
            let other = &corpus[random.below(corpus.len())];
            let from = random.below(other.len() + 1);
            bytes.truncate(at);
            bytes.extend(&other[from..]);
        }
        7 => {
            let other = &corpus[random.below(corpus.len())];
            let from = random.below(other.len() + 1);
            let to = (from + random.below(64)).min(other.len());
            insert(bytes, at, &other[from..to]);
        }
        _ => bytes.insert(at, random.below(256) as u8),
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, new: &[u8]) {
    if bytes.len() + new.len() <= LONGEST {
        bytes.splice(at..at, new.iter().copied());
    }
}

/// Replaces the first decimal number from a place on.
fn replace_number(bytes: &mut Vec<u8>, at: usize, number: &str) {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(offset) = bytes[at..].iter().position(is_digit) else {
        return;
    };
    let from = at + offset;
    let length = bytes[from..]
        .iter()
        .take_while(|byte| is_digit(byte))
        .count();
    bytes.splice(from..from + length, number.bytes());
}
