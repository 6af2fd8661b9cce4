//! The caller's statement as a file.

use futures::stream;
use proto::wallet::v1::{ExportFormat, ExportStatementRequest, ExportStatementResponse, TransferKind};
use serde_json::json;
use service_kit::auth::principal;
use service_kit::fields::Violations;
use service_kit::status::from_sqlx;
use service_kit::streams::FrameStream;
use sqlx::PgPool;
use time::format_description::well_known::Rfc3339;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{parse, status};
use crate::store::statement::{self, Filter, LineRow};

/// Lines that are read and sent at once; a line has at most some 400 bytes, so a piece stays below 64 KiB.
const LINES_PER_CHUNK: i64 = 150;

const CSV_NAMES: &str = "recorded_at,kind,currency,available_change_minor_units,held_change_minor_units,\
    available_after_minor_units,fee_minor_units,match_id,game_id,transfer_id\r\n";

pub(super) async fn handle(
    pool: &PgPool,
    request: &Request<ExportStatementRequest>,
) -> Result<Response<FrameStream<ExportStatementResponse>>, Status> {
    let caller = principal(request)?.player_id;
    let asked = request.get_ref();
    let mut bad = Violations::default();
    let format = match asked.format() {
        ExportFormat::Unspecified => {
            bad.add("format", "must be CSV or JSON");
            None
        }
        format => Some(format),
    };
    let filter = parse::filter(asked.filter.as_ref(), &mut bad);
    let (Some(format), Some(filter)) = (format, filter) else {
        return Err(bad.into_status());
    };
    status::check_account(pool, caller).await?;
    // What comes later is not part of the file, so that it has an end.
    let last = statement::last_line(pool, caller).await.map_err(|error| from_sqlx(&error))?;
    let export = Export { pool: pool.clone(), caller, filter, format, after: 0, last, stage: Stage::Head };
    Ok(Response::new(Box::pin(stream::unfold(export, Export::next))))
}

enum Stage {
    Head,
    Lines { is_first: bool },
    End,
}

struct Export {
    pool: PgPool,
    caller: Uuid,
    filter: Filter,
    format: ExportFormat,
    after: i64,
    last: i64,
    stage: Stage,
}

impl Export {
    async fn next(mut self) -> Option<(Result<ExportStatementResponse, Status>, Self)> {
        let text = match self.stage {
            Stage::Head => {
                self.stage = Stage::Lines { is_first: true };
                let head = if self.format == ExportFormat::Csv { CSV_NAMES } else { "[" };
                head.to_owned()
            }
            Stage::Lines { is_first } => match self.lines(is_first).await {
                Ok(text) => text,
                Err(status) => {
                    self.stage = Stage::End;
                    return Some((Err(status), self));
                }
            },
            Stage::End => return None,
        };
        Some((Ok(ExportStatementResponse { chunk: text.into_bytes() }), self))
    }

    async fn lines(&mut self, is_first: bool) -> Result<String, Status> {
        let (after, last) = (self.after, self.last);
        let rows =
            statement::export_page(&self.pool, self.caller, &self.filter, after, last, LINES_PER_CHUNK)
                .await
                .map_err(|error| from_sqlx(&error))?;
        let Some(newest) = rows.last() else {
            self.stage = Stage::End;
            return Ok(if self.format == ExportFormat::Csv { String::new() } else { "\n]\n".to_owned() });
        };
        self.after = newest.line;
        self.stage = Stage::Lines { is_first: false };
        let mut text = String::new();
        for (place, row) in rows.iter().enumerate() {
            match self.format {
                ExportFormat::Csv => text.push_str(&csv(row)),
                _ => {
                    text.push_str(if is_first && place == 0 { "\n" } else { ",\n" });
                    text.push_str(&json_line(row));
                }
            }
        }
        Ok(text)
    }
}

fn kind_name(row: &LineRow) -> String {
    let kind = TransferKind::try_from(i32::from(row.kind)).unwrap_or(TransferKind::Unspecified);
    kind.as_str_name().trim_start_matches("TRANSFER_KIND_").to_lowercase()
}

fn id_text(id: Option<Uuid>) -> String {
    id.map(|id| id.to_string()).unwrap_or_default()
}

fn time_text(row: &LineRow) -> String {
    row.recorded_at.format(&Rfc3339).unwrap_or_default()
}

/// No field of ours holds a comma, a quotation mark or a line's end.
fn csv(row: &LineRow) -> String {
    format!(
        "{},{},{},{},{},{},{},{},{},{}\r\n",
        time_text(row),
        kind_name(row),
        row.currency,
        row.available_change,
        row.held_change,
        row.available_after,
        row.fee.map(|fee| fee.to_string()).unwrap_or_default(),
        id_text(row.match_id),
        id_text(row.game_id),
        row.transfer_id,
    )
}

fn json_line(row: &LineRow) -> String {
    json!({
        "recorded_at": time_text(row),
        "kind": kind_name(row),
        "currency": row.currency,
        "available_change_minor_units": row.available_change,
        "held_change_minor_units": row.held_change,
        "available_after_minor_units": row.available_after,
        "fee_minor_units": row.fee,
        "match_id": row.match_id,
        "game_id": row.game_id,
        "transfer_id": row.transfer_id,
    })
    .to_string()
}
