//! Pages of lists.
//!
//! A page token is the place of the last row in the list's order, in a form that clients do not read. It carries no
//! authorization: each page is checked like the first. A token of another list is refused.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fields::Violations;

/// Rows of a page when the client does not say.
pub const PAGE_SIZE: u32 = 20;
/// Rows of a page at most.
pub const PAGE_SIZE_MAX: u32 = 100;
/// A longer token is not looked at.
pub const PAGE_TOKEN_BYTES_MAX: usize = 512;

/// Which page is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<C> {
    /// How many rows, 1 to [`PAGE_SIZE_MAX`].
    pub size: u32,
    /// The place of the last row already seen; nothing for the first page.
    pub after: Option<C>,
}

/// Reads `page_size` and `page_token` of a request for the list `list`; nothing, and violations, when they are bad.
pub fn read<C: DeserializeOwned>(
    list: &str,
    page_size: u32,
    page_token: &str,
    violations: &mut Violations,
) -> Option<Page<C>> {
    let size = match page_size {
        0 => Some(PAGE_SIZE),
        1..=PAGE_SIZE_MAX => Some(page_size),
        _ => {
            violations.add("page_size", format!("must be from 1 to {PAGE_SIZE_MAX}"));
            None
        }
    };
    let after = violations.check("page_token", parse(list, page_token));
    Some(Page { size: size?, after: after? })
}

/// The token of the page after the row at `last`.
pub fn token<C: Serialize>(list: &str, last: &C) -> String {
    let json = serde_json::to_vec(&(list, last)).expect("a place in a list is plain data");
    URL_SAFE_NO_PAD.encode(json)
}

/// The token for the page after `rows` as fetched with one row more than `size`: cuts that row off again, and is empty
/// when there was none, at the end of the list.
pub fn cut<R, C: Serialize>(list: &str, size: u32, rows: &mut Vec<R>, place: impl Fn(&R) -> C) -> String {
    if rows.len() <= size as usize {
        return String::new();
    }
    rows.truncate(size as usize);
    rows.last().map(|last| token(list, &place(last))).unwrap_or_default()
}

#[derive(Debug, thiserror::Error)]
#[error("must be the next_page_token of the page before, of the same list")]
struct BadToken;

fn parse<C: DeserializeOwned>(list: &str, text: &str) -> Result<Option<C>, BadToken> {
    if text.is_empty() {
        return Ok(None);
    }
    if text.len() > PAGE_TOKEN_BYTES_MAX {
        return Err(BadToken);
    }
    let json = URL_SAFE_NO_PAD.decode(text).map_err(|_| BadToken)?;
    let (of, place): (String, C) = serde_json::from_slice(&json).map_err(|_| BadToken)?;
    if of == list { Ok(Some(place)) } else { Err(BadToken) }
}

#[cfg(test)]
mod tests {
    use tonic_types::StatusExt;

    use super::*;

    fn read_page(size: u32, token: &str) -> Result<Page<(i64, u32)>, tonic::Status> {
        let mut violations = Violations::default();
        read("games", size, token, &mut violations).ok_or_else(|| violations.into_status())
    }

    #[test]
    fn a_token_leads_to_the_place_after_the_last_row() {
        let mut rows = vec![(9, 1), (8, 2), (7, 3)];
        let next = cut("games", 2, &mut rows, |row| *row);
        assert_eq!(rows, [(9, 1), (8, 2)]);
        let page = read_page(2, &next).expect("a good page");
        assert_eq!(page, Page { size: 2, after: Some((8, 2)) });
    }

    #[test]
    fn the_last_page_has_no_token() {
        let mut rows = vec![(9, 1), (8, 2)];
        assert_eq!(cut("games", 2, &mut rows, |row| *row), "");
    }

    #[test]
    fn a_size_left_out_is_the_default_and_one_out_of_range_is_named() {
        assert_eq!(read_page(0, "").expect("a good page").size, PAGE_SIZE);
        assert_eq!(read_page(100, "").expect("a good page").size, 100);
        let status = read_page(101, "!").expect_err("too large");
        let details = status.get_error_details();
        let fields: Vec<_> = details
            .bad_request()
            .expect("a bad request")
            .field_violations
            .iter()
            .map(|v| v.field.clone())
            .collect();
        assert_eq!(fields, ["page_size", "page_token"]);
    }

    #[test]
    fn a_token_of_another_list_is_refused() {
        assert!(read_page(1, &token("players", &(1, 2))).is_err());
    }
}
