//! Who is signed in, as far as the surface of the request lets them in.

use app::AppError;
use app::identity::sessions::{self, Caller};
use domain::id::OrgId;
use domain::token::SessionToken;
use http::Extensions;

use crate::layers::{About, Surface};
use crate::state::WebState;

/// Who holds this session, with their standing in `org`. Where maintenance closes, nobody but an operator is let in.
/// Whoever writes down what becomes of the request is told.
pub async fn signed_in(
    state: &WebState,
    request: &Extensions,
    token: Option<&SessionToken>,
    org: Option<&OrgId>,
) -> Result<Caller, AppError> {
    let caller = if Surface::of(request).closes_for_maintenance() {
        sessions::authenticate(&state.app, token, org).await?
    } else {
        sessions::recognise(&state.app, token, org).await?
    };
    About::of(request).tell(&caller);
    Ok(caller)
}
