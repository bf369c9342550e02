//! Rows by another column than time or offset. Pure.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::decode::fields::{self, Kind};
use crate::decode::number;
use crate::model::Record;

use super::super::decoding::Reader;
use super::super::state::{ColumnKind, TableSort};
use super::cells::{header_of, path_of};

/// What a row is sorted by.
enum Key<'r> {
    /// There is nothing: last, whichever way round.
    Missing,
    Number(u64),
    Bytes(Option<&'r [u8]>),
    Topic(&'r str),
    Place(&'r str, i32, i64),
    Field(Kind, String, String),
}

/// The rows' numbers in the order that `sort` asks for; equal ones stay as they were.
pub(super) fn sorted(reader: &Reader, rows: &[Arc<Record>], sort: &TableSort) -> Vec<usize> {
    let path = path_of(&sort.by);
    let keys: Vec<Key<'_>> = rows
        .iter()
        .map(|record| match &sort.by {
            ColumnKind::Partition => {
                Key::Number(u64::try_from(record.partition.0).unwrap_or_default())
            }
            ColumnKind::Size => Key::Number(record.size()),
            ColumnKind::Topic => Key::Topic(&record.topic),
            ColumnKind::Key => Key::Bytes(record.key.as_deref()),
            ColumnKind::Value => Key::Bytes(record.value.as_deref()),
            ColumnKind::Header(name) => header_of(record, name)
                .map_or(Key::Missing, |header| Key::Bytes(header.value.as_deref())),
            ColumnKind::Field(_) => path
                .as_ref()
                .and_then(|path| {
                    let text = reader.json(record)?;
                    let field = fields::find(&text, path)?;
                    Some(Key::Field(field.kind, field.raw.to_owned(), field.text()))
                })
                .unwrap_or(Key::Missing),
            ColumnKind::Offset => Key::Place(&record.topic, record.partition.0, record.offset.0),
            ColumnKind::Time | ColumnKind::ReadBy => Key::Missing,
        })
        .collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|a, b| match (keys.get(*a), keys.get(*b)) {
        (Some(a), Some(b)) => compare(a, b, sort.descending),
        _ => Ordering::Equal,
    });
    order
}

fn compare(a: &Key<'_>, b: &Key<'_>, descending: bool) -> Ordering {
    let order = match (a, b) {
        (Key::Missing, Key::Missing) => return Ordering::Equal,
        (Key::Missing, _) => return Ordering::Greater,
        (_, Key::Missing) => return Ordering::Less,
        (Key::Number(a), Key::Number(b)) => a.cmp(b),
        (Key::Topic(a), Key::Topic(b)) => a.cmp(b),
        (Key::Bytes(a), Key::Bytes(b)) => a.cmp(b),
        (Key::Place(a, of, at), Key::Place(b, of_b, at_b)) => (a, of, at).cmp(&(b, of_b, at_b)),
        (Key::Field(Kind::Number, a, _), Key::Field(Kind::Number, b, _)) => number::compare(a, b),
        (Key::Field(kind, _, a), Key::Field(other, _, b)) => {
            rank(*kind).cmp(&rank(*other)).then_with(|| a.cmp(b))
        }
        _ => Ordering::Equal,
    };
    if descending { order.reverse() } else { order }
}

fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Null => 0,
        Kind::Bool => 1,
        Kind::Number => 2,
        Kind::Text => 3,
        Kind::Nested => 4,
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::model::by_hand;

    fn rows(values: &[&str]) -> Vec<Arc<Record>> {
        let row = |(offset, value): (i64, &&str)| {
            Arc::new(Record {
                value: Some(Bytes::from((*value).to_owned())),
                ..by_hand::record("t", 0, offset)
            })
        };
        (0_i64..).zip(values).map(row).collect()
    }

    fn reader() -> Reader {
        Reader::of(
            &crate::ui::state::UiState::default(),
            &crate::engine::Snapshot::default(),
        )
    }

    fn by(kind: ColumnKind, descending: bool) -> TableSort {
        TableSort {
            by: kind,
            descending,
        }
    }

    #[test]
    fn numbers_go_by_what_they_are_worth_and_blanks_come_last() {
        let rows = rows(&["{\"n\":10}", "{}", "{\"n\":9.5}", "no json", "{\"n\":-1}"]);
        let field = ColumnKind::Field(".n".into());
        assert_eq!(
            sorted(&reader(), &rows, &by(field.clone(), false)),
            [4, 2, 0, 1, 3]
        );
        assert_eq!(sorted(&reader(), &rows, &by(field, true)), [0, 2, 4, 1, 3]);
    }

    #[test]
    fn kinds_stay_together() {
        let rows = rows(&[
            "{\"n\":\"b\"}",
            "{\"n\":2}",
            "{\"n\":null}",
            "{\"n\":\"a\"}",
        ]);
        assert_eq!(
            sorted(&reader(), &rows, &by(ColumnKind::Field(".n".into()), false)),
            [2, 1, 3, 0]
        );
    }

    #[test]
    fn by_offset_each_partition_stands_for_itself() {
        let row = |partition, offset| Arc::new(by_hand::record("t", partition, offset));
        let rows = [row(1, 4), row(0, 9), row(1, 3), row(0, 10)];
        assert_eq!(
            sorted(&reader(), &rows, &by(ColumnKind::Offset, false)),
            [1, 3, 2, 0]
        );
    }

    #[test]
    fn equal_rows_stay_as_they_were() {
        let rows = rows(&["bb", "aa", "cc"]);
        assert_eq!(
            sorted(&reader(), &rows, &by(ColumnKind::Size, true)),
            [0, 1, 2]
        );
        assert_eq!(
            sorted(&reader(), &rows, &by(ColumnKind::Value, false)),
            [1, 0, 2]
        );
    }
}
