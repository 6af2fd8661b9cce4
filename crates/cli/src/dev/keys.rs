//! The key pair that signs and checks tokens in development; made once, so that sessions survive a restart.

use std::path::PathBuf;

use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey, EncodePrivateKey, EncodePublicKey};
use rand::Rng;

use super::layout::Layout;
use super::state::write_private;
use super::{StartError, io_error};

/// Where the two halves lie, as PEM.
#[derive(Debug, Clone)]
pub struct TokenKeys {
    /// PKCS#8; only the gateway reads it.
    pub private: PathBuf,
    /// SPKI; every service reads it.
    pub public: PathBuf,
}

/// The pair in the data folder, made if it is not there. A lost or half-written public half is written again.
pub fn ensure(layout: &Layout) -> Result<TokenKeys, StartError> {
    let keys = TokenKeys {
        private: layout.keys().join("token_private.pem"),
        public: layout.keys().join("token_public.pem"),
    };
    let key = match SigningKey::read_pkcs8_pem_file(&keys.private) {
        Ok(key) => key,
        Err(_) => {
            let key = SigningKey::from_bytes(&rand::rng().random());
            let pem = key.to_pkcs8_pem(LineEnding::LF).expect("a key of fixed size always encodes");
            write_private(&keys.private, pem.as_bytes())
                .map_err(io_error(format!("write {}", keys.private.display())))?;
            key
        }
    };
    let public =
        key.verifying_key().to_public_key_pem(LineEnding::LF).expect("a key of fixed size always encodes");
    write_private(&keys.public, public.as_bytes())
        .map_err(io_error(format!("write {}", keys.public.display())))?;
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};

    use super::*;

    #[test]
    fn the_pair_is_made_once_closed_to_others_and_signs_tokens() {
        let folder = tempfile::tempdir().expect("a folder");
        let layout = Layout::new(folder.path()).expect("an absolute path");
        layout.make().expect("folders");
        let keys = ensure(&layout).expect("a pair");
        let private = std::fs::read(&keys.private).expect("a file");
        ensure(&layout).expect("the same pair");
        assert_eq!(std::fs::read(&keys.private).expect("a file"), private);
        let mode = std::fs::metadata(&keys.private).expect("a file").permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);

        let claims = serde_json::json!({ "sub": "anna", "exp": 4_000_000_000_u64 });
        let signing = EncodingKey::from_ed_pem(&private).expect("a PKCS#8 key");
        let token = jsonwebtoken::encode(&Header::new(Algorithm::EdDSA), &claims, &signing).expect("a token");
        let public = std::fs::read(&keys.public).expect("a file");
        let checking = DecodingKey::from_ed_pem(&public).expect("an SPKI key");
        let read =
            jsonwebtoken::decode::<serde_json::Value>(&token, &checking, &Validation::new(Algorithm::EdDSA))
                .expect("our own signature");
        assert_eq!(read.claims["sub"], "anna");
    }
}
