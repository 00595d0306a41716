//! What it costs, and how often.

use crate::stripe::desk::Desk;
use crate::stripe::error::{Answer, ApiError};
use crate::stripe::lists;
use crate::stripe::params::Params;
use crate::stripe::state::{Interval, Price, Product, Recurring};
use crate::stripe::world::World;

const FIELDS: [&str; 14] = [
    "currency",
    "unit_amount",
    "product",
    "product_data",
    "recurring",
    "lookup_key",
    "transfer_lookup_key",
    "nickname",
    "active",
    "metadata",
    "billing_scheme",
    "tax_behavior",
    "unit_amount_decimal",
    "currency_options",
];
/// In the smallest unit of the currency.
pub const DEAREST: i64 = 99_999_999;

pub fn create(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&FIELDS)?;
    let now = desk.world.now();
    let named = desk.params.inner("product_data")?;
    let product = match named.text("name")? {
        Some(_) => String::new(),
        None => desk.params.need("product")?,
    };
    let mut price = read(&desk.params, &product, now)?;
    if product.is_empty() {
        let made = Product {
            name: named.need("name")?,
            created: now,
            updated: now,
            ..Product::default()
        };
        price.product = desk.world.ids.make("prod");
        let id = price.product.clone();
        desk.world.add_product(&id, made);
    } else if !desk.world.state.products.contains_key(&product) {
        return Err(ApiError::no_such("product", &product, "product"));
    }
    let transfer = desk.params.boolean("transfer_lookup_key")?.unwrap_or_default();
    let id = desk.world.add_price(price, transfer)?;
    show(desk.world, &id)
}

pub fn get(desk: &mut Desk<'_>) -> Answer {
    show(desk.world, &desk.id())
}

pub fn update(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&[
        "active",
        "lookup_key",
        "transfer_lookup_key",
        "nickname",
        "metadata",
        "tax_behavior",
    ])?;
    let (id, now) = (desk.id(), desk.world.now());
    let before = show(desk.world, &id)?;
    let Some(mut price) = desk.world.state.prices.get(&id).cloned() else {
        return Err(ApiError::no_such("price", &id, "id"));
    };
    if let Some(active) = desk.params.boolean("active")? {
        price.active = active;
    }
    if desk.params.has("nickname") {
        price.nickname = desk.params.text("nickname")?;
    }
    desk.params.metadata("metadata", &mut price.metadata)?;
    if desk.params.has("lookup_key") {
        price.lookup_key = desk.params.text("lookup_key")?;
        let transfer = desk.params.boolean("transfer_lookup_key")?.unwrap_or_default();
        desk.world
            .claim_lookup_key(price.lookup_key.as_deref(), Some(&id), transfer)?;
    }
    desk.world.state.prices.insert(id.clone(), price);
    let after = show(desk.world, &id)?;
    desk.world.emit_change("price.updated", &before, &after, now);
    Ok(after)
}

pub fn list(desk: &mut Desk<'_>) -> Answer {
    let filters = [
        "active",
        "lookup_keys",
        "product",
        "currency",
        "type",
        "recurring",
        "created",
    ];
    desk.params.only(&[&lists::PAGING[..], &filters].concat())?;
    let params = &desk.params;
    let (active, keys) = (params.boolean("active")?, params.texts("lookup_keys")?);
    let (product, currency) = (params.text("product")?, params.text("currency")?);
    let kind = params.choice("type", &["recurring", "one_time"])?;
    let wire = desk.world.wire();
    lists::list(
        params,
        ("price", "/v1/prices"),
        &desk.world.state.prices,
        |price| price.created,
        |_, price| {
            let kind_fits = kind
                .as_ref()
                .is_none_or(|kind| (kind == "recurring") == price.recurring.is_some());
            let key_fits = keys.is_empty() || price.lookup_key.as_ref().is_some_and(|own| keys.contains(own));
            active.is_none_or(|active| price.active == active)
                && product.as_ref().is_none_or(|product| price.product == *product)
                && currency
                    .as_ref()
                    .is_none_or(|currency| price.currency == *currency)
                && kind_fits
                && key_fits
        },
        |id, price| wire.price(id, price),
    )
}

fn show(world: &World, id: &str) -> Answer {
    let found = world.state.prices.get(id);
    let found = found.ok_or_else(|| ApiError::no_such("price", id, "id"))?;
    Ok(world.wire().price(id, found))
}

/// A price as parameters tell it.
pub fn read(params: &Params, product: &str, now: i64) -> Result<Price, ApiError> {
    let currency = params.need("currency")?.to_lowercase();
    if currency.len() != 3 || !currency.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Err(params.wrong("currency", &format!("Invalid currency: {currency}")));
    }
    let amount = match params.integer("unit_amount")? {
        Some(amount) => amount,
        None => params
            .integer("unit_amount_decimal")?
            .ok_or_else(|| ApiError::missing(&params.full("unit_amount")))?,
    };
    if !(0..=DEAREST).contains(&amount) {
        return Err(params.wrong("unit_amount", "Invalid amount: must be between 0 and 99999999"));
    }
    let mut price = Price {
        product: product.to_owned(),
        active: params.boolean("active")?.unwrap_or(true),
        currency,
        unit_amount: amount,
        recurring: recurring(&params.inner("recurring")?)?,
        lookup_key: params.text("lookup_key")?,
        nickname: params.text("nickname")?,
        created: now,
        ..Price::default()
    };
    params.metadata("metadata", &mut price.metadata)?;
    Ok(price)
}

fn recurring(params: &Params) -> Result<Option<Recurring>, ApiError> {
    if params.tree().is_empty() {
        return Ok(None);
    }
    params.only(&["interval", "interval_count", "usage_type", "trial_period_days"])?;
    let word = params.choice("interval", &["day", "week", "month", "year"])?;
    let interval = match word.as_deref() {
        Some("day") => Interval::Day,
        Some("week") => Interval::Week,
        Some("month") => Interval::Month,
        Some("year") => Interval::Year,
        Some(_) | None => return Err(ApiError::missing(&params.full("interval"))),
    };
    let count = params.integer("interval_count")?.unwrap_or(1);
    let interval_count = u16::try_from(count)
        .ok()
        .filter(|count| (1..=1_095).contains(count));
    let interval_count =
        interval_count.ok_or_else(|| params.wrong("interval_count", "Invalid interval_count"))?;
    Ok(Some(Recurring {
        interval,
        interval_count,
    }))
}

impl World {
    pub fn add_price(&mut self, price: Price, transfer: bool) -> Result<String, ApiError> {
        self.claim_lookup_key(price.lookup_key.as_deref(), None, transfer)?;
        let (id, at) = (self.ids.make("price"), price.created);
        self.state.prices.insert(id.clone(), price);
        if let Some(object) = self.wire().object(&id) {
            self.emit("price.created", &object, None, at);
        }
        Ok(id)
    }

    /// Only one price has a lookup key. It is taken from the one that has it, if that is what the caller wants.
    fn claim_lookup_key(
        &mut self,
        key: Option<&str>,
        by: Option<&str>,
        transfer: bool,
    ) -> Result<(), ApiError> {
        let Some(key) = key else { return Ok(()) };
        let mut prices = self.state.prices.iter();
        let holder =
            prices.find(|(id, price)| price.lookup_key.as_deref() == Some(key) && Some(id.as_str()) != by);
        let Some(holder) = holder.map(|(id, _)| id.clone()) else {
            return Ok(());
        };
        if !transfer {
            let message = format!("A price (`{holder}`) already uses that lookup key.");
            return Err(ApiError::param("resource_already_exists", "lookup_key", message));
        }
        let (before, now) = (self.wire().object(&holder), self.now());
        if let Some(price) = self.state.prices.get_mut(&holder) {
            price.lookup_key = None;
        }
        if let (Some(before), Some(after)) = (before, self.wire().object(&holder)) {
            self.emit_change("price.updated", &before, &after, now);
        }
        Ok(())
    }
}
