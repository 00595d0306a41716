//! What pages for people without scripts share: the frame, the visitor, texts; and the front page.

pub(crate) mod icons;
pub(crate) mod texts;
mod travel;
pub(crate) mod visitor;

use app::AppError;
use askama::Template;
use axum::response::Html;

use crate::error::Failure;

pub use travel::{see_other, value};

/// The styles of the frame; the content security policy allows exactly this text by its digest.
pub const STYLE: &str = include_str!("page.css");

#[derive(Template)]
#[template(path = "front.html")]
struct FrontTemplate {
    style: &'static str,
}

pub async fn home() -> Result<Html<String>, Failure> {
    let drawn = FrontTemplate { style: STYLE }.render();
    Ok(Html(drawn.map_err(|error| {
        AppError::internal(format!("a page could not be drawn: {error}"))
    })?))
}

/// A page with a heading and one paragraph, both escaped.
pub fn page(title: &str, text: &str) -> String {
    let (title, text) = (escape(title), escape(text));
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{title}</title>\
         <style>{STYLE}</style></head><body><main><h1>{title}</h1><p>{text}</p></main></body></html>"
    )
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let html = page("<b>", "\"><script>alert('x')</script>&");
        assert!(!html.contains("<script") && !html.contains("<b>"));
    }
}
