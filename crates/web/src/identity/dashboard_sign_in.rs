//! In and out of the dashboard: to Discord and back.

use app::error::{IdentityError, RequestError};
use app::identity::sign_in;
use app::identity::sign_in::DiscordAnswer;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use domain::flow::FlowToken;
use domain::id::OrgId;
use domain::return_path::ReturnPath;
use domain::token::SessionToken;
use http::header::{SET_COOKIE, USER_AGENT};
use http::{Extensions, HeaderMap};

use crate::error::Failure;
use crate::extract::{cookie, session_token, signed_in};
use crate::public::visitor::Visitor;
use crate::public::{see_other, value};
use crate::state::{Settings, WebState};

/// Seconds that a browser keeps the secret of a trip.
const TRIP_S: i64 = domain::flow::TRIP_MS / 1000;

fn trip_token(headers: &HeaderMap, settings: &Settings) -> Option<FlowToken> {
    cookie(headers, settings.sign_in_cookie()).and_then(|text| FlowToken::parse(text).ok())
}

fn depart(state: &WebState, departure: &sign_in::Departure) -> Response {
    let mut response = see_other(&departure.url);
    let settings = &state.settings;
    let kept = settings.cookie(settings.sign_in_cookie(), departure.token.expose(), TRIP_S);
    response.headers_mut().append(SET_COOKIE, kept);
    response
}

/// Out to Discord. Where to go on afterwards is one of our own pages or the dashboard's front page.
pub async fn login(
    State(state): State<WebState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    visitor: Visitor,
) -> Result<Response, Failure> {
    let wanted = value(&query.unwrap_or_default(), "return_to");
    let wanted = wanted.as_deref().and_then(ReturnPath::parse);
    let return_to = wanted.unwrap_or_else(ReturnPath::dashboard);
    let browser = trip_token(&headers, &state.settings);
    let departure = sign_in::start_login(&state.app, return_to, browser, visitor.address).await?;
    Ok(depart(&state, &departure))
}

/// What a browser brings back from Discord.
struct Returned {
    state: String,
    code: Option<String>,
    trip: Option<FlowToken>,
    session: Option<SessionToken>,
}

impl Returned {
    fn read(query: Option<String>, headers: &HeaderMap, settings: &Settings) -> Self {
        let query = query.unwrap_or_default();
        Self {
            state: value(&query, "state").unwrap_or_default(),
            code: value(&query, "code"),
            trip: trip_token(headers, settings),
            session: session_token(headers, settings),
        }
    }

    fn answer(&self) -> DiscordAnswer<'_> {
        DiscordAnswer {
            state: &self.state,
            code: self.code.as_deref(),
        }
    }
}

/// On to a page of ours, with a new session. The browser keeps the secret of its trips: another tab may be on its way.
fn enter(done: &sign_in::SignedIn, settings: &Settings) -> Response {
    let mut response = see_other(done.return_to.as_str());
    let session = settings.set_session(&done.session);
    response.headers_mut().append(SET_COOKIE, session);
    response
}

pub async fn login_callback(
    State(state): State<WebState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    visitor: Visitor,
) -> Result<Response, Failure> {
    let back = Returned::read(query, &headers, &state.settings);
    let agent = headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
    let device = agent.and_then(domain::device::describe);
    let (trip, old) = (back.trip.as_ref(), back.session.as_ref());
    let done = sign_in::finish_login(&state.app, trip, back.answer(), visitor.address, device, old).await?;
    Ok(enter(&done, &state.settings))
}

/// Out to Discord, to see which servers somebody manages. Whoever is not signed in does that first.
pub async fn claim(
    State(state): State<WebState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Extensions,
    visitor: Visitor,
) -> Result<Response, Failure> {
    let org = value(&query.unwrap_or_default(), "org").and_then(|text| OrgId::parse(&text).ok());
    let org = org.ok_or(RequestError::NotFound)?;
    let session = session_token(&headers, &state.settings);
    let caller = signed_in(&state, &request, session.as_ref(), Some(&org)).await?;
    caller.membership.ok_or(RequestError::NotFound)?;
    let browser = trip_token(&headers, &state.settings);
    let departure = sign_in::start_claim(&state.app, &org, browser, visitor.address).await?;
    Ok(depart(&state, &departure))
}

pub async fn claim_callback(
    State(state): State<WebState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Extensions,
    visitor: Visitor,
) -> Result<Response, Failure> {
    let back = Returned::read(query, &headers, &state.settings);
    let (trip, session) = (back.trip.as_ref(), back.session.as_ref());
    let caller = signed_in(&state, &request, session, None).await?;
    let session = session.ok_or(IdentityError::SignInRequired)?;
    let (answer, address) = (back.answer(), visitor.address);
    let done = sign_in::finish_claim(&state.app, trip, answer, address, (caller, session)).await?;
    Ok(enter(&done, &state.settings))
}
