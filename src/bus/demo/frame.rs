//! Reading a request's header, and proving that a request is what it says before it is decoded.
//!
//! The codec reserves memory for as many elements as an array claims to have, and a claim of two
//! thousand million ends the process. So every request is walked first, by its shape: a count may not
//! exceed what the bytes left can hold, and every length must lie within them. All arrays together may have
//! only so many elements, because an answer takes far more memory than the few bytes that ask for it.

use bytes::Bytes;
use kafka_protocol::messages::ApiKey;

use super::limits;
use super::shapes::{Field, Kind, Shape, shape};

/// A request that is not what its header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// The header of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Which request it is.
    pub(super) api_key: i16,
    /// In which version it is written.
    pub(super) version: i16,
    /// The number that the response repeats.
    pub(super) correlation_id: i32,
    /// What the client calls itself.
    pub(super) client_id: Option<String>,
}

/// Reads as much of the header as every version of it has: the request's kind, version and number.
pub(super) fn header_start(frame: &[u8]) -> Result<Header, Malformed> {
    let mut reader = Reader::new(frame);
    Ok(Header {
        api_key: reader.i16()?,
        version: reader.i16()?,
        correlation_id: reader.i32()?,
        client_id: None,
    })
}

/// Splits a frame into its header and its body, of which every length has been checked.
pub(super) fn read(frame: &Bytes, api: ApiKey) -> Result<(Header, Bytes), Malformed> {
    let mut reader = Reader::new(frame);
    let mut header = header_start(frame)?;
    reader.skip(8)?;
    let client_id = reader.length(false)?;
    header.client_id = match client_id {
        None => None,
        Some(length) => {
            let text = std::str::from_utf8(reader.take(length)?).map_err(|_utf8| Malformed)?;
            Some(text.to_owned())
        }
    };
    if api.request_header_version(header.version) >= 2 {
        reader.tagged_fields()?;
    }
    let at = frame.len().checked_sub(reader.left()).ok_or(Malformed)?;
    check(reader, api, header.version)?;
    Ok((header, frame.slice(at..)))
}

/// How many bytes a body has beyond its request.
#[cfg(test)]
pub(super) fn left_over(body: &[u8], api: ApiKey, version: i16) -> Result<usize, Malformed> {
    check(Reader::new(body), api, version)
}

/// Walks a body by the request's shape. What follows the last field is left alone, as Kafka leaves it.
fn check(mut reader: Reader<'_>, api: ApiKey, version: i16) -> Result<usize, Malformed> {
    let (flexible_from, fields): Shape = shape(api).ok_or(Malformed)?;
    let mut walk = Walk {
        version,
        elements: limits::ELEMENTS,
        flexible: flexible_from.is_some_and(|from| version >= from),
    };
    walk.fields(&mut reader, fields)?;
    Ok(reader.left())
}

struct Walk {
    version: i16,
    flexible: bool,
    /// How many more array elements the request may have.
    elements: usize,
}

impl Walk {
    fn fields(&mut self, reader: &mut Reader<'_>, fields: &[Field]) -> Result<(), Malformed> {
        for field in fields {
            if self.has(field) {
                self.value(reader, field.kind)?;
            }
        }
        if self.flexible {
            reader.tagged_fields()?;
        }
        Ok(())
    }

    fn value(&mut self, reader: &mut Reader<'_>, kind: Kind) -> Result<(), Malformed> {
        match kind {
            Kind::Fixed(size) => reader.skip(size),
            Kind::Text => self.skip_sized(reader, false),
            Kind::Bytes => self.skip_sized(reader, true),
            Kind::Each(element) => {
                let least = self.least(*element);
                for _ in 0..self.count(reader, least)? {
                    self.value(reader, *element)?;
                }
                Ok(())
            }
            Kind::Many(fields) => {
                let least = self.least_of(fields);
                for _ in 0..self.count(reader, least)? {
                    self.fields(reader, fields)?;
                }
                Ok(())
            }
        }
    }

    fn skip_sized(&self, reader: &mut Reader<'_>, wide: bool) -> Result<(), Malformed> {
        let length = if self.flexible {
            reader.compact_length()?
        } else {
            reader.length(wide)?
        };
        reader.skip(length.unwrap_or(0))
    }

    /// An array's count, refused when the bytes left cannot hold that many elements.
    fn count(&mut self, reader: &mut Reader<'_>, least: usize) -> Result<usize, Malformed> {
        let count = if self.flexible {
            reader.compact_length()?
        } else {
            reader.length(true)?
        };
        let count = count.unwrap_or(0);
        let needed = count.checked_mul(least).ok_or(Malformed)?;
        if needed > reader.left() {
            return Err(Malformed);
        }
        self.elements = self.elements.checked_sub(count).ok_or(Malformed)?;
        Ok(count)
    }

    /// The fewest bytes that a value takes; never 0, so that a count is always bounded.
    fn least(&self, kind: Kind) -> usize {
        match kind {
            Kind::Fixed(size) => size,
            Kind::Text if !self.flexible => 2,
            Kind::Bytes | Kind::Each(_) | Kind::Many(_) if !self.flexible => 4,
            Kind::Text | Kind::Bytes | Kind::Each(_) | Kind::Many(_) => 1,
        }
    }

    fn least_of(&self, fields: &[Field]) -> usize {
        let present = fields.iter().filter(|field| self.has(field));
        let sum: usize = present.map(|field| self.least(field.kind)).sum();
        sum.saturating_add(usize::from(self.flexible)).max(1)
    }

    fn has(&self, field: &Field) -> bool {
        (field.from..=field.to).contains(&self.version)
    }
}

/// Reads from the front of a slice, and never beyond its end.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    fn left(&self) -> usize {
        self.rest.len()
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    fn skip(&mut self, length: usize) -> Result<(), Malformed> {
        self.take(length).map(|_taken| ())
    }

    fn i16(&mut self) -> Result<i16, Malformed> {
        let bytes = self.take(2)?.try_into().map_err(|_length| Malformed)?;
        Ok(i16::from_be_bytes(bytes))
    }

    fn i32(&mut self) -> Result<i32, Malformed> {
        let bytes = self.take(4)?.try_into().map_err(|_length| Malformed)?;
        Ok(i32::from_be_bytes(bytes))
    }

    /// A length of two bytes, or of four when `wide`; −1 is null.
    fn length(&mut self, wide: bool) -> Result<Option<usize>, Malformed> {
        let length = if wide {
            self.i32()?
        } else {
            i32::from(self.i16()?)
        };
        if length == -1 {
            return Ok(None);
        }
        usize::try_from(length)
            .map(Some)
            .map_err(|_negative| Malformed)
    }

    /// A compact length: one more than the length, 0 is null.
    fn compact_length(&mut self) -> Result<Option<usize>, Malformed> {
        let length = usize::try_from(self.varint()?).map_err(|_width| Malformed)?;
        Ok(length.checked_sub(1))
    }

    /// Reads as the codec does, so that both come to the same place: five bytes at most, high bits lost.
    fn varint(&mut self) -> Result<u32, Malformed> {
        let mut value = 0_u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.take(1)?.first().copied().ok_or(Malformed)?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        Ok(value)
    }

    fn tagged_fields(&mut self) -> Result<(), Malformed> {
        let count = usize::try_from(self.varint()?).map_err(|_width| Malformed)?;
        if count.checked_mul(2).ok_or(Malformed)? > self.left() {
            return Err(Malformed);
        }
        for _ in 0..count {
            self.varint()?;
            let size = usize::try_from(self.varint()?).map_err(|_width| Malformed)?;
            self.skip(size)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(api: ApiKey, version: i16, body: &[u8]) -> Result<usize, Malformed> {
        left_over(body, api, version)
    }

    #[test]
    fn an_array_may_not_claim_more_than_the_bytes_left_can_hold() {
        // OffsetDelete: group "g", then topics of at least 2 + 4 bytes each.
        let group = [0, 1, b'g'];
        let topics = |count: i32, bytes: &[u8]| {
            [group.as_slice(), count.to_be_bytes().as_slice(), bytes].concat()
        };
        assert_eq!(walk(ApiKey::OffsetDelete, 0, &topics(0, &[])), Ok(0));
        assert_eq!(walk(ApiKey::OffsetDelete, 0, &topics(-1, &[])), Ok(0));
        let one = [0, 1, b't', 0, 0, 0, 0];
        assert_eq!(walk(ApiKey::OffsetDelete, 0, &topics(1, &one)), Ok(0));
        assert_eq!(
            walk(ApiKey::OffsetDelete, 0, &topics(2, &one)),
            Err(Malformed)
        );
        for count in [i32::MAX, i32::MIN, -2] {
            assert_eq!(
                walk(ApiKey::OffsetDelete, 0, &topics(count, &one)),
                Err(Malformed)
            );
        }
    }

    #[test]
    fn a_compact_array_may_not_claim_more_either() {
        // DescribeTransactions: a compact array of compact strings, then tagged fields.
        assert_eq!(
            walk(ApiKey::DescribeTransactions, 0, &[2, 2, b'a', 0]),
            Ok(0)
        );
        assert_eq!(walk(ApiKey::DescribeTransactions, 0, &[0, 0]), Ok(0));
        let huge = [0xff, 0xff, 0xff, 0xff, 0x0f, 2, b'a', 0];
        assert_eq!(walk(ApiKey::DescribeTransactions, 0, &huge), Err(Malformed));
    }

    #[test]
    fn a_request_may_have_only_so_many_elements() {
        let with = |count: usize| {
            // DescribeGroups: an array of strings, here all empty.
            let mut body = i32::try_from(count).unwrap().to_be_bytes().to_vec();
            body.resize(4 + 2 * count, 0);
            walk(ApiKey::DescribeGroups, 0, &body)
        };
        assert_eq!(with(limits::ELEMENTS), Ok(0));
        assert_eq!(with(limits::ELEMENTS + 1), Err(Malformed));
    }

    #[test]
    fn a_string_may_not_reach_beyond_the_end() {
        assert_eq!(
            walk(ApiKey::FindCoordinator, 0, &[0, 3, b'a', b'b']),
            Err(Malformed)
        );
        assert_eq!(
            walk(ApiKey::FindCoordinator, 0, &[0xff, 0xfe]),
            Err(Malformed)
        );
        assert_eq!(
            walk(ApiKey::FindCoordinator, 0, &[0, 2, b'a', b'b', 9]),
            Ok(1)
        );
    }

    #[test]
    fn tagged_fields_are_stepped_over_and_bounded() {
        assert_eq!(walk(ApiKey::ListGroups, 3, &[1, 9, 2, 7, 7]), Ok(0));
        assert_eq!(
            walk(ApiKey::ListGroups, 3, &[1, 9, 3, 7, 7]),
            Err(Malformed)
        );
        assert_eq!(
            walk(ApiKey::ListGroups, 3, &[0xff, 0xff, 0xff, 0xff, 0x0f]),
            Err(Malformed)
        );
    }

    #[test]
    fn a_header_gives_the_client_its_name_back() {
        let frame = Bytes::from_static(&[0, 18, 0, 0, 0, 0, 0, 5, 0, 2, b'm', b'e']);
        let (header, body) = read(&frame, ApiKey::ApiVersions).unwrap();
        assert_eq!(header.client_id.as_deref(), Some("me"));
        assert_eq!((header.version, header.correlation_id), (0, 5));
        assert!(body.is_empty());
    }

    #[test]
    fn a_header_that_is_cut_off_is_refused() {
        assert_eq!(header_start(&[0, 18, 0]), Err(Malformed));
        let frame = Bytes::from_static(&[0, 18, 0, 0, 0, 0, 0, 5, 0, 9, b'm', b'e']);
        assert!(read(&frame, ApiKey::ApiVersions).is_err());
    }
}
