//! The edge: `stakemate.game.v1.TableService`, one file an rpc.

mod answer_rematch;
mod get_table;
mod leave_table;
mod list_tables;
mod offer_rematch;
mod open_table;
mod status;
mod take_seat;
mod watch_tables;

use proto::game::v1::{self as pb, table_service_server::TableService};
use service_kit::{
    auth::{Principal, Role},
    fields::Violations,
    ids,
    streams::FrameStream,
};
use sqlx::PgPool;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use crate::{
    app::{Asked, Games, Nature, PlayerId, Seat, Shown, Sitter, TableCommand, TableId, Tables},
    store::{self, OpenTables},
};

/// The service behind the rpcs of tables.
#[derive(Clone, Debug)]
pub struct TableDesk {
    tables: Tables,
    games: Games,
    pool: PgPool,
    open: watch::Receiver<OpenTables>,
    shutdown: CancellationToken,
}

impl TableDesk {
    /// Streams follow `open` and end when `shutdown` is cancelled.
    pub fn new(
        tables: Tables,
        games: Games,
        pool: PgPool,
        open: watch::Receiver<OpenTables>,
        shutdown: CancellationToken,
    ) -> TableDesk {
        TableDesk { tables, games, pool, open, shutdown }
    }

    /// Does what somebody asks of a table that needs nothing but its ids.
    async fn act(
        &self,
        principal: &Principal,
        request_id: &str,
        table_id: &str,
        command: impl FnOnce(Sitter) -> TableCommand,
    ) -> Result<pb::Table, Status> {
        let (table_id, asked) = read_ids(principal, request_id, table_id)?;
        let done = self.tables.act(table_id, asked, command(sitter(principal))).await;
        done.map(|shown| view(&shown)).map_err(status::of_table)
    }
}

fn read_ids(principal: &Principal, request_id: &str, table_id: &str) -> Result<(TableId, Asked), Status> {
    let mut bad = Violations::default();
    let request_id = bad.check("request_id", ids::parse(request_id));
    let table_id = bad.check("table_id", ids::parse(table_id));
    match (request_id, table_id) {
        (Some(request_id), Some(table_id)) => {
            Ok((TableId(table_id), Asked { player_id: PlayerId(principal.player_id), request_id }))
        }
        _ => Err(bad.into_status()),
    }
}

fn sitter(principal: &Principal) -> Sitter {
    let is_computer = principal.roles.contains(Role::Computer);
    Sitter {
        seat: Seat { player_id: PlayerId(principal.player_id), name: principal.name.clone() },
        nature: if is_computer { Nature::Computer } else { Nature::Person },
    }
}

fn view(shown: &Shown) -> pb::Table {
    store::view(&shown.table, shown.version, shown.game)
}

type Answer<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl TableService for TableDesk {
    type WatchTablesStream = FrameStream<pb::WatchTablesResponse>;

    async fn open_table(&self, request: Request<pb::OpenTableRequest>) -> Answer<pb::OpenTableResponse> {
        open_table::handle(self, request).await.map(Response::new)
    }

    async fn get_table(&self, request: Request<pb::GetTableRequest>) -> Answer<pb::GetTableResponse> {
        get_table::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn list_tables(&self, request: Request<pb::ListTablesRequest>) -> Answer<pb::ListTablesResponse> {
        list_tables::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn watch_tables(
        &self,
        request: Request<pb::WatchTablesRequest>,
    ) -> Answer<Self::WatchTablesStream> {
        watch_tables::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn take_seat(&self, request: Request<pb::TakeSeatRequest>) -> Answer<pb::TakeSeatResponse> {
        take_seat::handle(self, request).await.map(Response::new)
    }

    async fn leave_table(&self, request: Request<pb::LeaveTableRequest>) -> Answer<pb::LeaveTableResponse> {
        leave_table::handle(self, request).await.map(Response::new)
    }

    async fn offer_rematch(
        &self,
        request: Request<pb::OfferRematchRequest>,
    ) -> Answer<pb::OfferRematchResponse> {
        offer_rematch::handle(self, request).await.map(Response::new)
    }

    async fn answer_rematch(
        &self,
        request: Request<pb::AnswerRematchRequest>,
    ) -> Answer<pb::AnswerRematchResponse> {
        answer_rematch::handle(self, request).await.map(Response::new)
    }
}
