//! Decimal numbers out of two's complement bytes, with all their digits.

use std::fmt::Write as _;

/// The longest number that is turned into digits, in bytes: dividing takes the square of that.
pub(super) const MOST_BYTES: usize = 512;
/// More digits behind the point than this are written as a power of ten.
const MOST_PLACES: i64 = 1_000;
/// What the digits are taken out by.
const STEP: u64 = 1_000_000_000;

/// The number whose unscaled value is `bytes` (big-endian two's complement) and which has `scale` digits behind the
/// point, as JSON writes numbers: every digit stands, also zeros at the end. `None` beyond [`MOST_BYTES`].
pub(super) fn decimal(bytes: &[u8], scale: i64) -> Option<String> {
    let (is_negative, digits) = unscaled(bytes)?;
    let sign = if is_negative { "-" } else { "" };
    let Ok(places) = usize::try_from(scale) else {
        // A scale below zero stands for zeros before the point.
        return Some(format!("{sign}{digits}e{}", i128::from(scale).abs()));
    };
    if scale > MOST_PLACES {
        return Some(format!("{sign}{digits}e-{scale}"));
    }
    if places == 0 {
        return Some(format!("{sign}{digits}"));
    }
    let width = places.saturating_add(1);
    let digits = format!("{digits:0>width$}");
    let (whole, fraction) = digits.split_at_checked(digits.len().saturating_sub(places))?;
    Some(format!("{sign}{whole}.{fraction}"))
}

/// Whether the number is below zero, and its digits.
fn unscaled(bytes: &[u8]) -> Option<(bool, String)> {
    if bytes.len() > MOST_BYTES {
        return None;
    }
    let is_negative = bytes.first().is_some_and(|first| *first >= 0x80);
    let mut limbs = limbs(bytes, is_negative);
    let mut groups: Vec<u64> = Vec::new();
    while limbs.iter().any(|limb| *limb != 0) {
        let mut rest = 0_u64;
        for limb in &mut limbs {
            let value = (rest << 32) | *limb;
            (*limb, rest) = (value / STEP, value % STEP);
        }
        groups.push(rest);
    }
    let Some(first) = groups.pop() else {
        return Some((false, "0".to_owned()));
    };
    let mut digits = first.to_string();
    for group in groups.iter().rev() {
        // Writing to a String cannot fail.
        write!(digits, "{group:09}").unwrap_or_default();
    }
    Some((is_negative, digits))
}

/// The magnitude in 32 bits each, the highest first.
fn limbs(bytes: &[u8], is_negative: bool) -> Vec<u64> {
    let fill: u8 = if is_negative { 0xff } else { 0 };
    let missing = (4 - bytes.len() % 4) % 4;
    let padded: Vec<u8> = std::iter::repeat_n(fill, missing)
        .chain(bytes.iter().copied())
        .collect();
    let mut limbs: Vec<u64> = padded
        .chunks(4)
        .map(|four| {
            four.iter()
                .fold(0, |all, byte| (all << 8) | u64::from(*byte))
        })
        .collect();
    if is_negative {
        let mut carry = 1;
        for limb in limbs.iter_mut().rev() {
            let value = (!*limb & 0xffff_ffff) + carry;
            (*limb, carry) = (value & 0xffff_ffff, value >> 32);
        }
        if carry > 0 {
            limbs.insert(0, carry);
        }
    }
    limbs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_stands() {
        for (bytes, scale, written) in [
            (&[0x04, 0xd2][..], 2, "12.34"),
            (&[0x00, 0xc8], 2, "2.00"),
            (&[0xff], 2, "-0.01"),
            (&[0x80], 0, "-128"),
            (&[0xff, 0x80], 0, "-128"),
            (&[], 3, "0.000"),
            (&[0x00], 0, "0"),
            (&[0x01], 5, "0.00001"),
            (&[0x07], -3, "7e3"),
            (&[0x07], 2_000, "7e-2000"),
            (
                &[0x0d, 0xe0, 0xb6, 0xb3, 0xa7, 0x64, 0x00, 0x00],
                18,
                "1.000000000000000000",
            ),
            (
                &[0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                0,
                "-170141183460469231731687303715884105728",
            ),
            // 2^64, whose digits cross groups.
            (&[1, 0, 0, 0, 0, 0, 0, 0, 0], 4, "1844674407370955.1616"),
            // 10^9: a group of nothing but zeros.
            (&[0x3b, 0x9a, 0xca, 0x00], 0, "1000000000"),
        ] {
            assert_eq!(decimal(bytes, scale).as_deref(), Some(written), "{bytes:?}");
        }
    }

    #[test]
    fn the_longest_is_bounded() {
        let longest = decimal(&[0x7f; MOST_BYTES], 0).unwrap();
        assert_eq!(longest.len(), 1_233);
        assert_eq!(decimal(&[0x7f; MOST_BYTES + 1], 0), None);
    }
}
