//! Who hears of what happens.

use crate::stripe::checkout::is_address;
use crate::stripe::desk::Desk;
use crate::stripe::error::{Answer, ApiError};
use crate::stripe::lists;
use crate::stripe::params::Params;
use crate::stripe::sender::outbox::Progress;
use crate::stripe::state::{Secret, WebhookEndpoint};
use crate::stripe::version;
use crate::stripe::wire;
use crate::stripe::world::World;

const FIELDS: [&str; 7] = [
    "url",
    "enabled_events",
    "api_version",
    "description",
    "metadata",
    "disabled",
    "connect",
];
const MOST: usize = 16;
/// How long the last secret still signs after it was replaced.
const ROLLED: i64 = 24 * 3_600;

/// The only answer that has the secret.
pub fn create(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&FIELDS)?;
    desk.params.need("url")?;
    if desk.params.texts("enabled_events")?.is_empty() {
        return Err(ApiError::missing("enabled_events"));
    }
    if desk.world.state.webhook_endpoints.len() >= MOST {
        let message = "You have reached the maximum of 16 test webhook endpoints.";
        return Err(ApiError::invalid(message));
    }
    let mut endpoint = WebhookEndpoint {
        api_version: desk.params.text("api_version")?,
        ..WebhookEndpoint::default()
    };
    if endpoint
        .api_version
        .as_deref()
        .is_some_and(|own| !version::is_version(own))
    {
        return Err(desk.params.wrong("api_version", "Invalid Stripe API version"));
    }
    apply(&desk.params, &mut endpoint)?;
    let (id, secret) = desk.world.add_endpoint(endpoint);
    let mut answer = show(desk.world, &id)?;
    answer["secret"] = secret.into();
    Ok(answer)
}

pub fn get(desk: &mut Desk<'_>) -> Answer {
    show(desk.world, &desk.id())
}

pub fn update(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&FIELDS)?;
    let id = desk.id();
    let found = desk.world.state.webhook_endpoints.get(&id);
    let mut own = found.cloned().ok_or_else(|| missing(&id))?;
    if desk.params.has("api_version") {
        let message = "The API version of an endpoint cannot be changed.";
        return Err(desk.params.wrong("api_version", message));
    }
    apply(&desk.params, &mut own)?;
    desk.world.state.webhook_endpoints.insert(id.clone(), own);
    show(desk.world, &id)
}

pub fn delete(desk: &mut Desk<'_>) -> Answer {
    let id = desk.id();
    let found = desk.world.state.webhook_endpoints.remove(&id);
    found.ok_or_else(|| missing(&id))?;
    desk.world.forget_endpoint(&id);
    Ok(wire::deleted(&id, "webhook_endpoint"))
}

pub fn list(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&[&lists::PAGING[..], &["created"]].concat())?;
    let wire = desk.world.wire();
    lists::list(
        &desk.params,
        ("webhook endpoint", "/v1/webhook_endpoints"),
        &desk.world.state.webhook_endpoints,
        |own| own.created,
        |_, _| true,
        |id, own| wire.webhook_endpoint(id, own),
    )
}

fn missing(id: &str) -> ApiError {
    ApiError::no_such("webhook endpoint", id, "id")
}

fn show(world: &World, id: &str) -> Answer {
    let found = world.state.webhook_endpoints.get(id);
    Ok(world
        .wire()
        .webhook_endpoint(id, found.ok_or_else(|| missing(id))?))
}

fn apply(params: &Params, own: &mut WebhookEndpoint) -> Result<(), ApiError> {
    if let Some(url) = params.text("url")? {
        if !is_address(&url) {
            let message = "Invalid URL: An explicit scheme (such as https) must be provided.";
            return Err(ApiError::param("url_invalid", "url", message));
        }
        own.url = url;
    }
    if params.has("enabled_events") {
        own.enabled_events = params.texts("enabled_events")?;
    }
    if params.has("description") {
        own.description = params.text("description")?;
    }
    if let Some(disabled) = params.boolean("disabled")? {
        own.disabled = disabled;
    }
    params.metadata("metadata", &mut own.metadata)
}

impl World {
    /// The id and the secret.
    pub fn add_endpoint(&mut self, mut endpoint: WebhookEndpoint) -> (String, String) {
        let (id, secret) = (self.ids.make("we"), format!("whsec_{}", self.ids.text::<32>()));
        endpoint.created = self.now();
        endpoint.secrets = vec![Secret {
            value: secret.clone(),
            until: None,
        }];
        self.state.webhook_endpoints.insert(id.clone(), endpoint);
        (id, secret)
    }

    /// Replaces the secret of an endpoint, which is found by its id or its address. For a day both sign.
    pub fn roll_secret(&mut self, endpoint: &str) -> Option<String> {
        let (secret, now) = (format!("whsec_{}", self.ids.text::<32>()), self.now());
        let mut all = self.state.webhook_endpoints.iter_mut();
        let (_, own) = all.find(|(id, own)| *id == endpoint || own.url == endpoint)?;
        for old in &mut own.secrets {
            old.until.get_or_insert(now + ROLLED);
        }
        own.secrets
            .retain(|secret| secret.until.is_none_or(|until| now < until));
        let fresh = Secret {
            value: secret.clone(),
            until: None,
        };
        own.secrets.insert(0, fresh);
        Some(secret)
    }

    /// Nothing more is sent to an endpoint that is gone.
    pub fn forget_endpoint(&mut self, id: &str) {
        for delivery in self.outbox.forget_endpoint(id) {
            self.finish(delivery, Progress::Failed);
        }
    }
}
