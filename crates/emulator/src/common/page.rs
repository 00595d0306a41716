//! The pages a person meets: plain, without scripts, and never mistaken for the real platform.

use axum::response::{Html, IntoResponse, Response};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};

const STYLE: &str = include_str!("page.css");

/// As many people as fit on a page; the others type their id.
const LISTED: usize = 50;

/// Somebody a visitor can be.
pub struct Choice<'a> {
    pub id: &'a str,
    pub name: &'a str,
}

/// A page with a heading; `body` is markup.
pub fn page(platform: &str, title: &str, body: &str) -> Response {
    let (platform, title) = (escape(platform), escape(title));
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>{title} (sandbox)</title><style>{STYLE}</style></head><body>\
         <header><p>Sandbox. This is not {platform}: nothing here leaves your machine.</p></header>\
         <main><h1>{title}</h1>{body}</main></body></html>"
    );
    let headers = [
        (
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
        ),
        (CACHE_CONTROL, "no-store"),
    ];
    (headers, Html(html)).into_response()
}

/// What a person sees whose request makes no sense.
pub fn problem(platform: &str, status: StatusCode, text: &str) -> Response {
    let body = format!("<p>{}</p>", escape(text));
    (status, page(platform, "This request cannot be answered", &body)).into_response()
}

/// A form that repeats the request with the person who was chosen. `detail` is markup.
pub fn chooser<'a>(
    platform: &str,
    detail: &str,
    action: &str,
    fields: impl IntoIterator<Item = (&'a str, &'a str)>,
    people: &[Choice<'_>],
) -> Response {
    let mut form = format!("<form method=\"get\" action=\"{}\">", escape(action));
    for (name, value) in fields {
        form.push_str(&format!(
            "<input type=\"hidden\" name=\"{}\" value=\"{}\">",
            escape(name),
            escape(value)
        ));
    }
    let mut list = String::new();
    for person in people.iter().take(LISTED) {
        list.push_str(&format!(
            "<li><button name=\"as\" value=\"{id}\">{name} <small>{id}</small></button></li>",
            id = escape(person.id),
            name = escape(person.name)
        ));
    }
    // Two forms: in a single one the empty text field would be sent along with every button.
    let body = format!(
        "{detail}{form}<fieldset><legend>Who do you want to be?</legend><ul>{list}</ul></fieldset>\
         <p><button name=\"as\" value=\"cancel\">Cancel</button></p></form>\
         {form}<p><label for=\"as\">Or the id of somebody else</label> \
         <input id=\"as\" name=\"as\" autocomplete=\"off\" required> <button>Continue</button></p></form>"
    );
    page(platform, &format!("Sign in to {platform}"), &body)
}

pub fn escape(text: &str) -> String {
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
        assert_eq!(escape("<a href=\"'&"), "&lt;a href=&quot;&#39;&amp;");
    }
}
