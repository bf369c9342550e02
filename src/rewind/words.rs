//! Numbers and places as they stand in sentences.

use crate::model::Offset;

/// A count with its thousands separated: `1,253`.
pub(super) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut written = String::with_capacity(digits.len().saturating_mul(2));
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && digits.len().saturating_sub(place).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

/// An offset with its thousands separated, negative ones with a minus sign.
pub(super) fn offset(offset: Offset) -> String {
    let sign = if offset.0 < 0 { "−" } else { "" };
    format!("{sign}{}", count(offset.0.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_253), "1,253");
        assert_eq!(count(12_345_678), "12,345,678");
        assert_eq!(offset(Offset(-1_001)), "−1,001");
    }
}
