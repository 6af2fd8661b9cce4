//! Wrong input through the gateway: each with its code and its named reason, and nothing changed.

use std::time::{Duration, SystemTime};

use end_to_end::player::Player;
use end_to_end::stack::Stack;
use end_to_end::table::{FIVE_MINUTES, PARIS, Table, join, request_id};
use proto::game::v1::PlayMoveRequest;
use proto::game::v1::game_service_client::GameServiceClient;
use proto::types::v1::TimeControl;
use proto::wallet::v1::GetBalanceRequest;
use proto::wallet::v1::wallet_service_client::WalletServiceClient;
use service_kit::auth::{ISSUER, Role, Roles, Signer, Subject};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;

/// The code of a refusal and its reason, or the name of the field that is wrong.
fn told(status: &Status) -> (Code, String) {
    let details = status.get_error_details();
    let reason = details.error_info().map(|info| info.reason.clone());
    let field = details
        .bad_request()
        .and_then(|bad| bad.field_violations.first().map(|violation| violation.field.clone()));
    (status.code(), reason.or(field).unwrap_or_default())
}

fn refused<T>(answer: Result<T, Status>) -> (Code, String) {
    told(&answer.err().expect("it was to be refused"))
}

async fn send(player: &Player, request: PlayMoveRequest) -> Result<(), Status> {
    player.games().play_move(player.request(request)).await.map(drop)
}

#[tokio::test]
async fn a_wrong_move_is_refused_by_name_and_changes_nothing() -> anyhow::Result<()> {
    let table = Table::new(Stack::shared()).await?;
    let stranger = Player::sign_up(Stack::shared()).await?;
    table.play_all(&["e2e4", "e7e5"]).await?;
    let before = table.game().await?;

    let illegal = send(&table.white, table.move_request(3, "e4e6")).await;
    assert_eq!(refused(illegal), (Code::FailedPrecondition, "ILLEGAL_MOVE".to_owned()));
    let malformed = send(&table.white, table.move_request(3, "e9e5")).await;
    assert_eq!(refused(malformed), (Code::InvalidArgument, "uci".to_owned()));
    let not_his_turn = send(&table.black, table.move_request(3, "b8c6")).await;
    assert_eq!(refused(not_his_turn), (Code::FailedPrecondition, "NOT_YOUR_TURN".to_owned()));
    let stale = send(&table.white, table.move_request(2, "g1f3")).await;
    assert_eq!(refused(stale), (Code::Aborted, "PLY_STALE".to_owned()));
    let foreign = send(&stranger, table.move_request(3, "g1f3")).await;
    assert_eq!(refused(foreign), (Code::PermissionDenied, "NOT_A_PLAYER".to_owned()));
    let unknown = PlayMoveRequest { game_id: request_id(), ..table.move_request(3, "g1f3") };
    assert_eq!(refused(send(&table.white, unknown).await), (Code::NotFound, "GAME_UNKNOWN".to_owned()));

    let after = table.game().await?;
    assert_eq!((after.moves, after.fen, after.status), (before.moves, before.fen, before.status));
    Ok(())
}

#[tokio::test]
async fn a_repeated_request_gets_the_first_answer_and_another_move_under_its_id_is_refused()
-> anyhow::Result<()> {
    let table = Table::new(Stack::shared()).await?;
    let request = table.move_request(1, "e2e4");
    let first = table.white.games().play_move(table.white.request(request.clone())).await?.into_inner();
    table.play(2, "e7e5").await?;
    let again = table.white.games().play_move(table.white.request(request.clone())).await?.into_inner();
    assert_eq!(again, first);

    let other = PlayMoveRequest { uci: "d2d4".to_owned(), ..request };
    let (code, _) = refused(send(&table.white, other).await);
    assert_eq!(code, Code::InvalidArgument);
    assert_eq!(table.game().await?.moves.len(), 2);
    Ok(())
}

#[tokio::test]
async fn a_call_without_a_token_or_with_an_expired_or_foreign_one_is_refused() -> anyhow::Result<()> {
    let stack = Stack::shared();
    let table = Table::new(stack).await?;
    let mut games = GameServiceClient::new(table.white.channel());
    let mut wallets = WalletServiceClient::new(table.white.channel());

    let missing = games.play_move(table.move_request(1, "e2e4")).await;
    assert_eq!(refused(missing), (Code::Unauthenticated, "TOKEN_MISSING".to_owned()));
    let missing = wallets.get_balance(GetBalanceRequest {}).await;
    assert_eq!(refused(missing), (Code::Unauthenticated, "TOKEN_MISSING".to_owned()));

    let expired = token(stack, table.white.id(), SystemTime::now() - Duration::from_secs(7_200))?;
    let expired_call = games.play_move(with_token(table.move_request(1, "e2e4"), &expired)?).await;
    assert_eq!(refused(expired_call), (Code::Unauthenticated, "TOKEN_EXPIRED".to_owned()));

    let valid = token(stack, table.white.id(), SystemTime::now())?;
    let (body, signature) = valid.rsplit_once('.').expect("a JWT has three parts");
    let flipped: String = signature.chars().rev().collect();
    let tampered = format!("{body}.{flipped}");
    let tampered_call = games.play_move(with_token(table.move_request(1, "e2e4"), &tampered)?).await;
    assert_eq!(refused(tampered_call), (Code::Unauthenticated, "TOKEN_INVALID".to_owned()));

    assert!(table.game().await?.moves.is_empty(), "nothing was played");
    games.play_move(with_token(table.move_request(1, "e2e4"), &valid)?).await?;
    Ok(())
}

fn token(stack: &Stack, player_id: &str, issued_at: SystemTime) -> anyhow::Result<String> {
    let signer = Signer::from_file(&stack.token_private_key(), ISSUER)?;
    let subject =
        Subject { player_id: player_id.parse()?, name: "somebody", roles: Roles::of(&[Role::Player]) };
    Ok(signer.sign(&subject, issued_at, Duration::from_secs(600))?.text)
}

fn with_token<T>(message: T, token: &str) -> anyhow::Result<Request<T>> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
    Ok(request)
}

#[tokio::test]
async fn a_wrong_wish_to_queue_is_refused_by_name_and_holds_nothing() -> anyhow::Result<()> {
    let player = Player::sign_up(Stack::shared()).await?;
    let before = player.purse().await?;

    let empty_city = join(&player, "", FIVE_MINUTES).await;
    assert_eq!(refused(empty_city), (Code::InvalidArgument, "city_id".to_owned()));
    let unknown_city = join(&player, "atlantis", FIVE_MINUTES).await;
    assert_eq!(refused(unknown_city), (Code::NotFound, "CITY_UNKNOWN".to_owned()));
    let bullet = join(&player, PARIS, TimeControl { base_ms: 60_000, increment_ms: 0 }).await;
    assert_eq!(refused(bullet), (Code::FailedPrecondition, "TIME_CONTROL_NOT_PLAYED".to_owned()));
    let negative = join(&player, PARIS, TimeControl { base_ms: -1, increment_ms: 0 }).await;
    assert_eq!(refused(negative), (Code::InvalidArgument, "time_control".to_owned()));

    // The courtesy check knows the balance as soon as the wallet's event has arrived in matchmaking.
    let too_dear = test_kit::eventually(end_to_end::table::PATIENCE, || async {
        match join(&player, "monte-carlo", FIVE_MINUTES).await {
            Err(status) => Some(told(&status)),
            Ok(_) => None,
        }
    })
    .await;
    assert_eq!(too_dear, (Code::FailedPrecondition, "INSUFFICIENT_FUNDS".to_owned()));

    assert_eq!(player.purse().await?, before);
    Ok(())
}
