//! The transposition table of an ordinary search (Hosoe et al.): best move, value, kind of the value,
//! depth and key of every position searched. Entries stay from search to search and age.

use super::{
    line::Bound,
    replacement::{prefetch, worth_of},
    search_value::{TableEntry, TranspositionTable},
    value::Value,
};
use crate::{pages::large_array, rules::Move};
use std::{
    collections::TryReserveError,
    sync::atomic::{AtomicU64, Ordering},
};

/// The largest size of a transposition table, in MiB.
pub const MAX_TABLE_MIB: usize = 1 << 20;

/// Number of entries in a cache line.
const CLUSTER: usize = 4;

/// Number of entries that are looked at to tell how full the table is.
const SAMPLE: usize = 1_000;

/// Modulus of the generation numbers.
const GENERATIONS: u8 = 32;

/// An entry of two words. The first is the key combined with the second, so that a mixture of two
/// threads' writes is recognised and ignored.
#[derive(Debug, Default)]
struct TableSlot {
    check: AtomicU64,
    data: AtomicU64,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct TableCluster([TableSlot; CLUSTER]);

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
    fn cluster(&self, key: u64) -> &[TableSlot; CLUSTER] {
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize].0
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
        self.cluster(key).iter().find_map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            let found = slot.check.load(Ordering::Relaxed) == key ^ data;
            found.then(|| TableEntry::unpack(data)).flatten()
        })
    }

    fn put(&self, key: u64, entry: TableEntry<Value>) {
        let cluster = self.cluster(key);
        let mut worst = &cluster[0];
        let mut least = i32::MAX;
        let mut entry = entry;
        for slot in cluster {
            let data = slot.data.load(Ordering::Relaxed);
            if slot.check.load(Ordering::Relaxed) == key ^ data && data != 0 {
                let same_search = generation_of(data) == self.generation;
                if same_search && entry.bounds != Bound::Exact && entry.depth + 3 < depth_of(data) {
                    // A shallower result leaves its move, which may be newer.
                    if let Some(mv) = entry.mv {
                        let data = data & !0xffff | u64::from(mv.bits());
                        slot.check.store(key ^ data, Ordering::Relaxed);
                        slot.data.store(data, Ordering::Relaxed);
                    }
                    return;
                }
                if entry.mv.is_none() {
                    entry.mv = Move::try_from_bits(data as u16);
                }
                worst = slot;
                break;
            }
            let worth = if data == 0 {
                i32::MIN
            } else {
                let age = (GENERATIONS + self.generation - generation_of(data)) % GENERATIONS;
                worth_of(depth_of(data), age)
            };
            if worth < least {
                least = worth;
                worst = slot;
            }
        }
        let data = entry.pack(self.generation);
        worst.check.store(key ^ data, Ordering::Relaxed);
        worst.data.store(data, Ordering::Relaxed);
    }

    fn permille_full(&self) -> u32 {
        let is_new = |slot: &&TableSlot| {
            let data = slot.data.load(Ordering::Relaxed);
            TableEntry::unpack(data).is_some() && generation_of(data) == self.generation
        };
        let sample = self.clusters.iter().take(SAMPLE / CLUSTER);
        let slots = sample.len() * CLUSTER;
        let filled = sample.flat_map(|cluster| &cluster.0).filter(is_new).count();
        (filled * SAMPLE / slots.max(1)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::search_value::PROVED;

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
        for key in 1..=4 {
            table.put(key, entry(10 + key as i32));
        }
        for _ in 0..4 {
            table.age();
        }
        table.put(2, entry(11));
        table.put(5, entry(1));
        assert_eq!(table.get(1), None, "the shallowest old entry is replaced");
        for key in 2..=5 {
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
    fn proved_mates_do_not_displace_searched_entries() {
        let table = SingleTable::new(1).unwrap();
        for key in 1..=4 {
            table.put(key, entry(PROVED));
        }
        table.put(5, entry(9));
        assert_eq!(table.get(5), Some(entry(9)));
        table.put(6, entry(0));
        assert!(table.get(5).is_some(), "a mate is replaced first");
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
        assert!((450..=550).contains(&filled), "{filled}");
        table.age();
        assert_eq!(table.permille_full(), 0, "older entries do not count");
    }

    #[test]
    fn a_torn_entry_is_ignored() {
        let table = SingleTable::new(1).unwrap();
        table.put(9, entry(3));
        let slot = &table.cluster(9)[0];
        slot.data.fetch_xor(1 << 20, Ordering::Relaxed);
        assert_eq!(table.get(9), None);
    }
}
