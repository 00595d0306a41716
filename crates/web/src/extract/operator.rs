//! The proof that a signed-in person is an operator. A handler that reads across Orgs cannot run without it.

use app::error::{IdentityError, RequestError};
use app::identity::sessions::{self, Caller};
use app::{AccountNum, OperatorScope};
use axum::extract::FromRequestParts;
use domain::audit::Actor;
use domain::id::AccountId;
use domain::platform_id::DiscordId;
use http::request::Parts;

use super::authorized::refuse_other_sites;
use super::person::session_token;
use super::signed_in::signed_in;
use crate::error::Failure;
use crate::state::WebState;

/// Somebody who stands in the configuration now or holds a grant, looked up for this request.
pub struct Operator {
    /// What lets storage read across Orgs.
    pub scope: OperatorScope,
    pub account: AccountNum,
    pub account_id: AccountId,
}

impl Operator {
    /// How they stand in the audit log.
    pub fn actor(&self) -> Actor {
        Actor::Account(self.account_id.clone())
    }
}

impl FromRequestParts<WebState> for Operator {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Failure> {
        let (scope, caller, _) = operator(parts, state).await?;
        Ok(Self {
            scope,
            account: caller.account,
            account_id: caller.account_id,
        })
    }
}

/// The same with a sign-in of the last few minutes: what changes who gets in takes one.
pub struct FreshOperator {
    operator: Operator,
    discord_id: DiscordId,
    session_hash: String,
}

impl FreshOperator {
    pub fn scope(&self) -> OperatorScope {
        self.operator.scope
    }

    pub fn account(&self) -> AccountNum {
        self.operator.account
    }

    pub fn actor(&self) -> Actor {
        self.operator.actor()
    }

    pub fn discord_id(&self) -> &DiscordId {
        &self.discord_id
    }

    /// By which the session that asks is found.
    pub fn session_hash(&self) -> String {
        self.session_hash.clone()
    }
}

impl FromRequestParts<WebState> for FreshOperator {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Failure> {
        let (scope, caller, session_hash) = operator(parts, state).await?;
        sessions::require_fresh(&state.app, caller.signed_in_at_ms)?;
        Ok(Self {
            operator: Operator {
                scope,
                account: caller.account,
                account_id: caller.account_id,
            },
            discord_id: caller.discord_id,
            session_hash,
        })
    }
}

/// Who it is, and the hash of their session.
async fn operator(parts: &mut Parts, state: &WebState) -> Result<(OperatorScope, Caller, String), Failure> {
    let token = session_token(&parts.headers, &state.settings);
    let caller = signed_in(state, &parts.extensions, token.as_ref(), None).await?;
    let scope = caller.operator.ok_or(RequestError::OperatorOnly)?;
    refuse_other_sites(&parts.method, &parts.headers, &state.settings)?;
    let token = token.ok_or(IdentityError::SignInRequired)?;
    Ok((scope, caller, token.hash()))
}
