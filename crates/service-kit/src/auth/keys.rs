//! Keys and the signing of tokens. Only the gateway signs in earnest; tests and `stakemate dev` do too.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{EncodePrivateKey, EncodePublicKey};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use rand::RngCore;
use uuid::Uuid;

use super::verifier::Claims;
use super::{AUDIENCE, Principal, Roles};

/// The first line of a key file made for development, before the PEM block, where readers of PEM skip it.
const DEVELOPMENT_MARK: &str = "Stakemate key for development only";
const PRIVATE_FILE: &str = "token-private-development.pem";
const PUBLIC_FILE: &str = "token-public-development.pem";

/// A key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("cannot read the key file {file}")]
    Read {
        /// Which file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The content is no Ed25519 key in PEM.
    #[error("not an Ed25519 key in PEM")]
    Malformed,
}

/// A key pair in PEM: PKCS#8 and SubjectPublicKeyInfo.
pub struct KeyPair {
    /// The private half.
    pub private_pem: String,
    /// The public half.
    pub public_pem: String,
}

/// Where a key pair lies.
#[derive(Clone, Debug)]
pub struct KeyFiles {
    /// For `STAKEMATE_TOKEN_PRIVATE_KEY_FILE`.
    pub private: PathBuf,
    /// For `STAKEMATE_TOKEN_PUBLIC_KEY_FILE`.
    pub public: PathBuf,
}

impl KeyPair {
    /// A new random pair.
    pub fn generate() -> Self {
        let mut seed = [0; 32];
        rand::rng().fill_bytes(&mut seed);
        let key = SigningKey::from_bytes(&seed);
        let private = key.to_pkcs8_pem(LineEnding::LF).expect("a valid key can be encoded");
        let public =
            key.verifying_key().to_public_key_pem(LineEnding::LF).expect("a valid key can be encoded");
        Self { private_pem: private.to_string(), public_pem: public }
    }

    /// The key files for development in `folder`, made when they are missing; production refuses them.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn development(folder: &Path) -> io::Result<KeyFiles> {
        let files = KeyFiles { private: folder.join(PRIVATE_FILE), public: folder.join(PUBLIC_FILE) };
        if !(files.private.exists() && files.public.exists()) {
            std::fs::create_dir_all(folder)?;
            let pair = Self::generate();
            write_private(&files.private, &format!("{DEVELOPMENT_MARK}\n{}", pair.private_pem))?;
            std::fs::write(&files.public, format!("{DEVELOPMENT_MARK}\n{}", pair.public_pem))?;
        }
        Ok(files)
    }
}

/// Whether a key file was made by [`KeyPair::development`], by its mark or its name.
pub fn is_development_key_file(file: &Path) -> bool {
    let named = file.file_name().is_some_and(|name| name.to_string_lossy().contains("development"));
    named || std::fs::read_to_string(file).is_ok_and(|text| text.contains(DEVELOPMENT_MARK))
}

/// A signed token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The JWT.
    pub text: String,
    /// When it ends, to the second.
    pub expires_at: SystemTime,
}

/// Signs access tokens.
#[derive(Clone)]
pub struct Signer {
    key: EncodingKey,
    issuer: String,
}

impl Signer {
    /// With a private key file in PKCS#8 PEM.
    ///
    /// # Errors
    /// When the file cannot be read or is no Ed25519 private key.
    pub fn from_file(file: &Path, issuer: &str) -> Result<Self, KeyError> {
        let pem = std::fs::read(file).map_err(|source| KeyError::Read { file: file.to_owned(), source })?;
        Self::from_pem(&pem, issuer)
    }

    /// With a private key in PKCS#8 PEM.
    ///
    /// # Errors
    /// When it is no Ed25519 private key.
    pub fn from_pem(pem: &[u8], issuer: &str) -> Result<Self, KeyError> {
        let key = EncodingKey::from_ed_pem(pem).map_err(|_| KeyError::Malformed)?;
        Ok(Self { key, issuer: issuer.to_owned() })
    }

    /// A token for a player that lives for `lifetime` from `now`.
    ///
    /// # Errors
    /// When the key is not one that can sign.
    pub fn sign(&self, player: &Subject<'_>, now: SystemTime, lifetime: Duration) -> Result<Token, KeyError> {
        let issued_s = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let expires_s = issued_s + lifetime.as_secs();
        let claims = Claims {
            iss: self.issuer.clone(),
            aud: AUDIENCE.to_owned(),
            sub: player.player_id,
            name: player.name.to_owned(),
            roles: player.roles.names().into_iter().map(str::to_owned).collect(),
            iat: issued_s,
            exp: expires_s,
            jti: Uuid::now_v7(),
        };
        let text = jsonwebtoken::encode(&Header::new(Algorithm::EdDSA), &claims, &self.key)
            .map_err(|_| KeyError::Malformed)?;
        Ok(Token { text, expires_at: SystemTime::UNIX_EPOCH + Duration::from_secs(expires_s) })
    }

    /// A bearer header for a principal, for tests and tools: `("authorization", value)`.
    ///
    /// # Errors
    /// As [`Signer::sign`].
    pub fn bearer(&self, principal: &Principal) -> Result<String, KeyError> {
        let now = SystemTime::now();
        let lifetime = principal.expires_at.duration_since(now).unwrap_or_default();
        let subject =
            Subject { player_id: principal.player_id, name: &principal.name, roles: principal.roles };
        Ok(format!("Bearer {}", self.sign(&subject, now, lifetime)?.text))
    }
}

/// Whom a token speaks for.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The player.
    pub player_id: Uuid,
    /// His name.
    pub name: &'a str,
    /// What he may do.
    pub roles: Roles,
}

/// Nobody but the owner may read a private key.
fn write_private(file: &Path, text: &str) -> io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut file =
        std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?;
    file.write_all(text.as_bytes())
}
