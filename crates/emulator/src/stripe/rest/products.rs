//! What is sold.

use crate::stripe::desk::Desk;
use crate::stripe::error::{Answer, ApiError};
use crate::stripe::lists;
use crate::stripe::params::Params;
use crate::stripe::state::Product;
use crate::stripe::world::World;

const FIELDS: [&str; 12] = [
    "id",
    "name",
    "description",
    "active",
    "metadata",
    "default_price",
    "default_price_data",
    "images",
    "tax_code",
    "unit_label",
    "url",
    "statement_descriptor",
];

pub fn create(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&FIELDS)?;
    desk.params.need("name")?;
    let now = desk.world.now();
    let mut product = Product {
        created: now,
        updated: now,
        ..Product::default()
    };
    apply(&desk.params, &mut product)?;
    let id = match desk.params.text("id")? {
        Some(id) if desk.world.state.products.contains_key(&id) => {
            let message = format!("Product already exists: {id}.");
            return Err(ApiError::param("resource_already_exists", "id", message));
        }
        Some(id) => id,
        None => desk.world.ids.make("prod"),
    };
    let price = desk.params.inner("default_price_data")?;
    let price = if price.tree().is_empty() {
        None
    } else {
        Some(super::prices::read(&price, &id, now)?)
    };
    desk.world.add_product(&id, product);
    if let Some(price) = price {
        let price = desk.world.add_price(price, false)?;
        if let Some(own) = desk.world.state.products.get_mut(&id) {
            own.default_price = Some(price);
        }
    }
    show(desk.world, &id)
}

pub fn get(desk: &mut Desk<'_>) -> Answer {
    show(desk.world, &desk.id())
}

pub fn update(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&FIELDS)?;
    let (id, now) = (desk.id(), desk.world.now());
    let before = show(desk.world, &id)?;
    let Some(mut product) = desk.world.state.products.get(&id).cloned() else {
        return Err(ApiError::no_such("product", &id, "id"));
    };
    apply(&desk.params, &mut product)?;
    product.updated = now;
    if let Some(price) = desk.params.text("default_price")? {
        let own = desk
            .world
            .state
            .prices
            .get(&price)
            .filter(|price| price.product == id);
        own.ok_or_else(|| ApiError::no_such("price", &price, "default_price"))?;
        product.default_price = Some(price);
    }
    desk.world.state.products.insert(id.clone(), product);
    let after = show(desk.world, &id)?;
    desk.world.emit_change("product.updated", &before, &after, now);
    Ok(after)
}

pub fn list(desk: &mut Desk<'_>) -> Answer {
    let known = [&lists::PAGING[..], &["active", "ids", "created", "type", "url"]].concat();
    desk.params.only(&known)?;
    let (active, ids) = (desk.params.boolean("active")?, desk.params.texts("ids")?);
    let wire = desk.world.wire();
    lists::list(
        &desk.params,
        ("product", "/v1/products"),
        &desk.world.state.products,
        |product| product.created,
        |id, product| {
            active.is_none_or(|active| product.active == active)
                && (ids.is_empty() || ids.iter().any(|own| own == id))
        },
        |id, product| wire.product(id, product),
    )
}

fn show(world: &World, id: &str) -> Answer {
    let found = world.state.products.get(id);
    let found = found.ok_or_else(|| ApiError::no_such("product", id, "id"))?;
    Ok(world.wire().product(id, found))
}

fn apply(params: &Params, product: &mut Product) -> Result<(), ApiError> {
    if let Some(name) = params.text("name")? {
        product.name = name;
    }
    if params.has("description") {
        product.description = params.text("description")?;
    }
    if let Some(active) = params.boolean("active")? {
        product.active = active;
    }
    params.metadata("metadata", &mut product.metadata)
}

impl World {
    pub fn add_product(&mut self, id: &str, product: Product) {
        let at = product.created;
        self.state.products.insert(id.to_owned(), product);
        if let Some(object) = self.wire().object(id) {
            self.emit("product.created", &object, None, at);
        }
    }
}
