//! What an account is.

use service_kit::auth::Roles;
use time::OffsetDateTime;
use uuid::Uuid;

/// Characters of a name, at least …
pub const NAME_CHARS_MIN: usize = 3;
/// … and at most.
pub const NAME_CHARS_MAX: usize = 20;
/// Characters of a password, at least …
pub const PASSWORD_CHARS_MIN: usize = 8;
/// … and at most: hashing must stay bounded.
pub const PASSWORD_CHARS_MAX: usize = 128;

/// Somebody's account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The player.
    pub player_id: Uuid,
    /// The name as he wrote it.
    pub name: String,
    /// What he may do.
    pub roles: Roles,
    /// When he signed up.
    pub registered_at: OffsetDateTime,
}

/// A name that an account may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

/// A text is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be {NAME_CHARS_MIN} to {NAME_CHARS_MAX} letters (a to z), digits, hyphens or underscores, beginning with a letter"
)]
pub struct NotAName;

impl Name {
    /// Reads a name.
    ///
    /// # Errors
    /// When it is too short, too long, or has other characters: names look alike in too many scripts.
    pub fn parse(text: &str) -> Result<Self, NotAName> {
        let length_fits = (NAME_CHARS_MIN..=NAME_CHARS_MAX).contains(&text.len());
        let begins_well = text.starts_with(|first: char| first.is_ascii_alphabetic());
        let all_fit = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        if length_fits && begins_well && all_fit { Ok(Self(text.to_owned())) } else { Err(NotAName) }
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// In lower case: what is unique.
    pub fn key(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

/// A password in the clear, for as short as possible; never printed.
#[derive(Clone)]
pub struct Password(secrecy::SecretString);

/// A text is no password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be {PASSWORD_CHARS_MIN} to {PASSWORD_CHARS_MAX} characters")]
pub struct NotAPassword;

impl Password {
    /// Reads a password.
    ///
    /// # Errors
    /// When it is too short or too long.
    pub fn parse(text: String) -> Result<Self, NotAPassword> {
        if (PASSWORD_CHARS_MIN..=PASSWORD_CHARS_MAX).contains(&text.chars().count()) {
            Ok(Self(text.into()))
        } else {
            Err(NotAPassword)
        }
    }

    pub(super) fn expose(&self) -> &[u8] {
        secrecy::ExposeSecret::expose_secret(&self.0).as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_three_to_twenty_plain_characters_after_a_letter() {
        for good in ["Ann", "a-b_c", "Zoe99", "abcdefghijklmnopqrst"] {
            assert_eq!(Name::parse(good).map(|name| name.as_str().to_owned()), Ok(good.to_owned()));
        }
        for bad in
            ["", "ab", "abcdefghijklmnopqrstu", "9lives", "-ann", "an n", "Änne", "ann\u{200b}", "ann.b"]
        {
            assert_eq!(Name::parse(bad), Err(NotAName), "{bad:?}");
        }
    }

    #[test]
    fn names_that_differ_in_case_have_one_key() {
        let key = |text| Name::parse(text).expect("a name").key();
        assert_eq!(key("MagnusC"), key("magnusc"));
    }

    #[test]
    fn a_password_is_counted_in_characters() {
        assert!(Password::parse("pässwörd".to_owned()).is_ok());
        assert!(Password::parse("1234567".to_owned()).is_err());
        assert!(Password::parse("x".repeat(129)).is_err());
    }
}
