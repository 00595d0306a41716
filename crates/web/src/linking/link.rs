//! Buttons of the link page and of the unlink page. Everything works without a script.

use app::error::{HttpError, IdentityError};
use app::linking::{self, Outcome, Verifier};
use axum::extract::{FromRequest, FromRequestParts, Path, Request, State};
use axum::response::Response;
use domain::flow::{FlowPurpose, FlowToken};

use crate::error::Failure;
use crate::extract::{Guard, Stop, has_type, read_limited};
use crate::layers::Surface;
use crate::linking::page::notice;
use crate::public::see_other;
use crate::public::visitor::Visitor;
use crate::state::WebState;

/// One of our own forms, sent by the browser that it was drawn for.
pub struct OwnForm {
    /// Of that browser.
    pub(crate) token: FlowToken,
    fields: Vec<(String, String)>,
}

impl OwnForm {
    /// What a field says; nothing where it is missing.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut fields = self.fields.iter();
        fields
            .find(|(field, _)| field == name)
            .map(|(_, value)| value.as_str())
    }
}

impl Guard for OwnForm {
    const STOP: Stop = Stop::OwnForm;
}

impl FromRequest<WebState> for OwnForm {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &WebState) -> Result<Self, Failure> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::from_request_parts(&mut parts, state).await?;
        if !has_type(&parts.headers, "application/x-www-form-urlencoded") {
            return Err(HttpError::UnsupportedMediaType.into());
        }
        let bytes = read_limited(body, Surface::of(&parts.extensions)).await?;
        let fields: Vec<(String, String)> = form_urlencoded::parse(&bytes).into_owned().collect();
        let found = fields.iter().find(|(name, _)| name == "form");
        let (_, form) = found.ok_or(HttpError::CrossSite)?;
        if !visitor.is_same_site {
            return Err(HttpError::CrossSite.into());
        }
        let token = visitor.flow.ok_or(IdentityError::SignInExpired)?;
        if !token.accepts_form(form) {
            return Err(HttpError::CrossSite.into());
        }
        Ok(Self { token, fields })
    }
}

fn verifier<'a>(visitor: &'a Visitor, token: &'a FlowToken) -> Verifier<'a> {
    Verifier {
        token,
        address: visitor.address,
        country: visitor.country.clone(),
    }
}

pub async fn verify(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    visitor: Visitor,
    form: OwnForm,
) -> Result<Response, Failure> {
    let token = &form.token;
    let outcome = linking::verify(&state.app, &slug, verifier(&visitor, token)).await?;
    let page = format!("/link/{slug}");
    Ok(match outcome {
        Outcome::Linked => see_other(&page),
        Outcome::Open => see_other(&format!("{page}?notice={}", notice::OPEN)),
    })
}

pub async fn join(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    visitor: Visitor,
    form: OwnForm,
) -> Result<Response, Failure> {
    let token = &form.token;
    linking::join(&state.app, &slug, verifier(&visitor, token)).await?;
    Ok(see_other(&format!("/link/{slug}")))
}

pub async fn restart_link(
    state: State<WebState>,
    Path(slug): Path<String>,
    form: OwnForm,
) -> Result<Response, Failure> {
    restart(state, FlowPurpose::Link, &slug, form).await
}

pub async fn restart_unlink(
    state: State<WebState>,
    Path(slug): Path<String>,
    form: OwnForm,
) -> Result<Response, Failure> {
    restart(state, FlowPurpose::Unlink, &slug, form).await
}

async fn restart(
    State(state): State<WebState>,
    purpose: FlowPurpose,
    slug: &str,
    form: OwnForm,
) -> Result<Response, Failure> {
    linking::restart(&state.app, slug, purpose, &form.token).await?;
    // The browser keeps its secret: another tab may be on the page of another community.
    Ok(see_other(&format!("/{}/{slug}", purpose.as_str())))
}

pub async fn confirm_unlink(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    visitor: Visitor,
    form: OwnForm,
) -> Result<Response, Failure> {
    let token = &form.token;
    linking::unlink(&state.app, &slug, token, visitor.address).await?;
    Ok(see_other(&format!("/unlink/{slug}")))
}
