//! Takes what other instances ask of the owner of a shard.

use std::{sync::Arc, time::Duration};

use async_nats::{Client, Message, Subject};
use event_store::trace::{TRACE_PARENT_HEADER, set_parent};
use futures::StreamExt as _;
use prost::Message as _;
use proto::game::v1 as pb;
use tokio::sync::Semaphore;
use tracing::Instrument as _;

use super::{
    command_subject,
    words::{self, Asked},
};
use crate::app::{Act, ActError, Games, Holding};

/// When it is tried again to listen.
const LISTEN_AGAIN_AFTER: Duration = Duration::from_millis(100);

/// Serves a shard until its holding stops. What still comes then is sent back at once, so that nobody waits for an answer.
pub(super) async fn serve(client: Client, games: Games, holding: Arc<Holding>, in_hand: Arc<Semaphore>) {
    while !holding.stop.is_cancelled() {
        let mut messages = match client.subscribe(command_subject(holding.shard)).await {
            Ok(messages) => messages,
            Err(error) => {
                tracing::warn!(shard = %holding.shard, %error, "requests cannot be listened for, trying again");
                tokio::time::sleep(LISTEN_AGAIN_AFTER).await;
                continue;
            }
        };
        loop {
            tokio::select! {
                () = holding.stop.cancelled() => break,
                message = messages.next() => match message {
                    Some(message) => take(&client, &games, &in_hand, message),
                    None => break,
                },
            }
        }
        // Best effort: the subscription ends with its handle as well.
        let _ = messages.unsubscribe().await;
        while let Some(message) = messages.next().await {
            if let Some(to) = message.reply {
                answer(&client, to, words::reply(Err(ActError::Unreachable))).await;
            }
        }
    }
}

fn take(client: &Client, games: &Games, in_hand: &Arc<Semaphore>, message: Message) {
    let request = pb::OwnerRequest::decode(message.payload.as_ref()).ok();
    let asked = request.and_then(|request| words::read_request(&request, games.now_ms()));
    match (asked, &message.reply) {
        (Some(Asked::Sign(sign)), _) => games.tell_from_elsewhere(sign),
        (Some(Asked::Begun(game_id)), _) => games.take_up(game_id),
        (Some(Asked::Act(act)), Some(to)) => {
            let (client, games, to) = (client.clone(), games.clone(), to.clone());
            let Ok(place) = in_hand.clone().try_acquire_owned() else {
                tokio::spawn(
                    async move { answer(&client, to, words::reply(Err(ActError::Overloaded))).await },
                );
                return;
            };
            let span = span_of(&message, &act);
            let acting = async move {
                answer(&client, to, words::reply(games.act_here(act).await)).await;
                drop(place);
            };
            tokio::spawn(acting.instrument(span));
        }
        (Some(Asked::Act(_)), None) | (None, _) => {
            tracing::debug!("a request of another instance was not understood");
        }
    }
}

/// Goes on with the trace of the call that the other instance was given.
fn span_of(message: &Message, act: &Act) -> tracing::Span {
    let span = tracing::info_span!("act for another instance", game_id = %act.game_id);
    let headers = message.headers.as_ref();
    if let Some(trace_parent) = headers.and_then(|headers| headers.get(TRACE_PARENT_HEADER)) {
        set_parent(&span, trace_parent.as_str());
    }
    span
}

async fn answer(client: &Client, to: Subject, reply: pb::OwnerReply) {
    if let Err(error) = client.publish(to, reply.encode_to_vec().into()).await {
        tracing::debug!(%error, "an answer to another instance was not sent");
    }
}
