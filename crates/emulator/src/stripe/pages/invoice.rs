//! The page of an invoice.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;

use super::{PLATFORM, money};
use crate::common::dates;
use crate::common::page::{self, escape};
use crate::stripe::Inner;
use crate::stripe::state::InvoiceStatus;

pub const PATH: &str = "/i/{invoice}";

pub async fn show(State(inner): State<Arc<Inner>>, Path(id): Path<String>) -> Response {
    inner.visit(|world| {
        let Some(invoice) = world.state.invoices.get(&id) else {
            return page::problem(PLATFORM, StatusCode::NOT_FOUND, "There is no such invoice.");
        };
        let lines: String = invoice
            .lines
            .iter()
            .map(|line| {
                let amount = escape(&money(line.amount, &invoice.currency));
                format!("<li>{}: {amount}</li>", escape(&line.description))
            })
            .collect();
        let body = format!(
            "<p>{status}, {date}</p><ul>{lines}</ul><p><b>Total {total}</b></p>",
            status = status(invoice.status),
            date = date(invoice.created),
            total = escape(&money(invoice.total(), &invoice.currency)),
        );
        page::page(PLATFORM, &format!("Invoice {}", invoice.number), &body)
    })
}

pub fn status(status: InvoiceStatus) -> &'static str {
    match status {
        InvoiceStatus::Draft => "Draft",
        InvoiceStatus::Open => "Not paid",
        InvoiceStatus::Paid => "Paid",
        InvoiceStatus::Uncollectible => "Given up",
        InvoiceStatus::Void => "Void",
    }
}

/// The day of a time in seconds.
pub fn date(at: i64) -> String {
    dates::seconds(at.saturating_mul(1_000))
        .chars()
        .take(10)
        .collect()
}
