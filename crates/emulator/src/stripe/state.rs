//! What Stripe knows. Times are seconds since 1970, as in its interface.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use super::portal_state::{Features, Flow, PortalConfiguration, PortalProduct, PortalSession};

pub type Metadata = BTreeMap<String, String>;

/// What new accounts get.
pub const CURRENT_VERSION: &str = "2026-10-28.endive";

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StripeState {
    pub account: Account,
    /// Secret and restricted keys that are valid.
    pub api_keys: BTreeSet<String>,
    pub customers: BTreeMap<String, Customer>,
    pub products: BTreeMap<String, Product>,
    pub prices: BTreeMap<String, Price>,
    pub subscriptions: BTreeMap<String, Subscription>,
    pub invoices: BTreeMap<String, Invoice>,
    pub checkout_sessions: BTreeMap<String, CheckoutSession>,
    pub portal_configurations: BTreeMap<String, PortalConfiguration>,
    pub portal_sessions: BTreeMap<String, PortalSession>,
    pub webhook_endpoints: BTreeMap<String, WebhookEndpoint>,
    pub test_clocks: BTreeMap<String, TestClock>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Account {
    pub id: String,
    pub name: String,
    /// Of callers that name none, and of endpoints that were made without one.
    pub api_version: String,
    pub livemode: bool,
    /// What becomes of a subscription when the last try to take the money failed.
    pub after_retries: AfterRetries,
}

impl Default for Account {
    fn default() -> Self {
        Self {
            id: "acct_1Sandbox".to_owned(),
            name: "Symbolon".to_owned(),
            api_version: CURRENT_VERSION.to_owned(),
            livemode: false,
            after_retries: AfterRetries::default(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterRetries {
    #[default]
    Cancel,
    Unpaid,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Customer {
    pub name: Option<String>,
    pub email: Option<String>,
    pub description: Option<String>,
    pub phone: Option<String>,
    pub metadata: Metadata,
    pub created: i64,
    pub test_clock: Option<String>,
    /// What happens when their card is charged.
    pub card: Card,
    pub default_payment_method: Option<String>,
    pub delinquent: bool,
    pub deleted: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Card {
    #[default]
    Good,
    Declined,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Product {
    pub name: String,
    pub description: Option<String>,
    pub active: bool,
    pub default_price: Option<String>,
    pub metadata: Metadata,
    pub created: i64,
    pub updated: i64,
}

impl Default for Product {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: None,
            active: true,
            default_price: None,
            metadata: Metadata::new(),
            created: 0,
            updated: 0,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Price {
    pub product: String,
    pub active: bool,
    pub currency: String,
    /// In the smallest unit of the currency.
    pub unit_amount: i64,
    /// Missing for what is paid once.
    pub recurring: Option<Recurring>,
    pub lookup_key: Option<String>,
    pub nickname: Option<String>,
    pub metadata: Metadata,
    pub created: i64,
}

impl Default for Price {
    fn default() -> Self {
        Self {
            product: String::new(),
            active: true,
            currency: "usd".to_owned(),
            unit_amount: 0,
            recurring: None,
            lookup_key: None,
            nickname: None,
            metadata: Metadata::new(),
            created: 0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recurring {
    pub interval: Interval,
    #[serde(default = "one")]
    pub interval_count: u16,
}

fn one() -> u16 {
    1
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interval {
    Day,
    Week,
    Month,
    Year,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Subscription {
    pub customer: String,
    pub status: Status,
    pub items: Vec<Item>,
    pub metadata: Metadata,
    pub created: i64,
    pub current_period_start: i64,
    pub current_period_end: i64,
    /// From here periods are counted.
    pub billing_cycle_anchor: i64,
    pub trial_start: Option<i64>,
    pub trial_end: Option<i64>,
    pub cancel_at: Option<i64>,
    pub cancel_at_period_end: bool,
    pub canceled_at: Option<i64>,
    pub ended_at: Option<i64>,
    /// `cancellation_requested` or `payment_failed`.
    pub cancellation_reason: Option<String>,
    pub latest_invoice: Option<String>,
    /// Made before September 2025, or as if: the portal ends it in another way.
    pub classic: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Item {
    pub id: String,
    pub price: String,
    pub quantity: u32,
    pub metadata: Metadata,
    pub created: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Incomplete,
    IncompleteExpired,
    Trialing,
    #[default]
    Active,
    PastDue,
    Unpaid,
    Canceled,
    Paused,
}

impl Status {
    /// Nothing happens to it any more.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Canceled | Self::IncompleteExpired)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Invoice {
    pub customer: String,
    pub subscription: String,
    pub status: InvoiceStatus,
    pub number: String,
    pub currency: String,
    pub lines: Vec<Line>,
    pub created: i64,
    pub paid_at: Option<i64>,
    pub period_start: i64,
    pub period_end: i64,
    /// `subscription_create`, `subscription_cycle` or `subscription_update`.
    pub billing_reason: String,
    pub attempt_count: u32,
    pub next_payment_attempt: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Line {
    pub id: String,
    pub item: String,
    pub price: String,
    pub description: String,
    pub quantity: u32,
    pub amount: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvoiceStatus {
    Draft,
    #[default]
    Open,
    Paid,
    Uncollectible,
    Void,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CheckoutSession {
    pub status: SessionStatus,
    pub customer: Option<String>,
    pub customer_email: Option<String>,
    pub line_items: Vec<Item>,
    pub success_url: String,
    pub cancel_url: Option<String>,
    pub client_reference_id: Option<String>,
    pub metadata: Metadata,
    pub subscription_metadata: Metadata,
    pub trial_period_days: Option<u16>,
    /// Of the subscription that it makes.
    pub classic: bool,
    pub created: i64,
    pub expires_at: i64,
    pub subscription: Option<String>,
    pub invoice: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    #[default]
    Open,
    Complete,
    Expired,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookEndpoint {
    pub url: String,
    /// Types of events, or `*`.
    pub enabled_events: Vec<String>,
    pub api_version: Option<String>,
    pub description: Option<String>,
    pub disabled: bool,
    pub metadata: Metadata,
    pub created: i64,
    /// The newest first. Each signs until its time is over.
    pub secrets: Vec<Secret>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Secret {
    pub value: String,
    pub until: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TestClock {
    pub name: Option<String>,
    pub created: i64,
    pub frozen_time: i64,
}
