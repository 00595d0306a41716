//! Who pays.

use serde_json::json;

use crate::stripe::billing::Ending;
use crate::stripe::desk::Desk;
use crate::stripe::error::{Answer, ApiError};
use crate::stripe::lists;
use crate::stripe::params::Params;
use crate::stripe::rest::payment_methods;
use crate::stripe::state::{Customer, StripeState};
use crate::stripe::wire;
use crate::stripe::world::World;

const FIELDS: [&str; 16] = [
    "name",
    "email",
    "description",
    "phone",
    "metadata",
    "test_clock",
    "payment_method",
    "source",
    "invoice_settings",
    "address",
    "shipping",
    "tax_exempt",
    "preferred_locales",
    "balance",
    "invoice_prefix",
    "tax",
];
const LONGEST_EMAIL: usize = 512;

pub fn create(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&FIELDS)?;
    let mut customer = Customer::default();
    apply(&desk.params, &mut customer)?;
    if let Some(clock) = desk.params.text("test_clock")? {
        let found = desk.world.state.test_clocks.get(&clock);
        let found = found.ok_or_else(|| ApiError::no_such("test clock", &clock, "test_clock"))?;
        customer.created = found.frozen_time;
        customer.test_clock = Some(clock);
    } else {
        customer.created = desk.world.now();
    }
    let id = desk.world.add_customer(customer);
    show(desk.world, &id)
}

pub fn get(desk: &mut Desk<'_>) -> Answer {
    show(desk.world, &desk.id())
}

pub fn update(desk: &mut Desk<'_>) -> Answer {
    desk.params.only(&FIELDS)?;
    let id = desk.id();
    let mut customer = existing(&desk.world.state, &id, "id")?.clone();
    apply(&desk.params, &mut customer)?;
    let at = desk.world.now_of(&id);
    desk.world.change_customer(&id, at, |own| *own = customer);
    show(desk.world, &id)
}

/// Deletes a customer and ends what they pay for.
pub fn delete(desk: &mut Desk<'_>) -> Answer {
    let id = desk.id();
    existing(&desk.world.state, &id, "id")?;
    desk.world.delete_customer(&id);
    Ok(wire::deleted(&id, "customer"))
}

/// Those on a test clock are shown only to who asks for that clock.
pub fn list(desk: &mut Desk<'_>) -> Answer {
    let known = [&lists::PAGING[..], &["email", "created", "test_clock"]].concat();
    desk.params.only(&known)?;
    let (email, clock) = (desk.params.text("email")?, desk.params.text("test_clock")?);
    let wire = desk.world.wire();
    lists::list(
        &desk.params,
        ("customer", "/v1/customers"),
        &desk.world.state.customers,
        |customer| customer.created,
        |_, customer| {
            let same_email = email.is_none() || customer.email == email;
            !customer.deleted && same_email && customer.test_clock == clock
        },
        |id, customer| wire.customer(id, customer),
    )
}

/// A customer who was not deleted. `param` is where the id came from.
pub fn existing<'a>(state: &'a StripeState, id: &str, param: &str) -> Result<&'a Customer, ApiError> {
    let found = state.customers.get(id).filter(|customer| !customer.deleted);
    found.ok_or_else(|| ApiError::no_such("customer", id, param))
}

fn show(world: &World, id: &str) -> Answer {
    let found = world.state.customers.get(id);
    let found = found.ok_or_else(|| ApiError::no_such("customer", id, "id"))?;
    Ok(world.wire().customer(id, found))
}

fn apply(params: &Params, customer: &mut Customer) -> Result<(), ApiError> {
    let texts = [
        ("name", &mut customer.name),
        ("email", &mut customer.email),
        ("description", &mut customer.description),
        ("phone", &mut customer.phone),
    ];
    for (name, field) in texts {
        if params.has(name) {
            *field = params.text(name)?;
        }
    }
    let email = customer.email.as_deref().unwrap_or("a@b");
    if !email.contains('@') || email.len() > LONGEST_EMAIL {
        let message = format!("Invalid email address: {email}");
        return Err(ApiError::param("email_invalid", "email", message));
    }
    let settings = params.inner("invoice_settings")?;
    for method in [
        params.text("source")?,
        params.text("payment_method")?,
        settings.text("default_payment_method")?,
    ]
    .into_iter()
    .flatten()
    {
        payment_methods::put(&method, customer);
    }
    if params.has("test_clock") && customer.created > 0 && params.text("test_clock")? != customer.test_clock {
        return Err(params.wrong("test_clock", "The test clock of a customer cannot be changed."));
    }
    params.metadata("metadata", &mut customer.metadata)
}

impl World {
    pub fn add_customer(&mut self, customer: Customer) -> String {
        let (id, at) = (self.ids.make("cus"), customer.created);
        self.state.customers.insert(id.clone(), customer);
        if let Some(object) = self.wire().object(&id) {
            self.emit("customer.created", &object, None, at);
        }
        id
    }

    pub fn change_customer(&mut self, id: &str, at: i64, change: impl FnOnce(&mut Customer)) {
        let before = self.wire().object(id);
        if let Some(own) = self.state.customers.get_mut(id) {
            change(own);
        }
        if let (Some(before), Some(after)) = (before, self.wire().object(id)) {
            self.emit_change("customer.updated", &before, &after, at);
        }
    }

    pub fn delete_customer(&mut self, id: &str) {
        let at = self.now_of(id);
        let own = self.state.subscriptions.iter();
        let own = own.filter(|(_, own)| own.customer == id && !own.status.is_over());
        let own: Vec<String> = own.map(|(id, _)| id.clone()).collect();
        for subscription in own {
            // It is there and not over, so nothing can refuse.
            let _ = self.end(&subscription, Ending::Now);
        }
        let last = self.wire().object(id).unwrap_or_else(|| json!({}));
        if let Some(customer) = self.state.customers.get_mut(id) {
            customer.deleted = true;
        }
        self.emit("customer.deleted", &last, None, at);
    }
}
