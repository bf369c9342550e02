//! Numbers as text, compared by what they are worth, however long they are.

use std::cmp::Ordering;

/// A number taken apart: 0.DIGITS times ten to the power of `exponent`.
struct Parts {
    negative: bool,
    /// Without zeros at either end; empty for zero.
    digits: Vec<u8>,
    exponent: i64,
}

impl Parts {
    fn of(text: &str) -> Self {
        let (negative, text) = text
            .strip_prefix('-')
            .map_or((false, text), |rest| (true, rest));
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        // A power that does not fit is as far as one can go.
        let farthest = if power.starts_with('-') {
            i64::MIN / 2
        } else {
            i64::MAX / 2
        };
        let power = power.parse().unwrap_or(farthest);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let zeros = all.iter().take_while(|digit| **digit == b'0').count();
        let mut digits: Vec<u8> = all.into_iter().skip(zeros).collect();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let before_point = i64::try_from(whole.len()).unwrap_or(i64::MAX / 4);
        let zeros = i64::try_from(zeros).unwrap_or(i64::MAX / 4);
        Self {
            negative: negative && !digits.is_empty(),
            exponent: before_point.saturating_sub(zeros).saturating_add(power),
            digits,
        }
    }

    fn size(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self
                .exponent
                .cmp(&other.exponent)
                .then_with(|| self.digits.cmp(&other.digits)),
        }
    }
}

/// Which of two numbers of JSON is the larger one, by all of their digits.
pub fn compare(a: &str, b: &str) -> Ordering {
    let (a, b) = (Parts::of(a), Parts::of(b));
    match (a.negative, b.negative) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (false, false) => a.size(&b),
        (true, true) => b.size(&a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_all_of_their_digits() {
        let in_order = [
            "-1e400",
            "-12",
            "-2",
            "-0.5",
            "0",
            "0.000001",
            "0.10",
            "9.99",
            "10",
            "12345678901234567890",
            "12345678901234567891",
            "1e400",
        ];
        for pair in in_order.windows(2) {
            assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
    }

    #[test]
    fn equal_numbers_may_be_written_differently() {
        for (a, b) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("0", "-0.00"),
            ("0.5", "5E-1"),
            ("12.50", "1.25e+1"),
        ] {
            assert_eq!(compare(a, b), Ordering::Equal, "{a} {b}");
        }
    }
}
