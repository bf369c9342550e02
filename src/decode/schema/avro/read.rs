//! Data of a schema, written as JSON while it is read.

use std::fmt::Write as _;

use crate::decode::schema::calendar;
use crate::decode::schema::decimal::decimal;
use crate::decode::schema::failure::Failure;
use crate::decode::schema::out::Out;

use super::node::{Branch, BytesAs, Field, IntAs, LongAs, Node, NodeId};

/// Arrays, maps and records may be nested as deep as this.
pub(super) const MOST_DEPTH: usize = 256;

/// The JSON text of the datum that `bytes` begin with, and how many bytes it takes.
pub(super) fn read(nodes: &[Node], root: NodeId, bytes: &[u8]) -> Result<(String, usize), Failure> {
    let mut reader = Reader {
        nodes,
        input: Input { bytes, at: 0 },
        out: Out::of(bytes.len()),
        depth: 0,
    };
    reader.value(root)?;
    Ok((reader.out.into_text(), reader.input.at))
}

struct Reader<'a> {
    nodes: &'a [Node],
    input: Input<'a>,
    out: Out,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, id: NodeId) -> Result<(), Failure> {
        let nodes = self.nodes;
        let at = self.input.at;
        match nodes.get(id) {
            Some(Node::Null) => self.out.put(at, "null"),
            Some(Node::Boolean) => match self.input.take(1)? {
                [0] => self.out.put(at, "false"),
                [1] => self.out.put(at, "true"),
                other => Err(Failure::new(at, format!("{other:?} is no boolean"))),
            },
            Some(Node::Int(shown)) => self.int(*shown),
            Some(Node::Long(shown)) => self.long(*shown),
            Some(Node::Float) => {
                let value = f32::from_le_bytes(self.input.array()?);
                self.out.float(at, value)
            }
            Some(Node::Double) => {
                let value = f64::from_le_bytes(self.input.array()?);
                self.out.double(at, value)
            }
            Some(Node::Text) => self.text(),
            Some(Node::Bytes(shown)) => {
                let bytes = self.input.counted()?;
                self.bytes(at, bytes, *shown)
            }
            Some(Node::Fixed { size, shown, .. }) => {
                let bytes = self.input.take(*size)?;
                self.bytes(at, bytes, *shown)
            }
            Some(Node::Enum { name, symbols }) => self.symbol(name, symbols),
            Some(Node::Array(items)) => self.deeper(|this| this.array(*items)),
            Some(Node::Map(values)) => self.deeper(|this| this.map(*values)),
            Some(Node::Union { branches, named }) => self.union(branches, *named),
            Some(Node::Record { fields, .. }) => self.deeper(|this| this.record(fields)),
            // What a name stands for was put in its place when the schema was read.
            Some(Node::Named { .. }) | None => Err(Failure::new(at, "the schema has no type here")),
        }
    }

    fn deeper(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.depth >= MOST_DEPTH {
            let what = format!("types are nested deeper than {MOST_DEPTH}");
            return Err(Failure::new(self.input.at, what));
        }
        self.depth += 1;
        let done = read(self);
        self.depth -= 1;
        done
    }

    fn int(&mut self, shown: IntAs) -> Result<(), Failure> {
        let at = self.input.at;
        let value = self.input.long()?;
        if i32::try_from(value).is_err() {
            return Err(Failure::new(at, format!("{value} is no int of 32 bits")));
        }
        match shown {
            IntAs::Number => self.out.number(at, value),
            IntAs::Date => self.out.string(at, &calendar::date(value)),
            IntAs::TimeOfDay => self.time_of_day(at, value, 3),
        }
    }

    fn long(&mut self, shown: LongAs) -> Result<(), Failure> {
        let at = self.input.at;
        let value = self.input.long()?;
        match shown {
            LongAs::Number => self.out.number(at, value),
            LongAs::TimeOfDay => self.time_of_day(at, value, 6),
            LongAs::Instant { digits } => {
                let moment = calendar::moment(value, digits);
                self.out.string(at, &format!("{moment}Z"))
            }
            LongAs::Local { digits } => self.out.string(at, &calendar::moment(value, digits)),
        }
    }

    /// A number that is no time of day stays a number, in words, so that it is not taken for one.
    fn time_of_day(&mut self, at: usize, value: i64, digits: u32) -> Result<(), Failure> {
        let unit = if digits == 3 { "ms" } else { "µs" };
        let written = calendar::time_of_day(value, digits);
        let written = written.unwrap_or_else(|| format!("{value} {unit} after midnight"));
        self.out.string(at, &written)
    }

    fn text(&mut self) -> Result<(), Failure> {
        let at = self.input.at;
        let bytes = self.input.counted()?;
        match std::str::from_utf8(bytes) {
            Ok(text) => self.out.string(at, text),
            Err(error) => {
                let begin = self.input.at.saturating_sub(bytes.len());
                let at = begin.saturating_add(error.valid_up_to());
                Err(Failure::new(at, "the text is not UTF-8"))
            }
        }
    }

    fn bytes(&mut self, at: usize, bytes: &[u8], shown: BytesAs) -> Result<(), Failure> {
        match (shown, bytes) {
            (BytesAs::Decimal { scale }, _) => match decimal(bytes, scale) {
                Some(number) => self.out.put(at, &number),
                None => Err(too_long(at, bytes)),
            },
            (BytesAs::BigDecimal, _) => {
                let mut inside = Input { bytes, at: 0 };
                let parts = inside
                    .counted()
                    .and_then(|unscaled| Ok((unscaled, inside.long()?)));
                match parts {
                    Ok((unscaled, scale)) => match decimal(unscaled, scale) {
                        Some(number) => self.out.put(at, &number),
                        None => Err(too_long(at, unscaled)),
                    },
                    Err(_) => Err(Failure::new(at, "a decimal number is cut off")),
                }
            }
            (BytesAs::Uuid, bytes) if bytes.len() == 16 => self.out.string(at, &uuid(bytes)),
            (BytesAs::Duration, bytes) => match duration(bytes) {
                Some(written) => self.out.string(at, &written),
                None => self.out.base64(at, bytes),
            },
            (BytesAs::Uuid | BytesAs::Base64, _) => self.out.base64(at, bytes),
        }
    }

    fn symbol(&mut self, name: &str, symbols: &[String]) -> Result<(), Failure> {
        let at = self.input.at;
        let index = self.input.long()?;
        let symbol = usize::try_from(index).ok().and_then(|at| symbols.get(at));
        match symbol {
            Some(symbol) => self.out.string(at, symbol),
            None => Err(Failure::new(
                at,
                format!(
                    "the enum {name} has no symbol {index}, it has {}",
                    symbols.len()
                ),
            )),
        }
    }

    fn array(&mut self, items: NodeId) -> Result<(), Failure> {
        self.out.put(self.input.at, "[")?;
        let mut index = 0_u64;
        loop {
            let count = self.block()?;
            if count == 0 {
                break;
            }
            for _ in 0..count {
                if index > 0 {
                    self.out.put(self.input.at, ",")?;
                }
                self.value(items)
                    .map_err(|failure| failure.in_item(index))?;
                index = index.saturating_add(1);
            }
        }
        self.out.put(self.input.at, "]")
    }

    fn map(&mut self, values: NodeId) -> Result<(), Failure> {
        self.out.put(self.input.at, "{")?;
        let mut is_first = true;
        loop {
            let count = self.block()?;
            if count == 0 {
                break;
            }
            for _ in 0..count {
                if !is_first {
                    self.out.put(self.input.at, ",")?;
                }
                is_first = false;
                let before = self.input.at;
                self.text()?;
                self.out.put(self.input.at, ":")?;
                let after = self.input.at;
                self.value(values).map_err(|failure| {
                    let mut key = Input {
                        bytes: self.input.bytes.get(..after).unwrap_or_default(),
                        at: before,
                    };
                    let key = key.counted().unwrap_or_default();
                    failure.in_field(&String::from_utf8_lossy(key))
                })?;
            }
        }
        self.out.put(self.input.at, "}")
    }

    /// How many items come next; after a negative number stands how many bytes they take, which is not needed here.
    fn block(&mut self) -> Result<u64, Failure> {
        let count = self.input.long()?;
        if count < 0 {
            self.input.long()?;
        }
        Ok(count.unsigned_abs())
    }

    fn union(&mut self, branches: &'a [Branch], named: bool) -> Result<(), Failure> {
        let at = self.input.at;
        let index = self.input.long()?;
        let branch = usize::try_from(index).ok().and_then(|at| branches.get(at));
        let Some(branch) = branch else {
            let what = format!("a union of {} types has no type {index}", branches.len());
            return Err(Failure::new(at, what));
        };
        if !named || matches!(self.nodes.get(branch.node), Some(Node::Null)) {
            return self.value(branch.node);
        }
        self.out.put(at, "{")?;
        self.out.put(at, &branch.quoted)?;
        self.out.put(at, ":")?;
        self.value(branch.node)?;
        self.out.put(at, "}")
    }

    fn record(&mut self, fields: &'a [Field]) -> Result<(), Failure> {
        let mut before = "{";
        for field in fields {
            self.out.put(self.input.at, before)?;
            self.out.put(self.input.at, &field.quoted)?;
            self.out.put(self.input.at, ":")?;
            self.value(field.node)
                .map_err(|failure| failure.in_field(&field.name))?;
            before = ",";
        }
        let end = if fields.is_empty() { "{}" } else { "}" };
        self.out.put(self.input.at, end)
    }
}

fn too_long(at: usize, bytes: &[u8]) -> Failure {
    let what = format!("a decimal number of {} bytes is too long", bytes.len());
    Failure::new(at, what)
}

fn uuid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        // Writing to a String cannot fail.
        write!(text, "{byte:02x}").unwrap_or_default();
    }
    text
}

/// Months, days and milliseconds, four bytes each, in ISO 8601.
fn duration(bytes: &[u8]) -> Option<String> {
    let part = |index: usize| -> Option<u32> {
        let four = bytes.get(index..index.checked_add(4)?)?;
        Some(u32::from_le_bytes(four.try_into().ok()?))
    };
    let (months, days, millis) = (part(0)?, part(4)?, part(8)?);
    let some = |count: u32, unit: char| match count {
        0 => String::new(),
        _ => format!("{count}{unit}"),
    };
    let (months, days) = (some(months, 'M'), some(days, 'D'));
    let has_days = !months.is_empty() || !days.is_empty();
    let time = match millis {
        0 if has_days => String::new(),
        _ => format!("T{}.{:03}S", millis / 1_000, millis % 1_000),
    };
    Some(format!("P{months}{days}{time}"))
}

/// The bytes and how far they were read.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Failure> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        match rest.get(..count) {
            Some(taken) => {
                self.at = self.at.saturating_add(count);
                Ok(taken)
            }
            None => Err(Failure::new(
                self.at,
                match (count, rest.len()) {
                    (1, _) => "the bytes end here, and one more is needed".to_owned(),
                    (count, left) => format!("{count} bytes are needed, {left} are left"),
                },
            )),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Failure> {
        let at = self.at;
        match self.take(N)?.first_chunk() {
            Some(taken) => Ok(*taken),
            None => Err(Failure::new(at, "bytes are missing")),
        }
    }

    /// A number of up to 64 bits, seven of them a byte, the sign in the lowest.
    fn long(&mut self) -> Result<i64, Failure> {
        let begin = self.at;
        let mut all = 0_u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && byte > 1 {
                break;
            }
            all |= bits << shift;
            if byte < 0x80 {
                let half = i64::try_from(all >> 1).unwrap_or(i64::MAX);
                return Ok(if all & 1 == 0 { half } else { !half });
            }
        }
        Err(Failure::new(begin, "a number has more than 64 bits"))
    }

    /// Bytes behind their number.
    fn counted(&mut self) -> Result<&'a [u8], Failure> {
        let at = self.at;
        let count = self.long()?;
        match usize::try_from(count) {
            Ok(count) => self.take(count),
            Err(_) => Err(Failure::new(at, format!("a length of {count} is none"))),
        }
    }
}
