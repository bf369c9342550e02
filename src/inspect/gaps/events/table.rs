//! Keeping much in mind within a budget: names as hashes, tables that ask before they grow.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};

/// Stands for a key or an id: a hash of 64 bits, a checksum of 32 and the length, so that among millions no two fall
/// together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name([u64; 2]);

impl Name {
    /// The name of `parts`; the same bytes cut in another way have another one.
    pub(super) fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = DefaultHasher::new();
        let (mut sum, mut length) = (0, 0_usize);
        for part in parts {
            hasher.write(part);
            hasher.write_usize(part.len());
            sum = crc32c::crc32c_append(sum, part);
            length = length.saturating_add(part.len());
        }
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        Self([hasher.finish(), u64::from(sum) << 32 | u64::from(length)])
    }

    /// The same name in the lane, or the topic, of this number.
    #[must_use]
    pub(super) fn within(self, number: u32) -> Self {
        let number = u64::from(number).wrapping_add(1);
        let [a, b] = self.0;
        Self([
            a ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            b.wrapping_add(number.wrapping_mul(0xc2b2_ae3d_27d4_eb4f)),
        ])
    }

    /// A few of its bits.
    pub(super) fn short(self) -> u32 {
        let [_, b] = self.0;
        u32::try_from(b >> 32).unwrap_or_default()
    }
}

/// Names are hashes already.
#[derive(Debug, Default)]
pub(super) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some(first) = bytes.first_chunk() {
            self.0 ^= u64::from_ne_bytes(*first);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 ^= value;
    }
}

/// How many bytes may still be kept.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Room {
    left: u64,
    is_short: bool,
}

impl Room {
    pub(super) fn new(bytes: u64) -> Self {
        Self {
            left: bytes,
            is_short: false,
        }
    }

    /// Takes so many bytes, if there are so many.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        let left = u64::try_from(bytes)
            .ok()
            .and_then(|bytes| self.left.checked_sub(bytes));
        if let Some(left) = left {
            self.left = left;
        } else {
            self.is_short = true;
        }
        left.is_some()
    }

    /// Gives so many bytes back.
    pub(super) fn give(&mut self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or_default();
        self.left = self.left.saturating_add(bytes);
    }

    /// Whether something was refused.
    pub(super) fn is_short(&self) -> bool {
        self.is_short
    }

    /// How many bytes are left.
    #[cfg(test)]
    pub(super) fn left(&self) -> u64 {
        self.left
    }
}

/// Values by names. The memory of the table itself is in the budget, also while it grows and is there twice.
#[derive(Debug)]
pub(super) struct Table<V> {
    map: HashMap<Name, V, BuildHasherDefault<AsItIs>>,
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Self {
            map: HashMap::default(),
        }
    }
}

/// What a table begins with.
const FIRST: usize = 14;

impl<V> Table<V> {
    pub(super) fn get_mut(&mut self, name: &Name) -> Option<&mut V> {
        self.map.get_mut(name)
    }

    pub(super) fn get(&self, name: &Name) -> Option<&V> {
        self.map.get(name)
    }

    /// The values with their names, in no order that means something.
    pub(super) fn unsorted(&self) -> impl Iterator<Item = (&Name, &V)> {
        self.map.iter()
    }

    /// Keeps a value under a new name; whether there was room.
    pub(super) fn insert(&mut self, name: Name, value: V, room: &mut Room) -> bool {
        let (len, capacity) = (self.map.len(), self.map.capacity());
        if len >= capacity {
            let before = Self::bytes(capacity);
            let more = capacity.max(FIRST);
            if !room.take(Self::bytes(capacity.saturating_add(more))) {
                return false;
            }
            self.map.reserve(more);
            room.give(before);
        }
        self.map.insert(name, value);
        true
    }

    /// What a table takes that has room for so many: a place and a byte of control for each, an eighth of them free,
    /// and the places a power of two.
    fn bytes(capacity: usize) -> usize {
        if capacity == 0 {
            return 0;
        }
        let places = (capacity.saturating_mul(8) / 7).next_power_of_two();
        let each = size_of::<(Name, V)>().saturating_add(1);
        places.saturating_mul(each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_parts_and_lanes_apart() {
        let name = Name::of(&[b"ab", b"c"]);
        assert_eq!(name, Name::of(&[b"ab", b"c"]));
        assert_ne!(name, Name::of(&[b"a", b"bc"]));
        assert_ne!(name.within(0), name.within(1));
        assert_ne!(name.within(0), name);
    }

    #[test]
    fn a_table_grows_only_while_there_is_room() {
        // A place takes 16 bytes of a name, 8 of the value and 1 of control. 16 places, then 32, then 64 while the 32
        // are still there.
        let mut room = Room::new((32 + 64) * 25);
        let mut table = Table::default();
        let names: Vec<Name> = (0..100_u32)
            .map(|n| Name::of(&[&n.to_be_bytes()]))
            .collect();
        let kept = names
            .iter()
            .filter(|name| table.insert(**name, 1_u64, &mut room))
            .count();
        assert_eq!(kept, 56);
        assert!(room.is_short());
        assert_eq!(room.left(), 32 * 25);
        assert_eq!(table.get(&names[55]), Some(&1));
        assert_eq!(table.get(&names[56]), None);
        assert_eq!(table.unsorted().count(), 56);
    }

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let mut room = Room::new(10);
        assert!(room.take(10));
        assert!(!room.take(1));
        room.give(4);
        assert!(room.take(4));
        assert!(room.is_short());
    }
}
