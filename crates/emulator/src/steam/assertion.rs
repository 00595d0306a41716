//! Assertions: the ten signed words with which Steam says who somebody is, and the answer to "did you say that?".

use std::collections::VecDeque;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::platform_id::SteamId;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{IDENTITY, Inner, PROVIDER};
use crate::common::dates;
use crate::common::forms::{Form, with_query};
use crate::common::hub::lock;

pub const NAMESPACE: &str = "http://specs.openid.net/auth/2.0";
const SIGNED: &str = "signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle";
/// There is one secret and nobody shares it, so its name does not matter.
const HANDLE: &str = "1234567890";
/// As long as a SHA-1, which is what Steam uses.
const SIGNATURE_BYTES: usize = 20;
const FIELDS: usize = 10;
const VALID_MS: i64 = 10 * 60_000;
/// Older ones have expired by then.
const REMEMBERED_NONCES: usize = 10_000;

/// Signs assertions and recognises its signature once.
pub struct Notary {
    secret: [u8; 32],
    spent: VecDeque<String>,
}

impl Notary {
    pub fn new(secret: [u8; 32]) -> Self {
        Self {
            secret,
            spent: VecDeque::new(),
        }
    }

    /// Over the signed fields in key-value form, in the order of the list.
    fn sign<'a>(&self, value: impl Fn(&str) -> Option<&'a str>) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.secret).ok()?;
        for name in SIGNED.split(',') {
            mac.update(format!("{name}:{}\n", value(name)?).as_bytes());
        }
        Some(STANDARD.encode(&mac.finalize().into_bytes()[..SIGNATURE_BYTES]))
    }

    /// True for an assertion of ours, complete, unchanged, young, and for the first time.
    fn check(&mut self, form: &Form, now_ms: i64) -> bool {
        let value = |name: &str| form.only(&format!("openid.{name}"));
        let count = form
            .fields()
            .filter(|(name, _)| name.starts_with("openid."))
            .count();
        let own = count == FIELDS
            && value("ns") == Some(NAMESPACE)
            && value("signed") == Some(SIGNED)
            && value("op_endpoint") == Some(PROVIDER)
            && value("assoc_handle") == Some(HANDLE);
        let (Some(nonce), Some(signature)) = (value("response_nonce"), value("sig")) else {
            return false;
        };
        let genuine = own && self.sign(value).is_some_and(|expected| expected == signature);
        if !genuine || !is_young(nonce, now_ms) || self.spent.iter().any(|spent| spent == nonce) {
            return false;
        }
        if self.spent.len() == REMEMBERED_NONCES {
            self.spent.pop_front();
        }
        self.spent.push_back(nonce.to_owned());
        true
    }
}

fn is_young(nonce: &str, now_ms: i64) -> bool {
    let end = nonce.find('Z').map_or(0, |at| at + 1);
    dates::parse_ms(&nonce[..end]).is_some_and(|made_ms| (now_ms - made_ms).abs() <= VALID_MS)
}

impl Inner {
    /// The relying party's address with the assertion that this account signed in.
    pub fn assert(&self, id: &SteamId, return_to: &str) -> String {
        let now_ms = self.hub.now_ms();
        let nonce = format!(
            "{}{}",
            dates::seconds(now_ms),
            STANDARD.encode(self.hub.random_bytes::<20>())
        );
        let identity = format!("{IDENTITY}{id}");
        let value = |name: &str| match name {
            "signed" => Some(SIGNED),
            "op_endpoint" => Some(PROVIDER),
            "claimed_id" | "identity" => Some(identity.as_str()),
            "return_to" => Some(return_to),
            "response_nonce" => Some(nonce.as_str()),
            "assoc_handle" => Some(HANDLE),
            _ => None,
        };
        let signature = lock(&self.notary).sign(value).unwrap_or_default();
        with_query(
            return_to,
            [
                ("openid.ns", NAMESPACE),
                ("openid.mode", "id_res"),
                ("openid.op_endpoint", PROVIDER),
                ("openid.claimed_id", &identity),
                ("openid.identity", &identity),
                ("openid.return_to", return_to),
                ("openid.response_nonce", &nonce),
                ("openid.assoc_handle", HANDLE),
                ("openid.signed", SIGNED),
                ("openid.sig", &signature),
            ],
        )
    }

    pub fn is_genuine(&self, form: &Form) -> bool {
        lock(&self.notary).check(form, self.hub.now_ms())
    }
}
