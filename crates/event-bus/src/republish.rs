//! Sending again what was published already.

use sqlx::PgPool;
use time::OffsetDateTime;

/// Rows of one statement, so that no transaction grows with the length of the outage.
const PAGE_ROWS: i64 = 5_000;

const REPUBLISH: &str = "with page as (
        select stream_id, version from outbox where published_at >= $1 and published_at < $3
        order by position limit $2)
    update outbox o set published_at = null, generation = o.generation + 1
    from page where o.stream_id = page.stream_id and o.version = page.version";

/// Puts everything that was published at or after `since` back into the outbox, for a broker that was emptied or restored
/// from an old disk, and answers how many messages that is. The running relay sends them; consumers that have had them
/// take them for the duplicates they are. Reaches back as far as published rows are kept.
pub async fn republish(pool: &PgPool, since: OffsetDateTime) -> Result<u64, sqlx::Error> {
    // What the relay sends while this runs is published later than this and is left alone.
    let mut total = 0;
    let until: OffsetDateTime = sqlx::query_scalar("select clock_timestamp()").fetch_one(pool).await?;
    loop {
        let rows = sqlx::query(REPUBLISH)
            .bind(since)
            .bind(PAGE_ROWS)
            .bind(until)
            .execute(pool)
            .await?
            .rows_affected();
        total += rows;
        if rows < PAGE_ROWS as u64 {
            return Ok(total);
        }
    }
}
