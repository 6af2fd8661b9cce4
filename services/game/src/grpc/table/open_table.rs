//! Opens a table.

use domain_chess::{DrawRule, LagCredit, RuleSet, Standing};
use proto::game::v1 as pb;
use service_kit::{auth, fields::Violations, ids};
use tonic::{Request, Status};
use uuid::Uuid;

use super::{TableDesk, sitter, status, view};
use crate::{
    app::{TableError, Terms, Visibility, rule_set},
    wire,
};

/// The rule set of a table whose host names none.
const USUAL_RULE_SET: &str = "table";
/// The rule set whose draws and network-delay credit are the host's to set.
const FREE_RULE_SET: &str = "match";

pub(super) async fn handle(
    desk: &TableDesk,
    request: Request<pb::OpenTableRequest>,
) -> Result<pb::OpenTableResponse, Status> {
    let principal = auth::principal(&request)?;
    let (request_id, terms) = read(&request.into_inner())?;
    let opened = desk.tables.open(sitter(&principal), request_id, terms).await;
    let shown = opened.map_err(status::of_table)?;
    Ok(pb::OpenTableResponse { table: Some(view(&shown)) })
}

fn read(request: &pb::OpenTableRequest) -> Result<(Uuid, Terms), Status> {
    let mut bad = Violations::default();
    let request_id = bad.check("request_id", ids::parse(&request.request_id));
    let name = if request.rule_set.is_empty() { USUAL_RULE_SET } else { &request.rule_set };
    let rules = bad.check("rule_set", rule_set(name).ok_or("must be table, match, solo or fide"));
    let time_control = match &request.time_control {
        Some(control) => {
            bad.check("time_control", wire::read_time_control(control).ok_or("must be possible")).map(Some)
        }
        None => Some(None),
    };
    let visibility = bad.check(
        "visibility",
        pb::TableVisibility::try_from(request.visibility).map_err(|_| "must be a visibility"),
    );
    let draws =
        bad.check("draws", pb::DrawsSetting::try_from(request.draws).map_err(|_| "must be a setting"));
    let lag_credit = bad.check(
        "lag_credit",
        pb::LagCreditSetting::try_from(request.lag_credit).map_err(|_| "must be a setting"),
    );
    let host_color = bad.check("host_color", read_color(request.host_color));
    let (
        Some(request_id),
        Some(rules),
        Some(time_control),
        Some(visibility),
        Some(draws),
        Some(lag_credit),
        Some(host_color),
    ) = (request_id, rules, time_control, visibility, draws, lag_credit, host_color)
    else {
        return Err(bad.into_status());
    };
    let rule_set = with_settings(rules, draws, lag_credit).map_err(status::of_table)?;
    let visibility = match visibility {
        pb::TableVisibility::Unspecified | pb::TableVisibility::Public => Visibility::Public,
        pb::TableVisibility::ByLink => Visibility::ByLink,
    };
    let wanted = if request.rated { Standing::Rated } else { Standing::Casual };
    Ok((request_id, Terms { rule_set, time_control, visibility, wanted, host_color }))
}

fn read_color(wire: i32) -> Result<Option<domain_chess::Color>, &'static str> {
    match (wire, wire::read_color(wire)) {
        (0, None) => Ok(None),
        (_, Some(color)) => Ok(Some(color)),
        (_, None) => Err("must be a colour"),
    }
}

fn with_settings(
    mut rules: RuleSet,
    draws: pb::DrawsSetting,
    lag_credit: pb::LagCreditSetting,
) -> Result<RuleSet, TableError> {
    let is_set = draws != pb::DrawsSetting::Unspecified || lag_credit != pb::LagCreditSetting::Unspecified;
    if is_set && rules.name != FREE_RULE_SET {
        return Err(TableError::TermsNotAllowed);
    }
    match draws {
        pb::DrawsSetting::Unspecified => {}
        pb::DrawsSetting::Automatic => rules.draws = DrawRule::Automatic,
        pb::DrawsSetting::ByClaim => rules.draws = DrawRule::ByClaim,
    }
    match lag_credit {
        pb::LagCreditSetting::Unspecified => {}
        pb::LagCreditSetting::On => rules.lag_credit = Some(LagCredit::STANDARD),
        pb::LagCreditSetting::Off => rules.lag_credit = None,
    }
    Ok(rules)
}
