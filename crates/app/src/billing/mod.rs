//! Who pays for what. Stripe keeps the truth; here stands what it said last, and the tier of an Org follows from that and
//! from what operators gave.

mod asked;
pub mod checkout;
mod derive;
pub mod events;
pub mod forgotten;
pub mod grants;
pub mod keep;
pub mod overview;
mod pages;
mod payer;
pub mod plans;
pub mod portal;
pub(crate) mod read;
pub(crate) mod removal;
mod told;

pub use storage::billing::subscriptions::Subscription;
pub use storage::billing::tier_grants::Grant;

use platform::Unanswered;
use platform::stripe::NotDone;
use storage::OrgScope;

use crate::error::{AppError, BillingError, RequestError};
use crate::platforms::Selling;
use crate::state::App;

/// Who sells, or the answer for whoever wants to buy where nothing is sold.
fn selling(app: &App) -> Result<&Selling, AppError> {
    app.platforms.stripe.as_ref().ok_or(BillingError::Off.into())
}

/// One Org cannot use up what Stripe answers all of them.
fn take_turn(app: &App, scope: OrgScope) -> Result<(), AppError> {
    let decision = app.memories.gate.take_buyer(scope.num());
    if decision.allowed {
        return Ok(());
    }
    Err(RequestError::RateLimited {
        retry_after_ms: decision.retry_after_ms,
    }
    .into())
}

/// Whether Stripe said it, so that it says the same to whoever asks under the same id.
fn is_answer(cause: &NotDone) -> bool {
    match cause {
        NotDone::Missing(_) | NotDone::Refused(_) | NotDone::Forbidden(_) => true,
        // Somebody else asks the same at this moment, and will be told what it is.
        NotDone::TryAgain(Unanswered::Status(409)) => false,
        NotDone::TryAgain(Unanswered::Status(_)) => true,
        NotDone::TryAgain(_) => false,
    }
}

/// What a person is told whose purchase Stripe did not let us begin.
fn not_done(cause: NotDone) -> AppError {
    match cause {
        NotDone::TryAgain(Unanswered::Refused | Unanswered::Remembered { status: 401, .. })
        | NotDone::Refused(_)
        | NotDone::Forbidden(_)
        | NotDone::Missing(_) => BillingError::Refused(cause.to_string()).into(),
        // Others are first with us; nobody asked Stripe.
        NotDone::TryAgain(Unanswered::Held { retry_after_ms }) => {
            RequestError::RateLimited { retry_after_ms }.into()
        }
        NotDone::TryAgain(_) => BillingError::Unavailable.into(),
    }
}
