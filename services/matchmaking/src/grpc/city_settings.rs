//! What the two rpcs of operators share: parsing a city, and writing it down.

use proto::matchmaking::v1 as wire;
use proto::types::v1::Money;
use service_kit::fields::Violations;
use service_kit::status;
use tonic::{Code, Status};

use super::status::from_save;
use super::{Service, convert};
use crate::app::cities::{OpenHours, STAKED_CLOCKS, Settings, Terms, TimeControl};
use crate::app::notices::Notice;
use crate::app::queue::now_ms;
use crate::app::save_city::{self, Save};

/// Limits of what a city can be; they stand in the proto as well.
const CITY_ID_BYTES_MAX: usize = 32;
const NAME_CHARACTERS_MAX: usize = 64;
const REASON_CHARACTERS_MAX: usize = 256;
const STAKE_MINOR_UNITS_MAX: i64 = 1_000_000_000_000;
const FEE_BASIS_POINTS_MAX: u32 = 5_000;
const MINUTES_A_DAY: u32 = 24 * 60;

pub fn city_id(text: &str) -> Result<String, &'static str> {
    let is_slug = text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    let begins_well = text.starts_with(|first: char| first.is_ascii_lowercase());
    if is_slug && begins_well && text.len() <= CITY_ID_BYTES_MAX {
        Ok(text.to_owned())
    } else {
        Err("must be 1 to 32 lower-case letters, digits and hyphens, beginning with a letter")
    }
}

pub fn reason(text: &str) -> Result<String, String> {
    bounded(text, REASON_CHARACTERS_MAX)
}

/// The version in an etag; a city that is there has one above 0.
pub fn version(etag: &str) -> Result<i64, &'static str> {
    match etag.parse() {
        Ok(version) if version > 0 => Ok(version),
        _ => Err("must be the etag of a city"),
    }
}

/// The settings, or what is wrong with them; both stand in `bad`.
pub fn parse(bad: &mut Violations, settings: Option<wire::CitySettings>) -> Option<Settings> {
    let Some(settings) = settings else {
        bad.add("settings", "is missing");
        return None;
    };
    let name = bad.check("settings.name", bounded(&settings.name, NAME_CHARACTERS_MAX));
    let stake = bad.check("settings.stake", stake(settings.stake));
    let time_controls = bad.check("settings.time_controls", time_controls(&settings.time_controls));
    let open_hours = bad.check("settings.open_hours", settings.open_hours.map(hours).transpose());
    let fee_basis_points = settings.fee_basis_points;
    if fee_basis_points > FEE_BASIS_POINTS_MAX {
        bad.add("settings.fee_basis_points", format!("must not be above {FEE_BASIS_POINTS_MAX}"));
    }
    let stake = stake?;
    Some(Settings {
        name: name?,
        terms: Terms { stake_minor_units: stake.minor_units, currency: stake.currency, fee_basis_points },
        time_controls: time_controls?,
        open_hours: open_hours?,
        is_enabled: settings.enabled,
    })
}

/// Writes a city down and lets everybody know; in a task of its own, so that an operator who hangs up does not interrupt the
/// transaction.
pub async fn save(service: &Service, save: Save) -> Result<wire::City, Status> {
    let (service, city_id) = (service.clone(), save.city.id.clone());
    let saving = tokio::spawn(async move {
        let city = save_city::save(&service.pool, &save).await.map_err(|error| from_save(error, &city_id))?;
        service.signal.committed();
        service.cities.reload(&service.pool).await.map_err(|error| status::from_sqlx(&error))?;
        service.notices.send(Notice::Cities);
        let counts = service.counts().await.map_err(|error| status::from_sqlx(&error))?;
        Ok(convert::city(&city, &counts, now_ms()))
    });
    saving.await.map_err(|error| status::internal((Code::Internal, error)))?
}

fn bounded(text: &str, characters_max: usize) -> Result<String, String> {
    let is_good = !text.trim().is_empty()
        && text.chars().count() <= characters_max
        && !text.chars().any(char::is_control);
    if is_good { Ok(text.to_owned()) } else { Err(format!("must be 1 to {characters_max} characters")) }
}

fn stake(stake: Option<Money>) -> Result<Money, &'static str> {
    let stake = stake.ok_or("is missing")?;
    let is_code = stake.currency.len() == 3 && stake.currency.bytes().all(|byte| byte.is_ascii_uppercase());
    if !(1..=STAKE_MINOR_UNITS_MAX).contains(&stake.minor_units) {
        Err("must be 1 to 1,000,000,000,000 minor units")
    } else if !is_code {
        Err("must have a currency of three capital letters")
    } else {
        Ok(stake)
    }
}

/// Only clocks that have a rating pool: without one nobody could be paired by what he can.
fn time_controls(clocks: &[proto::types::v1::TimeControl]) -> Result<Vec<TimeControl>, &'static str> {
    let mut parsed: Vec<TimeControl> = Vec::with_capacity(STAKED_CLOCKS.len());
    for clock in clocks {
        let clock = TimeControl { base_ms: clock.base_ms, increment_ms: clock.increment_ms };
        if !STAKED_CLOCKS.contains(&clock) || parsed.contains(&clock) {
            return Err("must be some of 3+2, 5+0 and 10+0, each once");
        }
        parsed.push(clock);
    }
    if parsed.is_empty() { Err("must be some of 3+2, 5+0 and 10+0, each once") } else { Ok(parsed) }
}

fn hours(hours: wire::OpenHours) -> Result<OpenHours, &'static str> {
    let minute = |minute: u32| u16::try_from(minute).ok().filter(|_| minute < MINUTES_A_DAY);
    match (minute(hours.opens_minute), minute(hours.closes_minute)) {
        (Some(opens_minute), Some(closes_minute)) if opens_minute != closes_minute => {
            Ok(OpenHours { opens_minute, closes_minute })
        }
        _ => Err("must be two different minutes of a day, 0 to 1439"),
    }
}
