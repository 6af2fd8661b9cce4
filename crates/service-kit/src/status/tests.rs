use proto::game::v1::ErrorReason;

use super::*;

/// KIT-3
#[test]
fn a_refusal_carries_one_error_info_with_the_reason_of_the_proto() {
    let status =
        failed_precondition(ErrorReason::NotYourTurn, "the opponent is on move", [("fen", "8/8".to_owned())]);
    assert_eq!(status.code(), Code::FailedPrecondition);
    let details = status.get_error_details();
    let info = details.error_info().expect("an error info");
    assert_eq!((info.reason.as_str(), info.domain.as_str()), ("NOT_YOUR_TURN", "stakemate.game"));
    assert_eq!(info.metadata["fen"], "8/8");
}

#[test]
fn common_reasons_are_of_no_service() {
    let details = overloaded().get_error_details();
    let info = details.error_info().expect("an error info");
    assert_eq!((info.reason.as_str(), info.domain.as_str()), ("OVERLOADED", "stakemate"));
    assert_eq!(details.retry_info().and_then(|info| info.retry_delay), Some(RETRY_AFTER));
}

/// KIT-3
#[test]
fn what_is_malformed_names_every_bad_field() {
    let status = invalid_argument([("game_id", "is missing"), ("uci", "is no move")]);
    assert_eq!(status.code(), Code::InvalidArgument);
    let details = status.get_error_details();
    let fields: Vec<_> = details
        .bad_request()
        .expect("a bad request")
        .field_violations
        .iter()
        .map(|v| v.field.clone())
        .collect();
    assert_eq!(fields, ["game_id", "uci"]);
}

#[test]
fn a_request_id_with_another_body_is_malformed_and_says_why() {
    let status = request_id_reused(ErrorReason::RequestIdReused);
    assert_eq!(status.code(), Code::InvalidArgument);
    let details = status.get_error_details();
    assert_eq!(details.error_info().expect("an error info").reason, "REQUEST_ID_REUSED");
    assert_eq!(details.bad_request().expect("a bad request").field_violations[0].field, "request_id");
}

/// KIT-4
#[test]
fn an_internal_error_does_not_tell_its_cause() {
    let status = internal(sqlx::Error::ColumnNotFound("password_hash".to_owned()));
    assert_eq!((status.code(), status.message()), (Code::Internal, "internal error"));
    assert!(status.details().is_empty());
}

#[test]
fn a_database_that_is_away_may_be_tried_again_and_a_bad_statement_not() {
    let away = from_sqlx(&sqlx::Error::PoolTimedOut);
    assert_eq!(away.code(), Code::Unavailable);
    assert!(away.get_error_details().retry_info().is_some());
    assert_eq!(from_sqlx(&sqlx::Error::RowNotFound).code(), Code::Internal);
}

#[test]
fn no_reason_keeps_the_prefix_of_its_enum() {
    for number in 1..=13 {
        let reason = ErrorReason::try_from(number).expect("a known number");
        assert!(!reason.name().starts_with("ERROR_REASON"), "{}", reason.name());
    }
}
