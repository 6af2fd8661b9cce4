//! Ids in requests.

use tonic::Status;
use uuid::Uuid;

use crate::status;

/// The length of a UUID with its hyphens, the only form that is taken.
const UUID_TEXT_BYTES: usize = 36;

/// A text is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Nothing was given.
    #[error("is missing")]
    Missing,
    /// Not a UUID, or the nil one.
    #[error("must be a UUID, as 0198c5a2-7f3e-7c11-8b5a-2f6d1e0c9a44")]
    Malformed,
}

/// Reads a UUID in its hyphenated form.
///
/// # Errors
/// When it is missing, malformed or nil.
pub fn parse(text: &str) -> Result<Uuid, IdError> {
    if text.is_empty() {
        return Err(IdError::Missing);
    }
    if text.len() != UUID_TEXT_BYTES {
        return Err(IdError::Malformed);
    }
    let id = Uuid::try_parse(text).map_err(|_| IdError::Malformed)?;
    if id.is_nil() { Err(IdError::Malformed) } else { Ok(id) }
}

/// Reads a UUID that may be left out.
///
/// # Errors
/// When it is malformed or nil.
pub fn parse_if_given(text: &str) -> Result<Option<Uuid>, IdError> {
    if text.is_empty() { Ok(None) } else { parse(text).map(Some) }
}

/// Reads the UUID in the field `field`, for a request with no other field to check.
///
/// # Errors
/// INVALID_ARGUMENT that names the field.
pub fn uuid(field: &str, text: &str) -> Result<Uuid, Status> {
    parse(text).map_err(|error| status::invalid_argument([(field, error.to_string())]))
}

#[cfg(test)]
mod tests {
    use tonic_types::StatusExt;

    use super::*;

    #[test]
    fn only_the_hyphenated_form_of_a_real_id_is_taken() {
        let id = Uuid::now_v7();
        assert_eq!(parse(&id.to_string()), Ok(id));
        assert_eq!(parse(""), Err(IdError::Missing));
        for bad in [id.simple().to_string(), id.braced().to_string(), Uuid::nil().to_string(), "x".repeat(36)]
        {
            assert_eq!(parse(&bad), Err(IdError::Malformed), "{bad}");
        }
    }

    #[test]
    fn a_bad_id_is_answered_with_the_name_of_its_field() {
        let status = uuid("game_id", "7").expect_err("no id");
        assert_eq!(status.code(), tonic::Code::InvalidArgument);
        let details = status.get_error_details();
        let violations = &details.bad_request().expect("a bad request").field_violations;
        assert_eq!(violations[0].field, "game_id");
    }
}
