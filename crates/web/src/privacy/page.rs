//! The page itself, as it is drawn.

use app::AppError;
use app::error::IdentityError;
use app::privacy::held::{self, Depth, Held, HeldByOrg};
use app::privacy::visit::Visit;
use askama::Template;
use axum::extract::{RawQuery, State};
use axum::response::{Html, IntoResponse, Response};
use domain::flow::FlowToken;
use http::HeaderMap;
use http::header::SET_COOKIE;
use jiff::Timestamp;
use serde_json::Value;

use super::sign_in::visit_of;
use super::texts::{self, OwnTexts, notice};
use crate::error::Failure;
use crate::layers::HoldsSecret;
use crate::public::style;
use crate::public::texts::Texts;
use crate::public::value;
use crate::public::visitor::{Visitor, set_language};
use crate::state::WebState;

#[derive(Template)]
#[template(path = "me.html")]
struct OwnPage {
    t: &'static Texts,
    own: &'static OwnTexts,
    style: &'static str,
    notice: Option<(&'static str, &'static str)>,
    form: String,
    /// What Discord calls them, and their id.
    discord: Option<(String, String)>,
    steam: Option<String>,
    communities: Vec<Community>,
    account: Option<Account>,
    /// They are shown nothing.
    is_blocked: bool,
}

struct Community {
    id: String,
    name: String,
    is_removed: bool,
    links: Vec<Link>,
    servers: Vec<Seen>,
    score: Option<i64>,
    boosts: Vec<(String, String)>,
    roles: usize,
}

struct Link {
    guild: String,
    who: String,
    country: Option<String>,
    since: String,
    until: Option<String>,
}

struct Seen {
    server: String,
    at: Option<String>,
}

struct Account {
    name: String,
    teams: Vec<String>,
    owns: bool,
}

pub async fn own_page(
    State(state): State<WebState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    visitor: Visitor,
) -> Result<Response, Failure> {
    let visit = visitor.flow.as_ref();
    let visit = visit.map_or_else(Visit::default, |browser| visit_of(&state, &headers, browser));
    let sides = visit.sides();
    let mut is_blocked = false;
    let held = if sides.accounts().is_empty() {
        None
    } else {
        match held::gather(&state.app, &sides, Depth::Page).await {
            Err(AppError::Identity(IdentityError::BlockedPerson)) => {
                is_blocked = true;
                None
            }
            held => Some(held?),
        }
    };
    let own = texts::of(visitor.texts);
    let page = OwnPage {
        t: visitor.texts,
        own,
        style: style::of_pages(),
        notice: match is_blocked {
            true => Some(("bad", own.blocked)),
            false => notice_of(query.as_deref(), visitor.texts, own),
        },
        is_blocked,
        form: visitor.flow.as_ref().map_or(String::new(), FlowToken::form_token),
        discord: visit.discord.map(|(id, name)| (name, id.to_string())),
        steam: visit.steam.map(|id| id.to_string()),
        communities: held
            .as_ref()
            .map(|held| held.orgs.iter().map(Community::of).collect())
            .unwrap_or_default(),
        account: held.as_ref().and_then(Account::of),
    };
    let drawn = page.render().map_err(AppError::internal)?;
    let mut response = Html(drawn).into_response();
    if visitor.flow.is_some() {
        response.extensions_mut().insert(HoldsSecret);
    }
    if visitor.chose_language {
        response
            .headers_mut()
            .append(SET_COOKIE, set_language(visitor.texts));
    }
    Ok(response)
}

fn notice_of(
    query: Option<&str>,
    texts: &'static Texts,
    own: &'static OwnTexts,
) -> Option<(&'static str, &'static str)> {
    Some(match &*value(query.unwrap_or_default(), "notice")? {
        notice::ERASED => ("ok", own.erased),
        notice::GONE => ("ok", own.gone),
        notice::CONFIRM => ("warn", own.confirm),
        notice::OWNER => ("warn", own.owner),
        notice::BLOCKED => ("bad", own.blocked),
        notice::CANCELLED => ("warn", texts.cancelled),
        notice::DISCORD => ("bad", texts.discord_silent),
        notice::STEAM => ("bad", texts.steam_silent),
        _ => return None,
    })
}

impl Community {
    fn of(org: &HeldByOrg) -> Self {
        let rows = |section: &str| -> Vec<&Value> {
            let found = org.sections.get(section).and_then(Value::as_array);
            found.map(|rows| rows.iter().collect()).unwrap_or_default()
        };
        let named = |row: &Value, at: &str, when: &str| (text(row, at), date(row, when).unwrap_or_default());
        Self {
            id: org.id.to_string(),
            name: org.name.clone(),
            is_removed: org.is_removed,
            links: rows("links").into_iter().map(Link::of).collect(),
            servers: rows("servers").into_iter().map(Seen::of).collect(),
            score: rows("trust").first().and_then(|row| row["score"].as_i64()),
            boosts: rows("boosts")
                .into_iter()
                .map(|row| named(row, "guild", "since_ms"))
                .collect(),
            roles: rows("roles")
                .into_iter()
                .filter_map(|row| serde_json::from_str::<Vec<String>>(row["given"].as_str()?).ok())
                .map(|given| given.len())
                .sum(),
        }
    }
}

impl Link {
    fn of(row: &Value) -> Self {
        let side = |name: &str, id: &str| match text(row, name) {
            name if name.is_empty() => text(row, id),
            name => name,
        };
        let both = [side("discord_name", "discord_id"), side("steam_name", "steam_id")];
        let both: Vec<String> = both.into_iter().filter(|side| !side.is_empty()).collect();
        Self {
            guild: text(row, "guild"),
            who: both.join(" · "),
            country: row["country"].as_str().map(str::to_owned),
            since: date(row, "linked_at_ms").unwrap_or_default(),
            until: date(row, "ended_at_ms"),
        }
    }
}

impl Seen {
    fn of(row: &Value) -> Self {
        Self {
            server: text(row, "server"),
            at: date(row, "seen_at_ms"),
        }
    }
}

impl Account {
    fn of(held: &Held) -> Option<Self> {
        let sections = held.account.as_ref()?;
        let names = |section: &str| -> Vec<String> {
            let found = sections.get(section).and_then(Value::as_array);
            let rows = found.map(Vec::as_slice).unwrap_or_default();
            rows.iter().map(|row| text(row, "organisation")).collect()
        };
        let owned = names("owned_organisations");
        Some(Self {
            name: text(&sections.get("account")?[0], "name"),
            owns: !owned.is_empty(),
            teams: owned.into_iter().chain(names("teams")).collect(),
        })
    }
}

fn text(row: &Value, name: &str) -> String {
    row[name].as_str().unwrap_or_default().to_owned()
}

fn date(row: &Value, name: &str) -> Option<String> {
    let moment = Timestamp::from_millisecond(row[name].as_i64()?).ok()?;
    Some(moment.strftime("%Y-%m-%d").to_string())
}
