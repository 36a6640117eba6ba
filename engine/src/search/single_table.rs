//! The transposition table of an ordinary search (Hosoe et al.): best move, value, kind of the value,
//! depth and key of every position searched. Entries stay from search to search and age.

use super::{
    line::Bound,
    replacement::{prefetch, worth_of},
    search_value::{PROVED, TableEntry, TranspositionTable},
    value::Value,
};
use crate::{pages::large_array, rules::Move};
use std::{
    collections::TryReserveError,
    sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering},
};

/// The largest size of a transposition table, in MiB.
pub const MAX_TABLE_MIB: usize = 1 << 20;

/// Number of entries in a cache line.
const CLUSTER: usize = 6;

/// Number of bits of an entry's seal, and their mask.
const SEAL_BITS: u32 = 5;
const SEAL: u32 = (1 << SEAL_BITS) - 1;

/// Number of entries that are looked at to tell how full the table is.
const SAMPLE: usize = 1_000;

/// Modulus of the generation numbers.
const GENERATIONS: u8 = 32;

/// A cache line of entries. Of a key, whose upper bits choose the line, an entry keeps the lowest 16 bits as its
/// check and the next five in its seal, where they are combined with its data: most mixtures of two threads'
/// writes are recognised and ignored. Two threads that seal entries of one line at once may lose one of them.
#[derive(Debug, Default)]
#[repr(align(64))]
struct TableCluster {
    data: [AtomicU64; CLUSTER],
    checks: [AtomicU16; CLUSTER],
    seals: AtomicU32,
}

impl TableCluster {
    /// Returns the place and the data of the entry of a key.
    #[inline(always)]
    fn find(&self, key: u64) -> Option<(usize, u64)> {
        (0..CLUSTER).find_map(|place| {
            if self.checks[place].load(Ordering::Relaxed) != key as u16 {
                return None;
            }
            let data = self.data[place].load(Ordering::Relaxed);
            let sealed = self.seals.load(Ordering::Relaxed) >> (SEAL_BITS * place as u32) & SEAL;
            (sealed == seal(key, data) && data != 0).then_some((place, data))
        })
    }

    #[inline(always)]
    fn write(&self, place: usize, key: u64, data: u64) {
        let shift = SEAL_BITS * place as u32;
        let others = self.seals.load(Ordering::Relaxed) & !(SEAL << shift);
        self.data[place].store(data, Ordering::Relaxed);
        self.checks[place].store(key as u16, Ordering::Relaxed);
        self.seals
            .store(others | seal(key, data) << shift, Ordering::Relaxed);
    }
}

/// Returns the seal of an entry.
#[inline(always)]
fn seal(key: u64, data: u64) -> u32 {
    /// The golden ratio's fraction: its multiples spread over the upper bits.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let spread = (data.wrapping_mul(SPREAD) >> (64 - SEAL_BITS)) as u32;
    ((key >> 16) as u32 ^ spread) & SEAL
}

impl TableEntry<Value> {
    fn pack(self, generation: u8) -> u64 {
        let bound = match self.bounds {
            Bound::Exact => 3,
            Bound::Lower => 2,
            Bound::Upper => 1,
        };
        u64::from(self.mv.map_or(0, Move::bits))
            | u64::from(self.value as i16 as u16) << 16
            | u64::from(self.evaluation as i16 as u16) << 32
            | u64::from(self.depth.clamp(-128, 127) as i8 as u8) << 48
            | bound << 56
            | u64::from(self.tt_pv) << 58
            | u64::from(generation) << 59
    }

    fn unpack(data: u64) -> Option<Self> {
        let bound = match data >> 56 & 3 {
            3 => Bound::Exact,
            2 => Bound::Lower,
            1 => Bound::Upper,
            _ => return None,
        };
        Some(Self {
            mv: Move::try_from_bits(data as u16),
            value: Value::from((data >> 16) as u16 as i16),
            evaluation: Value::from((data >> 32) as u16 as i16),
            depth: i32::from((data >> 48) as u8 as i8),
            bounds: bound,
            tt_pv: data >> 58 & 1 != 0,
        })
    }
}

fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

fn depth_of(data: u64) -> i32 {
    i32::from((data >> 48) as u8 as i8)
}

/// A transposition table of fixed size, shared by the threads of one search.
#[derive(Debug)]
pub(crate) struct SingleTable {
    clusters: Box<[TableCluster]>,
    generation: u8,
}

impl SingleTable {
    #[inline(always)]
    fn cluster(&self, key: u64) -> &TableCluster {
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }

    /// Returns how much an entry is worth keeping; less than anything if there is none.
    #[inline(always)]
    fn worth(&self, data: u64) -> i32 {
        if data == 0 {
            return i32::MIN;
        }
        let age = (GENERATIONS + self.generation - generation_of(data)) % GENERATIONS;
        worth_of(depth_of(data), age)
    }
}

impl TranspositionTable<Value> for SingleTable {
    fn new(mib: usize) -> Result<Self, TryReserveError> {
        let count = (mib * (1 << 20) / size_of::<TableCluster>()).max(1);
        Ok(Self {
            clusters: large_array(count)?,
            generation: 0,
        })
    }

    fn clear(&mut self) {
        for cluster in &mut self.clusters {
            *cluster = TableCluster::default();
        }
        self.generation = 0;
    }

    fn age(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    #[inline(always)]
    fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    fn get(&self, key: u64) -> Option<TableEntry<Value>> {
        let (_, data) = self.cluster(key).find(key)?;
        TableEntry::unpack(data)
    }

    fn put(&self, key: u64, entry: TableEntry<Value>) {
        let cluster = self.cluster(key);
        let mut entry = entry;
        let place = if let Some((place, data)) = cluster.find(key) {
            let same_search = generation_of(data) == self.generation;
            if same_search && entry.bounds != Bound::Exact && entry.depth + 3 < depth_of(data) {
                // A shallower result leaves its move, which may be newer; but a proved mate is by its own.
                if let Some(mv) = entry.mv
                    && depth_of(data) < PROVED
                {
                    cluster.write(place, key, data & !0xffff | u64::from(mv.bits()));
                }
                return;
            }
            if entry.mv.is_none() {
                entry.mv = Move::try_from_bits(data as u16);
            }
            place
        } else {
            // The first of the least worthy entries is replaced.
            let worth = |&place: &usize| self.worth(cluster.data[place].load(Ordering::Relaxed));
            (0..CLUSTER).min_by_key(worth).unwrap_or(0)
        };
        cluster.write(place, key, entry.pack(self.generation));
    }

    fn permille_full(&self) -> u32 {
        let is_new = |data: &&AtomicU64| {
            let data = data.load(Ordering::Relaxed);
            TableEntry::unpack(data).is_some() && generation_of(data) == self.generation
        };
        let sample = self.clusters.iter().take(SAMPLE / CLUSTER);
        let slots = sample.len() * CLUSTER;
        let filled = sample
            .flat_map(|cluster| &cluster.data)
            .filter(is_new)
            .count();
        (filled * SAMPLE / slots.max(1)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn entry(depth: i32) -> TableEntry<Value> {
        TableEntry {
            mv: "7g7f".parse().ok(),
            value: -31_990,
            evaluation: 250,
            depth,
            bounds: Bound::Lower,
            tt_pv: true,
        }
    }

    #[test]
    fn stored_entries_are_found() {
        let table = SingleTable::new(1).unwrap();
        for key in [0, 1, u64::MAX, 0x1234_5678_9abc_def0] {
            assert_eq!(table.get(key), None);
            table.put(key, entry(5));
            assert_eq!(table.get(key), Some(entry(5)));
        }
    }

    #[test]
    fn entries_of_older_searches_are_replaced_first() {
        let mut table = SingleTable::new(1).unwrap();
        // Neighbouring keys share a cluster.
        for key in 1..=6 {
            table.put(key, entry(10 + key as i32));
        }
        for _ in 0..4 {
            table.age();
        }
        table.put(2, entry(11));
        table.put(7, entry(1));
        assert_eq!(table.get(1), None, "the shallowest old entry is replaced");
        for key in 2..=7 {
            assert!(table.get(key).is_some(), "{key}");
        }
    }

    #[test]
    fn a_shallower_result_leaves_only_its_move() {
        let table = SingleTable::new(1).unwrap();
        table.put(7, entry(12));
        let mv = "2g2f".parse().ok();
        let shallow = TableEntry {
            mv,
            value: 5,
            ..entry(3)
        };
        table.put(7, shallow);
        assert_eq!(table.get(7), Some(TableEntry { mv, ..entry(12) }));
        table.put(
            7,
            TableEntry {
                mv: None,
                ..shallow
            },
        );
        assert_eq!(table.get(7), Some(TableEntry { mv, ..entry(12) }));
    }

    #[test]
    fn a_proved_mate_keeps_its_move() {
        let table = SingleTable::new(1).unwrap();
        let proved = TableEntry {
            bounds: Bound::Exact,
            ..entry(PROVED)
        };
        table.put(7, proved);
        let other = "2g2f".parse().ok();
        let searched = TableEntry {
            mv: other,
            bounds: Bound::Lower,
            ..entry(3)
        };
        table.put(7, searched);
        assert_eq!(table.get(7), Some(proved));
    }

    #[test]
    fn proved_mates_do_not_displace_searched_entries() {
        let table = SingleTable::new(1).unwrap();
        for key in 1..=6 {
            table.put(key, entry(PROVED));
        }
        table.put(7, entry(9));
        assert_eq!(table.get(7), Some(entry(9)));
        table.put(8, entry(0));
        assert!(table.get(7).is_some(), "a mate is replaced first");
    }

    #[test]
    fn the_entries_of_this_search_fill_the_table() {
        let mut table = SingleTable::new(1).unwrap();
        assert_eq!(table.permille_full(), 0);
        // The multiples of one half of a cluster's share of the keys lie two in a cluster.
        let step = u64::MAX / table.clusters.len() as u64 / 2;
        for index in 0..2 * table.clusters.len() as u64 {
            table.put(index * step, entry(5));
        }
        let filled = table.permille_full();
        assert!((300..=367).contains(&filled), "{filled}");
        table.age();
        assert_eq!(table.permille_full(), 0, "older entries do not count");
    }

    #[test]
    fn most_torn_entries_are_ignored() {
        let mut random = SplitMix64::from_state(1);
        let mut found = 0;
        for _ in 0..100 {
            let cluster = TableCluster::default();
            cluster.write(2, 9, random.next() | 1);
            assert!(cluster.find(9).is_some());
            cluster.data[2].store(random.next() | 1, Ordering::Relaxed);
            found += u32::from(cluster.find(9).is_some());
        }
        assert!(found <= 10, "one of 32 looks whole: {found} of 100");
    }

    #[test]
    fn few_other_keys_find_an_entry() {
        let table = SingleTable::new(1).unwrap();
        let mut random = SplitMix64::from_state(1);
        let mut draw = || random.next();
        let entries = 6 * table.clusters.len() as u64;
        for _ in 0..2 * entries {
            table.put(draw(), entry(5));
        }
        let foreign = (0..4_000_000).filter(|_| table.get(draw()).is_some());
        // 21 bits of six entries: 11.4 in the mean.
        assert!(foreign.count() <= 30);
    }

    #[test]
    fn entries_of_a_cluster_do_not_disturb_each_other() {
        let table = SingleTable::new(1).unwrap();
        let keys = (0..CLUSTER as u64).map(|index| index * 0x1_0001 + 1);
        for (depth, key) in (0..).zip(keys.clone()) {
            table.put(key, entry(depth));
        }
        for (depth, key) in (0..).zip(keys) {
            assert_eq!(table.get(key), Some(entry(depth)), "{key:#x}");
        }
    }
}
