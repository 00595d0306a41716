//! What Stripe knows of its customer portal.

use serde::{Deserialize, Serialize};

use super::state::Metadata;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PortalConfiguration {
    pub inactive: bool,
    pub is_default: bool,
    pub name: Option<String>,
    pub default_return_url: Option<String>,
    pub headline: Option<String>,
    pub features: Features,
    pub metadata: Metadata,
    pub created: i64,
    pub updated: i64,
}

/// What customers may do in the portal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Features {
    pub subscription_update: bool,
    /// What they may change to; anything that is sold while none is named.
    pub products: Vec<PortalProduct>,
    pub subscription_cancel: bool,
    /// At once, not at the end of the period.
    pub cancel_immediately: bool,
    pub payment_method_update: bool,
    pub invoice_history: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PortalProduct {
    pub product: String,
    pub prices: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PortalSession {
    pub customer: String,
    pub configuration: String,
    pub return_url: Option<String>,
    pub flow: Option<Flow>,
    pub created: i64,
    /// When a person last looked at it.
    pub used: Option<i64>,
}

/// The one thing that a portal session is for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Flow {
    /// `subscription_update`, `subscription_cancel` or `payment_method_update`.
    pub kind: String,
    pub subscription: Option<String>,
    /// Where to go when it is done.
    pub redirect: Option<String>,
}
