//! A signed-in player who talks gRPC to the gateway.

use anyhow::Context as _;
use proto::fairplay::v1::fairplay_service_client::FairplayServiceClient;
use proto::game::v1::game_service_client::GameServiceClient;
use proto::gateway::v1::account_service_client::AccountServiceClient;
use proto::gateway::v1::{Session, SignInRequest, SignUpRequest};
use proto::matchmaking::v1::matchmaking_service_client::MatchmakingServiceClient;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use proto::rating::v1::{GetRatingsRequest, Rating};
use proto::wallet::v1::GetBalanceRequest;
use proto::wallet::v1::wallet_service_client::WalletServiceClient;
use tonic::Request;
use tonic::metadata::AsciiMetadataValue;
use tonic::transport::{Channel, Endpoint};

use crate::stack::Stack;

/// A player.
#[derive(Debug, Clone)]
pub struct Player {
    /// His session.
    pub session: Session,
    authorization: AsciiMetadataValue,
    channel: Channel,
}

/// A player's money, in minor units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purse {
    /// What he can stake.
    pub available: i64,
    /// What is held.
    pub held: i64,
}

impl Player {
    /// Signs up under a name of his own and waits for his play money.
    pub async fn sign_up(stack: &Stack) -> anyhow::Result<Self> {
        let channel = Endpoint::from_shared(stack.gateway.clone())?.connect_lazy();
        let name = format!("p-{}", &uuid::Uuid::new_v4().simple().to_string()[..12]);
        let request = SignUpRequest { name, password: "correct horse battery".to_owned() };
        let answer = AccountServiceClient::new(channel.clone()).sign_up(request).await?;
        let session = answer.into_inner().session.context("an answer without a session")?;
        let authorization = format!("Bearer {}", session.access_token).parse()?;
        let player = Self { session, authorization, channel };
        test_kit::eventually(crate::table::PATIENCE, || async {
            player.purse().await.ok().filter(|purse| purse.available > 0)
        })
        .await;
        Ok(player)
    }

    /// Signs in as one of those whom the stack begins with.
    pub async fn sign_in(stack: &Stack, name: &str) -> anyhow::Result<Self> {
        let channel = Endpoint::from_shared(stack.gateway.clone())?.connect_lazy();
        let request =
            SignInRequest { name: name.to_owned(), password: cli::dev::players::PASSWORD.to_owned() };
        let answer = AccountServiceClient::new(channel.clone()).sign_in(request).await?;
        let session = answer.into_inner().session.context("an answer without a session")?;
        let authorization = format!("Bearer {}", session.access_token).parse()?;
        Ok(Self { session, authorization, channel })
    }

    /// The same player at a stack that was started again, at another address.
    pub fn at(&self, stack: &Stack) -> anyhow::Result<Self> {
        let channel = Endpoint::from_shared(stack.gateway.clone())?.connect_lazy();
        Ok(Self { channel, ..self.clone() })
    }

    /// The player's id.
    pub fn id(&self) -> &str {
        &self.session.player_id
    }

    /// The connection, for a call without a token.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// A request in the player's name.
    pub fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.authorization.clone());
        request
    }

    /// The game service.
    pub fn games(&self) -> GameServiceClient<Channel> {
        GameServiceClient::new(self.channel())
    }

    /// The queues.
    pub fn queues(&self) -> MatchmakingServiceClient<Channel> {
        MatchmakingServiceClient::new(self.channel())
    }

    /// The wallet.
    pub fn wallet(&self) -> WalletServiceClient<Channel> {
        WalletServiceClient::new(self.channel())
    }

    /// The ratings.
    pub fn ratings(&self) -> RatingServiceClient<Channel> {
        RatingServiceClient::new(self.channel())
    }

    /// The reports.
    pub fn reports(&self) -> FairplayServiceClient<Channel> {
        FairplayServiceClient::new(self.channel())
    }

    /// What he has in play money.
    pub async fn purse(&self) -> anyhow::Result<Purse> {
        let answer = self.wallet().get_balance(self.request(GetBalanceRequest {})).await?.into_inner();
        let balance = answer.balances.into_iter().next().context("no balance yet")?;
        let minor = |money: Option<proto::types::v1::Money>| money.map_or(0, |money| money.minor_units);
        Ok(Purse { available: minor(balance.available), held: minor(balance.held) })
    }

    /// His rating in a pool.
    pub async fn rating(&self, pool: &str) -> anyhow::Result<Rating> {
        let request = GetRatingsRequest { player_id: self.id().to_owned() };
        let answer = self.ratings().get_ratings(self.request(request)).await?.into_inner();
        answer.ratings.into_iter().find(|rating| rating.pool == pool).context("no such pool")
    }
}
