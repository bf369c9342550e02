//! Integers, floating-point numbers and UUIDs as bytes.

use std::fmt::Write as _;

use super::out::float_name;

/// Which byte of a number comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The most significant one.
    Big,
    /// The least significant one.
    Little,
}

/// The bits of 1, 2, 4 or 8 bytes; `None` for other lengths.
fn bits(bytes: &[u8], order: Order) -> Option<u64> {
    if !matches!(bytes.len(), 1 | 2 | 4 | 8) {
        return None;
    }
    let add = |bits: u64, byte: &u8| (bits << 8) | u64::from(*byte);
    Some(match order {
        Order::Big => bytes.iter().fold(0, add),
        Order::Little => bytes.iter().rev().fold(0, add),
    })
}

/// An unsigned integer of 1, 2, 4 or 8 bytes.
pub(super) fn unsigned(bytes: &[u8], order: Order) -> Option<u64> {
    bits(bytes, order)
}

/// A signed integer of 1, 2, 4 or 8 bytes.
pub(super) fn signed(bytes: &[u8], order: Order) -> Option<i64> {
    let bits = bits(bytes, order)?;
    let spare = 64_usize.saturating_sub(bytes.len().saturating_mul(8));
    Some(i64::from_be_bytes((bits << spare).to_be_bytes()) >> spare)
}

/// A signed integer of up to 8 bytes, the most significant first, as Java's `BigInteger` writes it.
pub(super) fn big_integer(bytes: &[u8]) -> Option<i64> {
    if bytes.is_empty() || bytes.len() > 8 {
        return None;
    }
    let bits = bytes
        .iter()
        .fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
    let spare = 64_usize.saturating_sub(bytes.len().saturating_mul(8));
    Some(i64::from_be_bytes((bits << spare).to_be_bytes()) >> spare)
}

/// A floating-point number of 4 or 8 bytes as text: the shortest digits that read as it again.
pub(super) fn float(bytes: &[u8], order: Order) -> Option<Floating> {
    let bits = bits(bytes, order)?;
    let (number, text) = if bytes.len() == 8 {
        let number = f64::from_bits(bits);
        (number, format!("{number:?}"))
    } else {
        let number = f32::from_bits(u32::try_from(bits).ok().filter(|_| bytes.len() == 4)?);
        (f64::from(number), format!("{number:?}"))
    };
    Some(if number.is_finite() {
        Floating {
            text,
            is_finite: true,
        }
    } else {
        Floating {
            text: float_name(number).to_owned(),
            is_finite: false,
        }
    })
}

/// A floating-point number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Floating {
    /// How it is written.
    pub text: String,
    /// Whether it is a number of JSON.
    pub is_finite: bool,
}

/// The number of eight bytes as a float, when few digits write it: hardly any other eight bytes do that.
pub(super) fn short_float(bytes: &[u8]) -> Option<String> {
    let number = f64::from_be_bytes(bytes.try_into().ok()?);
    let size = number.abs();
    if !(1e-6..1e12).contains(&size) {
        return None;
    }
    let text = format!("{number:?}");
    (text.len() <= 10).then_some(text)
}

/// The version that 16 bytes have as a UUID; `None` when they do not look like one.
pub(super) fn uuid_version(bytes: &[u8; 16]) -> Option<u8> {
    let [_, _, _, _, _, _, version, _, variant, ..] = *bytes;
    let version = version >> 4;
    ((1..=8).contains(&version) && variant >> 6 == 0b10).then_some(version)
}

/// 16 bytes as a UUID is written.
pub(super) fn uuid_text(bytes: &[u8; 16]) -> String {
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

/// The bytes of a UUID that is written out: 8, 4, 4, 4 and 12 hexadecimal digits.
pub(super) fn written_uuid(text: &str) -> Option<[u8; 16]> {
    if text.len() != 36 {
        return None;
    }
    let mut bits = 0_u128;
    for (index, byte) in text.bytes().enumerate() {
        if matches!(index, 8 | 13 | 18 | 23) {
            if byte != b'-' {
                return None;
            }
            continue;
        }
        let digit = char::from(byte).to_digit(16)?;
        bits = (bits << 4) | u128::from(digit);
    }
    Some(bits.to_be_bytes())
}

/// Whether `text` is a decimal number without a fraction.
pub(super) fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_all_lengths() {
        for (bytes, big, little) in [
            (&[0xff][..], -1, -1),
            (&[0x2a], 42, 42),
            (&[0x01, 0x02], 258, 513),
            (&[0xff, 0xfe], -2, -257),
            (&[0, 0, 0, 2], 2, 33_554_432),
            (&[0x80, 0, 0, 0], -2_147_483_648, 128),
            (
                &[0, 0, 0, 0, 0, 0, 0x12, 0x67],
                4_711,
                7_426_998_735_487_369_216,
            ),
            (
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe],
                -2,
                -72_057_594_037_927_937,
            ),
        ] {
            assert_eq!(signed(bytes, Order::Big), Some(big), "{bytes:?}");
            assert_eq!(signed(bytes, Order::Little), Some(little), "{bytes:?}");
        }
        assert_eq!(unsigned(&[0xff], Order::Big), Some(255));
        assert_eq!(unsigned(&[0xff; 8], Order::Big), Some(u64::MAX));
        assert_eq!(unsigned(&[1, 0], Order::Little), Some(1));
        for len in [0, 3, 5, 6, 7, 9, 16] {
            assert_eq!(signed(&vec![0; len], Order::Big), None);
        }
    }

    #[test]
    fn integers_as_short_as_they_can_be() {
        // 1,700,000,000,000 is 0x018bcfe56800.
        assert_eq!(
            big_integer(&[0x01, 0x8b, 0xcf, 0xe5, 0x68, 0x00]),
            Some(1_700_000_000_000)
        );
        assert_eq!(big_integer(&[0x80]), Some(-128));
        assert_eq!(big_integer(&[]), None);
        assert_eq!(big_integer(&[0; 9]), None);
    }

    #[test]
    fn floats() {
        let text = |bytes: &[u8], order| float(bytes, order).map(|float| float.text);
        // 1.5 is 0x3fc00000, 0x3ff8000000000000.
        assert_eq!(
            text(&[0x3f, 0xc0, 0, 0], Order::Big).as_deref(),
            Some("1.5")
        );
        assert_eq!(
            text(&[0, 0, 0xc0, 0x3f], Order::Little).as_deref(),
            Some("1.5")
        );
        assert_eq!(
            text(&[0x3f, 0xf8, 0, 0, 0, 0, 0, 0], Order::Big).as_deref(),
            Some("1.5")
        );
        assert_eq!(
            text(&[0, 0, 0, 0, 0, 0, 0xf8, 0x3f], Order::Little).as_deref(),
            Some("1.5")
        );
        assert_eq!(
            text(&[0x7f, 0xc0, 0, 0], Order::Big).as_deref(),
            Some("NaN")
        );
        assert_eq!(
            text(&[0xff, 0x80, 0, 0], Order::Big).as_deref(),
            Some("-Infinity")
        );
        assert!(float(&[0, 0], Order::Big).is_none() && float(&[0], Order::Big).is_none());
    }

    #[test]
    fn a_float_is_told_from_an_integer_by_its_few_digits() {
        // 43.2 is 0x404599999999999a.
        assert_eq!(
            short_float(&[0x40, 0x45, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a]).as_deref(),
            Some("43.2")
        );
        assert_eq!(short_float(&4_711_i64.to_be_bytes()), None);
        assert_eq!(short_float(&1_700_000_000_000_i64.to_be_bytes()), None);
        assert_eq!(
            short_float(&1_700_000_000_123_456_789_i64.to_be_bytes()),
            None
        );
        assert_eq!(short_float(&0.1_f64.sqrt().to_be_bytes()), None);
        assert_eq!(short_float(&[0; 8]), None);
    }

    #[test]
    fn uuids() {
        let bytes = [
            0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4,
            0x30, 0xc8,
        ];
        let text = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
        assert_eq!(uuid_text(&bytes), text);
        assert_eq!(written_uuid(text), Some(bytes));
        assert_eq!(written_uuid(&text.to_uppercase()), Some(bytes));
        assert_eq!(uuid_version(&bytes), Some(1));
        assert_eq!(uuid_version(&[0; 16]), None);
        assert_eq!(uuid_version(&[0x11; 16]), None);
        assert_eq!(written_uuid("6ba7b810-9dad-11d1-80b4-00c04fd430cg"), None);
        assert_eq!(written_uuid("6ba7b8109-dad-11d1-80b4-00c04fd430c8"), None);
        assert_eq!(written_uuid("ä"), None);
    }
}
