//! The pages a person meets: plain, without scripts, and never mistaken for the real platform.

use axum::response::{Html, IntoResponse, Response};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};

use super::person::Purpose;

const STYLE: &str = include_str!("page.css");

/// As many people as fit on a page; the others type their id.
const LISTED: usize = 50;

/// The heading of people of whom nobody said what they are for.
const OTHERS: &str = "Others";

/// Somebody a visitor can be.
pub struct Choice<'a> {
    pub id: String,
    pub name: &'a str,
    pub purpose: Option<&'a Purpose>,
}

impl Choice<'_> {
    fn group(&self) -> &str {
        self.purpose.map_or(OTHERS, |purpose| &purpose.group)
    }

    fn button(&self) -> String {
        let about = self.purpose.map_or("", |purpose| &purpose.about);
        let (id, name) = (escape(&self.id), escape(self.name));
        let line = if about.is_empty() {
            String::new()
        } else {
            format!("<span>{}</span>", escape(about))
        };
        format!(
            "<li><button name=\"as\" value=\"{id}\"><b>{name}</b> <small>{id}</small>{line}</button></li>"
        )
    }
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
    let groups = groups(people.iter().take(LISTED));
    // Two forms: in a single one the empty text field would be sent along with every button.
    let body = format!(
        "{detail}<h2>Who do you want to be?</h2>{form}{groups}\
         <p><button name=\"as\" value=\"cancel\">Cancel</button></p></form>\
         {form}<p><label for=\"as\">Or the id of somebody else</label> \
         <input id=\"as\" name=\"as\" autocomplete=\"off\" required> <button>Continue</button></p></form>"
    );
    page(platform, &format!("Sign in to {platform}"), &body)
}

/// People under their headings, in the order in which those first come up; who is there for nothing comes last.
fn groups<'a>(people: impl Iterator<Item = &'a Choice<'a>>) -> String {
    let mut groups: Vec<(&str, String)> = Vec::new();
    for person in people {
        match groups.iter_mut().find(|(name, _)| *name == person.group()) {
            Some((_, list)) => list.push_str(&person.button()),
            None => groups.push((person.group(), person.button())),
        }
    }
    groups.sort_by_key(|(name, _)| *name == OTHERS);
    let drawn = groups.into_iter().map(|(name, list)| {
        let name = escape(name);
        format!("<fieldset><legend>{name}</legend><ul>{list}</ul></fieldset>")
    });
    drawn.collect()
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
    fn people_are_grouped_by_what_they_are_for() {
        let purpose = |group: &str, about: &str| Purpose {
            group: group.to_owned(),
            about: about.to_owned(),
        };
        let (run, new) = (purpose("Run a community", "Owns <it>"), purpose("New here", ""));
        let people = [
            ("Ada", Some(&run)),
            ("Moss", None),
            ("Gia", Some(&new)),
            ("Chen", Some(&run)),
        ];
        let people = people.map(|(name, purpose)| Choice {
            id: "1".to_owned(),
            name,
            purpose,
        });
        let drawn = groups(people.iter());
        let order = [
            "Run a community",
            "Ada",
            "Chen",
            "New here",
            "Gia",
            "Others",
            "Moss",
        ];
        let places: Vec<_> = order
            .iter()
            .map(|word| drawn.find(word).expect("a word"))
            .collect();
        assert!(places.is_sorted(), "{drawn}");
        assert!(
            drawn.contains("<span>Owns &lt;it&gt;</span>") && !drawn.contains("<span></span>"),
            "{drawn}"
        );
    }

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<a href=\"'&"), "&lt;a href=&quot;&#39;&amp;");
    }
}
