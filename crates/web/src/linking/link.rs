//! The link page and the unlink page of a Guild, and their buttons. Everything works without a script.

use app::AppError;
use app::error::{HttpError, IdentityError};
use app::linking::{self, NavigationLink, Outcome, Page, Shown, Verifier, WouldEnd};
use askama::Template;
use axum::extract::{FromRequest, FromRequestParts, Path, RawQuery, Request, State};
use axum::response::{Html, IntoResponse, Response};
use domain::flow::{Finding, FlowPurpose, FlowToken, JoinMode, StepState};
use domain::navigation::{self, Icon};
use http::header::SET_COOKIE;

use crate::error::Failure;
use crate::extract::{Guard, Stop, has_type, read_limited};
use crate::layers::Surface;
use crate::public::icons::strokes;
use crate::public::texts::Texts;
use crate::public::visitor::{Visitor, set_language};
use crate::public::{STYLE, see_other};
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

fn open_steps(shown: &Shown, texts: &Texts) -> Vec<&'static str> {
    let steps = &shown.steps;
    let named = [
        (Some(steps.discord), texts.discord_step),
        (Some(steps.steam), texts.steam_step),
        (steps.member, texts.member_step),
        (steps.group, texts.group_step),
    ];
    let open = named
        .into_iter()
        .filter(|(state, _)| state.is_some_and(|state| state != StepState::Done));
    open.map(|(_, name)| name).collect()
}

/// A step that is looked up.
struct Step {
    class: &'static str,
    done: bool,
    number: u8,
    text: &'static str,
    url: Option<String>,
    offers_join: bool,
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

#[derive(Template)]
#[template(path = "link.html")]
struct LinkTemplate<'a> {
    t: &'a Texts,
    style: &'static str,
    page: &'a Page,
    navigation: Vec<Button<'a>>,
    notice: Option<Notice>,
    finished: bool,
    has_flow: bool,
    form: String,
    discord: Option<String>,
    steam: Option<String>,
    member: Option<Step>,
    group: Option<Step>,
    can_verify: bool,
    same_pair: bool,
    ends: &'a [WouldEnd],
}

#[derive(Template)]
#[template(path = "unlink.html")]
struct UnlinkTemplate<'a> {
    t: &'a Texts,
    style: &'static str,
    page: &'a Page,
    notice: Option<Notice>,
    finished: bool,
    has_flow: bool,
    form: String,
    signed_in: bool,
    ends: &'a [WouldEnd],
}

pub async fn link_page(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> Result<Response, Failure> {
    let shown = linking::view(&state.app, &slug, FlowPurpose::Link, visitor.flow.as_ref()).await?;
    let texts = visitor.texts;
    let flow = shown.flow.as_ref();
    let name = |side: Option<&String>| side.cloned();
    let template = LinkTemplate {
        t: texts,
        style: STYLE,
        page: &shown.page,
        navigation: shown.navigation.iter().filter_map(button).collect(),
        notice: notice_of(query.as_deref(), texts, &shown),
        finished: flow.is_some_and(|flow| flow.finished),
        has_flow: flow.is_some(),
        form: form_token(&visitor),
        discord: name(flow.and_then(|flow| flow.discord.as_ref()).map(|(_, name)| name)),
        steam: name(flow.and_then(|flow| flow.steam.as_ref()).map(|(_, name)| name)),
        member: member_step(&shown, texts),
        group: group_step(&shown, texts),
        can_verify: shown.steps.can_verify,
        same_pair: shown.is_same_pair,
        ends: &shown.ends,
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
        style: STYLE,
        page: &shown.page,
        notice: notice_of(query.as_deref(), visitor.texts, &shown),
        finished: flow.is_some_and(|flow| flow.finished),
        has_flow: flow.is_some(),
        form: form_token(&visitor),
        signed_in: flow.is_some_and(|flow| flow.discord.is_some() || flow.steam.is_some()),
        ends: &shown.ends,
    };
    html(&template, &visitor)
}

fn form_token(visitor: &Visitor) -> String {
    visitor.flow.as_ref().map_or(String::new(), FlowToken::form_token)
}

fn member_step(shown: &Shown, texts: &Texts) -> Option<Step> {
    let state = shown.steps.member?;
    let is_auto = shown.page.join_mode == JoinMode::Auto;
    let text = match state {
        StepState::Later => texts.member_later,
        StepState::Now if is_auto => texts.member_auto,
        StepState::Now => texts.member_ask,
        StepState::Done => texts.member_yes,
        StepState::Open(Finding::No | Finding::Yes) => texts.member_no,
        StepState::Open(Finding::Hidden | Finding::Unknown) => texts.member_unknown,
    };
    let is_open = matches!(state, StepState::Now | StepState::Open(_));
    Some(Step {
        class: class_of(state),
        done: state == StepState::Done,
        number: 3,
        text,
        url: shown.page.invite_url.clone().filter(|_| is_open && !is_auto),
        offers_join: is_open && is_auto,
    })
}

fn group_step(shown: &Shown, texts: &Texts) -> Option<Step> {
    let state = shown.steps.group?;
    let (_, group) = shown.page.steam_group.as_ref()?;
    let text = match state {
        StepState::Later | StepState::Now => texts.group_ask,
        StepState::Done => texts.group_yes,
        StepState::Open(Finding::No | Finding::Yes) => texts.group_no,
        StepState::Open(Finding::Hidden) => texts.group_hidden,
        StepState::Open(Finding::Unknown) => texts.group_unknown,
    };
    Some(Step {
        class: class_of(state),
        done: state == StepState::Done,
        number: if shown.steps.member.is_some() { 4 } else { 3 },
        text,
        url: Some(format!("https://steamcommunity.com/gid/{}", group.long())),
        offers_join: false,
    })
}

fn class_of(state: StepState) -> &'static str {
    match state {
        StepState::Later => "later",
        StepState::Done => "done",
        StepState::Now | StepState::Open(_) => "",
    }
}

fn html(template: &impl Template, visitor: &Visitor) -> Result<Response, Failure> {
    let text = template
        .render()
        .map_err(|error| AppError::internal(format!("a page could not be drawn: {error}")))?;
    let mut response = Html(text).into_response();
    if visitor.chose_language {
        response
            .headers_mut()
            .append(SET_COOKIE, set_language(visitor.texts));
    }
    Ok(response)
}

/// One of our own forms, sent by the browser that it was drawn for.
pub struct OwnForm {
    token: FlowToken,
}

impl Guard for OwnForm {
    const STOP: Stop = Stop::OwnForm;
}

impl FromRequest<WebState> for OwnForm {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &WebState) -> Result<Self, Failure> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::from_request_parts(&mut parts, state).await?;
        if !has_type(&parts.headers, "application/x-www-form-urlencoded") {
            return Err(HttpError::UnsupportedMediaType.into());
        }
        let bytes = read_limited(body, Surface::of(&parts.extensions)).await?;
        let mut fields = form_urlencoded::parse(&bytes);
        let (_, field) = fields
            .find(|(name, _)| name == "form")
            .ok_or(HttpError::CrossSite)?;
        if !visitor.is_same_site {
            return Err(HttpError::CrossSite.into());
        }
        let token = visitor.flow.ok_or(IdentityError::SignInExpired)?;
        if !token.accepts_form(&field) {
            return Err(HttpError::CrossSite.into());
        }
        Ok(Self { token })
    }
}

fn verifier<'a>(visitor: &'a Visitor, token: &'a FlowToken) -> Verifier<'a> {
    Verifier {
        token,
        address: visitor.address,
        country: visitor.country.clone(),
    }
}

pub async fn verify(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    visitor: Visitor,
    form: OwnForm,
) -> Result<Response, Failure> {
    let token = &form.token;
    let outcome = linking::verify(&state.app, &slug, verifier(&visitor, token)).await?;
    let page = format!("/link/{slug}");
    Ok(match outcome {
        Outcome::Linked => see_other(&page),
        Outcome::Open => see_other(&format!("{page}?notice={}", notice::OPEN)),
    })
}

pub async fn join(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    visitor: Visitor,
    form: OwnForm,
) -> Result<Response, Failure> {
    let token = &form.token;
    linking::join(&state.app, &slug, verifier(&visitor, token)).await?;
    Ok(see_other(&format!("/link/{slug}")))
}

pub async fn restart_link(
    state: State<WebState>,
    Path(slug): Path<String>,
    form: OwnForm,
) -> Result<Response, Failure> {
    restart(state, FlowPurpose::Link, &slug, form).await
}

pub async fn restart_unlink(
    state: State<WebState>,
    Path(slug): Path<String>,
    form: OwnForm,
) -> Result<Response, Failure> {
    restart(state, FlowPurpose::Unlink, &slug, form).await
}

async fn restart(
    State(state): State<WebState>,
    purpose: FlowPurpose,
    slug: &str,
    form: OwnForm,
) -> Result<Response, Failure> {
    linking::restart(&state.app, slug, purpose, &form.token).await?;
    // The browser keeps its secret: another tab may be on the page of another community.
    Ok(see_other(&format!("/{}/{slug}", purpose.as_str())))
}

pub async fn confirm_unlink(
    State(state): State<WebState>,
    Path(slug): Path<String>,
    visitor: Visitor,
    form: OwnForm,
) -> Result<Response, Failure> {
    let token = &form.token;
    linking::unlink(&state.app, &slug, token, visitor.address).await?;
    Ok(see_other(&format!("/unlink/{slug}")))
}
