//! Failures of buying.

use super::answer::{ErrorAnswer, Fault};

/// Why nothing is bought, or nothing removed.
#[derive(Debug, thiserror::Error)]
pub enum BillingError {
    /// Plans are given here, not sold.
    #[error("nothing is sold here")]
    Off,
    /// It is had already, and changed where it was bought.
    #[error("there is a subscription for it")]
    UsePortal,
    /// There is no customer to open the portal for.
    #[error("nothing was ever bought")]
    NothingBought,
    /// Somebody would go on paying for what is gone.
    #[error("a subscription renews")]
    ActiveSubscription,
    /// What is paid for is being looked up.
    #[error("Stripe is being asked")]
    Unsettled,
    /// Stripe is silent, or fails by itself.
    #[error("Stripe gave no answer")]
    Unavailable,
    /// Stripe answers, and says no to what we ask.
    #[error("{0}")]
    Refused(String),
}

impl BillingError {
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::Off => ErrorAnswer::new(
                404,
                "BILLING_OFF",
                "Nothing is sold on this installation. Its operator sets the plan of an organisation.",
            ),
            Self::UsePortal => ErrorAnswer::new(
                409,
                "USE_PORTAL",
                "There is a subscription for this already. Switch, pay or cancel it in the billing portal.",
            ),
            Self::NothingBought => ErrorAnswer::new(
                409,
                "NOTHING_BOUGHT",
                "Nothing has been bought for this organisation yet, so there is nothing to manage. Choose a plan first.",
            ),
            Self::ActiveSubscription => ErrorAnswer::new(
                409,
                "ACTIVE_SUBSCRIPTION",
                "A subscription for this renews by itself. Cancel it in the billing portal first; it may run to the end of its period.",
            ),
            Self::Unsettled => ErrorAnswer::new(
                409,
                "BILLING_UNSETTLED",
                "A payment for this organisation is being checked with Stripe. Try again in a few seconds.",
            )
            .retry_after_s(5),
            Self::Unavailable => ErrorAnswer::new(
                503,
                "BILLING_UNAVAILABLE",
                "Stripe did not answer. Nothing was charged; try again in a minute.",
            )
            .retry_after_s(30)
            .fault(Fault::Known),
            Self::Refused(_) => ErrorAnswer::new(
                503,
                "BILLING_REFUSED",
                "Stripe refused to open the page. Nothing was charged; the operator has been told.",
            )
            .fault(Fault::Provider),
        }
    }
}
