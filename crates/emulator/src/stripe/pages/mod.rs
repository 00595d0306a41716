//! The pages that a customer meets.

pub mod checkout;
pub mod invoice;
pub mod portal;

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::LOCATION;

use super::state::{Interval, Price};

pub const PLATFORM: &str = "Stripe";

/// After a form, or after an answer that was in the address.
pub fn go(location: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response()
}

/// `$5.00`, `5.00 EUR`.
pub fn money(amount: i64, currency: &str) -> String {
    let (whole, rest) = (amount / 100, amount % 100);
    if currency == "usd" {
        format!("${whole}.{rest:02}")
    } else {
        format!("{whole}.{rest:02} {}", currency.to_uppercase())
    }
}

/// `$5.00 per month`.
pub fn tag(price: &Price) -> String {
    let amount = money(price.unit_amount, &price.currency);
    let Some(recurring) = price.recurring else {
        return amount;
    };
    let unit = match recurring.interval {
        Interval::Day => "day",
        Interval::Week => "week",
        Interval::Month => "month",
        Interval::Year => "year",
    };
    match recurring.interval_count {
        1 => format!("{amount} per {unit}"),
        count => format!("{amount} every {count} {unit}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stripe::state::Recurring;

    #[test]
    fn prices_are_told_as_people_say_them() {
        let price = |interval_count| Price {
            unit_amount: 5_005,
            recurring: Some(Recurring {
                interval: Interval::Month,
                interval_count,
            }),
            ..Price::default()
        };
        assert_eq!(tag(&price(1)), "$50.05 per month");
        assert_eq!(tag(&price(3)), "$50.05 every 3 months");
        assert_eq!(money(500, "eur"), "5.00 EUR");
    }
}
