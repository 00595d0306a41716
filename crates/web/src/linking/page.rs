//! The link page and the unlink page of a Guild, as they are drawn.

use app::linking::{self, Account, NavigationLink, Page, Shown};
use app::{AppError, pictures};
use askama::Template;
use axum::extract::{Path, RawQuery, State};
use axum::response::{Html, IntoResponse, Response};
use domain::face::letters;
use domain::flow::{FlowPurpose, FlowToken};
use domain::navigation::{self, Icon};
use http::header::SET_COOKIE;

use super::checks::{Check, checks, open_steps};
use crate::error::Failure;
use crate::layers::HoldsSecret;
use crate::public::icons::strokes;
use crate::public::style;
use crate::public::texts::Texts;
use crate::public::visitor::{Visitor, set_language};
use crate::state::WebState;

/// What a page says on top, by the word in its address.
struct Notice {
    tone: &'static str,
    text: &'static str,
    /// The steps it is about, by their headings.
    steps: Vec<&'static str>,
}

/// Words that may stand behind `?notice=`; others say nothing.
pub mod notice {
    pub const OPEN: &str = "open";
    pub const CANCELLED: &str = "cancelled";
    pub const DISCORD: &str = "discord-silent";
    pub const STEAM: &str = "steam-silent";
}

fn notice_of(query: Option<&str>, texts: &Texts, shown: &Shown) -> Option<Notice> {
    let query = query.unwrap_or_default();
    let (_, word) = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "notice")?;
    let (tone, text) = match &*word {
        notice::OPEN => ("warn", texts.not_yet),
        notice::CANCELLED => ("warn", texts.cancelled),
        notice::DISCORD => ("bad", texts.discord_silent),
        notice::STEAM => ("bad", texts.steam_silent),
        _ => return None,
    };
    let steps = if word == notice::OPEN {
        open_steps(shown, texts)
    } else {
        Vec::new()
    };
    // Somebody who came back to an old address has nothing left to do.
    let is_outdated = word == notice::OPEN && steps.is_empty();
    (!is_outdated).then_some(Notice { tone, text, steps })
}

/// A button of the Org.
struct Button<'a> {
    label: &'a str,
    url: &'a str,
    new_tab: bool,
    icon: Option<&'static str>,
}

/// Looked at once more: an address that would be refused today is not drawn, however it came to be stored.
fn button(link: &NavigationLink) -> Option<Button<'_>> {
    navigation::address(&link.url).ok()?;
    Some(Button {
        label: &link.label,
        url: &link.url,
        new_tab: link.new_tab,
        icon: Icon::parse(&link.icon).and_then(strokes),
    })
}

/// An account with its platform's mark. The id stands beside the name, because others may have the same one.
#[derive(Template)]
#[template(path = "account.html")]
struct DrawnAccount {
    is_discord: bool,
    name: String,
    id: Option<String>,
}

impl DrawnAccount {
    fn discord(account: Account) -> Self {
        Self::new(account, true)
    }

    fn steam(account: Account) -> Self {
        Self::new(account, false)
    }

    fn new(account: Account, is_discord: bool) -> Self {
        let (name, id) = match account.name {
            Some(name) => (name, Some(account.id)),
            None => (account.id, None),
        };
        Self { is_discord, name, id }
    }
}

/// A link that will end.
struct End {
    discord: DrawnAccount,
    steam: DrawnAccount,
}

fn ends(shown: &Shown) -> Vec<End> {
    let end = |link: &linking::WouldEnd| End {
        discord: DrawnAccount::discord(link.discord.clone()),
        steam: DrawnAccount::steam(link.steam.clone()),
    };
    shown.ends.iter().map(end).collect()
}

/// Where the Guild's picture is.
fn portrait(page: &Page) -> Option<String> {
    let digest = page.picture.as_deref()?;
    Some(pictures::address(page.guild_id.as_str(), digest))
}

#[derive(Template)]
#[template(path = "link.html")]
struct LinkTemplate<'a> {
    t: &'a Texts,
    style: &'static str,
    /// The theme of a preview, which nobody can press; visitors get that of their system.
    theme: Option<&'static str>,
    page: &'a Page,
    letters: String,
    picture: Option<String>,
    navigation: Vec<Button<'a>>,
    notice: Option<Notice>,
    finished: bool,
    has_flow: bool,
    form: String,
    discord: Option<DrawnAccount>,
    steam: Option<DrawnAccount>,
    checks: Vec<Check>,
    can_verify: bool,
    same_pair: bool,
    ends: Vec<End>,
}

impl<'a> LinkTemplate<'a> {
    fn new(shown: &'a Shown, t: &'a Texts, form: String) -> Self {
        let flow = shown.flow.as_ref();
        let discord = flow.and_then(|flow| flow.discord.as_ref()).map(Account::of);
        let steam = flow.and_then(|flow| flow.steam.as_ref()).map(Account::of);
        Self {
            t,
            style: style::of_pages(),
            theme: None,
            page: &shown.page,
            letters: letters(&shown.page.name),
            picture: portrait(&shown.page),
            navigation: shown.navigation.iter().filter_map(button).collect(),
            notice: None,
            finished: flow.is_some_and(|flow| flow.finished),
            has_flow: flow.is_some(),
            form,
            discord: discord.map(DrawnAccount::discord),
            steam: steam.map(DrawnAccount::steam),
            checks: checks(shown, t),
            can_verify: shown.steps.can_verify,
            same_pair: shown.is_same_pair,
            ends: ends(shown),
        }
    }
}

#[derive(Template)]
#[template(path = "unlink.html")]
struct UnlinkTemplate<'a> {
    t: &'a Texts,
    style: &'static str,
    theme: Option<&'static str>,
    page: &'a Page,
    letters: String,
    picture: Option<String>,
    notice: Option<Notice>,
    finished: bool,
    has_flow: bool,
    form: String,
    signed_in: bool,
    ends: Vec<End>,
}

pub async fn link_page(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> Result<Response, Failure> {
    let shown = linking::view(&state.app, &slug, FlowPurpose::Link, visitor.flow.as_ref()).await?;
    let template = LinkTemplate {
        notice: notice_of(query.as_deref(), visitor.texts, &shown),
        ..LinkTemplate::new(&shown, visitor.texts, form_token(&visitor))
    };
    html(&template, &visitor)
}

pub async fn unlink_page(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> Result<Response, Failure> {
    let shown = linking::view(&state.app, &slug, FlowPurpose::Unlink, visitor.flow.as_ref()).await?;
    let flow = shown.flow.as_ref();
    let template = UnlinkTemplate {
        t: visitor.texts,
        style: style::of_pages(),
        theme: None,
        page: &shown.page,
        letters: letters(&shown.page.name),
        picture: portrait(&shown.page),
        notice: notice_of(query.as_deref(), visitor.texts, &shown),
        finished: flow.is_some_and(|flow| flow.finished),
        has_flow: flow.is_some(),
        form: form_token(&visitor),
        signed_in: flow.is_some_and(|flow| flow.discord.is_some() || flow.steam.is_some()),
        ends: ends(&shown),
    };
    html(&template, &visitor)
}

/// The link page as a picture in the dashboard: the same template, but nothing on it can be pressed.
pub(super) fn picture(shown: &Shown, theme: &'static str, texts: &Texts) -> Result<String, AppError> {
    let template = LinkTemplate {
        theme: Some(theme),
        ..LinkTemplate::new(shown, texts, String::new())
    };
    drawn(&template)
}

fn form_token(visitor: &Visitor) -> String {
    visitor.flow.as_ref().map_or(String::new(), FlowToken::form_token)
}

fn html(template: &impl Template, visitor: &Visitor) -> Result<Response, Failure> {
    let mut response = Html(drawn(template)?).into_response();
    if visitor.flow.is_some() {
        // Its forms may hold the browser's token, beside names that people gave themselves.
        response.extensions_mut().insert(HoldsSecret);
    }
    if visitor.chose_language {
        response
            .headers_mut()
            .append(SET_COOKIE, set_language(visitor.texts));
    }
    Ok(response)
}

fn drawn(template: &impl Template) -> Result<String, AppError> {
    let drawn = template.render();
    drawn.map_err(|error| AppError::internal(format!("a page could not be drawn: {error}")))
}
