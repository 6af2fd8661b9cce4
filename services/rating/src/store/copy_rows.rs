//! Rows in the binary form of `copy`, which is the fastest way of many rows into a table.

use sqlx::PgConnection;
use uuid::Uuid;

/// The signature, and two words without a flag or an extension.
const HEADER: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const TRAILER: [u8; 2] = (-1_i16).to_be_bytes();
const NULL: [u8; 4] = (-1_i32).to_be_bytes();

/// Rows for one table.
#[derive(Debug)]
pub(super) struct CopyRows {
    statement: &'static str,
    columns: i16,
    bytes: Vec<u8>,
}

impl CopyRows {
    /// No rows yet, for a `copy … from stdin (format binary)` of so many columns.
    pub(super) fn new(statement: &'static str, columns: i16) -> Self {
        Self { statement, columns, bytes: HEADER.to_vec() }
    }

    /// Bytes so far.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Begins a row; its columns follow, each by one call.
    pub(super) fn row(&mut self) -> &mut Self {
        self.bytes.extend(self.columns.to_be_bytes());
        self
    }

    pub(super) fn uuid(&mut self, value: Uuid) -> &mut Self {
        self.value(value.as_bytes())
    }

    pub(super) fn text(&mut self, value: &str) -> &mut Self {
        self.value(value.as_bytes())
    }

    pub(super) fn float(&mut self, value: f64) -> &mut Self {
        self.value(&value.to_be_bytes())
    }

    pub(super) fn float_if_any(&mut self, value: Option<f64>) -> &mut Self {
        match value {
            Some(value) => self.float(value),
            None => self.null(),
        }
    }

    pub(super) fn bigint(&mut self, value: i64) -> &mut Self {
        self.value(&value.to_be_bytes())
    }

    pub(super) fn bigint_if_any(&mut self, value: Option<i64>) -> &mut Self {
        match value {
            Some(value) => self.bigint(value),
            None => self.null(),
        }
    }

    pub(super) fn integer(&mut self, value: i32) -> &mut Self {
        self.value(&value.to_be_bytes())
    }

    pub(super) fn bytea(&mut self, value: &[u8]) -> &mut Self {
        self.value(value)
    }

    fn null(&mut self) -> &mut Self {
        self.bytes.extend(NULL);
        self
    }

    fn value(&mut self, value: &[u8]) -> &mut Self {
        let length = i32::try_from(value.len()).expect("a column is far smaller than 2 GiB");
        self.bytes.extend(length.to_be_bytes());
        self.bytes.extend(value);
        self
    }

    /// Sends the rows; none is left.
    pub(super) async fn send(&mut self, conn: &mut PgConnection) -> Result<(), sqlx::Error> {
        if self.bytes.len() == HEADER.len() {
            return Ok(());
        }
        self.bytes.extend(TRAILER);
        let mut copy = conn.copy_in_raw(self.statement).await?;
        copy.send(self.bytes.as_slice()).await?;
        copy.finish().await?;
        self.bytes.truncate(HEADER.len());
        Ok(())
    }
}
