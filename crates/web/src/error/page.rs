//! The HTML page of a failure: plain, without scripts, with the request id to quote.

use app::AppError;
use app::error::ServiceError;
use askama::Template;
use axum::body::Body;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method};

use super::api::decorate;
use super::status_of;
use crate::public::{STYLE, page};

/// The card that the dashboard also shows when it is closed while somebody is in it.
#[derive(Template)]
#[template(path = "maintenance.html")]
struct MaintenanceTemplate<'a> {
    style: &'static str,
    message: &'a str,
    /// The address can be opened again to see whether it is over.
    again: bool,
}

fn maintenance(message: &str, method: &Method) -> Option<String> {
    let card = MaintenanceTemplate {
        style: STYLE,
        message,
        again: *method == Method::GET,
    };
    card.render().ok()
}

pub fn render_page(error: &AppError, request_id: &str, method: &Method) -> Response {
    let told = error.told();
    let drawn = if let AppError::Service(ServiceError::Maintenance { message }) = error {
        maintenance(message, method)
    } else {
        None
    };
    let drawn = drawn.unwrap_or_else(|| {
        let title = status_of(&told).canonical_reason().unwrap_or("Error");
        page(title, &[&told.message, " Reference: ", request_id].concat())
    });
    let mut response = Response::new(Body::from(drawn));
    *response.status_mut() = status_of(&told);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    decorate(&told, response.headers_mut());
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_that_was_sent_is_not_sent_again_to_see_whether_maintenance_is_over() {
        let card = |method| maintenance("Back at <noon>.", &method).unwrap_or_default();
        let (opened, sent) = (card(Method::GET), card(Method::POST));
        assert!(opened.contains("Check now") && !sent.contains("Check now"));
        assert!(sent.contains("Down for maintenance") && !sent.contains("<noon>"));
    }
}
