//! The HTML page of a failure: what happened, whose turn it is and where to go. Without scripts, with the request id to
//! quote.

use app::AppError;
use app::error::{Fault, ServiceError, Told};
use askama::Template;
use axum::body::Body;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Uri};

use super::api::decorate;
use super::status_of;
use crate::layers::Surface;
use crate::public::{style, value};

#[derive(Template)]
#[template(path = "failure.html")]
struct FailurePage<'a> {
    style: &'static str,
    title: &'static str,
    message: &'a str,
    whose: &'static str,
    next: &'static str,
    way: Way,
    request_id: &'a str,
}

/// The card that the dashboard also shows when it is closed while somebody is in it.
#[derive(Template)]
#[template(path = "maintenance.html")]
struct MaintenancePage<'a> {
    style: &'static str,
    message: &'a str,
    /// The address can be opened again to see whether it is over.
    again: bool,
}

fn maintenance(message: &str, method: &Method) -> askama::Result<String> {
    let card = MaintenancePage {
        style: style::of_pages(),
        message,
        again: *method == Method::GET,
    };
    card.render()
}

/// A page of ours to go on to.
#[derive(Debug, PartialEq, Eq)]
struct Way {
    place: String,
    label: &'static str,
}

fn way(place: &str, label: &'static str) -> Way {
    Way {
        place: place.to_owned(),
        label,
    }
}

pub fn render_page(
    error: &AppError,
    request_id: &str,
    surface: Surface,
    (method, uri): (&Method, &Uri),
) -> Response {
    let told = error.told();
    let drawn = if let AppError::Service(ServiceError::Maintenance { message }) = error {
        maintenance(message, method)
    } else {
        failure(&told, request_id, surface, uri)
    };
    // A page that cannot be drawn still has its status.
    let mut response = Response::new(Body::from(drawn.unwrap_or_default()));
    *response.status_mut() = status_of(&told);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    decorate(&told, response.headers_mut());
    response
}

fn failure(told: &Told<'_>, request_id: &str, surface: Surface, uri: &Uri) -> askama::Result<String> {
    let (whose, next) = turn(told);
    let page = FailurePage {
        style: style::of_pages(),
        title: title(told),
        message: &told.message,
        whose,
        next,
        way: way_on(told, surface, uri),
        request_id,
    };
    page.render()
}

/// What happened, in a few words.
fn title(told: &Told<'_>) -> &'static str {
    match (told.status, told.code) {
        (_, "BLOCKED") => "You cannot sign in here",
        (_, "LIMIT_REACHED") => "This community is full",
        (_, "RELINK_TOO_SOON") => "Not yet",
        (_, "SIGN_IN_EXPIRED") => "This sign-in is over",
        (_, "SIGN_IN_CANCELLED") => "Sign-in cancelled",
        (_, "OTHER_ACCOUNT") => "Another Discord account",
        (401, _) => "Sign in first",
        (403, _) => "Not allowed",
        (404, _) => "Page not found",
        (408, _) => "That took too long",
        (429, _) => "Too many tries",
        (502..=504, _) => "Not available right now",
        (500.., _) => "Something broke",
        (_, _) => "That did not work",
    }
}

/// Whose turn it is, and what they do.
fn turn(told: &Told<'_>) -> (&'static str, &'static str) {
    match told.fault {
        Fault::Ours => (
            "This is on us",
            "You did nothing wrong, and the failure is noted. Try again in a few minutes.",
        ),
        Fault::Provider => (
            "Not your fault",
            "You did nothing wrong. Try again in a few minutes; if it stays like this, tell the people who run this site.",
        ),
        Fault::Known => (
            "Up to the operator",
            "You did nothing wrong. Come back later, or ask the people who run this site.",
        ),
        Fault::Caller => match told.status {
            404 => (
                "What you can do",
                "The address may be mistyped or old. Ask whoever gave it to you for a new one.",
            ),
            401 => ("What you can do", "Sign in, then open the page again."),
            403 => (
                "Who can help",
                "Ask the people of the community, or the person who sent you here.",
            ),
            _ => ("What you can do", "Go back and try it once more."),
        },
    }
}

/// Where to go. An address becomes part of the page only as the short name of a Guild.
fn way_on(told: &Told<'_>, surface: Surface, uri: &Uri) -> Way {
    if told.status != 404
        && let Some(page) = link_page_of(uri)
    {
        return Way {
            place: page,
            label: "Back to the link page",
        };
    }
    match surface {
        Surface::DashboardPage | Surface::AdminPage | Surface::Entrance if told.status == 401 => {
            way("/auth/discord/login", "Sign in with Discord")
        }
        Surface::DashboardPage | Surface::AdminPage | Surface::Entrance => way("/app/", "Open the dashboard"),
        Surface::PublicPage if uri.path().starts_with("/docs/") => way("/docs", "Open the documentation"),
        Surface::PublicPage
        | Surface::PrivatePage
        | Surface::Download
        | Surface::Plugin
        | Surface::Dashboard
        | Surface::Admin
        | Surface::Bot
        | Surface::Webhook
        | Surface::Ops => way("/", "Go to the front page"),
    }
}

/// The page that a form or a sign-in belongs to, by its address.
fn link_page_of(uri: &Uri) -> Option<String> {
    let mut parts = uri.path().split('/').skip(1);
    let (purpose, slug) = match (parts.next()?, parts.next()?) {
        (purpose @ ("link" | "unlink"), slug) => (purpose, slug.to_owned()),
        ("auth", _) => match parts.next()? {
            purpose @ ("link" | "unlink") => (purpose, value(uri.query()?, "guild")?),
            _ => return None,
        },
        (_, _) => return None,
    };
    let is_plain = |sign: u8| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == b'-';
    (!slug.is_empty() && slug.bytes().all(is_plain)).then(|| format!("/{purpose}/{slug}"))
}

#[cfg(test)]
mod tests {
    use app::error::{IdentityError, RequestError};

    use super::*;

    fn way_after(error: impl Into<AppError>, surface: Surface, uri: &'static str) -> String {
        let error = error.into();
        way_on(&error.told(), surface, &Uri::from_static(uri)).place
    }

    #[test]
    fn every_page_leads_somewhere_that_fits() {
        use Surface::{DashboardPage, Entrance, PrivatePage, PublicPage};
        let over = || IdentityError::SignInExpired;
        for (place, found) in [
            (
                "/link/ashfall",
                way_after(over(), PrivatePage, "/link/ashfall/verify"),
            ),
            (
                "/unlink/ashfall",
                way_after(over(), PrivatePage, "/unlink/ashfall/confirm"),
            ),
            (
                "/link/ashfall",
                way_after(over(), PrivatePage, "/auth/steam/link?guild=ashfall"),
            ),
            (
                "/",
                way_after(over(), PrivatePage, "/auth/steam/link/callback?state=x"),
            ),
            ("/", way_after(over(), PrivatePage, "/link/%3Cb%3E/verify")),
            (
                "/",
                way_after(over(), PrivatePage, "/auth/steam/link?guild=%3Cb%3E"),
            ),
            (
                "/",
                way_after(RequestError::NotFound, PrivatePage, "/link/nowhere"),
            ),
            ("/docs", way_after(RequestError::NotFound, PublicPage, "/docs/x")),
            (
                "/app/",
                way_after(ServiceError::Overloaded, DashboardPage, "/app/orgs"),
            ),
            (
                "/auth/discord/login",
                way_after(IdentityError::SignInRequired, Entrance, "/invite/x/accept"),
            ),
        ] {
            assert_eq!(found, place);
        }
    }

    #[test]
    fn a_form_that_was_sent_is_not_sent_again_to_see_whether_maintenance_is_over() {
        let card = |method| maintenance("Back at <noon>.", &method).unwrap();
        let (opened, sent) = (card(Method::GET), card(Method::POST));
        assert!(opened.contains("Check now") && !sent.contains("Check now"));
        assert!(sent.contains("Down for maintenance") && !sent.contains("<noon>"));
    }

    #[test]
    fn text_cannot_become_markup() {
        let error = AppError::from(RequestError::Conflict("\"><script>alert('x')</script>&"));
        let (method, uri) = (Method::GET, Uri::from_static("/"));
        let page = render_page(&error, "<b>", Surface::PublicPage, (&method, &uri));
        let html = failure(&error.told(), "<b>", Surface::PublicPage, &uri).unwrap();
        assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
        assert_eq!(page.status(), 409);
    }

    #[test]
    fn our_fault_is_not_put_on_the_visitor() {
        let ours = AppError::internal("x");
        assert!(turn(&ours.told()).1.contains("You did nothing wrong"));
        let theirs = AppError::from(RequestError::NotFound);
        assert_eq!(turn(&theirs.told()).0, "What you can do");
    }
}
