//! Days and moments as ISO 8601 writes them, for every number that a schema may hold.

/// Seconds of a day.
const DAY: i128 = 86_400;

/// The date `days` after 1970-01-01.
pub(super) fn date(days: i64) -> String {
    let (year, month, day) = civil(days);
    let year = match year {
        0..=9_999 => format!("{year:04}"),
        // Beyond four digits ISO 8601 wants the sign.
        _ => format!("{year:+05}"),
    };
    format!("{year}-{month:02}-{day:02}")
}

/// The moment `parts` after the epoch, of which a second has ten to the power of `digits`; without a zone.
pub(super) fn moment(parts: i64, digits: u32) -> String {
    let second = 10_i128.pow(digits);
    let parts = i128::from(parts);
    let of_day = parts.rem_euclid(DAY * second);
    let days = i64::try_from(parts.div_euclid(DAY * second)).unwrap_or(0);
    format!("{}T{}", date(days), clock(of_day, digits))
}

/// The time of day `parts` after midnight; `None` when there is no such time.
pub(super) fn time_of_day(parts: i64, digits: u32) -> Option<String> {
    let parts = i128::from(parts);
    let is_of_day = (0..DAY * 10_i128.pow(digits)).contains(&parts);
    is_of_day.then(|| clock(parts, digits))
}

/// `of_day` lies within a day.
fn clock(of_day: i128, digits: u32) -> String {
    let second = 10_i128.pow(digits);
    let (seconds, fraction) = (of_day / second, of_day % second);
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let width = usize::try_from(digits).unwrap_or(0);
    if width == 0 {
        return format!("{hours:02}:{minutes:02}:{seconds:02}");
    }
    format!("{hours:02}:{minutes:02}:{seconds:02}.{fraction:0width$}")
}

/// Year, month and day of the proleptic Gregorian calendar, counted in eras of 400 years that begin in March.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days.saturating_add(719_468);
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_near_and_far() {
        for (days, written) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (20_788, "2026-12-01"),
            (-719_528, "0000-01-01"),
            (-719_529, "-0001-12-31"),
            (2_932_896, "9999-12-31"),
            (2_932_897, "+10000-01-01"),
            // The farthest that an int of Avro holds.
            (i64::from(i32::MAX), "+5881580-07-11"),
            (i64::from(i32::MIN), "-5877641-06-23"),
        ] {
            assert_eq!(date(days), written);
        }
    }

    #[test]
    fn moments_with_all_their_digits() {
        for (parts, digits, written) in [
            (1_796_083_200_000, 3, "2026-12-01T00:00:00.000"),
            (-1, 3, "1969-12-31T23:59:59.999"),
            (1_500_000, 6, "1970-01-01T00:00:01.500000"),
            (1, 9, "1970-01-01T00:00:00.000000001"),
            (59, 0, "1970-01-01T00:00:59"),
            (i64::MAX, 9, "2262-04-11T23:47:16.854775807"),
            (i64::MIN, 3, "-292275055-05-16T16:47:04.192"),
        ] {
            assert_eq!(moment(parts, digits), written);
        }
    }

    #[test]
    fn a_time_of_day_lies_in_a_day() {
        assert_eq!(time_of_day(86_399_999, 3).as_deref(), Some("23:59:59.999"));
        assert_eq!(time_of_day(0, 6).as_deref(), Some("00:00:00.000000"));
        assert_eq!(time_of_day(86_400_000, 3), None);
        assert_eq!(time_of_day(-1, 3), None);
    }
}
