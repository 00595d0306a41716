//! What pages for people without scripts share: the frame, the visitor, texts; and the front page.

pub(crate) mod files;
pub(crate) mod icons;
pub(crate) mod style;
pub(crate) mod texts;
mod travel;
pub(crate) mod visitor;

use app::AppError;
use askama::Template;
use axum::response::Html;

use crate::error::Failure;

pub use travel::{see_other, value};

#[derive(Template)]
#[template(path = "front.html")]
struct FrontTemplate {
    style: &'static str,
}

pub async fn home() -> Result<Html<String>, Failure> {
    let drawn = FrontTemplate {
        style: style::of_pages(),
    }
    .render();
    Ok(Html(drawn.map_err(|error| {
        AppError::internal(format!("a page could not be drawn: {error}"))
    })?))
}
