//! Buttons of a person's own page.

use app::AppError;
use app::error::{IdentityError, RequestError};
use app::privacy::erase::{self, Extent};
use app::privacy::held::{self, Depth};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::audit::Actor;
use domain::id::OrgId;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, SET_COOKIE};
use http::{HeaderMap, HeaderValue};

use super::sign_in::{back, visit_of};
use super::texts::notice;
use crate::error::Failure;
use crate::layers::HoldsSecret;
use crate::linking::link::OwnForm;
use crate::state::WebState;

const EVERYWHERE: &str = "everywhere";

pub async fn export(
    State(state): State<WebState>,
    headers: HeaderMap,
    form: OwnForm,
) -> Result<Response, Failure> {
    let app = &state.app;
    let sides = visit_of(&state, &headers, &form.token).sides();
    if sides.accounts().is_empty() {
        return Err(IdentityError::SignInExpired.into());
    }
    let held = match held::gather(app, &sides, Depth::Whole).await {
        Err(AppError::Identity(IdentityError::BlockedPerson)) => return Ok(back(Some(notice::BLOCKED))),
        held => held?,
    };
    let text = serde_json::to_string_pretty(&held.to_json(&sides, app.now_ms()));
    let mut response = text.map_err(AppError::internal)?.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let named = HeaderValue::from_static("attachment; filename=\"my-data.json\"");
    headers.insert(CONTENT_DISPOSITION, named);
    response.extensions_mut().insert(HoldsSecret);
    Ok(response)
}

pub async fn erase(
    State(state): State<WebState>,
    headers: HeaderMap,
    form: OwnForm,
) -> Result<Response, Failure> {
    if form.field("sure") != Some("yes") {
        return Ok(back(Some(notice::CONFIRM)));
    }
    let extent = match form.field("what") {
        Some(EVERYWHERE) => Extent::Everywhere,
        Some(org) => Extent::Org(OrgId::parse(org).map_err(|_| RequestError::NotFound)?),
        None => return Err(RequestError::NotFound.into()),
    };
    let sides = visit_of(&state, &headers, &form.token).sides();
    let is_whole = extent == Extent::Everywhere;
    match erase::erase(&state.app, sides, extent, Actor::Player).await {
        Ok(_) if is_whole => Ok(signed_out(&state, Some(notice::GONE))),
        Ok(_) => Ok(back(Some(notice::ERASED))),
        Err(AppError::Identity(IdentityError::OwnsOrgs)) => Ok(back(Some(notice::OWNER))),
        Err(AppError::Identity(IdentityError::BlockedPerson)) => Ok(back(Some(notice::BLOCKED))),
        Err(error) => Err(error.into()),
    }
}

pub async fn sign_out(State(state): State<WebState>, _form: OwnForm) -> Result<Response, Failure> {
    Ok(signed_out(&state, None))
}

fn signed_out(state: &WebState, word: Option<&str>) -> Response {
    let mut response = back(word);
    let over = state.settings.cookie(state.settings.visit_cookie(), "", 0);
    response.headers_mut().append(SET_COOKIE, over);
    response
}
