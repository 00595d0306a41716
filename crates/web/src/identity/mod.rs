//! People: who is signed in, signing in and out, invitations on their way in.

pub mod account;
pub mod dashboard_sign_in;
pub mod invite;

use axum::routing::get;
use http::Method;

use crate::layers::Surface;
use crate::routes::Routes;

pub(crate) fn routes(routes: Routes) -> Routes {
    personal_routes(sign_in_routes(routes))
}

/// Signing in with Discord, and the invitation that leads into the dashboard.
fn sign_in_routes(routes: Routes) -> Routes {
    use Surface::{Entrance, PrivatePage};
    const CLAIM: &str = "/auth/discord/claim";
    const CLAIMED: &str = "/auth/discord/claim/callback";
    const BACK: &str = "/auth/discord/login/callback";
    routes
        .departure(PrivatePage, "/auth/discord/login", dashboard_sign_in::login)
        .arrival(PrivatePage, BACK, dashboard_sign_in::login_callback)
        .departure(Entrance, CLAIM, dashboard_sign_in::claim)
        .arrival(Entrance, CLAIMED, dashboard_sign_in::claim_callback)
        .page(PrivatePage, "/invite/{code}", "Invite page", get(invite::page))
        .button(
            Entrance,
            "/invite/{code}/accept",
            "Accept an invite",
            invite::accept,
        )
}

/// What people decide about themselves.
fn personal_routes(routes: Routes) -> Routes {
    const SESSIONS: &str = "/account/sessions";
    routes
        .personal(Method::GET, "/account", "Who is signed in", account::me)
        .personal(
            Method::DELETE,
            "/account",
            "Delete one's dashboard account",
            account::delete,
        )
        .personal(
            Method::GET,
            SESSIONS,
            "List one's sessions",
            account::list_sessions,
        )
        .personal(
            Method::DELETE,
            SESSIONS,
            "End all other sessions",
            account::end_other_sessions,
        )
        .personal(
            Method::DELETE,
            "/account/sessions/{session}",
            "End a session",
            account::end_session,
        )
        .personal(
            Method::POST,
            "/account/sign-out",
            "End this session",
            account::sign_out,
        )
        .personal(
            Method::DELETE,
            "/account/memberships/{org}",
            "Leave an organisation",
            account::leave,
        )
        .personal(Method::POST, "/orgs", "Make an organisation", account::create_org)
}
