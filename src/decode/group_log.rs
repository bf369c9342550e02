//! What Kafka writes down of groups in `__consumer_offsets`, as data: commits, and who was a member.
//!
//! Layouts are those of Kafka's message definitions (`OffsetCommitKey`, `OffsetCommitValue`, `GroupMetadataKey`,
//! `GroupMetadataValue`, `ConsumerGroupMemberMetadataKey`, `StreamsGroupMemberMetadataKey`), up to 4.4. For people the
//! same records are decoded as text, by `decode::value`.

use crate::model::{Committed, Offset, Text, TimestampMs, TopicPartition};

/// One record, as far as it tells of commits and members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupLogEntry {
    /// A group has committed, or its committed offset was deleted.
    Commit {
        /// The group.
        group: Text,
        /// The partition.
        at: TopicPartition,
        /// What was committed and when; `None` when it was deleted.
        to: Option<(Committed, Option<TimestampMs>)>,
    },
    /// A classic group was put together anew.
    Classic {
        /// The group.
        group: Text,
        /// Its generation and how many members it has; `None` when it was deleted.
        to: Option<(i32, u32)>,
    },
    /// A member of a group of the newer protocols has come or gone.
    Member {
        /// The group.
        group: Text,
        /// The member.
        member: Text,
        /// Whether it is there from now on.
        joined: bool,
    },
    /// Anything else.
    Other,
}

/// Reads one record; `None` when its bytes are not what its key says.
pub fn group_log_entry(key: &[u8], value: Option<&[u8]>) -> Option<GroupLogEntry> {
    let mut key = Bytes(key);
    match key.i16()? {
        0 | 1 => {
            let group = key.text()?;
            let topic = key.text()?;
            let at = TopicPartition::new(topic.lossy(), key.i32()?);
            let to = match value {
                Some(value) => Some(committed(value)?),
                None => None,
            };
            Some(GroupLogEntry::Commit { group, at, to })
        }
        2 => {
            let group = key.text()?;
            let to = match value {
                Some(value) => Some(classic(value)?),
                None => None,
            };
            Some(GroupLogEntry::Classic { group, to })
        }
        5 | 19 => Some(GroupLogEntry::Member {
            group: key.text()?,
            member: key.text()?,
            joined: value.is_some(),
        }),
        _ => Some(GroupLogEntry::Other),
    }
}

fn committed(value: &[u8]) -> Option<(Committed, Option<TimestampMs>)> {
    let mut value = Bytes(value);
    let version = value.i16().filter(|version| (0..=4).contains(version))?;
    let offset = Offset(value.i64()?);
    let leader_epoch = if version >= 3 {
        value.i32().filter(|epoch| *epoch >= 0)
    } else {
        None
    };
    let metadata = if version >= 4 {
        value.compact_text()?
    } else {
        value.text()?
    };
    let at = value.i64()?;
    let committed = Committed {
        offset,
        leader_epoch,
        metadata,
    };
    Some((committed, (at >= 0).then_some(TimestampMs(at))))
}

fn classic(value: &[u8]) -> Option<(i32, u32)> {
    let mut value = Bytes(value);
    let version = value.i16().filter(|version| (0..=4).contains(version))?;
    let is_flexible = version >= 4;
    let pass_text = |value: &mut Bytes<'_>| {
        if is_flexible {
            value.compact_text()
        } else {
            value.text()
        }
    };
    pass_text(&mut value)?;
    let generation = value.i32()?;
    pass_text(&mut value)?;
    pass_text(&mut value)?;
    if version >= 2 {
        value.i64()?;
    }
    let members = if is_flexible {
        value.varint()?.checked_sub(1)?
    } else {
        u32::try_from(value.i32()?).ok()?
    };
    Some((generation, members))
}

/// Bytes that are read from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn i16(&mut self) -> Option<i16> {
        self.array().map(i16::from_be_bytes)
    }

    fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_be_bytes)
    }

    fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_be_bytes)
    }

    fn varint(&mut self) -> Option<u32> {
        let mut value: u64 = 0;
        for shift in [0, 7, 14, 21, 28] {
            let [byte] = self.array::<1>()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u32::try_from(value).ok();
            }
        }
        None
    }

    /// A text with its length in two bytes; −1 is none, which is taken for an empty one.
    fn text(&mut self) -> Option<Text> {
        let length = usize::try_from(self.i16()?.max(0)).ok()?;
        self.take(length).map(Text::from_bytes)
    }

    fn compact_text(&mut self) -> Option<Text> {
        let length = usize::try_from(self.varint()?.saturating_sub(1)).ok()?;
        self.take(length).map(Text::from_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &[u8]) -> Vec<u8> {
        let mut bytes = u16::try_from(text.len()).unwrap().to_be_bytes().to_vec();
        bytes.extend(text);
        bytes
    }

    fn commit_key(version: i16) -> Vec<u8> {
        let mut key = version.to_be_bytes().to_vec();
        key.extend(text(b"g\xff"));
        key.extend(text(b"t"));
        key.extend(3_i32.to_be_bytes());
        key
    }

    /// The offset 7 with epoch 5 where there is one, the text "m", at 1000.
    fn commit_value(version: i16) -> Vec<u8> {
        let mut value = version.to_be_bytes().to_vec();
        value.extend(7_i64.to_be_bytes());
        if version >= 3 {
            value.extend(5_i32.to_be_bytes());
        }
        if version >= 4 {
            value.extend([2, b'm']);
        } else {
            value.extend(text(b"m"));
        }
        value.extend(1_000_i64.to_be_bytes());
        if version == 1 {
            value.extend(2_000_i64.to_be_bytes());
        }
        if version >= 4 {
            value.push(0);
        }
        value
    }

    #[test]
    fn commits_of_every_version_are_read() {
        for version in 0..=4 {
            let entry = group_log_entry(&commit_key(1), Some(&commit_value(version))).unwrap();
            let committed = Committed {
                offset: Offset(7),
                leader_epoch: (version >= 3).then_some(5),
                metadata: Text::from("m"),
            };
            assert_eq!(
                entry,
                GroupLogEntry::Commit {
                    group: Text::from_bytes(b"g\xff"),
                    at: TopicPartition::new("t", 3),
                    to: Some((committed, Some(TimestampMs(1_000)))),
                },
                "{version}"
            );
        }
        assert_eq!(
            group_log_entry(&commit_key(1), Some(&commit_value(5))),
            None
        );
    }

    #[test]
    fn a_tombstone_deletes() {
        let entry = group_log_entry(&commit_key(0), None).unwrap();
        assert!(matches!(entry, GroupLogEntry::Commit { to: None, .. }));
    }

    #[test]
    fn members_of_a_classic_group_are_counted_in_every_version() {
        let mut key = 2_i16.to_be_bytes().to_vec();
        key.extend(text(b"g"));
        for version in 0..=4_i16 {
            let mut value = version.to_be_bytes().to_vec();
            let flexible = version >= 4;
            let put = |value: &mut Vec<u8>, words: &[u8]| {
                if flexible {
                    value.push(u8::try_from(words.len()).unwrap() + 1);
                    value.extend(words);
                } else {
                    value.extend(text(words));
                }
            };
            put(&mut value, b"consumer");
            value.extend(6_i32.to_be_bytes());
            put(&mut value, b"range");
            put(&mut value, b"");
            if version >= 2 {
                value.extend(9_i64.to_be_bytes());
            }
            if flexible {
                value.push(3);
            } else {
                value.extend(2_i32.to_be_bytes());
            }
            let group = Text::from("g");
            let to = Some((6, 2));
            assert_eq!(
                group_log_entry(&key, Some(&value)),
                Some(GroupLogEntry::Classic { group, to }),
                "{version}"
            );
        }
    }

    #[test]
    fn members_of_newer_groups_come_and_go() {
        let mut key = 5_i16.to_be_bytes().to_vec();
        key.extend(text(b"g"));
        key.extend(text(b"m"));
        let joined = |value| match group_log_entry(&key, value) {
            Some(GroupLogEntry::Member { joined, .. }) => joined,
            other => panic!("{other:?}"),
        };
        assert!(joined(Some(&[0, 0])));
        assert!(!joined(None));
        assert_eq!(
            group_log_entry(&[0, 8, 0, 0], None),
            Some(GroupLogEntry::Other)
        );
    }

    #[test]
    fn random_bytes_never_panic() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..50_000 {
            let key: Vec<u8> = (0..random.usize(..24)).map(|_| random.u8(..6)).collect();
            let value: Vec<u8> = (0..random.usize(..40)).map(|_| random.u8(..6)).collect();
            drop(group_log_entry(&key, Some(&value)));
        }
    }
}
