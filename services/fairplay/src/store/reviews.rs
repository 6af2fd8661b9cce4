//! Players at review or above, for the person who looks at them.

use prost::Message as _;
use proto::fairplay::v1::{Assessment, Review};
use sqlx::PgExecutor;
use uuid::Uuid;

/// A place in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The number of the level.
    pub level: i16,
    /// The player.
    pub player_id: Uuid,
    /// The time class.
    pub time_class: String,
}

impl Place {
    /// Before all others.
    pub const START: Self = Self { level: i16::MAX, player_id: Uuid::nil(), time_class: String::new() };
}

#[derive(sqlx::FromRow)]
struct Row {
    level: i16,
    player_id: Uuid,
    time_class: String,
    assessment: Vec<u8>,
    is_barred: bool,
    reports: i64,
}

/// Players behind a place, the highest level first.
///
/// # Errors
/// When Postgres does not answer, or what it holds is damaged.
pub async fn list(
    executor: impl PgExecutor<'_>,
    after: &Place,
    size: u32,
) -> Result<Vec<(Place, Review)>, sqlx::Error> {
    let rows: Vec<Row> = sqlx::query_as(include_str!("queries/list_reviews.sql"))
        .bind(after.level)
        .bind(after.player_id)
        .bind(&after.time_class)
        .bind(i64::from(size))
        .fetch_all(executor)
        .await?;
    rows.into_iter()
        .map(|row| {
            let assessment = Assessment::decode(row.assessment.as_slice()).map_err(|error| {
                sqlx::Error::ColumnDecode { index: "assessment".into(), source: Box::new(error) }
            })?;
            let review = Review {
                assessment: Some(assessment),
                reports: u32::try_from(row.reports).unwrap_or(u32::MAX),
                is_barred: row.is_barred,
            };
            Ok((Place { level: row.level, player_id: row.player_id, time_class: row.time_class }, review))
        })
        .collect()
}
