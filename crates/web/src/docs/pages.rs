//! The pages and what stands in them.

use app::AppError;
use askama::Template;
use domain::action::{ACTIONS, Action, ActionGroup, ActionScope};
use domain::action_docs::{self, COMMON_FAILURES, COMMON_PARAMS, Example, Kind, Param, Place};
use domain::plan::Tier;

use super::text::Document;

/// What every page has around its content.
struct Frame {
    title: String,
    pages: Vec<Page>,
}

struct Page {
    path: &'static str,
    name: &'static str,
    current: bool,
}

const PAGES: [(&str, &str); 5] = [
    ("/docs", "Symbolon"),
    ("/docs/api", "Plugin API"),
    ("/docs/errors", "Errors"),
    ("/docs/migrating", "Migrating"),
    ("/docs/releases", "Releases"),
];

impl Frame {
    fn new(title: &str, here: &str) -> Self {
        let pages = PAGES.map(|(path, name)| Page {
            path,
            name,
            current: path == here,
        });
        Self {
            title: title.to_owned(),
            pages: pages.into(),
        }
    }
}

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    frame: Frame,
    actions: usize,
}

pub fn home() -> Result<String, AppError> {
    rendered(&Home {
        frame: Frame::new("Documentation", "/docs"),
        actions: ACTIONS.len(),
    })
}

#[derive(Template)]
#[template(path = "text.html")]
struct Text {
    frame: Frame,
    /// Made from a document of ours while compiling, so it needs no escaping.
    html: &'static str,
}

pub fn text(document: &'static Document) -> Result<String, AppError> {
    rendered(&Text {
        frame: Frame::new(document.title, document.path),
        html: document.html(),
    })
}

#[derive(Template)]
#[template(path = "api.html")]
struct Api<'a> {
    frame: Frame,
    base: &'a str,
    plugin: usize,
    rows: Vec<Row>,
    limits: Vec<Limit>,
    failures: &'static [&'static str],
    groups: Vec<Group>,
}

struct Row {
    name: &'static str,
    place: &'static str,
    kind: String,
    required: bool,
    about: &'static str,
}

struct Limit {
    plan: String,
    per_minute: u32,
    burst: u32,
    ids: u32,
}

struct Group {
    name: &'static str,
    actions: Vec<Listed>,
}

struct Listed {
    name: &'static str,
    summary: &'static str,
    plugin: bool,
}

pub fn api(base: &str) -> Result<String, AppError> {
    let limits = Tier::ALL.iter().map(|tier| {
        let limit = tier.default_rate_limit();
        Limit {
            plan: tier.to_string(),
            per_minute: limit.per_minute,
            burst: limit.burst,
            ids: limit.bulk_ids,
        }
    });
    rendered(&Api {
        frame: Frame::new("Plugin API", "/docs/api"),
        base,
        plugin: ACTIONS.iter().filter(|spec| spec.plugin).count(),
        rows: rows(&COMMON_PARAMS),
        limits: limits.collect(),
        failures: &COMMON_FAILURES,
        groups: ActionGroup::ALL.iter().map(|group| listed(*group)).collect(),
    })
}

fn listed(group: ActionGroup) -> Group {
    let actions = action_docs::docs().filter(|doc| doc.spec().group == group);
    Group {
        name: group.name(),
        actions: actions
            .map(|doc| Listed {
                name: doc.spec().name,
                summary: doc.summary,
                plugin: doc.spec().plugin,
            })
            .collect(),
    }
}

#[derive(Template)]
#[template(path = "action.html")]
struct ActionPage {
    frame: Frame,
    name: &'static str,
    summary: &'static str,
    group: &'static str,
    scope: &'static str,
    plugin: bool,
    mutating: bool,
    fail_closed: bool,
    notes: &'static [&'static str],
    rows: Vec<Row>,
    bulk: bool,
    examples: Vec<Shown>,
    failures: Vec<&'static str>,
}

struct Shown {
    title: Option<&'static str>,
    curl: String,
    status: u16,
    answer: &'static str,
}

pub fn action(action: Action, base: &str) -> Result<String, AppError> {
    let doc = action_docs::doc(action);
    let spec = doc.spec();
    let shown = |title: Option<&'static str>, example: Example| Shown {
        title,
        curl: curl(base, spec.name, &example),
        status: example.status,
        answer: example.answer,
    };
    let many = doc
        .many
        .map(|(_, example)| shown(Some("For many players"), example));
    let misses = doc
        .miss
        .map(|example| shown(Some("When nothing is found"), example));
    rendered(&ActionPage {
        frame: Frame::new(spec.name, "/docs/api"),
        name: spec.name,
        summary: doc.summary,
        group: spec.group.name(),
        scope: match spec.scope {
            ActionScope::Guild => "About the whole Guild",
            ActionScope::Server => "About one Server",
        },
        plugin: spec.plugin,
        mutating: spec.mutating,
        fail_closed: spec.fail_closed,
        notes: doc.notes,
        rows: rows(doc.params),
        bulk: doc.params.iter().any(|param| param.kind.is_bulk()),
        examples: [shown(None, doc.example)]
            .into_iter()
            .chain(misses)
            .chain(many)
            .collect(),
        failures: doc.failures(),
    })
}

/// A command that can be pasted into a shell.
fn curl(base: &str, action: &str, example: &Example) -> String {
    let mut command = "curl -H 'X-API-Key: svc_live_…'".to_owned();
    if let Some(body) = example.body {
        command.push_str(" -H 'Content-Type: application/json' -d '");
        command.push_str(body);
        command.push('\'');
    }
    let separator = if example.query.is_empty() { "" } else { "&" };
    command + " '" + base + "/api?action=" + action + separator + example.query + "'"
}

fn rows(params: &[Param]) -> Vec<Row> {
    let row = |param: &Param| Row {
        name: param.name,
        place: match param.place {
            Place::Query => "address",
            Place::Body => "body",
        },
        kind: kind_in_words(param.kind),
        required: param.required,
        about: param.about,
    };
    params.iter().map(row).collect()
}

fn kind_in_words(kind: Kind) -> String {
    match kind {
        Kind::SteamId => "SteamID64".to_owned(),
        Kind::DiscordId => "Discord id".to_owned(),
        Kind::EitherId => "SteamID64 or Discord ID".to_owned(),
        Kind::SteamIds => "list of SteamID64".to_owned(),
        Kind::DiscordIds => "list of Discord ids".to_owned(),
        Kind::EitherIds => "list of SteamID64 or Discord ids".to_owned(),
        Kind::Text { most } => format!("text, at most {most} characters"),
        Kind::OneOf(words) => words.join(" or "),
        Kind::Number { from, to } => format!("number from {from} to {to}"),
        Kind::Cursor => "text".to_owned(),
        Kind::Names => "list of names, a,b or a JSON array".to_owned(),
        Kind::GroupsByPlayer => "object from SteamID64 to a list of names".to_owned(),
        Kind::NamesByPlayer => "object from SteamID64 to a name".to_owned(),
        Kind::Changes => "list of {\"group\",\"action\"}".to_owned(),
    }
}

fn rendered(template: &impl Template) -> Result<String, AppError> {
    template
        .render()
        .map_err(|error| AppError::internal(format!("a page could not be made: {error}")))
}
