//! The HTML page of a failure: what happened, whose turn it is and where to go. Without scripts, with the request id to
//! quote.

use app::AppError;
use app::error::{ErrorAnswer, Fault, ServiceError};
use askama::Template;
use axum::body::Body;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Uri};

use super::api::decorate;
use super::status_of;
use super::way::{Way, way_on};
use crate::layers::Surface;
use crate::public::style;

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

pub fn render_page(
    error: &AppError,
    request_id: &str,
    surface: Surface,
    (method, uri): (&Method, &Uri),
) -> Response {
    let answer = error.answer();
    let drawn = if let AppError::Service(ServiceError::Maintenance { message }) = error {
        maintenance(message, method)
    } else {
        failure(&answer, request_id, surface, uri)
    };
    // A page that cannot be drawn still has its status.
    let mut response = Response::new(Body::from(drawn.unwrap_or_default()));
    *response.status_mut() = status_of(&answer);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    decorate(&answer, response.headers_mut());
    response
}

fn failure(
    answer: &ErrorAnswer<'_>,
    request_id: &str,
    surface: Surface,
    uri: &Uri,
) -> askama::Result<String> {
    let (whose, next) = turn(answer);
    let page = FailurePage {
        style: style::of_pages(),
        title: title(answer),
        message: &answer.message,
        whose,
        next,
        way: way_on(answer, surface, uri),
        request_id,
    };
    page.render()
}

/// What happened, in a few words.
fn title(answer: &ErrorAnswer<'_>) -> &'static str {
    match (answer.status, answer.code) {
        (_, "BLOCKED") => "You can’t sign in here",
        (_, "LIMIT_REACHED") => "This community is full",
        (_, "RELINK_TOO_SOON") => "Not yet",
        (_, "SIGN_IN_EXPIRED") => "This sign-in has expired",
        (_, "SIGN_IN_CANCELLED") => "Sign-in cancelled",
        (_, "OTHER_ACCOUNT") => "Different Discord account",
        (401, _) => "Sign in first",
        (403, _) => "Not allowed",
        (404, _) => "Page not found",
        (408, _) => "That took too long",
        (429, _) => "Too many attempts",
        (502..=504, _) => "Not available right now",
        (500.., _) => "Something went wrong",
        (_, _) => "That didn’t work",
    }
}

/// Whose turn it is, and what they do.
fn turn(answer: &ErrorAnswer<'_>) -> (&'static str, &'static str) {
    match answer.fault {
        Fault::Ours => (
            "This is on us",
            "You did nothing wrong, and we’ve logged the problem. Try again in a few minutes.",
        ),
        Fault::Provider => (
            "Not your fault",
            "You did nothing wrong. Try again in a few minutes; if it keeps happening, tell the people who run this site.",
        ),
        Fault::Known => (
            "Up to the operator",
            "You did nothing wrong. Come back later, or ask the people who run this site.",
        ),
        Fault::Caller => match (answer.status, answer.code) {
            (_, "RELINK_TOO_SOON") => ("What you can do", "Come back then. Nothing was changed."),
            (_, "LIMIT_REACHED") => ("Who can help", "Ask the team of the community to make room."),
            (_, "SIGN_IN_EXPIRED" | "SIGN_IN_CANCELLED") => {
                ("What you can do", "Open the page again and start from there.")
            }
            (_, "OTHER_ACCOUNT") => (
                "What you can do",
                "Switch to the right account on Discord, then start again.",
            ),
            (_, "SIGN_IN_AGAIN") => ("What you can do", "Sign in again, then repeat what you did."),
            (_, "CROSS_SITE") => (
                "What you can do",
                "Open the page yourself and press the button there.",
            ),
            (_, "RATE_LIMITED") => ("What you can do", "Wait a moment, then try again."),
            (404, _) => (
                "What you can do",
                "The link may be mistyped or out of date. Ask the person who gave it to you for a new one.",
            ),
            (401, _) => ("What you can do", "Sign in, then open the page again."),
            (403, _) => (
                "Who can help",
                "Ask the community’s team, or the person who sent you here.",
            ),
            (_, _) => ("What you can do", "Go back and try again."),
        },
    }
}

#[cfg(test)]
mod tests {
    use app::error::{IdentityError, LinkingError, RequestError, TenancyError};
    use domain::plan::Dimension;

    use super::*;

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
        let html = failure(&error.answer(), "<b>", Surface::PublicPage, &uri).unwrap();
        assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
        assert_eq!(page.status(), 409);
    }

    #[test]
    fn our_fault_is_not_put_on_the_visitor() {
        let ours = AppError::internal("x");
        assert!(turn(&ours.answer()).1.contains("You did nothing wrong"));
        let theirs = AppError::from(RequestError::NotFound);
        assert_eq!(turn(&theirs.answer()).0, "What you can do");
    }

    #[test]
    fn nobody_is_told_to_repeat_what_cannot_work_or_to_ask_who_cannot_help() {
        let full = TenancyError::LimitReached {
            dimension: Dimension::Links,
            ceiling: 500,
        };
        let refusals: [AppError; 6] = [
            LinkingError::RelinkTooSoon { wait_ms: 1 }.into(),
            full.into(),
            IdentityError::SignInExpired.into(),
            IdentityError::SignInCancelled.into(),
            IdentityError::OtherAccount.into(),
            RequestError::RateLimited { retry_after_ms: 1 }.into(),
        ];
        let advice = refusals.each_ref().map(|error| turn(&error.answer()).1);
        for one in advice {
            assert!(!one.contains("Go back") && !one.contains("who sent you"), "{one}");
        }
        assert!(
            advice[1].contains("team") && advice[4].contains("Discord"),
            "{advice:?}"
        );
        let full = refusals[1].answer();
        assert!(
            !full.message.contains("upgrade") && !full.message.contains("remove"),
            "{}",
            full.message
        );
    }
}
