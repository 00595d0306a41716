//! Documents of the project as pages.

use std::sync::OnceLock;

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// One document: the page it is served at, its title and its text.
pub struct Document {
    pub path: &'static str,
    pub title: &'static str,
    pub source: &'static str,
    html: OnceLock<String>,
}

pub static ERRORS: Document = Document {
    path: "/docs/errors",
    title: "Errors",
    source: include_str!("../../../../docs/api-errors.md"),
    html: OnceLock::new(),
};

pub static MIGRATING: Document = Document {
    path: "/docs/migrating",
    title: "Migrating",
    source: include_str!("../../../../docs/migrating.md"),
    html: OnceLock::new(),
};

pub static RELEASES: Document = Document {
    path: "/docs/releases",
    title: "Release notes",
    source: include_str!("../../../../CHANGELOG.md"),
    html: OnceLock::new(),
};

impl Document {
    pub fn html(&self) -> &str {
        self.html.get_or_init(|| render(self.source))
    }
}

/// Links between documents lead to the pages that are served; those to other files of the project become plain text.
/// What can be wider than a screen is scrolled with the keyboard too; tables are called by the heading they stand under.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "what is no link, table or markup passes as it is"
)]
fn render(source: &str) -> String {
    let mut plain_links = Vec::new();
    let mut headings = Headings::default();
    let parser = Parser::new_ext(source, Options::ENABLE_TABLES);
    let events = parser.flat_map(|event| {
        headings.read(&event);
        let (first, second) = match event {
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let target = served(&dest_url);
                plain_links.push(target.is_none());
                let link = target.map(|dest_url| {
                    Event::Start(Tag::Link {
                        link_type,
                        dest_url,
                        title,
                        id,
                    })
                });
                (link, None)
            }
            Event::End(TagEnd::Link) if plain_links.pop() == Some(true) => (None, None),
            Event::Start(Tag::Table(columns)) => (
                Some(raw(format!(
                    "<div class=\"wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">",
                    headings.name_table()
                ))),
                Some(Event::Start(Tag::Table(columns))),
            ),
            Event::End(TagEnd::Table) => (Some(Event::End(TagEnd::Table)), Some(raw("</div>"))),
            Event::Start(Tag::CodeBlock(_)) => (Some(raw("<pre tabindex=\"0\"><code>")), None),
            Event::End(TagEnd::CodeBlock) => (Some(raw("</code></pre>\n")), None),
            Event::Html(text) | Event::InlineHtml(text) => (Some(Event::Text(text)), None),
            other => (Some(other), None),
        };
        first.into_iter().chain(second)
    });
    let mut page = String::new();
    html::push_html(&mut page, events);
    page
}

fn raw(html: impl Into<CowStr<'static>>) -> Event<'static> {
    Event::Html(html.into())
}

/// The heading above what is read, and how many tables stand under it so far.
#[derive(Default)]
struct Headings {
    text: String,
    is_open: bool,
    tables: usize,
}

impl Headings {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only headings and their text matter here"
    )]
    fn read(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                *self = Self {
                    is_open: true,
                    ..Self::default()
                };
            }
            Event::End(TagEnd::Heading(_)) => self.is_open = false,
            Event::Text(text) | Event::Code(text) if self.is_open => self.text.push_str(text),
            _ => {}
        }
    }

    /// A name that no other table of the page has; for an attribute.
    fn name_table(&mut self) -> String {
        self.tables += 1;
        let text = self
            .text
            .replace('&', "&amp;")
            .replace('"', "&quot;")
            .replace('<', "&lt;");
        match self.tables {
            1 => text,
            more => format!("{text}, table {more}"),
        }
    }
}

/// Where a link leads on this site; none for files that are not served.
fn served<'a>(target: &CowStr<'a>) -> Option<CowStr<'a>> {
    if target.starts_with("https://") || target.starts_with('#') || target.starts_with('/') {
        return Some(target.clone());
    }
    match target
        .split('#')
        .next()
        .map(|file| file.strip_prefix("docs/").unwrap_or(file))
    {
        Some("api-errors.md") => Some(ERRORS.path.into()),
        Some("migrating.md") => Some(MIGRATING.path.into()),
        Some(_) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_that_exist_or_are_no_links() {
        let html =
            render("[a](api-errors.md#x) [b](operations/admin.md) [c](https://x.example) [d](/docs/api)");
        assert_eq!(
            html.trim(),
            "<p><a href=\"/docs/errors\">a</a> b <a href=\"https://x.example\">c</a> <a href=\"/docs/api\">d</a></p>"
        );
    }

    #[test]
    fn markup_in_a_document_is_shown_and_not_obeyed() {
        let html = render("a <script>x</script> b\n\n<b>c</b>\n");
        assert!(!html.contains("<script") && !html.contains("<b>"), "{html}");
    }

    #[test]
    fn tables_can_be_scrolled_with_the_keyboard() {
        let html = render("| a |\n|---|\n| b |\n");
        assert!(
            html.starts_with("<div class=\"wide\"") && html.trim_end().ends_with("</div>"),
            "{html}"
        );
        let code = render("```sh\na <b>\n```\n");
        assert_eq!(
            code.trim_end(),
            "<pre tabindex=\"0\"><code>a &lt;b&gt;\n</code></pre>"
        );
    }

    #[test]
    fn no_two_tables_have_the_same_name() {
        let table = "| a |\n|---|\n| b |\n\n";
        let html = render(&format!(
            "## The `x` & \"y\"\n\n{table}Then:\n\n{table}## Next\n\n{table}"
        ));
        for name in [
            "The x &amp; &quot;y&quot;",
            "The x &amp; &quot;y&quot;, table 2",
            "Next",
        ] {
            assert_eq!(
                html.matches(&format!("aria-label=\"{name}\"")).count(),
                1,
                "{html}"
            );
        }
    }

    #[test]
    fn every_document_begins_with_its_title() {
        for document in [&ERRORS, &MIGRATING, &RELEASES] {
            assert!(document.html().starts_with("<h1>"), "{}", document.path);
        }
    }
}
