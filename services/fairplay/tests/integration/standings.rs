//! What follows from a player's games: levels, holds, bars, cases and reports of opponents.

use domain_fairplay::Level;
use domain_fairplay::calibration::Calibration;
use event_store::Metadata;
use fairplay::app::cases::{self, Decision, OpponentReport, REPORTS_PER_DAY_MAX, Reported};
use fairplay::app::holds::end_overdue;
use fairplay::app::standing::{self, PRIZE_HOLD, Subject};
use fairplay::store::evidence::{self, NewSide, Stakes};
use fairplay::store::jobs::{self, NewJob, Priority};
use fairplay::store::players;
use fairplay::store::staked_games::{self, NewGame, Stake};
use prost::Message as _;
use proto::fairplay::v1::{CaseDecided, CaseDecision, Channel, SideEvidence, SideReport};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::support::{database, events_of};

/// A side with so much evidence, out of twenty moves.
fn side(log_engine: f64) -> SideReport {
    let channel = Channel { moves: 20, observed: 9.0, expected: 9.0, variance: 4.0 };
    SideReport {
        evidence: Some(SideEvidence {
            rating: 1500.0,
            time_class: "blitz".to_owned(),
            score: 1.0,
            engine: vec![log_engine; 6],
            human: vec![0.0; 5],
            matches: Some(channel),
            spared: Some(channel),
            matches_stronger: Some(channel),
            spared_stronger: Some(channel),
            ..SideEvidence::default()
        }),
        ..SideReport::default()
    }
}

struct Player<'a> {
    pool: &'a PgPool,
    calibration: Calibration,
    player_id: Uuid,
    games: i64,
}

impl<'a> Player<'a> {
    fn new(pool: &'a PgPool) -> Self {
        Self { pool, calibration: calibration::file::bundled(), player_id: Uuid::now_v7(), games: 0 }
    }

    /// A scored game, and the level after it.
    async fn plays(&mut self, log_engine: f64, pass: i16) -> Level {
        self.has_side(&side(log_engine), pass, Stakes::Staked).await
    }

    async fn has_side(&mut self, side: &SideReport, pass: i16, stakes: Stakes) -> Level {
        let (player_id, game_id) = (self.player_id, Uuid::now_v7());
        self.games += 1;
        let mut tx = self.pool.begin().await.expect("a transaction");
        let priority = if stakes == Stakes::Staked { Priority::Staked } else { Priority::History };
        let job = NewJob { game_id, white_id: player_id, black_id: Uuid::now_v7(), priority };
        assert!(jobs::insert(&mut tx, job).await.expect("written"));
        // After the decisions of this test, which come with the time of today.
        let ended_at_ms = 4_000_000_000_000 + self.games;
        let new = NewSide { player_id, game_id, time_class: "blitz", ended_at_ms, pass, side, stakes };
        evidence::put(&mut tx, new).await.expect("written");
        let subject = Subject { player_id, time_class: "blitz" };
        let metadata = Metadata::for_request("fairplay", game_id);
        let level = standing::update(&mut tx, &self.calibration, subject, metadata).await.expect("updated");
        tx.commit().await.expect("committed");
        level
    }

    async fn events(&self) -> Vec<String> {
        events_of(self.pool, self.player_id).await
    }

    async fn decide(&self, case_id: Uuid, decided_by: Uuid, decision: CaseDecision) {
        let decision = Decision { case_id, decided_by, decision, reason: "looked at".to_owned() };
        let decided = cases::decide(self.pool, &self.calibration, decision).await.expect("decided");
        assert!(decided.is_some());
    }

    async fn case_id(&self) -> Uuid {
        sqlx::query_scalar("select case_id from cases where player_id = $1")
            .bind(self.player_id)
            .fetch_one(self.pool)
            .await
            .expect("one case")
    }
}

#[tokio::test]
async fn evidence_holds_prizes_once_and_the_hold_ends_by_itself_after_72_hours() {
    // FAIR-5, FAIR-22
    let database = database().await;
    let mut player = Player::new(&database.pool);
    assert_eq!(player.plays(5.0, 1).await, Level::NotEnoughData, "one game says nothing");
    assert_eq!(player.plays(5.0, 1).await, Level::Hold);
    assert_eq!(player.plays(5.0, 1).await, Level::Hold, "without the second pass nobody is flagged");
    let events = ["LevelChanged", "PrizeHoldPlaced"];
    assert_eq!(player.events().await, events);
    let now = OffsetDateTime::now_utc();
    let end = |at| end_overdue(&database.pool, at);
    assert_eq!(end(now + PRIZE_HOLD - time::Duration::minutes(1)).await.expect("looked"), 0);
    assert_eq!(end(now + PRIZE_HOLD + time::Duration::minutes(1)).await.expect("looked"), 1);
    assert_eq!(end(now + PRIZE_HOLD + time::Duration::minutes(1)).await.expect("looked"), 0);
    assert_eq!(player.events().await, ["LevelChanged", "PrizeHoldPlaced", "PrizeHoldReleased"]);
    assert_eq!(player.plays(5.0, 1).await, Level::Hold, "a hold is not placed again");
    assert_eq!(player.events().await.len(), 3);
}

#[tokio::test]
async fn a_flag_bars_until_a_person_decides_and_every_decision_is_an_event() {
    // FAIR-23
    let database = database().await;
    let pool = &database.pool;
    let mut player = Player::new(pool);
    for _ in 0..6 {
        player.plays(5.0, 2).await;
    }
    assert_eq!(player.plays(5.0, 2).await, Level::Flag);
    assert!(players::find(pool, player.player_id).await.expect("read").is_barred);
    let (case_id, moderator) = (player.case_id().await, Uuid::now_v7());
    player.decide(case_id, moderator, CaseDecision::Confirmed).await;
    player.decide(case_id, moderator, CaseDecision::Confirmed).await;
    assert!(players::find(pool, player.player_id).await.expect("read").is_barred);
    // The reversal: the player is free at once, and his old games do not count any more.
    player.decide(case_id, moderator, CaseDecision::Cleared).await;
    let row = players::find(pool, player.player_id).await.expect("read");
    assert_eq!((row.is_barred, row.hold_id), (false, None));
    player.decide(case_id, moderator, CaseDecision::Confirmed).await;
    assert!(players::find(pool, player.player_id).await.expect("read").is_barred);
    let events = player.events().await;
    let expected = [
        "LevelChanged",
        "PrizeHoldPlaced",
        "LevelChanged",
        "CaseOpened",
        "PlayerBarred",
        "CaseDecided",
        "CaseDecided",
        "LevelChanged",
        "PrizeHoldReleased",
        "PlayerUnbarred",
        "CaseDecided",
        "PlayerBarred",
    ];
    assert_eq!(events, expected);
}

#[tokio::test]
async fn a_decision_names_the_stakes_that_others_lost() {
    let database = database().await;
    let pool = &database.pool;
    let mut player = Player::new(pool);
    for _ in 0..7 {
        player.plays(5.0, 2).await;
    }
    let games: Vec<Uuid> =
        sqlx::query_scalar("select game_id from side_evidence where player_id = $1 order by ended_at_ms")
            .bind(player.player_id)
            .fetch_all(pool)
            .await
            .expect("readable");
    let victim = Uuid::now_v7();
    // As White he won one and lost one; as Black he won one.
    for (game_id, is_white, white_score) in
        [(games[0], true, 1.0), (games[1], true, 0.0), (games[2], false, 0.0)]
    {
        let game = NewGame {
            game_id,
            match_id: Uuid::new_v5(&game_id, b"match"),
            ended_at_ms: 4_000_000_000_000,
            pool: "paris 180000+2000".to_owned(),
            stake: Stake { minor_units: 500, currency: "XPL".to_owned() },
            players: if is_white { [player.player_id, victim] } else { [victim, player.player_id] },
            ratings: [1_500.0; 2],
            white_score,
            loser_gave_up: false,
            plies: 60,
            opening: None,
            left_shares: [0.5; 2],
        };
        let mut conn = pool.acquire().await.expect("a connection");
        staked_games::put(&mut conn, &game).await.expect("written");
    }
    player.decide(player.case_id().await, Uuid::now_v7(), CaseDecision::Confirmed).await;
    let data: Vec<u8> = sqlx::query_scalar("select data from events where type = 'CaseDecided'")
        .fetch_one(pool)
        .await
        .expect("one decision");
    let decided = CaseDecided::decode(data.as_slice()).expect("readable");
    assert_eq!((decided.game_ids.len(), decided.reason.as_str()), (7, "looked at"));
    for lost in &decided.lost_stakes {
        let game_id: Uuid = lost.game_id.parse().expect("an id");
        assert_eq!(lost.match_id, Uuid::new_v5(&game_id, b"match").to_string());
    }
    let lost: Vec<(String, String, i64)> = decided
        .lost_stakes
        .into_iter()
        .map(|lost| (lost.player_id, lost.game_id, lost.stake.map_or(0, |stake| stake.minor_units)))
        .collect();
    let wanted = [games[0], games[2]].map(|game_id| (victim.to_string(), game_id.to_string(), 500));
    let mut lost = lost;
    lost.sort_by_key(|(_, game_id, _)| games.iter().position(|id| id.to_string() == *game_id));
    assert_eq!(lost, wanted);
}

#[tokio::test]
async fn games_without_a_stake_are_what_staked_ones_are_held_against() {
    // FAIR-25
    let database = database().await;
    let mut player = Player::new(&database.pool);
    let with_matches = |observed: f64| {
        let mut played = side(0.0);
        let evidence = played.evidence.as_mut().expect("a side with evidence");
        evidence.matches = Some(Channel { moves: 20, observed, expected: 9.0, variance: 4.0 });
        played
    };
    for _ in 0..8 {
        let level = player.has_side(&with_matches(6.0), 1, Stakes::Unstaked).await;
        assert_eq!(level, Level::NotEnoughData, "games without a stake raise nothing by themselves");
    }
    let mut level = Level::NotEnoughData;
    for _ in 0..8 {
        level = player.has_side(&with_matches(10.0), 1, Stakes::Staked).await;
    }
    let assessments = players::assessments(&database.pool, player.player_id).await.expect("read");
    assert_eq!((assessments[0].games, assessments[0].history_games), (8, 8));
    assert!(assessments[0].history_z > 3.0, "{}", assessments[0].history_z);
    assert!(assessments[0].matches.as_ref().is_some_and(|matches| matches.z < 2.0));
    assert_eq!(level, Level::Review);
}

#[tokio::test]
async fn the_last_standing_is_the_same_in_whatever_order_games_were_analysed() {
    // FAIR-21
    let database = database().await;
    let strengths = [0.3, -0.7, 2.1, 0.9, -0.2];
    let mut last = Vec::new();
    for order in [[0, 1, 2, 3, 4], [4, 2, 0, 3, 1]] {
        let mut player = Player::new(&database.pool);
        for at in order {
            player.games = i64::try_from(at).expect("small");
            player.plays(strengths[at], 1).await;
        }
        let assessments = players::assessments(&database.pool, player.player_id).await.expect("read");
        last.push(assessments[0].log_bayes.to_bits());
    }
    assert_eq!(last[0], last[1]);
}

#[tokio::test]
async fn a_player_reports_an_opponent_once_a_game_and_five_times_a_day() {
    let database = database().await;
    let reported_by = Uuid::now_v7();
    let mut last = None;
    for number in 0..=REPORTS_PER_DAY_MAX {
        let player_id = Uuid::now_v7();
        let report = OpponentReport {
            reported_by,
            game_id: Uuid::now_v7(),
            player_id,
            reason: "plays like an engine".to_owned(),
        };
        let answer = cases::report(&database.pool, report.clone()).await.expect("answered");
        let is_over = number == REPORTS_PER_DAY_MAX;
        assert_eq!(answer, if is_over { Reported::TooMany } else { Reported::Noted });
        let events = events_of(&database.pool, player_id).await;
        assert_eq!(events.len(), usize::from(!is_over));
        if !is_over {
            last = Some(report);
        }
    }
    let again = last.expect("some were noted");
    let player_id = again.player_id;
    assert_eq!(cases::report(&database.pool, again).await.expect("answered"), Reported::Noted);
    assert_eq!(events_of(&database.pool, player_id).await.len(), 1);
}
