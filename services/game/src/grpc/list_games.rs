//! Games, newest first.

use proto::game::v1 as pb;
use service_kit::{fields::Violations, ids, paging, status as kit};
use tonic::Status;
use uuid::Uuid;

use super::{Service, convert};
use crate::{
    app::{CityId, PlayerId},
    store::{GameRow, List, Listing, PageKey, list},
};

/// The longest name of a city that is looked up.
const CITY_ID_BYTES_MAX: usize = 64;

pub(super) async fn handle(
    service: &Service,
    request: pb::ListGamesRequest,
) -> Result<pb::ListGamesResponse, Status> {
    let (wanted, size) = read(&request)?;
    let mut rows = list(&service.pool, &wanted).await.map_err(|error| kit::from_sqlx(&error))?;
    let next_page_token = paging::cut(&list_name(&request), size, &mut rows, place);
    Ok(pb::ListGamesResponse { games: rows.iter().map(convert::summary).collect(), next_page_token })
}

fn read(request: &pb::ListGamesRequest) -> Result<(List, u32), Status> {
    let mut bad = Violations::default();
    let player_id = bad.check("player_id", ids::parse_if_given(&request.player_id));
    let opponent_id = bad.check("opponent_id", ids::parse_if_given(&request.opponent_id));
    if !request.opponent_id.is_empty() && request.player_id.is_empty() {
        bad.add("opponent_id", "needs player_id");
    }
    if request.city_id.len() > CITY_ID_BYTES_MAX {
        bad.add("city_id", format!("must have at most {CITY_ID_BYTES_MAX} bytes"));
    }
    if !request.city_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        bad.add("city_id", "must be letters, digits and hyphens");
    }
    let status = bad
        .check("status", pb::GameStatus::try_from(request.status).map_err(|_| "must be a status of a game"));
    let result = bad
        .check("result", pb::GameResult::try_from(request.result).map_err(|_| "must be a result of a game"));
    if request.started_from_ms < 0 || request.started_before_ms < 0 {
        bad.add("started_from_ms", "must not be negative");
    }
    let page =
        paging::read::<(i64, Uuid)>(&list_name(request), request.page_size, &request.page_token, &mut bad);
    let (Some(player_id), Some(opponent_id), Some(status), Some(result), Some(page), true) =
        (player_id, opponent_id, status, result, page, bad.is_empty())
    else {
        return Err(bad.into_status());
    };
    let listing = match (player_id.map(PlayerId), opponent_id.map(PlayerId)) {
        (Some(player_id), Some(opponent_id)) => Listing::Between(player_id, opponent_id),
        (Some(player_id), None) => Listing::Of(player_id),
        (None, _) => Listing::All,
    };
    let after = page.after.map(|(started_at_ms, game_id)| PageKey { started_at_ms, game_id });
    let list = List {
        listing,
        city_id: (!request.city_id.is_empty()).then(|| CityId(request.city_id.clone())),
        status: (status != pb::GameStatus::Unspecified).then_some(status),
        result: (result != pb::GameResult::Unspecified).then_some(result),
        // Imported games may be older than the epoch.
        started_from_ms: match request.started_from_ms {
            0 => i64::MIN,
            from_ms => from_ms,
        },
        started_before_ms: match request.started_before_ms {
            0 => i64::MAX,
            before_ms => before_ms,
        },
        after: after.unwrap_or(PageKey::START),
        // One more, to know whether there is a next page.
        rows_max: page.size + 1,
    };
    Ok((list, page.size))
}

/// A token belongs to the list that it was made for: with other filters its place means nothing.
fn list_name(request: &pb::ListGamesRequest) -> String {
    let pb::ListGamesRequest { player_id, opponent_id, city_id, status, result, .. } = request;
    let (from_ms, before_ms) = (request.started_from_ms, request.started_before_ms);
    format!("games/{player_id}/{opponent_id}/{city_id}/{status}/{result}/{from_ms}/{before_ms}")
}

fn place(row: &GameRow) -> (i64, Uuid) {
    let key = row.key();
    (key.started_at_ms, key.game_id)
}
