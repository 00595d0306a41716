//! Somebody pays in a checkout session.

use http::Uri;

use super::billing::Order;
use super::state::{Card, CheckoutSession, Customer, SessionStatus};
use super::world::World;

/// What stands for the session's id in an address.
const TEMPLATE: &str = "{CHECKOUT_SESSION_ID}";

/// Why nothing was paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unpaid {
    Unknown,
    Expired,
    Declined,
}

impl World {
    /// Pays, and tells where the person goes next. Whoever pays twice has still paid once.
    pub fn pay(&mut self, id: &str) -> Result<String, Unpaid> {
        let session = self.state.checkout_sessions.get(id).ok_or(Unpaid::Unknown)?;
        match session.status {
            SessionStatus::Complete => return Ok(filled(&session.success_url, id)),
            SessionStatus::Expired => return Err(Unpaid::Expired),
            SessionStatus::Open => {}
        }
        let session = session.clone();
        let customer = self.payer(&session);
        let own = self.state.customers.get(&customer);
        if own.is_none_or(|own| own.deleted || own.card == Card::Declined) {
            return Err(Unpaid::Declined);
        }
        let now = self.now_of(&customer);
        let order = Order {
            customer: customer.clone(),
            items: session.line_items.clone(),
            metadata: session.subscription_metadata.clone(),
            trial_end: Order::trial_days(now, session.trial_period_days),
            classic: session.classic,
        };
        let subscription = self.begin(order).map_err(|_| Unpaid::Declined)?;
        let own = self.state.subscriptions.get(&subscription);
        let invoice = own.and_then(|own| own.latest_invoice.clone());
        if let Some(session) = self.state.checkout_sessions.get_mut(id) {
            session.status = SessionStatus::Complete;
            session.customer = Some(customer);
            session.subscription = Some(subscription);
            session.invoice = invoice;
        }
        if let Some(session) = self.state.checkout_sessions.get(id) {
            let object = self.wire().checkout_session(id, session);
            self.emit("checkout.session.completed", &object, None, now);
        }
        Ok(filled(&session.success_url, id))
    }

    /// Who pays: a new customer, if the session names none.
    fn payer(&mut self, session: &CheckoutSession) -> String {
        match &session.customer {
            Some(customer) => customer.clone(),
            None => self.add_customer(Customer {
                email: session
                    .customer_email
                    .clone()
                    .or_else(|| Some("buyer@example.com".to_owned())),
                created: self.now(),
                ..Customer::default()
            }),
        }
    }
}

/// The address with the session's id in it. Software that builds addresses may have escaped the braces.
fn filled(address: &str, id: &str) -> String {
    let address = address.replace(TEMPLATE, id);
    address.replace("%7BCHECKOUT_SESSION_ID%7D", id)
}

/// An address that a browser can be sent to.
pub fn is_address(text: &str) -> bool {
    let text = filled(text, "cs");
    let Ok(uri) = text.split('#').next().unwrap_or_default().parse::<Uri>() else {
        return false;
    };
    matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(|host| !host.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_are_addresses() {
        for (text, good) in [
            ("http://127.0.0.1:8080/done?id={CHECKOUT_SESSION_ID}", true),
            ("https://a.example/#done", true),
            ("javascript:alert(1)", false),
            ("/done", false),
            ("http://", false),
            ("", false),
        ] {
            assert_eq!(is_address(text), good, "{text}");
        }
        assert_eq!(
            filled("http://a/?s={CHECKOUT_SESSION_ID}", "cs_1"),
            "http://a/?s=cs_1"
        );
    }
}
