//! What happened.

use serde_json::{Value, json};

use crate::stripe::desk::Desk;
use crate::stripe::error::{Answer, ApiError};
use crate::stripe::lists::{During, PAGING, Page};

/// Stripe tells of a month.
const TOLD: i64 = 30 * 86_400;

pub fn get(desk: &mut Desk<'_>) -> Answer {
    let id = desk.id();
    let since = desk.world.now() - TOLD;
    let found = desk.world.events.get(&id);
    let found = found.filter(|event| event.created >= since);
    let found = found.ok_or_else(|| ApiError::no_such("event", &id, "id"))?;
    Ok(found.wire(&desk.world.state.account.api_version))
}

/// The newest first.
pub fn list(desk: &mut Desk<'_>) -> Answer {
    let filters = ["type", "types", "created", "delivery_success"];
    desk.params.only(&[&PAGING[..], &filters].concat())?;
    let params = &desk.params;
    let page = Page::of(params)?;
    let during = During::of(params, "created")?;
    let delivered = params.boolean("delivery_success")?;
    let mut kinds = params.texts("types")?;
    kinds.extend(params.text("type")?);
    let is_kind = |own: &str| {
        kinds.is_empty()
            || kinds.iter().any(|kind| match kind.strip_suffix('*') {
                Some(beginning) => own.starts_with(beginning),
                None => own == kind,
            })
    };
    let since = desk.world.now() - TOLD;
    let found = desk.world.events.iter().rev().filter(|event| {
        let success = event.pending == 0 && event.failed == 0;
        is_kind(&event.kind)
            && event.created >= since
            && during.includes(event.created)
            && delivered.is_none_or(|delivered| delivered == success)
    });
    let found = found.map(|event| (event.id.as_str(), event)).collect();
    let (page, has_more) = page.cut(found, "event")?;
    let version = &desk.world.state.account.api_version;
    let data: Vec<Value> = page.iter().map(|(_, event)| event.wire(version)).collect();
    Ok(json!({"object": "list", "data": data, "has_more": has_more, "url": "/v1/events"}))
}
