//! The transposition table of a vector search (Tohske and Hosoe et al.).

use super::{
    set::MAX_LANES,
    vector::{LaneBounds, Lanes},
};
use crate::{
    pages::large_array,
    rules::Move,
    search::{
        replacement::{prefetch, worth_of},
        search_value::{PROVED, TableEntry, TranspositionTable},
    },
};
use std::{
    collections::TryReserveError,
    sync::atomic::{AtomicU64, Ordering},
};

/// Words of an entry after its check word: the values, the bounds, and the other fields.
const WORDS: usize = MAX_LANES / 4 + 2;

/// Number of entries that are looked at to tell how full the table is.
const SAMPLE: usize = 1_000;

/// Modulus of the generation numbers.
const GENERATIONS: u8 = 128;

/// A cache line with one entry. The first word is the key combined with all other words, so that a
/// mixture of two threads' writes is recognised and ignored.
#[derive(Debug, Default)]
#[repr(align(64))]
struct LaneSlot {
    check: AtomicU64,
    words: [AtomicU64; WORDS],
}

impl LaneSlot {
    fn read(&self) -> (u64, [u64; WORDS]) {
        let words = std::array::from_fn(|word| self.words[word].load(Ordering::Relaxed));
        (self.check.load(Ordering::Relaxed), words)
    }

    fn write(&self, key: u64, words: [u64; WORDS]) {
        self.check.store(combine(key, &words), Ordering::Relaxed);
        for (slot, word) in self.words.iter().zip(words) {
            slot.store(word, Ordering::Relaxed);
        }
    }
}

fn combine(key: u64, words: &[u64; WORDS]) -> u64 {
    words
        .iter()
        .enumerate()
        .fold(key, |check, (at, word)| check ^ word.rotate_left(at as u32))
}

/// A table of fixed size, shared by the threads of one search.
#[derive(Debug)]
pub(crate) struct LaneTable {
    slots: Box<[LaneSlot]>,
    generation: u8,
}

fn pack(entry: TableEntry<Lanes>, generation: u8) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    let (values, rest) = words.split_at_mut(MAX_LANES / 4);
    values.copy_from_slice(&entry.value.words());
    rest[0] = u64::from(entry.bounds.lower) | u64::from(entry.bounds.upper) << 16;
    rest[1] = u64::from(entry.mv.map_or(0, Move::bits))
        | u64::from(entry.evaluation as i16 as u16) << 16
        | u64::from(entry.depth.clamp(-128, 127) as i8 as u8) << 32
        | u64::from(generation) << 40
        | u64::from(entry.tt_pv) << 48
        // Distinguishes an entry from an empty slot.
        | 1 << 63;
    words
}

fn unpack(words: &[u64; WORDS]) -> TableEntry<Lanes> {
    let (values, rest) = words.split_at(MAX_LANES / 4);
    TableEntry {
        mv: Move::try_from_bits(rest[1] as u16),
        value: Lanes::from_words(std::array::from_fn(|word| values[word])),
        bounds: LaneBounds {
            lower: rest[0] as u16,
            upper: (rest[0] >> 16) as u16,
        },
        evaluation: i32::from((rest[1] >> 16) as u16 as i16),
        depth: depth_of(words),
        tt_pv: rest[1] >> 48 & 1 != 0,
    }
}

impl TableEntry<Lanes> {
    /// Copies from an older entry the lanes that were settled in the newer search.
    fn keep_unknown_of(&mut self, old: &Self) {
        let unknown = !(self.bounds.lower | self.bounds.upper);
        self.bounds.lower |= old.bounds.lower & unknown;
        self.bounds.upper |= old.bounds.upper & unknown;
        self.value = Lanes(std::array::from_fn(|lane| {
            if unknown >> lane & 1 != 0 {
                old.value.0[lane]
            } else {
                self.value.0[lane]
            }
        }));
    }
}

fn depth_of(words: &[u64; WORDS]) -> i32 {
    i32::from((words[WORDS - 1] >> 32) as u8 as i8)
}

fn generation_of(words: &[u64; WORDS]) -> u8 {
    (words[WORDS - 1] >> 40) as u8 % GENERATIONS
}

fn is_empty(words: &[u64; WORDS]) -> bool {
    words[WORDS - 1] == 0
}

impl LaneTable {
    /// Returns the two possible slots of a key.
    fn pair(&self, key: u64) -> [&LaneSlot; 2] {
        let pairs = self.slots.len() / 2;
        let at = 2 * ((u128::from(key) * pairs as u128) >> 64) as usize;
        [&self.slots[at], &self.slots[at + 1]]
    }
}

impl TranspositionTable<Lanes> for LaneTable {
    fn new(mib: usize) -> Result<Self, TryReserveError> {
        let count = mib * (1 << 20) / size_of::<LaneSlot>();
        Ok(Self {
            slots: large_array(count)?,
            generation: 0,
        })
    }

    fn clear(&mut self) {
        self.slots.fill_with(LaneSlot::default);
        self.generation = 0;
    }

    fn age(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    fn prefetch(&self, key: u64) {
        // The slots are neighbouring lines, which most machines load together.
        prefetch(self.pair(key)[0]);
    }

    fn get(&self, key: u64) -> Option<TableEntry<Lanes>> {
        self.pair(key).into_iter().find_map(|slot| {
            let (check, words) = slot.read();
            let found = !is_empty(&words) && check == combine(key, &words);
            found.then(|| unpack(&words))
        })
    }

    fn put(&self, key: u64, entry: TableEntry<Lanes>) {
        let mut worst = (i32::MAX, self.pair(key)[0]);
        let mut entry = entry;
        for slot in self.pair(key) {
            let (check, words) = slot.read();
            if is_empty(&words) {
                worst = (i32::MIN, slot);
                continue;
            }
            if check == combine(key, &words) {
                let same_search = generation_of(&words) == self.generation;
                let is_exact = entry.bounds.lower & entry.bounds.upper != 0;
                let old = unpack(&words);
                if same_search && !is_exact && entry.depth + 3 < old.depth {
                    // A shallower result leaves its move, which may be newer; but a proved mate is by its own.
                    let mv = entry.mv.filter(|_| old.depth < PROVED).or(old.mv);
                    slot.write(key, pack(TableEntry { mv, ..old }, self.generation));
                    return;
                }
                if entry.mv.is_none() {
                    entry.mv = old.mv;
                }
                if old.depth >= entry.depth {
                    entry.keep_unknown_of(&old);
                }
                worst = (i32::MIN, slot);
                break;
            }
            let age = (GENERATIONS + self.generation - generation_of(&words)) % GENERATIONS;
            let worth = worth_of(depth_of(&words), age);
            if worth < worst.0 {
                worst = (worth, slot);
            }
        }
        worst.1.write(key, pack(entry, self.generation));
    }

    fn permille_full(&self) -> u32 {
        let is_new = |slot: &&LaneSlot| {
            let (_, words) = slot.read();
            !is_empty(&words) && generation_of(&words) == self.generation
        };
        let sample = self.slots.iter().take(SAMPLE);
        let slots = sample.len();
        (sample.filter(is_new).count() * SAMPLE / slots.max(1)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::search_value::SearchValue;

    fn entry(depth: i32) -> TableEntry<Lanes> {
        TableEntry {
            mv: "7g7f".parse().ok(),
            value: Lanes::from_lanes(|lane| 100 * lane as i32 - 700),
            bounds: LaneBounds {
                lower: 0b1010,
                upper: 0b0110,
            },
            evaluation: -250,
            depth,
            tt_pv: true,
        }
    }

    #[test]
    fn stored_entries_are_found() {
        let table = LaneTable::new(1).unwrap();
        for key in [0, 1, u64::MAX, 0x1234_5678_9abc_def0] {
            assert_eq!(table.get(key), None);
            table.put(key, entry(-1));
            assert_eq!(table.get(key), Some(entry(-1)));
        }
    }

    #[test]
    fn settled_lanes_keep_older_values_of_the_same_depth() {
        let table = LaneTable::new(1).unwrap();
        let known = |depth, lower, value| TableEntry {
            value: Lanes::all(value),
            bounds: LaneBounds { lower, upper: 0 },
            ..entry(depth)
        };
        table.put(7, known(6, 0b1111, 40));
        table.put(7, known(6, 0b0001, 90));
        let merged = table.get(7).unwrap();
        assert_eq!(merged.bounds.lower, 0b1111);
        assert_eq!(
            [0, 1, 2, 3].map(|lane| merged.value.lane(lane)),
            [90, 40, 40, 40]
        );
        table.put(7, known(8, 0b0010, 120));
        let deeper = table.get(7).unwrap();
        assert_eq!(
            deeper.bounds.lower, 0b0010,
            "values of a lower depth are dropped"
        );
    }

    #[test]
    fn a_shallower_result_leaves_only_its_move() {
        let table = LaneTable::new(1).unwrap();
        let bounds = LaneBounds {
            lower: 0b1010,
            upper: 0,
        };
        let deep = TableEntry {
            bounds,
            ..entry(12)
        };
        table.put(7, deep);
        let mv = "2g2f".parse().ok();
        let shallow = TableEntry {
            mv,
            value: Lanes::all(5),
            bounds,
            ..entry(3)
        };
        table.put(7, shallow);
        assert_eq!(table.get(7), Some(TableEntry { mv, ..deep }));
        table.put(
            7,
            TableEntry {
                mv: None,
                ..shallow
            },
        );
        assert_eq!(table.get(7), Some(TableEntry { mv, ..deep }));
    }

    #[test]
    fn a_proved_mate_keeps_its_move() {
        let table = LaneTable::new(1).unwrap();
        let proved = TableEntry {
            bounds: Lanes::exact(),
            ..entry(PROVED)
        };
        table.put(7, proved);
        let other = "2g2f".parse().ok();
        let searched = TableEntry {
            mv: other,
            bounds: LaneBounds {
                lower: 0b1010,
                upper: 0,
            },
            ..entry(3)
        };
        table.put(7, searched);
        assert_eq!(table.get(7), Some(proved));
    }

    #[test]
    fn proved_mates_do_not_displace_searched_entries() {
        let table = LaneTable::new(1).unwrap();
        table.put(1, entry(PROVED));
        table.put(2, entry(PROVED));
        table.put(3, entry(9));
        table.put(4, entry(2));
        assert!(table.get(3).is_some(), "a mate is replaced first");
    }

    #[test]
    fn a_torn_entry_is_ignored() {
        let table = LaneTable::new(1).unwrap();
        table.put(9, entry(3));
        for slot in table.pair(9) {
            slot.words[2].fetch_xor(1 << 20, Ordering::Relaxed);
        }
        assert_eq!(table.get(9), None);
    }

    #[test]
    fn the_shallower_of_two_entries_is_replaced() {
        let table = LaneTable::new(1).unwrap();
        for key in 1..=3 {
            table.put(key, entry(10 - key as i32));
        }
        assert_eq!(table.get(2), None);
        assert!(table.get(1).is_some() && table.get(3).is_some());
    }
}
