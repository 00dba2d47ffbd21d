//! Table of positions already searched.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytemuck::Zeroable;
use tabiya_rules::Move;

use crate::Bound;
use crate::memory::{Block, ask_for_large_pages, prefetch};
use crate::score::{TABLE_BOUND, Value};

/// Entries in a bucket: one cache line.
const WAYS: usize = 4;
/// Generations are counted modulo this.
const GENERATIONS: u8 = 32;

/// 16 bytes: a check word (key xor data) and the data.
///
/// Data, from the lowest bit: move 16, value 16, static value 16, depth 8, bound 2, PV 1, generation 5. The check
/// word makes a half-written entry unreadable, so a table may be shared by threads without locks.
#[derive(Zeroable)]
#[repr(C, align(16))]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// A line of the processor's cache.
#[derive(Zeroable)]
#[repr(C, align(64))]
struct Bucket([Slot; WAYS]);

const _: () = assert!(size_of::<Bucket>() == 64 && size_of::<Slot>() == 16);

/// What the table knows about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Best or refuting move, not yet known to be legal here.
    pub(crate) mv: Option<Move>,
    /// Value with mates and wins of the endgame tables counted from the root, as everywhere in the search.
    pub(crate) value: Value,
    /// Raw static value, if it was computed.
    pub(crate) evaluation: Option<Value>,
    pub(crate) depth: i32,
    pub(crate) bound: Bound,
    /// Whether the position was once on a principal variation.
    pub(crate) pv: bool,
}

impl Entry {
    /// Whether the value alone decides a node with this window.
    pub(crate) fn cuts(&self, alpha: Value, beta: Value) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value >= beta,
            Bound::Upper => self.value <= alpha,
        }
    }

    /// Whether the value says more about the position than this static value does.
    pub(crate) fn bounds_better(&self, evaluation: Value) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value > evaluation,
            Bound::Upper => self.value < evaluation,
        }
    }
}

/// The table. Its size is fixed when it is made.
pub(crate) struct Table {
    /// As many as a power of two.
    buckets: Block<Bucket>,
    generation: u8,
}

const NO_EVALUATION: i16 = i16::MIN;

fn depth_of(data: u64) -> i32 {
    i32::from((data >> 48) as u8)
}

fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

impl Table {
    /// A table of [`Self::fitting`] bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        let count = Self::fitting(bytes) / size_of::<Bucket>();
        let mut buckets = Block::zeroed(count);
        ask_for_large_pages(&mut buckets);
        Self {
            buckets,
            generation: 0,
        }
    }

    /// The largest power of two within `bytes`, at least one bucket.
    pub(crate) fn fitting(bytes: usize) -> usize {
        let bytes = bytes.max(size_of::<Bucket>());
        if bytes.is_power_of_two() {
            bytes
        } else {
            bytes.next_power_of_two() / 2
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.buckets)
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.buckets.fill_with(Bucket::zeroed);
        self.generation = 0;
    }

    /// Marks what is in the table as older than what comes.
    pub(crate) fn age(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    fn bucket(&self, key: u64) -> &Bucket {
        &self.buckets[key as usize & (self.buckets.len() - 1)]
    }

    /// Asks for a position's bucket, which is about to be looked up: from memory it takes as long as a node does.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    /// Looks a position up; `ply` is where it stands below the root.
    pub(crate) fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        for slot in &self.bucket(key).0 {
            let data = slot.data.load(Relaxed);
            if slot.check.load(Relaxed) ^ data == key && data != 0 {
                return Some(unpack(data, ply));
            }
        }
        None
    }

    /// Stores a position. An entry of the same position is kept if it is much deeper and this one is only a bound;
    /// otherwise the shallowest, with older generations counting less, makes room.
    pub(crate) fn store(&self, key: u64, ply: usize, entry: Entry) {
        let bucket = self.bucket(key);
        let mut victim = &bucket.0[0];
        let mut victim_worth = i32::MAX;
        for slot in &bucket.0 {
            let data = slot.data.load(Relaxed);
            if data != 0 && slot.check.load(Relaxed) ^ data == key {
                let mut entry = entry;
                if entry.mv.is_none() && data as u16 != 0 {
                    entry.mv = Some(Move::from_bits(data as u16));
                }
                let current = generation_of(data) == self.generation;
                if entry.bound == Bound::Exact || !current || entry.depth + 4 > depth_of(data) {
                    self.write(slot, key, ply, entry);
                }
                return;
            }
            let age = (GENERATIONS + self.generation - generation_of(data)) % GENERATIONS;
            let worth = if data == 0 {
                i32::MIN
            } else {
                depth_of(data) - 8 * i32::from(age)
            };
            if worth < victim_worth {
                victim_worth = worth;
                victim = slot;
            }
        }
        self.write(victim, key, ply, entry);
    }

    fn write(&self, slot: &Slot, key: u64, ply: usize, entry: Entry) {
        let value = if entry.value >= TABLE_BOUND {
            entry.value + ply as Value
        } else if entry.value <= -TABLE_BOUND {
            entry.value - ply as Value
        } else {
            entry.value
        };
        let data = u64::from(entry.mv.map_or(0, Move::to_bits))
            | u64::from(value as i16 as u16) << 16
            | u64::from(entry.evaluation.map_or(NO_EVALUATION, |value| value as i16) as u16) << 32
            | (entry.depth.clamp(0, 255) as u64) << 48
            | (entry.bound as u64) << 56
            | u64::from(entry.pv) << 58
            | u64::from(self.generation) << 59;
        slot.check.store(key ^ data, Relaxed);
        slot.data.store(data, Relaxed);
    }

    /// Share of slots written in this generation, in permille, from the first 256 buckets.
    pub(crate) fn permille_full(&self) -> u32 {
        let sample = &self.buckets[..self.buckets.len().min(256)];
        let used = sample.iter().flat_map(|bucket| &bucket.0).filter(|slot| {
            let data = slot.data.load(Relaxed);
            data != 0 && generation_of(data) == self.generation
        });
        (used.count() * 1000 / (sample.len() * WAYS)) as u32
    }
}

fn unpack(data: u64, ply: usize) -> Entry {
    let stored = Value::from((data >> 16) as u16 as i16);
    let value = if stored >= TABLE_BOUND {
        stored - ply as Value
    } else if stored <= -TABLE_BOUND {
        stored + ply as Value
    } else {
        stored
    };
    let evaluation = (data >> 32) as u16 as i16;
    Entry {
        mv: (data as u16 != 0).then(|| Move::from_bits(data as u16)),
        value,
        evaluation: (evaluation != NO_EVALUATION).then_some(Value::from(evaluation)),
        depth: depth_of(data),
        bound: match data >> 56 & 3 {
            2 => Bound::Lower,
            3 => Bound::Upper,
            _ => Bound::Exact,
        },
        pv: data >> 58 & 1 != 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{mate_at, mated_at};

    fn entry(value: Value, depth: i32) -> Entry {
        Entry {
            mv: Some(Move::from_bits(0x31c)),
            value,
            evaluation: Some(-77),
            depth,
            bound: Bound::Lower,
            pv: true,
        }
    }

    #[test]
    fn buckets_are_lines_of_the_cache() {
        for bytes in [1, 64, 1 << 16, 3 << 20] {
            let table = Table::new(bytes);
            assert_eq!(table.bytes(), Table::fitting(bytes));
            assert_eq!(table.buckets.as_ptr().align_offset(64), 0);
        }
    }

    #[test]
    fn what_goes_in_comes_out() {
        let table = Table::new(1 << 16);
        for value in [0, -1, 20_000, -20_000] {
            for pv in [false, true] {
                for bound in [Bound::Exact, Bound::Lower, Bound::Upper] {
                    let entry = Entry {
                        bound,
                        pv,
                        evaluation: None,
                        ..entry(value, 9)
                    };
                    let key =
                        0x1234_5678_9abc_def0 ^ value as u64 ^ (bound as u64) << 30 ^ u64::from(pv) << 40;
                    table.store(key, 3, entry);
                    assert_eq!(table.probe(key, 17), Some(entry));
                    assert_eq!(table.probe(key ^ 1 << 63, 17), None);
                }
            }
        }
    }

    #[test]
    fn mates_are_counted_from_the_position() {
        let table = Table::new(1 << 16);
        table.store(5, 10, entry(mate_at(13), 1));
        assert_eq!(table.probe(5, 4).map(|entry| entry.value), Some(mate_at(7)));
        table.store(6, 10, entry(mated_at(14), 1));
        assert_eq!(table.probe(6, 120).map(|entry| entry.value), Some(mated_at(124)));
    }

    #[test]
    fn shallow_and_old_entries_make_room() {
        let mut table = Table::new(1);
        assert_eq!(table.bytes(), 64);
        for (key, depth) in [(1, 9), (2, 3), (3, 7), (4, 5)] {
            table.store(key, 0, entry(0, depth));
        }
        table.store(5, 0, entry(0, 1));
        assert!(table.probe(2, 0).is_none() && table.probe(5, 0).is_some());
        table.age();
        table.store(6, 0, entry(0, 2));
        assert!(table.probe(5, 0).is_none());
        table.store(7, 0, entry(0, 1));
        assert!(table.probe(6, 0).is_some() && table.probe(4, 0).is_none());
        table.clear();
        assert!((1..8).all(|key| table.probe(key, 0).is_none()));
    }
}
