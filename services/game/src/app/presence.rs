//! A player's stream as the owner of its game hears of it.

use std::fmt;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    attendance::{Closing, News, Sign},
    facts::{GameId, PlayerId},
    games::Games,
};

/// An open stream of a player: his presence until it is dropped.
pub struct Presence {
    games: Games,
    game_id: GameId,
    player_id: PlayerId,
    stream_id: Uuid,
    /// Cancelled when this process sends its clients elsewhere.
    leaving: CancellationToken,
}

impl fmt::Debug for Presence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Presence").field("stream_id", &self.stream_id).finish_non_exhaustive()
    }
}

impl Presence {
    pub(super) fn open(
        games: Games,
        game_id: GameId,
        player_id: PlayerId,
        leaving: CancellationToken,
    ) -> Presence {
        let presence = Presence { games, game_id, player_id, stream_id: Uuid::new_v4(), leaving };
        presence.tell(News::Opened { stream_id: presence.stream_id });
        presence
    }

    /// Notes that a nonce goes out now, and answers it. Nobody can foresee it, so nobody can answer before it has come.
    pub fn ping(&self) -> u64 {
        let nonce = Uuid::new_v4().as_u64_pair().1;
        self.tell(News::Pinged { stream_id: self.stream_id, nonce });
        nonce
    }

    fn tell(&self, news: News) {
        let sign =
            Sign { game_id: self.game_id, player_id: self.player_id, news, at_ms: self.games.now_ms() };
        self.games.tell(sign);
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let why = if self.leaving.is_cancelled() { Closing::SentAway } else { Closing::Left };
        self.tell(News::Closed { stream_id: self.stream_id, why });
    }
}

/// Hands a sign to an owner. One that says who is there must arrive, so it waits for its place where a nonce would not.
pub(super) fn deliver<L: Send + 'static>(mailbox: &mpsc::Sender<L>, letter: L, news: News) {
    let Err(mpsc::error::TrySendError::Full(letter)) = mailbox.try_send(letter) else { return };
    if matches!(news, News::Pinged { .. } | News::Ponged { .. }) {
        return;
    }
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        let mailbox = mailbox.clone();
        runtime.spawn(async move {
            // An owner that has gone meanwhile hears of the stream with its next nonce, or of its end never: a new owner
            // knows of no stream.
            let _ = mailbox.send(letter).await;
        });
    }
}
