//! Who is signed in, as far as the surface of the request lets them in.

use app::AppError;
use app::identity::sessions::{self, Caller};
use domain::id::OrgId;
use domain::token::SessionToken;

use crate::layers::Surface;
use crate::state::WebState;

/// Who holds this session, with their standing in `org`. Where maintenance closes, nobody but an operator is let in.
pub async fn signed_in(
    state: &WebState,
    surface: Surface,
    token: &SessionToken,
    org: Option<&OrgId>,
) -> Result<Caller, AppError> {
    if surface.closes_for_maintenance() {
        sessions::authenticate(&state.app, token, org).await
    } else {
        sessions::recognise(&state.app, token, org).await
    }
}
