//! Argon2id, off the threads that serve calls.

use std::sync::{Arc, OnceLock};

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tokio::sync::Semaphore;

use super::account::Password;

/// How many passwords are hashed at once: each takes 19 MiB and a core.
pub const PASSWORDS_AT_ONCE: usize = 2;
/// How many may wait for their turn; one more is refused, so that a wave of sign-ins cannot pile up.
pub const PASSWORDS_WAITING_MAX: usize = 64;

/// A password was not hashed.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// Too many are waiting.
    #[error("too many passwords are waiting to be hashed")]
    Busy,
    /// The hasher failed, or a stored hash is none.
    #[error("argon2 failed: {0}")]
    Failed(String),
}

/// Hashes and verifies passwords, a bounded number at a time. Clones share the bounds.
#[derive(Clone, Debug)]
pub struct Passwords {
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
}

impl Default for Passwords {
    fn default() -> Self {
        Self {
            places: Arc::new(Semaphore::new(PASSWORDS_AT_ONCE + PASSWORDS_WAITING_MAX)),
            turns: Arc::new(Semaphore::new(PASSWORDS_AT_ONCE)),
        }
    }
}

impl Passwords {
    /// The hash of a password, with a salt of its own, in PHC form.
    ///
    /// # Errors
    /// When too many are waiting.
    pub async fn hash(&self, password: Password) -> Result<String, HashError> {
        self.in_turn(move || hash_now(password.expose())).await?
    }

    /// Whether the password is the hashed one. Without a hash takes as long and says no, so that the time does not tell
    /// which names exist.
    ///
    /// # Errors
    /// When too many are waiting, or the hash is malformed.
    pub async fn verify(&self, password: Password, hash: Option<String>) -> Result<bool, HashError> {
        self.in_turn(move || match hash {
            Some(hash) => verify_now(password.expose(), &hash),
            None => {
                verify_now(password.expose(), nobodys_hash())?;
                Ok(false)
            }
        })
        .await?
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HashError> {
        let _place = self.places.try_acquire().map_err(|_| HashError::Busy)?;
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| HashError::Busy)?;
        let worked = tokio::task::spawn_blocking(move || {
            // The turn is over when the work is, even if the caller has left.
            let _turn = turn;
            work()
        });
        worked.await.map_err(|error| HashError::Failed(error.to_string()))
    }
}

fn hash_now(password: &[u8]) -> Result<String, HashError> {
    let hash =
        Argon2::default().hash_password(password).map_err(|error| HashError::Failed(error.to_string()))?;
    Ok(hash.to_string())
}

fn verify_now(password: &[u8], hash: &str) -> Result<bool, HashError> {
    let hash = PasswordHash::new(hash).map_err(|error| HashError::Failed(error.to_string()))?;
    match Argon2::default().verify_password(password, &hash) {
        Ok(()) => Ok(true),
        Err(argon2::password_hash::Error::PasswordInvalid) => Ok(false),
        Err(error) => Err(HashError::Failed(error.to_string())),
    }
}

/// The hash of a password that nobody has.
fn nobodys_hash() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| {
        let nobodys: [u8; 32] = rand::random();
        hash_now(&nobodys).expect("the default parameters of argon2 are valid")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(text: &str) -> Password {
        Password::parse(text.to_owned()).expect("a password")
    }

    #[tokio::test]
    async fn a_password_is_verified_against_its_own_hash_only() {
        let passwords = Passwords::default();
        let hash = passwords.hash(password("correct horse")).await.expect("hashed");
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        let verify = |text, hash| passwords.verify(password(text), hash);
        assert!(verify("correct horse", Some(hash.clone())).await.expect("verified"));
        assert!(!verify("battery staple", Some(hash)).await.expect("verified"));
        assert!(!verify("correct horse", None).await.expect("verified"));
    }

    #[tokio::test]
    async fn a_wave_of_passwords_is_refused_beyond_the_limit() {
        let passwords = Passwords::default();
        let _all = Arc::clone(&passwords.places)
            .try_acquire_many_owned((PASSWORDS_AT_ONCE + PASSWORDS_WAITING_MAX) as u32)
            .expect("nobody waits yet");
        let refused = passwords.hash(password("correct horse")).await;
        assert!(matches!(refused, Err(HashError::Busy)), "{refused:?}");
    }
}
