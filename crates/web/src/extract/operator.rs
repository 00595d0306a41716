//! The proof that a signed-in person is an operator. A handler that reads across Orgs cannot run without it.

use app::by_operator::ByOperator;
use app::error::{IdentityError, RequestError};
use app::identity::sessions::{self, Caller};
use app::{AccountNum, OperatorScope};
use axum::extract::FromRequestParts;
use domain::id::AccountId;
use domain::network::ClientAddress;
use domain::platform_id::DiscordId;
use http::request::Parts;

use super::authorized::refuse_others;
use super::person::session_token;
use super::signed_in::signed_in;
use crate::error::Failure;
use crate::serve::Peer;
use crate::state::WebState;

/// Somebody who stands in the configuration now or holds a grant, looked up for this request.
pub struct Operator {
    /// What lets storage read across Orgs.
    pub scope: OperatorScope,
    pub account: AccountNum,
    pub account_id: AccountId,
    by: ByOperator,
    session_hash: String,
}

impl Operator {
    /// What they do is done by them as long as they still may: the request's body may be long in coming.
    pub fn by(&self) -> ByOperator {
        self.by.clone()
    }
}

impl FromRequestParts<WebState> for Operator {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Failure> {
        let (operator, _) = operator(parts, state, false).await?;
        Ok(operator)
    }
}

/// The same with a sign-in of the last few minutes: what changes who gets in takes one, and what reaches everybody's game
/// servers. `FILE` for a route to which a file is sent.
pub struct FreshOperator<const FILE: bool = false> {
    operator: Operator,
    discord_id: DiscordId,
    client: ClientAddress,
}

impl<const FILE: bool> FreshOperator<FILE> {
    pub fn scope(&self) -> OperatorScope {
        self.operator.scope
    }

    pub fn account(&self) -> AccountNum {
        self.operator.account
    }

    /// As long as they still may.
    pub fn by(&self) -> ByOperator {
        self.operator.by()
    }

    pub fn discord_id(&self) -> &DiscordId {
        &self.discord_id
    }

    /// Where the request comes from.
    pub fn client(&self) -> ClientAddress {
        self.client
    }

    /// By which the session that asks is found.
    pub fn session_hash(&self) -> String {
        self.operator.session_hash.clone()
    }
}

impl<const FILE: bool> FromRequestParts<WebState> for FreshOperator<FILE> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Failure> {
        let (operator, caller) = operator(parts, state, FILE).await?;
        sessions::require_fresh(&state.app, caller.signed_in_at_ms)?;
        Ok(Self {
            operator,
            discord_id: caller.discord_id,
            client: state.settings.client(Peer::of(&parts.extensions), &parts.headers),
        })
    }
}

/// Who it is, and what their session says.
async fn operator(
    parts: &mut Parts,
    state: &WebState,
    sends_file: bool,
) -> Result<(Operator, Caller), Failure> {
    let token = session_token(&parts.headers, &state.settings);
    let caller = signed_in(state, &parts.extensions, token.as_ref(), None).await?;
    let scope = caller.operator.ok_or(RequestError::OperatorOnly)?;
    refuse_others(&parts.method, &parts.headers, &state.settings, sends_file)?;
    let session_hash = token.ok_or(IdentityError::SignInRequired)?.hash();
    let in_setting = state.app.operators.contains(&caller.discord_id);
    let operator = Operator {
        scope,
        account: caller.account,
        account_id: caller.account_id.clone(),
        by: ByOperator::signed_in(caller.account_id.clone(), session_hash.clone(), in_setting),
        session_hash,
    };
    Ok((operator, caller))
}
