//! The tables of a consuming service.

/// `inbox` and `dead_letters` as one idempotent text of several statements, for `sqlx::raw_sql`.
pub fn schema() -> &'static str {
    include_str!("sql/schema.sql")
}
