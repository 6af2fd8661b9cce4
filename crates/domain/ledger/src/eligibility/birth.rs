//! Birth dates and ages.

use super::DAY_MS;

/// A day of the Gregorian calendar on which somebody was born.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BirthDate {
    year: i32,
    month: u8,
    day: u8,
}

impl BirthDate {
    /// The earliest year that is believed.
    pub const YEAR_MIN: i32 = 1900;

    /// Checks a date; nothing when there is no such day.
    #[must_use]
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => return None,
        };
        let exists = (Self::YEAR_MIN..=9_999).contains(&year) && (1..=days).contains(&day);
        exists.then_some(Self { year, month, day })
    }

    /// Reads `2001-02-28`; nothing when it is not such a date.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let is_whole = parts.next().is_none() && (year.len(), month.len(), day.len()) == (4, 2, 2);
        if !is_whole || !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
            return None;
        }
        Self::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
    }

    /// Year, month and day.
    #[must_use]
    pub const fn parts(self) -> (i32, u8, u8) {
        (self.year, self.month, self.day)
    }

    /// Whole years at an instant (UTC); negative before the birth. Who was born on 29 February is a year older on 1 March.
    #[must_use]
    pub fn age_years(self, now_ms: i64) -> i32 {
        let (year, month, day) = civil(now_ms.div_euclid(DAY_MS));
        let had_birthday = (month, day) >= (self.month, self.day);
        year - self.year - i32::from(!had_birthday)
    }
}

/// The date of a day counted from 1970-01-01. Howard Hinnant, "chrono-compatible low-level date algorithms", `civil_from_days`.
fn civil(days: i64) -> (i32, u8, u8) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let number = |value: i64| u8::try_from(value).expect("months and days are small");
    (i32::try_from(year).unwrap_or(i32::MAX), number(month), number(day))
}
