//! The page of an invite: who invites to what, and the one button that makes a member.

use app::AppError;
use app::error::{HttpError, IdentityError, RequestError};
use app::identity::sessions;
use app::tenancy::invited::{self, Preview};
use askama::Template;
use axum::extract::{FromRequestParts, Path, State};
use axum::response::{Html, IntoResponse, Response};
use domain::face::letters;
use domain::invitation::Code;
use domain::permission::{Permission, Role};
use domain::token::SessionToken;
use http::request::Parts;
use http::{Extensions, HeaderMap};
use jiff::Timestamp;

use crate::error::Failure;
use crate::extract::{Guard, Stop, session_token, signed_in};
use crate::public::visitor::Visitor;
use crate::public::{see_other, style};
use crate::routes::RouteTable;
use crate::state::WebState;

#[derive(Template)]
#[template(path = "invite.html")]
struct InviteTemplate<'a> {
    style: &'static str,
    preview: &'a Preview,
    letters: String,
    role: &'static str,
    can: Vec<&'static str>,
    /// None for one that stays until it is revoked.
    until: Option<String>,
    code: &'a str,
    reader: Reader,
}

/// Who reads the page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    Stranger,
    SignedIn,
    /// Already in the team.
    Member,
}

async fn reader(
    state: &WebState,
    request: &Extensions,
    session: Option<&SessionToken>,
    preview: &Preview,
) -> Result<Reader, AppError> {
    match signed_in(state, request, session, Some(&preview.org_id)).await {
        Ok(caller) if caller.membership.is_some() => Ok(Reader::Member),
        Ok(_) => Ok(Reader::SignedIn),
        Err(AppError::Identity(IdentityError::SignInRequired)) => Ok(Reader::Stranger),
        Err(error) => Err(error),
    }
}

/// Anybody with the address sees whose team it is, who invites, the role and what comes with it, and nothing else.
pub async fn page(
    State(state): State<WebState>,
    Path(code): Path<String>,
    request: Extensions,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let parsed = Code::parse(&code).ok_or(RequestError::NotFound)?;
    let preview = invited::preview(&state.app, &parsed).await?;
    let session = session_token(&headers, &state.settings);
    let reader = reader(&state, &request, session.as_ref(), &preview).await;
    let template = InviteTemplate {
        style: style::of_pages(),
        letters: letters(&preview.org_name),
        role: titled(preview.role),
        can: in_words(&preview, state.routes),
        until: preview.expires_at_ms.and_then(day_and_time),
        preview: &preview,
        code: parsed.expose(),
        // Whoever comes too often still sees what the invitation is for.
        reader: reader.unwrap_or(Reader::SignedIn),
    };
    let text = template
        .render()
        .map_err(|error| AppError::internal(format!("a page could not be drawn: {error}")))?;
    Ok(Html(text).into_response())
}

/// What the invite gives, as far as it makes a difference today.
fn in_words(preview: &Preview, routes: &RouteTable) -> Vec<&'static str> {
    let useful = preview.permissions.iter().filter(|one| routes.unlocks(*one));
    useful.map(Permission::label).collect()
}

fn titled(role: Role) -> &'static str {
    match role {
        Role::Owner => "Owner",
        Role::Admin => "Admin",
        Role::Staff => "Staff",
    }
}

/// The page has no script that could tell the reader's own time.
fn day_and_time(ms: i64) -> Option<String> {
    let moment = Timestamp::from_millisecond(ms).ok()?;
    Some(moment.strftime("%-d %B %Y, %H:%M UTC").to_string())
}

/// Whoever presses the one button of the page, signed in. Their cookie does not travel with forms of other sites.
pub struct Joiner(sessions::Caller);

impl Guard for Joiner {
    const STOP: Stop = Stop::Session;
}

impl FromRequestParts<WebState> for Joiner {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Failure> {
        let visitor = Visitor::from_request_parts(parts, state).await?;
        if !visitor.is_same_site {
            return Err(HttpError::CrossSite.into());
        }
        let session = session_token(&parts.headers, &state.settings);
        let caller = signed_in(state, &parts.extensions, session.as_ref(), None).await?;
        Ok(Self(caller))
    }
}

pub async fn accept(
    State(state): State<WebState>,
    Path(code): Path<String>,
    Joiner(caller): Joiner,
) -> Result<Response, Failure> {
    let code = Code::parse(&code).ok_or(RequestError::NotFound)?;
    let org = invited::accept(&state.app, &code, caller.account, caller.account_id).await?;
    Ok(see_other(&["/app/orgs/", org.as_str()].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_in_words() {
        assert_eq!(
            day_and_time(1_767_225_600_000).as_deref(),
            Some("1 January 2026, 00:00 UTC")
        );
    }

    #[test]
    fn the_page_and_the_dashboard_call_a_permission_the_same() {
        let dashboard = include_str!("../../../../ui/src/lib/can.ts");
        for permission in Permission::ALL {
            let line = format!("'{permission}': '{}'", permission.label());
            assert!(dashboard.contains(&line), "{line} is not in can.ts");
        }
    }
}
