//! Clocks, controls and dates as PGN writes them.

use super::control_of;
use crate::TimeControl;

const MS_PER_DAY: i64 = 24 * 60 * 60 * 1_000;
/// No clock shows more: a day.
const CLOCK_MS_MAX: i64 = MS_PER_DAY;

/// `180+2`, `300`, `300.5+0.1`. Controls by the number of moves, by the day and hourglasses have no like here.
pub(super) fn control(text: &str) -> Option<TimeControl> {
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    control_of(base.trim().parse().ok()?, increment.trim().parse().ok()?)
}

/// What `[%clk 0:02:59.9]` in a comment says.
pub(super) fn clock_ms(comment: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(comment).ok()?;
    let (_, after) = text.split_once("[%clk")?;
    let (time, _) = after.split_once(']')?;
    time_ms(time.trim()).filter(|clock_ms| (0..=CLOCK_MS_MAX).contains(clock_ms))
}

/// When a game began: a date `2025.05.01` and a time of day `00:00:06`, both in Coordinated Universal Time. What is not known
/// is taken for the earliest: a game without a date began when the epoch did.
pub(super) fn began_at_ms(date: Option<&str>, time: Option<&str>) -> i64 {
    let day = date.map_or(0, |date| {
        let mut parts = date.split(['.', '-', '/']).map(|part| part.parse::<i64>().ok());
        let mut next =
            |least: i64, most: i64| parts.next().flatten().filter(|part| (least..=most).contains(part));
        match next(1, 9_999) {
            Some(year) => days_from_epoch(year, next(1, 12).unwrap_or(1), next(1, 31).unwrap_or(1)),
            None => 0,
        }
    });
    let of_day_ms = time.and_then(time_ms).filter(|ms| (0..MS_PER_DAY).contains(ms)).unwrap_or(0);
    day * MS_PER_DAY + of_day_ms
}

/// `h:mm:ss`, `mm:ss` or `ss`, the seconds with decimals.
fn time_ms(text: &str) -> Option<i64> {
    let mut ms: i64 = 0;
    let mut parts = text.split(':').peekable();
    while let Some(part) = parts.next() {
        let value_ms = if parts.peek().is_some() {
            i64::from(part.parse::<u16>().ok()?) * 1_000
        } else {
            let seconds: f64 = part.parse().ok()?;
            (0.0..1e6).contains(&seconds).then_some((seconds * 1_000.0).round() as i64)?
        };
        ms = ms.checked_mul(60)?.checked_add(value_ms)?;
    }
    Some(ms)
}

/// Days from 1970-01-01 in the Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms").
fn days_from_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_of_all_dialects_are_read_and_what_is_none_is_not() {
        for (text, ms) in [
            ("[%clk 0:03:00]", 180_000),
            ("Good! [%clk 1:02:03.4] [%emt 0:00:01]", 3_723_400),
            ("[%clk 02:59.9]", 179_900),
            ("[%clk 59]", 59_000),
        ] {
            assert_eq!(clock_ms(text.as_bytes()), Some(ms), "{text}");
        }
        for text in ["", "[%clk ]", "[%clk -1:00]", "[%clk 1:2:3:4:5:6:7:8:9]", "[%eval 0.3]", "[%clk 0:nan]"]
        {
            assert_eq!(clock_ms(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn dates_are_counted_from_the_epoch_and_unknown_parts_are_the_first() {
        assert_eq!(began_at_ms(Some("1970.01.01"), Some("00:00:06")), 6_000);
        assert_eq!(began_at_ms(Some("2025.05.01"), None), 1_746_057_600_000);
        assert_eq!(began_at_ms(Some("2024-02-29"), None), 1_709_164_800_000);
        assert_eq!(began_at_ms(Some("1858.??.??"), None), days_from_epoch(1858, 1, 1) * MS_PER_DAY);
        assert_eq!(began_at_ms(Some("????.??.??"), Some("soon")), 0);
    }

    #[test]
    fn controls_that_we_know_are_read() {
        assert_eq!(control("180+2"), Some(TimeControl::new(180_000, 2_000)));
        assert_eq!(control("600"), Some(TimeControl::new(600_000, 0)));
        for text in ["-", "?", "40/7200:3600", "1/86400", "*30", "99999999999+0", "NaN+1"] {
            assert_eq!(control(text), None, "{text}");
        }
    }
}
