//! What the other services say in the course of a match.

use event_store::StreamId;
use proto::fairplay::v1::{
    PairingRefusalReason, PairingRefused, PairingReserved, PlayerBarred, PlayerUnbarred,
};
use proto::game::v1::{GameAborted, GameEnded, GameResult, GameStarted};
use proto::matchmaking::v1::{MatchConfirmed, MatchProposed, StakesRequested};
use proto::rating::v1::{PlayerRatingChange, RatingRecord, RatingsChanged};
use proto::wallet::v1::{
    AccountKind, LedgerEntry, LedgerTransfer, MoneyDeposited, RefusalReason, StakesHeld, StakesRefused,
};
use test_peer::Visitor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::World;

impl World {
    /// Waits until the match was proposed.
    pub async fn proposal(&self, match_id: Uuid) -> MatchProposed {
        self.matchmaking.event(match_id, "MatchProposed").await
    }

    /// Fair-play reserves the pair's place, as soon as it is asked.
    pub async fn reserve(&self, match_id: Uuid) {
        let (first_player_id, second_player_id) = ordered(&self.proposal(match_id).await);
        let event = PairingReserved {
            match_id: match_id.to_string(),
            first_player_id,
            second_player_id,
            day: today(),
            person_ids: Vec::new(),
        };
        self.fairplay.publish(StreamId::new("pair", match_id), "PairingReserved", &event).await;
    }

    /// Fair-play refuses the pair.
    pub async fn refuse_pair(&self, match_id: Uuid) {
        let (first_player_id, second_player_id) = ordered(&self.proposal(match_id).await);
        let event = PairingRefused {
            match_id: match_id.to_string(),
            first_player_id,
            second_player_id,
            day: today(),
            reason: PairingRefusalReason::PairLimitReached.into(),
            person_ids: Vec::new(),
        };
        self.fairplay.publish(StreamId::new("pair", match_id), "PairingRefused", &event).await;
    }

    /// The wallet holds both stakes, as soon as it is asked; both players have enough left for another game.
    pub async fn hold(&self, match_id: Uuid) {
        self.hold_leaving(match_id, 9_500).await;
    }

    /// The same, and so much is left to each.
    pub async fn hold_leaving(&self, match_id: Uuid, minor_units: i64) {
        let asked: StakesRequested = self.matchmaking.event(match_id, "StakesRequested").await;
        self.say_held(&asked, minor_units).await;
    }

    /// The wallet says that the stakes are held, asked or not.
    pub async fn say_held(&self, asked: &StakesRequested, minor_units: i64) {
        let players = [&asked.white_player_id, &asked.black_player_id];
        let event = StakesHeld {
            match_id: asked.match_id.clone(),
            game_id: asked.game_id.clone(),
            white_player_id: asked.white_player_id.clone(),
            black_player_id: asked.black_player_id.clone(),
            stake: asked.stake.clone(),
            fee_basis_points: asked.fee_basis_points,
            transfers: vec![transfer(players.map(|player| available(player, minor_units)).to_vec())],
        };
        let stream = StreamId::new("match", asked.match_id.parse().expect("an id"));
        self.wallet.publish(stream, "StakesHeld", &event).await;
    }

    /// The wallet refuses the stakes, because of one player or of none.
    pub async fn refuse_stakes(&self, match_id: Uuid, player: Option<&Visitor>, reason: RefusalReason) {
        let _: StakesRequested = self.matchmaking.event(match_id, "StakesRequested").await;
        let player_id = player.map(|player| player.player_id.to_string()).unwrap_or_default();
        let event = StakesRefused { match_id: match_id.to_string(), player_id, reason: reason.into() };
        self.wallet.publish(StreamId::new("match", match_id), "StakesRefused", &event).await;
    }

    /// A player has so much.
    pub async fn deposit(&self, player: &Visitor, minor_units: i64) {
        let player_id = player.player_id.to_string();
        let transfer = Some(transfer(vec![available(&player_id, minor_units)]));
        let event = MoneyDeposited { player_id, transfer, ..MoneyDeposited::default() };
        self.wallet.publish(StreamId::new("account", player.player_id), "MoneyDeposited", &event).await;
    }

    /// Fair play keeps a player out.
    pub async fn bar(&self, player: &Visitor) {
        let (player_id, case_id) = (player.player_id.to_string(), Uuid::now_v7().to_string());
        let event = PlayerBarred { player_id, case_id };
        self.fairplay.publish(StreamId::new("player", player.player_id), "PlayerBarred", &event).await;
    }

    /// And lets him in again.
    pub async fn unbar(&self, player: &Visitor) {
        let (player_id, case_id) = (player.player_id.to_string(), Uuid::now_v7().to_string());
        let event = PlayerUnbarred { player_id, case_id };
        self.fairplay.publish(StreamId::new("player", player.player_id), "PlayerUnbarred", &event).await;
    }

    /// The game begins, as soon as it is asked for.
    pub async fn begin(&self, match_id: Uuid) {
        let confirmed: MatchConfirmed = self.matchmaking.event(match_id, "MatchConfirmed").await;
        let proposal = confirmed.proposal.expect("a confirmation has its proposal");
        let event = GameStarted {
            game_id: proposal.game_id.clone(),
            match_id: proposal.match_id,
            white: proposal.white,
            black: proposal.black,
            ..GameStarted::default()
        };
        self.game.publish(game_stream(&proposal.game_id), "GameStarted", &event).await;
    }

    /// The game ends with a win for White, after forty moves that nobody else hears of.
    pub async fn end(&self, match_id: Uuid) {
        let proposal = self.proposal(match_id).await;
        let event = GameEnded {
            game_id: proposal.game_id.clone(),
            match_id: proposal.match_id,
            white: proposal.white,
            black: proposal.black,
            result: GameResult::WhiteWins.into(),
            ended_at_ms: matchmaking::app::queue::now_ms(),
            ..GameEnded::default()
        };
        self.game.publish_behind(game_stream(&proposal.game_id), 40, "GameEnded", &event).await;
    }

    /// The game is aborted.
    pub async fn abort(&self, match_id: Uuid) {
        let proposal = self.proposal(match_id).await;
        let event = GameAborted {
            game_id: proposal.game_id.clone(),
            match_id: proposal.match_id,
            white: proposal.white,
            black: proposal.black,
            ..GameAborted::default()
        };
        self.game.publish(game_stream(&proposal.game_id), "GameAborted", &event).await;
    }

    /// Everybody agrees until the game runs.
    pub async fn agree(&self, match_id: Uuid) {
        self.reserve(match_id).await;
        self.hold(match_id).await;
        self.begin(match_id).await;
    }

    /// Two players have these ratings at 3+2, by the change with this number.
    pub async fn rate(&self, ratings: [(&Visitor, f64); 2], pool_sequence: u64) {
        let game_id = Uuid::now_v7();
        let [white, black] = ratings.map(|(player, rating)| PlayerRatingChange {
            player_id: player.player_id.to_string(),
            after: Some(RatingRecord { rating, deviation: 60.0, volatility: 0.06, games: 30 }),
            ..PlayerRatingChange::default()
        });
        let event = RatingsChanged {
            game_id: game_id.to_string(),
            pool: "3+2".to_owned(),
            white: Some(white),
            black: Some(black),
            pool_sequence,
            ..RatingsChanged::default()
        };
        self.rating.publish(StreamId::new("game", game_id), "RatingsChanged", &event).await;
    }
}

fn game_stream(game_id: &str) -> StreamId {
    StreamId::new("game", game_id.parse().expect("an id"))
}

fn ordered(proposal: &MatchProposed) -> (String, String) {
    let id = |player: &Option<proto::types::v1::Player>| {
        player.as_ref().map(|player| player.player_id.clone()).expect("a match has two sides")
    };
    let (white, black) = (id(&proposal.white), id(&proposal.black));
    if white < black { (white, black) } else { (black, white) }
}

fn transfer(entries: Vec<LedgerEntry>) -> LedgerTransfer {
    LedgerTransfer { currency: "XPL".to_owned(), entries, ..LedgerTransfer::default() }
}

fn available(player_id: &str, balance: i64) -> LedgerEntry {
    LedgerEntry {
        account: AccountKind::Available.into(),
        owner_id: player_id.to_owned(),
        balance_after_minor_units: Some(balance),
        ..LedgerEntry::default()
    }
}

/// Days since the Unix epoch.
pub fn today() -> i32 {
    i32::try_from(OffsetDateTime::now_utc().unix_timestamp() / 86_400).expect("a small number")
}
