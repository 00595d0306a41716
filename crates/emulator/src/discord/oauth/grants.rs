//! Codes and tokens that are out in the world.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use crate::discord::snowflake::Snowflake;

const CODE_VALID_MS: i64 = 10 * 60_000;
pub const TOKEN_VALID_SECONDS: i64 = 604_800;
/// More than any test needs; the oldest go first.
const REMEMBERED: usize = 10_000;

/// What a person agreed to, until the application picks it up.
#[derive(Clone, Debug)]
pub struct Code {
    pub application: Snowflake,
    pub user: Snowflake,
    pub scopes: BTreeSet<String>,
    pub redirect_uri: String,
    /// PKCE, always S256.
    pub challenge: Option<String>,
    pub made_ms: i64,
}

/// A pair of tokens.
#[derive(Clone, Debug, Serialize)]
pub struct Grant {
    pub application: Snowflake,
    pub user: Snowflake,
    pub scopes: BTreeSet<String>,
    #[serde(skip)]
    pub access: String,
    #[serde(skip)]
    pub refresh: String,
    pub expires_ms: i64,
}

#[derive(Default)]
pub struct Grants {
    codes: HashMap<String, Code>,
    tokens: Vec<Grant>,
}

impl Grants {
    pub fn add_code(&mut self, code: String, meaning: Code, now_ms: i64) {
        self.codes
            .retain(|_, other| now_ms - other.made_ms <= CODE_VALID_MS);
        self.codes.insert(code, meaning);
    }

    /// A code works once, also when the rest of the request is wrong.
    pub fn redeem(&mut self, code: &str, now_ms: i64) -> Option<Code> {
        self.codes
            .remove(code)
            .filter(|code| now_ms - code.made_ms <= CODE_VALID_MS)
    }

    pub fn add(&mut self, grant: Grant) {
        if self.tokens.len() == REMEMBERED {
            self.tokens.remove(0);
        }
        self.tokens.push(grant);
    }

    pub fn by_access(&self, token: &str, now_ms: i64) -> Option<&Grant> {
        self.tokens
            .iter()
            .find(|grant| grant.access == token && now_ms < grant.expires_ms)
    }

    /// Takes the pair of a refresh token away, to be replaced by a new one.
    pub fn take_by_refresh(&mut self, token: &str, application: Snowflake) -> Option<Grant> {
        let own = |grant: &Grant| grant.refresh == token && grant.application == application;
        let index = self.tokens.iter().position(own)?;
        Some(self.tokens.remove(index))
    }

    /// Ends everything the person agreed to with this application, whichever of the tokens is named.
    pub fn revoke(&mut self, token: &str, application: Snowflake) {
        let own = |grant: &Grant| grant.application == application;
        let named = |grant: &Grant| own(grant) && (grant.access == token || grant.refresh == token);
        if let Some(user) = self
            .tokens
            .iter()
            .find(|grant| named(grant))
            .map(|grant| grant.user)
        {
            self.tokens.retain(|grant| !own(grant) || grant.user != user);
        }
    }

    /// Everything that still works.
    pub fn live(&self, now_ms: i64) -> impl Iterator<Item = &Grant> {
        self.tokens.iter().filter(move |grant| now_ms < grant.expires_ms)
    }
}
