//! The proof that a signed-in person is an operator. A handler that reads across Orgs cannot run without it.

use app::OperatorScope;
use app::error::RequestError;
use axum::extract::FromRequestParts;
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
}

impl FromRequestParts<WebState> for Operator {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Failure> {
        let token = session_token(&parts.headers, &state.settings);
        let caller = signed_in(state, &parts.extensions, token.as_ref(), None).await?;
        let scope = caller.operator.ok_or(RequestError::OperatorOnly)?;
        refuse_other_sites(&parts.method, &parts.headers, &state.settings)?;
        Ok(Self { scope })
    }
}
