//! What a browser brings back from Steam, held against every rule that needs no network.

use std::borrow::Cow;

use domain::platform_id::SteamId;

use super::nonce::Nonce;
use super::{CLAIMED_ID_PREFIX, Confirmed, NS, OP_ENDPOINT, ReturnTo};

/// The fields of an assertion: all of them, each once, and no others.
const FIELDS: [&str; 10] = [
    "ns",
    "mode",
    "op_endpoint",
    "claimed_id",
    "identity",
    "return_to",
    "response_nonce",
    "assoc_handle",
    "signed",
    "sig",
];
/// What the signature has to cover: everything that is read from the assertion.
const SIGNED: [&str; 6] = [
    "op_endpoint",
    "claimed_id",
    "identity",
    "return_to",
    "response_nonce",
    "assoc_handle",
];
const PREFIX: &str = "openid.";
const QUERY_MAX_BYTES: usize = 8 * 1024;

/// Why what came back is not a sign-in that we began. For the log; people are told to start again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Forged {
    #[error("the query is too long")]
    TooLong,
    #[error("a field is missing, repeated, unknown or not plain text")]
    Fields,
    #[error("another protocol, mode or provider")]
    Provider,
    #[error("the identity is not a person's account on Steam")]
    Identity,
    #[error("the signature does not cover what is read")]
    Signed,
    #[error("it was made for another address or another flow")]
    ReturnTo,
    #[error("it is too old, from the future or has no time")]
    Nonce,
}

/// An assertion that keeps every rule but the last: Steam has not been asked about it yet.
pub struct Assertion {
    values: [String; FIELDS.len()],
    steam_id: SteamId,
    nonce: Nonce,
}

impl Assertion {
    /// Reads the raw query of the callback. `return_to` is what this flow sent.
    pub fn parse(query: &str, return_to: &ReturnTo, now_ms: i64) -> Result<Self, Forged> {
        if query.len() > QUERY_MAX_BYTES {
            return Err(Forged::TooLong);
        }
        let values = fields(query, return_to)?;
        let value = |name: &str| {
            let position = FIELDS.iter().position(|field| *field == name);
            position.map_or("", |position| values[position].as_str())
        };
        if (value("ns"), value("mode"), value("op_endpoint")) != (NS, "id_res", OP_ENDPOINT) {
            return Err(Forged::Provider);
        }
        if value("claimed_id") != value("identity") {
            return Err(Forged::Identity);
        }
        let steam_id = steam_id(value("claimed_id")).ok_or(Forged::Identity)?;
        if !covers_everything(value("signed")) {
            return Err(Forged::Signed);
        }
        if value("return_to") != return_to.as_str() {
            return Err(Forged::ReturnTo);
        }
        let nonce = Nonce::parse(value("response_nonce"), now_ms).ok_or(Forged::Nonce)?;
        Ok(Self {
            values,
            steam_id,
            nonce,
        })
    }

    /// Who this claims to be, for the blocklist. It is a claim until Steam has confirmed it.
    pub fn claimed_id(&self) -> &SteamId {
        &self.steam_id
    }

    /// The body of the check: the fields as they were received, with the mode replaced.
    pub(super) fn check_body(&self) -> String {
        let mut body = form_urlencoded::Serializer::new(String::new());
        for (name, value) in FIELDS.iter().zip(&self.values) {
            let sent = if *name == "mode" {
                "check_authentication"
            } else {
                value
            };
            body.append_pair(&[PREFIX, name].concat(), sent);
        }
        body.finish()
    }

    pub(super) fn confirmed(self) -> Confirmed {
        Confirmed {
            steam_id: self.steam_id,
            nonce: self.nonce,
        }
    }
}

/// The values in the order of [`FIELDS`]. Beside them only our own parameters may stand, as they were sent.
fn fields(query: &str, return_to: &ReturnTo) -> Result<[String; FIELDS.len()], Forged> {
    let mut values: [Option<String>; FIELDS.len()] = Default::default();
    let mut ours: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let Some(field) = name.strip_prefix(PREFIX) else {
            ours.push((name, value));
            continue;
        };
        let position = FIELDS
            .iter()
            .position(|known| *known == field)
            .ok_or(Forged::Fields)?;
        // Steam's values are of this kind, and what is not cannot be sent on byte for byte.
        if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Forged::Fields);
        }
        if values[position].replace(value.into_owned()).is_some() {
            return Err(Forged::Fields);
        }
    }
    let sent = return_to.as_str().split_once('?').map_or("", |(_, query)| query);
    if !form_urlencoded::parse(sent.as_bytes()).eq(ours) {
        return Err(Forged::ReturnTo);
    }
    let all: Option<Vec<String>> = values.into_iter().collect();
    all.and_then(|all| all.try_into().ok()).ok_or(Forged::Fields)
}

/// The account of `https://steamcommunity.com/openid/id/` and seventeen digits: a person's, in the public universe.
fn steam_id(claimed_id: &str) -> Option<SteamId> {
    let digits = claimed_id.strip_prefix(CLAIMED_ID_PREFIX)?;
    SteamId::parse(digits).ok()
}

/// Names of fields, each once, with all that are read among them.
fn covers_everything(signed: &str) -> bool {
    let names: Vec<&str> = signed.split(',').collect();
    let known_once =
        |(position, name): (usize, &&str)| FIELDS.contains(name) && !names[..position].contains(name);
    names.iter().enumerate().all(known_once) && SIGNED.iter().all(|needed| names.contains(needed))
}

#[cfg(test)]
#[path = "assertion_tests.rs"]
mod tests;
