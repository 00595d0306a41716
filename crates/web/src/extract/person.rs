//! Whoever is signed in, for what concerns nobody but themselves.

use app::error::{IdentityError, RequestError};
use app::identity::sessions::Caller;
use app::{AccountNum, OrgScope};
use axum::extract::{FromRequestParts, RawPathParams};
use domain::audit::Actor;
use domain::id::OrgId;
use domain::token::SessionToken;
use http::request::Parts;
use http::{HeaderMap, HeaderValue};

use super::authorized::refuse_other_sites;
use super::cookie;
use super::signed_in::signed_in;
use crate::error::Failure;
use crate::state::{Settings, WebState};

/// A signed-in person with the session that says so.
pub struct Person {
    pub caller: Caller,
    pub token: SessionToken,
    /// The Org that the path names; somebody else's does not get this far.
    pub org: Option<OrgScope>,
    /// What makes the browser forget the session.
    pub forget_cookie: HeaderValue,
}

impl Person {
    pub fn account(&self) -> AccountNum {
        self.caller.account
    }

    pub fn actor(&self) -> Actor {
        Actor::Account(self.caller.account_id.clone())
    }
}

impl FromRequestParts<WebState> for Person {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Failure> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| RequestError::NotFound)?;
        let named = params.iter().find(|(name, _)| *name == "org");
        let org = named.map(|(_, text)| OrgId::parse(text).map_err(|_| RequestError::NotFound));
        let org = org.transpose();
        let known = org.as_ref().ok().and_then(Option::as_ref);
        let token = session_token(&parts.headers, &state.settings);
        let caller = signed_in(state, &parts.extensions, token.as_ref(), known).await?;
        refuse_other_sites(&parts.method, &parts.headers, &state.settings)?;
        let scope = caller.membership.map(|membership| membership.scope);
        if org?.is_some() && scope.is_none() {
            return Err(RequestError::NotFound.into());
        }
        Ok(Self {
            caller,
            token: token.ok_or(IdentityError::SignInRequired)?,
            org: scope,
            forget_cookie: state.settings.clear_session(),
        })
    }
}

/// The session of a browser, if its cookie is one.
pub fn session_token(headers: &HeaderMap, settings: &Settings) -> Option<SessionToken> {
    cookie(headers, settings.session_cookie()).and_then(|value| SessionToken::parse(value).ok())
}
