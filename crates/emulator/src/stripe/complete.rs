//! A state that somebody wrote by hand: what is left out is filled in, and what does not fit together is refused.

use super::billing::periods;
use super::checkout::is_address;
use super::params::LAST_TIME;
use super::rest::DEAREST;
use super::state::{StripeState, Subscription};
use super::version;
use super::world::World;

impl World {
    /// The text says what is wrong.
    pub fn complete(&mut self, state: &mut StripeState) -> Result<(), String> {
        let now = self.now();
        if !version::is_version(&state.account.api_version) {
            return Err(format!("`{}` is not a version", state.account.api_version));
        }
        for customer in state.customers.values_mut() {
            fill(&mut customer.created, now);
        }
        for product in state.products.values_mut() {
            fill(&mut product.created, now);
            fill(&mut product.updated, now);
        }
        for (id, price) in &mut state.prices {
            fill(&mut price.created, now);
            if !(0..=DEAREST).contains(&price.unit_amount) {
                return Err(format!("the price `{id}` costs between 0 and {DEAREST}"));
            }
        }
        references(state)?;
        for (id, endpoint) in &mut state.webhook_endpoints {
            fill(&mut endpoint.created, now);
            if !is_address(&endpoint.url) {
                return Err(format!("the endpoint `{id}` needs a url"));
            }
            if endpoint
                .api_version
                .as_deref()
                .is_some_and(|own| !version::is_version(own))
            {
                return Err(format!("the endpoint `{id}` has a strange version"));
            }
            if endpoint.enabled_events.is_empty() {
                endpoint.enabled_events.push("*".to_owned());
            }
            if endpoint.secrets.is_empty() {
                let value = format!("whsec_{}", self.ids.text::<32>());
                endpoint.secrets.push(super::state::Secret { value, until: None });
            }
        }
        let mut subscriptions = std::mem::take(&mut state.subscriptions);
        for (id, own) in &mut subscriptions {
            let before = self.state.subscriptions.get(id);
            if before != Some(&*own) {
                let before = before.cloned();
                self.complete_subscription(state, own, before.as_ref())
                    .map_err(|problem| format!("the subscription `{id}` {problem}"))?;
            }
        }
        state.subscriptions = subscriptions;
        Ok(())
    }

    fn complete_subscription(
        &mut self,
        state: &StripeState,
        own: &mut Subscription,
        before: Option<&Subscription>,
    ) -> Result<(), String> {
        if !state.customers.contains_key(&own.customer) {
            return Err(format!("has no customer `{}`", own.customer));
        }
        let first = own.items.first().ok_or("has no items")?;
        let price = state.prices.get(&first.price);
        let recurring = price.and_then(|price| price.recurring);
        let recurring = recurring.ok_or_else(|| format!("has no recurring price `{}`", first.price))?;
        let now = self.now_of(&own.customer);
        fill(&mut own.created, now);
        fill(&mut own.current_period_start, own.created);
        fill(&mut own.billing_cycle_anchor, own.current_period_start);
        let end = periods::end(own.billing_cycle_anchor, own.current_period_start, recurring);
        fill(&mut own.current_period_end, own.trial_end.unwrap_or(end));
        let times = [own.created, own.billing_cycle_anchor, own.current_period_end];
        if times.iter().any(|time| !(0..=LAST_TIME).contains(time)) {
            return Err("has a time that is out of range".to_owned());
        }
        if own.current_period_end <= own.current_period_start {
            return Err("has a period that ends before it begins".to_owned());
        }
        for item in &mut own.items {
            if !state.prices.contains_key(&item.price) {
                return Err(format!("has no price `{}`", item.price));
            }
            if item.id.is_empty() {
                item.id = self.ids.make("si");
            }
            fill(&mut item.created, own.created);
            item.quantity = item.quantity.max(1);
        }
        if own.status.is_over() {
            own.ended_at.get_or_insert(now);
            own.canceled_at.get_or_insert(now);
        } else if before.is_some_and(|before| before.status.is_over()) {
            // A person in charge brought it back; it is as if it had never ended.
            own.ended_at = None;
            own.keep();
        }
        if own.status.is_over() {
            return Ok(());
        }
        if own.cancel_at_period_end {
            own.cancel_at.get_or_insert(own.current_period_end);
            own.canceled_at.get_or_insert(now);
        } else if before.is_some_and(|before| before.cancel_at_period_end) {
            // Somebody took that back.
            own.keep();
        }
        Ok(())
    }
}

fn fill(time: &mut i64, usual: i64) {
    if *time == 0 {
        *time = usual;
    }
}

fn references(state: &StripeState) -> Result<(), String> {
    for (id, price) in &state.prices {
        if !state.products.contains_key(&price.product) {
            return Err(format!("the price `{id}` has no product `{}`", price.product));
        }
    }
    for (id, customer) in &state.customers {
        let clock = customer.test_clock.as_ref().filter(|_| !customer.deleted);
        if clock.is_some_and(|clock| !state.test_clocks.contains_key(clock)) {
            return Err(format!("the customer `{id}` has no such test clock"));
        }
    }
    for (id, invoice) in &state.invoices {
        if !state.customers.contains_key(&invoice.customer) {
            return Err(format!(
                "the invoice `{id}` has no customer `{}`",
                invoice.customer
            ));
        }
    }
    for (id, session) in &state.checkout_sessions {
        let known = |item: &super::state::Item| state.prices.contains_key(&item.price);
        if !session.line_items.iter().all(known) || !is_address(&session.success_url) {
            return Err(format!(
                "the session `{id}` has an unknown price or no success_url"
            ));
        }
    }
    Ok(())
}
