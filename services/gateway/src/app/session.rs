//! Sessions and their tokens.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use service_kit::auth::{KeyError, Subject};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use uuid::Uuid;

use super::account::Account;
use super::{App, NewSession};

/// Bytes of a refresh token.
const TOKEN_BYTES: usize = 32;
/// What the pad of a successor is made of besides its predecessor.
const SUCCESSOR_PAD: &[u8] = b"stakemate successor of a refresh token";

/// What a signed-in client holds.
#[derive(Clone, Debug)]
pub struct Session {
    /// Whose it is.
    pub account: Account,
    /// The access token.
    pub access_token: String,
    /// When it ends.
    pub access_expires_at: OffsetDateTime,
    /// The refresh token.
    pub refresh_token: RefreshToken,
    /// When it ends.
    pub refresh_expires_at: OffsetDateTime,
}

/// A refresh token: 256 random bits. It is kept only as its hash, which needs no salt for that.
#[derive(Clone, PartialEq, Eq)]
pub struct RefreshToken([u8; TOKEN_BYTES]);

/// A refresh token as its predecessor's row keeps it: only who presents the predecessor can open it, and of that the row has no
/// more than the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SealedToken(pub [u8; TOKEN_BYTES]);

/// A text is no refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a refresh token")]
pub struct NotAToken;

impl RefreshToken {
    /// A new one.
    pub fn random() -> Self {
        Self(rand::random())
    }

    /// Reads one.
    ///
    /// # Errors
    /// When the text is none.
    pub fn parse(text: &str) -> Result<Self, NotAToken> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| NotAToken)?;
        bytes.try_into().map(Self).map_err(|_| NotAToken)
    }

    /// As clients get it.
    pub fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// As it is kept.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0).into()
    }

    /// Seals this one's successor. The pad is used for one successor only, and is as random as this token.
    pub fn seal(&self, successor: &RefreshToken) -> SealedToken {
        SealedToken(self.padded(successor.0))
    }

    /// Opens what this one has sealed.
    pub fn open(&self, sealed: SealedToken) -> RefreshToken {
        Self(self.padded(sealed.0))
    }

    /// Another use of the same bytes than [`Self::hash`]: the two digests say nothing of each other.
    fn padded(&self, mut bytes: [u8; TOKEN_BYTES]) -> [u8; TOKEN_BYTES] {
        let pad = Sha256::new().chain_update(SUCCESSOR_PAD).chain_update(self.0).finalize();
        bytes.iter_mut().zip(pad).for_each(|(byte, of_pad)| *byte ^= of_pad);
        bytes
    }
}

/// Does not print the token.
impl std::fmt::Debug for RefreshToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RefreshToken")
    }
}

impl<A> App<A> {
    /// The session row of a new sign-in, with its refresh token.
    pub(super) fn new_session(&self, player_id: Uuid, now: OffsetDateTime) -> (NewSession, RefreshToken) {
        let token = RefreshToken::random();
        let session = NewSession {
            session_id: Uuid::now_v7(),
            player_id,
            token_hash: token.hash(),
            began_at: now,
            expires_at: now + self.lifetimes.refresh,
        };
        (session, token)
    }

    /// What the client gets.
    pub(super) fn session(
        &self,
        account: Account,
        refresh_token: RefreshToken,
        now: OffsetDateTime,
    ) -> Result<Session, KeyError> {
        let subject = Subject { player_id: account.player_id, name: &account.name, roles: account.roles };
        let token = self.signer.sign(&subject, now.into(), self.lifetimes.access)?;
        Ok(Session {
            account,
            access_token: token.text,
            access_expires_at: token.expires_at.into(),
            refresh_token,
            refresh_expires_at: now + self.lifetimes.refresh,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_token_survives_the_way_to_the_client_and_back() {
        let token = RefreshToken::random();
        assert_eq!(RefreshToken::parse(&token.text()), Ok(token.clone()));
        assert_ne!(token.hash().as_slice(), token.0.as_slice());
        assert_eq!(RefreshToken::parse("short"), Err(NotAToken));
    }

    #[test]
    fn a_successor_is_opened_by_its_predecessor_only() {
        let (token, successor) = (RefreshToken::random(), RefreshToken::random());
        let sealed = token.seal(&successor);
        assert_eq!(token.open(sealed), successor);
        assert_ne!(sealed.0, successor.0);
        assert_ne!(RefreshToken::random().open(sealed), successor);
        // Who has the row has the hash, and that opens nothing.
        assert_ne!(RefreshToken(token.hash()).open(sealed), successor);
    }
}
