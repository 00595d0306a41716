//! Stripe's objects, as far as we read them. New ones and old ones: the end of a period stands on the item today and stood
//! on the subscription before, and a price was once called a plan. What is not known is left alone.

use domain::billing::Status;
use reqwest::StatusCode;
use serde::Deserialize;

use super::NotDone;
use crate::http::{Answer, Unanswered};

#[derive(Deserialize)]
pub(super) struct Named {
    pub(super) id: String,
}

/// A page on which somebody pays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub id: String,
    pub url: String,
}

/// What Stripe says of a subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    pub id: String,
    pub customer: String,
    pub status: Status,
    /// Of all its items.
    pub prices: Vec<String>,
    /// When it began, in seconds.
    pub created: i64,
    /// Until when it is paid, in seconds.
    pub period_end: Option<i64>,
    /// When it ends, where somebody cancelled it; in seconds.
    pub cancel_at: Option<i64>,
    pub ended_at: Option<i64>,
    /// What we wrote down with it.
    pub guild: Option<String>,
    pub checkout: Option<String>,
}

#[derive(Deserialize)]
struct Wire {
    id: String,
    customer: OneOf,
    status: String,
    created: i64,
    #[serde(default)]
    items: Option<Items>,
    #[serde(default)]
    plan: Option<Named>,
    #[serde(default)]
    current_period_end: Option<i64>,
    #[serde(default)]
    cancel_at: Option<i64>,
    #[serde(default)]
    cancel_at_period_end: Option<bool>,
    #[serde(default)]
    ended_at: Option<i64>,
    #[serde(default)]
    metadata: Option<Metadata>,
}

/// An object by its id, or whole.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOf {
    Id(String),
    Whole(Named),
}

#[derive(Default, Deserialize)]
struct Items {
    #[serde(default)]
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    price: Option<Named>,
    #[serde(default)]
    plan: Option<Named>,
    #[serde(default)]
    current_period_end: Option<i64>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    guild: Option<String>,
    #[serde(default)]
    checkout: Option<String>,
}

impl From<Wire> for Subscription {
    fn from(wire: Wire) -> Self {
        let items = wire.items.unwrap_or_default().data;
        let metadata = wire.metadata.unwrap_or_default();
        let on_items = items.iter().filter_map(|item| item.current_period_end);
        let period_end = on_items.max().or(wire.current_period_end);
        let mut prices: Vec<String> = items
            .into_iter()
            .filter_map(|item| item.price.or(item.plan))
            .map(|price| price.id)
            .collect();
        if prices.is_empty() {
            prices.extend(wire.plan.map(|plan| plan.id));
        }
        let cancel_at = wire.cancel_at;
        Self {
            id: wire.id,
            customer: match wire.customer {
                OneOf::Id(id) | OneOf::Whole(Named { id }) => id,
            },
            status: Status::of(&wire.status),
            prices,
            created: wire.created,
            period_end,
            cancel_at: cancel_at.or(period_end.filter(|_| wire.cancel_at_period_end == Some(true))),
            ended_at: wire.ended_at,
            guild: metadata.guild,
            checkout: metadata.checkout,
        }
    }
}

impl Subscription {
    /// The object of an event.
    pub fn read(object: &str) -> Option<Self> {
        serde_json::from_str::<Wire>(object).ok().map(Self::from)
    }
}

#[derive(Deserialize)]
struct List {
    data: Vec<Wire>,
    #[serde(default)]
    has_more: bool,
}

/// A page of them, and whether there are more.
pub(super) fn subscriptions(answer: &Answer) -> Result<(Vec<Subscription>, bool), Unanswered> {
    let list: List = answer.json()?;
    Ok((
        list.data.into_iter().map(Subscription::from).collect(),
        list.has_more,
    ))
}

#[derive(Deserialize)]
struct Opened {
    #[serde(default)]
    id: String,
    url: String,
}

pub(super) fn session(answer: &Answer) -> Result<Session, Unanswered> {
    let Opened { id, url } = answer.json()?;
    Ok(Session { id, url })
}

pub(super) fn portal_url(answer: &Answer) -> Result<String, Unanswered> {
    Ok(answer.json::<Opened>()?.url)
}

#[derive(Deserialize)]
struct State {
    status: String,
}

/// What can become of a page on which somebody pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageState {
    /// Somebody can still pay on it, or is about to.
    Open,
    Paid,
    /// Nobody paid on it, and nobody can.
    Over,
}

pub(super) fn page_state(answer: &Answer) -> Result<PageState, Unanswered> {
    Ok(match answer.json::<State>()?.status.as_str() {
        "complete" => PageState::Paid,
        "expired" => PageState::Over,
        _ => PageState::Open,
    })
}

#[derive(Deserialize)]
struct Failed {
    error: Failure,
}

#[derive(Deserialize)]
struct Failure {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    param: Option<String>,
}

/// Only names of Stripe's own are kept of a refusal: its text may repeat what we sent.
pub(super) fn refusal(answer: &Answer) -> NotDone {
    let Ok(Failed { error }) = answer.json::<Failed>() else {
        return answer.unanswered_to_us().into();
    };
    let plain = |text: String| -> String {
        let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || "_[]".contains(*letter);
        text.chars().filter(is_plain).take(64).collect()
    };
    let param = plain(error.param.unwrap_or_default());
    let reason = match error.code {
        Some(code) if code == "resource_missing" => return NotDone::Missing(param),
        Some(code) => plain(code),
        None => plain(error.kind),
    };
    let reason = [reason, param].join(" ").trim().to_owned();
    if answer.status == StatusCode::FORBIDDEN {
        NotDone::Forbidden(reason)
    } else {
        NotDone::Refused(reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: &str = r#"{"id":"sub_1","customer":"cus_1","status":"active","created":10,"cancel_at_period_end":true,
        "items":{"data":[{"price":{"id":"price_a"},"plan":{"id":"price_a"},"current_period_end":90}]},
        "metadata":{"guild":"gld_1","else":"ignored"}}"#;
    const OLD: &str = r#"{"id":"sub_1","customer":{"id":"cus_1","name":"x"},"status":"active","created":10,
        "cancel_at_period_end":true,"current_period_end":90,"plan":{"id":"price_a"},"metadata":{"guild":"gld_1"}}"#;

    #[test]
    fn objects_of_today_and_of_years_ago_say_the_same() {
        let read = Subscription::read(NEW).unwrap();
        assert_eq!(read, Subscription::read(OLD).unwrap());
        assert_eq!(read.prices, ["price_a"]);
        assert_eq!((read.period_end, read.cancel_at), (Some(90), Some(90)));
        assert_eq!(read.guild.as_deref(), Some("gld_1"));
    }

    #[test]
    fn nothing_where_something_usually_stands_is_no_failure() {
        let nothing = r#"{"id":"sub_1","customer":"cus_1","status":"active","created":10,"items":null,"plan":null,
            "cancel_at":null,"cancel_at_period_end":null,"ended_at":null,"metadata":null}"#;
        let read = Subscription::read(nothing).unwrap();
        assert_eq!((read.guild, read.checkout, read.cancel_at), (None, None, None));
        assert!(read.prices.is_empty());
    }

    #[test]
    fn words_and_fields_of_tomorrow_are_no_failure() {
        let text = NEW
            .replace("\"active\"", "\"dreaming\"")
            .replace("\"else\"", "\"more\"");
        assert_eq!(Subscription::read(&text).unwrap().status, Status::Unknown);
        assert_eq!(Subscription::read("{\"id\":\"sub_1\"}"), None);
    }
}
