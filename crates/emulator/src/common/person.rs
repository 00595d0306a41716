//! Who sits in front of a sign-in page.

use http::HeaderMap;
use http::header::COOKIE;
use serde::{Deserialize, Serialize};

use super::forms::Form;

/// The name of the query field and, with `sandbox_` before it, of the cookie.
pub const FIELD: &str = "as";
const COOKIE_NAME: &str = "sandbox_as";
/// Stands for somebody who presses Cancel.
pub const CANCEL: &str = "cancel";

/// What somebody is there for, as the sign-in page tells a visitor who does not know whom to be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Purpose {
    /// The heading that they are listed under.
    pub group: String,
    /// One line about them.
    pub about: String,
}

/// The ids that were asked for, best first: `as` in the address, else the cookie, where a point separates the ids of
/// several platforms.
pub fn asked_for<'a>(query: &'a Form, headers: &'a HeaderMap) -> Vec<&'a str> {
    if let Some(id) = query.get(FIELD) {
        return vec![id.trim()];
    }
    cookie(headers)
        .map(|ids| ids.split('.').collect())
        .unwrap_or_default()
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == COOKIE_NAME)
        .map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn the_address_wins_over_the_cookie() {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_static("a=b; sandbox_as=1.2; c=d"));
        assert_eq!(asked_for(&Form::parse(b"x=1"), &headers), ["1", "2"]);
        assert_eq!(asked_for(&Form::parse(b"as=3"), &headers), ["3"]);
        assert!(asked_for(&Form::parse(b""), &HeaderMap::new()).is_empty());
    }
}
