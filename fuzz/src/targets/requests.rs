//! Requests as they come off the wire, and the texts in them. The first byte says which request it is.

use prost::Message;
use proto::{fairplay, game, gateway, matchmaking, rating, wallet};
use service_kit::fields::Violations;
use service_kit::{ids, paging};

use crate::{Target, Verdict};

pub(super) const TARGET: Target = Target { name: "requests", check, seeds, words: WORDS };

const WORDS: &[&str] = &[
    "0198c5a2-7f3e-7c11-8b5a-2f6d1e0c9a44",
    "lisbon",
    "\u{8}\u{80}\u{1}",
    "\n$",
    "\u{12}\u{4}e2e4",
    "W1sibGlzdCJdXQ",
];

type Reader = fn(&[u8]) -> Option<Vec<u8>>;

macro_rules! requests {
    ($($path:path),* $(,)?) => {
        /// Reads a request and writes it again.
        const READERS: &[Reader] = &[$(|bytes| <$path>::decode(bytes).ok().map(|message| message.encode_to_vec())),*];
        /// One of each with nothing in it.
        fn empty() -> Vec<Vec<u8>> {
            vec![$(<$path>::default().encode_to_vec()),*]
        }
    };
}

requests![
    game::v1::PlayMoveRequest,
    game::v1::ResignRequest,
    game::v1::OfferDrawRequest,
    game::v1::ClaimDrawRequest,
    game::v1::PongRequest,
    game::v1::WatchGameRequest,
    game::v1::WatchFeaturedRequest,
    game::v1::ListGamesRequest,
    game::v1::ReplayGameRequest,
    game::v1::OpenTableRequest,
    game::v1::TakeSeatRequest,
    game::v1::AnswerRematchRequest,
    game::v1::WatchTablesRequest,
    gateway::v1::SignUpRequest,
    gateway::v1::SignInRequest,
    gateway::v1::RefreshSessionRequest,
    matchmaking::v1::JoinQueueRequest,
    matchmaking::v1::ListCitiesRequest,
    rating::v1::GetRatingsRequest,
    rating::v1::ListLeaderboardRequest,
    wallet::v1::CreateDepositRequest,
    wallet::v1::SetLimitRequest,
    fairplay::v1::DecideCaseRequest,
    // What comes back from the log goes the same way.
    game::v1::GameStarted,
    game::v1::MovePlayed,
    game::v1::GameEnded,
    matchmaking::v1::MatchConfirmed,
    rating::v1::RatingsChanged,
];

fn seeds() -> Vec<Vec<u8>> {
    let id = WORDS[0].to_owned();
    let play = game::v1::PlayMoveRequest {
        request_id: id.clone(),
        game_id: id.clone(),
        uci: "e2e4".to_owned(),
        expected_ply: 3,
    };
    let list = game::v1::ListGamesRequest {
        player_id: id,
        page_size: 20,
        page_token: paging::token("games", &(1_760_000_000_000_i64, "x")),
        started_from_ms: -1,
        ..Default::default()
    };
    let mut seeds: Vec<Vec<u8>> =
        (0_u8..).zip(empty()).map(|(number, bytes)| [vec![number], bytes].concat()).collect();
    seeds.push([vec![0], play.encode_to_vec()].concat());
    seeds.push([vec![7], list.encode_to_vec()].concat());
    seeds
}

fn check(input: &[u8]) -> Verdict {
    let Some((first, rest)) = input.split_first() else { return Verdict::Refused };
    if let Ok(text) = std::str::from_utf8(rest) {
        read_texts(text);
    }
    let read = READERS[usize::from(*first) % READERS.len()];
    let Some(written) = read(rest) else { return Verdict::Refused };
    assert_eq!(read(&written).as_ref(), Some(&written), "what was read is written and read alike");
    Verdict::Accepted
}

/// Ids and page tokens, as every service reads them first.
fn read_texts(text: &str) {
    if let Ok(id) = ids::parse(text) {
        assert!(!id.is_nil() && id.to_string().eq_ignore_ascii_case(text), "{text} is another id");
    }
    let page = paging::read::<(i64, String)>("games", 0, text, &mut Violations::default());
    if let Some(after) = page.and_then(|page| page.after) {
        let again = paging::token("games", &after);
        assert!(!again.is_empty());
    }
}
