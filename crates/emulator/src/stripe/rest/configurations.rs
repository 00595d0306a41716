//! What customers may do in the portal.

use crate::stripe::checkout::is_address;
use crate::stripe::desk::Desk;
use crate::stripe::error::{Answer, ApiError};
use crate::stripe::lists;
use crate::stripe::params::Params;
use crate::stripe::state::{Features, PortalConfiguration, PortalProduct, StripeState};
use crate::stripe::world::World;

const FIELDS: [&str; 7] = [
    "features",
    "business_profile",
    "default_return_url",
    "metadata",
    "active",
    "name",
    "login_page",
];

pub fn create(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&FIELDS)?;
    if desk.params.inner("features")?.tree().is_empty() {
        return Err(ApiError::missing("features"));
    }
    let now = desk.world.now();
    let mut made = PortalConfiguration {
        created: now,
        is_default: desk.world.state.portal_configurations.is_empty(),
        ..PortalConfiguration::default()
    };
    apply(&desk.params, &desk.world.state, &mut made, now)?;
    let id = desk.world.ids.make("bpc");
    desk.world.state.portal_configurations.insert(id.clone(), made);
    show(desk.world, &id)
}

pub fn get(desk: &mut Desk<'_>) -> Answer {
    show(desk.world, &desk.id())
}

pub fn update(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&FIELDS)?;
    let (id, now) = (desk.id(), desk.world.now());
    let found = desk.world.state.portal_configurations.get(&id);
    let mut own = found.cloned().ok_or_else(|| missing(&id, "id"))?;
    apply(&desk.params, &desk.world.state, &mut own, now)?;
    desk.world.state.portal_configurations.insert(id.clone(), own);
    show(desk.world, &id)
}

pub fn list(desk: &mut Desk<'_>) -> Answer {
    let known = [&lists::PAGING[..], &["active", "is_default"]].concat();
    desk.params.only(&known)?;
    let active = desk.params.boolean("active")?;
    let is_default = desk.params.boolean("is_default")?;
    let wire = desk.world.wire();
    lists::list(
        &desk.params,
        ("configuration", "/v1/billing_portal/configurations"),
        &desk.world.state.portal_configurations,
        |own| own.created,
        |_, own| {
            active.is_none_or(|active| own.inactive != active)
                && is_default.is_none_or(|is_default| own.is_default == is_default)
        },
        |id, own| wire.portal_configuration(id, own),
    )
}

pub fn missing(id: &str, param: &str) -> ApiError {
    ApiError::no_such("configuration", id, param)
}

fn show(world: &World, id: &str) -> Answer {
    let found = world.state.portal_configurations.get(id);
    let found = found.ok_or_else(|| missing(id, "id"))?;
    Ok(world.wire().portal_configuration(id, found))
}

fn apply(
    params: &Params,
    state: &StripeState,
    own: &mut PortalConfiguration,
    now: i64,
) -> Result<(), ApiError> {
    own.updated = now;
    if let Some(active) = params.boolean("active")? {
        own.inactive = !active;
    }
    if params.has("name") {
        own.name = params.text("name")?;
    }
    if params.has("default_return_url") {
        own.default_return_url = params.text("default_return_url")?;
        if own
            .default_return_url
            .as_deref()
            .is_some_and(|url| !is_address(url))
        {
            return Err(ApiError::param(
                "url_invalid",
                "default_return_url",
                "Not a valid URL",
            ));
        }
    }
    let profile = params.inner("business_profile")?;
    if profile.has("headline") {
        own.headline = profile.text("headline")?;
    }
    features(&params.inner("features")?, state, &mut own.features)?;
    params.metadata("metadata", &mut own.metadata)
}

fn features(params: &Params, state: &StripeState, own: &mut Features) -> Result<(), ApiError> {
    params.only(&[
        "subscription_update",
        "subscription_cancel",
        "payment_method_update",
        "invoice_history",
        "customer_update",
    ])?;
    let update = params.inner("subscription_update")?;
    let cancel = params.inner("subscription_cancel")?;
    let switches = [
        (&update, &mut own.subscription_update),
        (&cancel, &mut own.subscription_cancel),
        (
            &params.inner("payment_method_update")?,
            &mut own.payment_method_update,
        ),
        (&params.inner("invoice_history")?, &mut own.invoice_history),
    ];
    for (part, field) in switches {
        if let Some(enabled) = part.boolean("enabled")? {
            *field = enabled;
        }
    }
    if let Some(mode) = cancel.choice("mode", &["at_period_end", "immediately"])? {
        own.cancel_immediately = mode == "immediately";
    }
    if update.has("products") {
        own.products = products(&update, state)?;
    }
    Ok(())
}

fn products(update: &Params, state: &StripeState) -> Result<Vec<PortalProduct>, ApiError> {
    let mut products = Vec::new();
    for wanted in update.list("products")? {
        wanted.only(&["product", "prices", "adjustable_quantity"])?;
        let (product, prices) = (wanted.need("product")?, wanted.texts("prices")?);
        for price in &prices {
            let known = state.prices.get(price).filter(|known| known.product == product);
            known.ok_or_else(|| ApiError::no_such("price", price, &wanted.full("prices")))?;
        }
        products.push(PortalProduct { product, prices });
    }
    Ok(products)
}

impl World {
    /// The configuration that is used when nobody names one. It allows everything, unless somebody made another.
    pub fn usual_configuration(&mut self) -> String {
        let mut all = self.state.portal_configurations.iter();
        if let Some((id, _)) = all.find(|(_, own)| own.is_default && !own.inactive) {
            return id.clone();
        }
        let (id, now) = (self.ids.make("bpc"), self.now());
        let usual = PortalConfiguration {
            is_default: true,
            features: Features {
                subscription_update: true,
                subscription_cancel: true,
                payment_method_update: true,
                invoice_history: true,
                ..Features::default()
            },
            created: now,
            updated: now,
            ..PortalConfiguration::default()
        };
        self.state.portal_configurations.insert(id.clone(), usual);
        id
    }
}
