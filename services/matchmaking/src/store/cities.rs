//! The projection of the cities.

use sqlx::{PgConnection, PgExecutor};

use crate::app::cities::{City, OpenHours, Settings, Terms, TimeControl};

/// All cities, cheapest stake first.
pub async fn all(executor: impl PgExecutor<'_>) -> Result<Vec<City>, sqlx::Error> {
    let rows: Vec<Row> = sqlx::query_as("select * from cities order by stake_minor_units, city_id")
        .fetch_all(executor)
        .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Brings the projection in step with the log.
pub async fn put(conn: &mut PgConnection, city: &City) -> Result<(), sqlx::Error> {
    let settings = &city.settings;
    let clocks = settings.time_controls.iter();
    let (base_ms, increment_ms): (Vec<i64>, Vec<i64>) =
        clocks.map(|clock| (clock.base_ms, clock.increment_ms)).unzip();
    sqlx::query(include_str!("queries/put_city.sql"))
        .bind(&city.id)
        .bind(city.version)
        .bind(&settings.name)
        .bind(settings.terms.stake_minor_units)
        .bind(&settings.terms.currency)
        .bind(i32::try_from(settings.terms.fee_basis_points).unwrap_or(i32::MAX))
        .bind(base_ms)
        .bind(increment_ms)
        .bind(settings.open_hours.map(|hours| i32::from(hours.opens_minute)))
        .bind(settings.open_hours.map(|hours| i32::from(hours.closes_minute)))
        .bind(settings.is_enabled)
        .bind(i32::try_from(city.time_scale).unwrap_or(i32::MAX))
        .execute(conn)
        .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct Row {
    city_id: String,
    version: i64,
    name: String,
    stake_minor_units: i64,
    currency: String,
    fee_basis_points: i32,
    base_ms: Vec<i64>,
    increment_ms: Vec<i64>,
    opens_minute: Option<i32>,
    closes_minute: Option<i32>,
    is_enabled: bool,
    time_scale: i32,
}

impl From<Row> for City {
    fn from(row: Row) -> Self {
        let clocks = row.base_ms.into_iter().zip(row.increment_ms);
        let hours = row.opens_minute.zip(row.closes_minute);
        // The table's checks keep all numbers in their ranges.
        let minute = |minute: i32| u16::try_from(minute).unwrap_or_default();
        Self {
            id: row.city_id,
            version: row.version,
            time_scale: row.time_scale.unsigned_abs(),
            settings: Settings {
                name: row.name,
                terms: Terms {
                    stake_minor_units: row.stake_minor_units,
                    currency: row.currency,
                    fee_basis_points: row.fee_basis_points.unsigned_abs(),
                },
                time_controls: clocks
                    .map(|(base_ms, increment_ms)| TimeControl { base_ms, increment_ms })
                    .collect(),
                open_hours: hours.map(|(opens, closes)| OpenHours {
                    opens_minute: minute(opens),
                    closes_minute: minute(closes),
                }),
                is_enabled: row.is_enabled,
            },
        }
    }
}
