//! Conversions between what the bus counts in and what is drawn. Every one of them rounds or saturates the
//! way its text says, and none can fail.

/// An integer as the nearest number of 53 bits.
#[expect(
    clippy::cast_precision_loss,
    reason = "drawing needs no more than 53 bits"
)]
pub fn f64_from_i64(value: i64) -> f64 {
    value as f64
}

/// The integer part; what does not fit saturates, and what is no number is 0.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float cast to an integer saturates"
)]
pub fn i64_from_f64(value: f64) -> i64 {
    value as i64
}

/// The integer part of a count, 0 when negative; what does not fit saturates.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast to an integer saturates"
)]
pub fn count_from_f64(value: f64) -> usize {
    value as usize
}

/// The integer part of a count, 0 when negative; what does not fit saturates.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast to an integer saturates"
)]
pub fn u64_from_f64(value: f64) -> u64 {
    value as u64
}

/// A coordinate on the screen: the nearest number that can be drawn.
#[expect(
    clippy::cast_possible_truncation,
    reason = "screen coordinates are f32"
)]
pub fn f32_from_f64(value: f64) -> f32 {
    value as f32
}

/// A count as a coordinate on the screen.
#[expect(clippy::cast_precision_loss, reason = "screen coordinates are f32")]
pub fn f32_from_count(value: usize) -> f32 {
    value as f32
}

/// A count on this machine as one on any.
pub fn u64_from_usize(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

/// A count on this machine as a signed one on any.
pub fn i64_from_usize(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A count as a signed one; what does not fit saturates.
pub fn i64_from_u64(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A count as the nearest number of 53 bits.
#[expect(
    clippy::cast_precision_loss,
    reason = "drawing needs no more than 53 bits"
)]
pub fn f64_from_u64(value: u64) -> f64 {
    value as f64
}

/// A count on any machine as one on this; what does not fit saturates.
pub fn usize_from_u64(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_saturates() {
        assert_eq!(i64_from_f64(1e300), i64::MAX);
        assert_eq!(i64_from_f64(f64::NAN), 0);
        assert_eq!(count_from_f64(-3.0), 0);
        assert_eq!(u64_from_f64(2.9), 2);
    }
}
