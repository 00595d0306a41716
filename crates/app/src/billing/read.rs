//! Asks Stripe what an Org pays for. What it answers replaces what is known, unless more was heard while it was asked.

use std::time::Duration;

use domain::audit::Actor;
use domain::billing::Catalogue;
use domain::plan::Plans;
use platform::Unanswered;
use platform::stripe::{NotDone, Subscription};
use storage::billing::{checkouts, payers, subscriptions};
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{Tx, Work};

use super::asked;
use super::derive::derive;
use super::removal::Close;
use super::told::write_down;
use crate::error::AppError;
use crate::jobs::{Claimed, Outcome};
use crate::platforms::Selling;
use crate::state::App;

/// An Org that hears of many changes is asked about once in that time.
const PAUSE_MS: i64 = 2_000;

/// While Stripe is not asked at all, because it keeps failing.
const REST: Duration = Duration::from_secs(60);

/// How long it is until somebody may be asked about again.
pub(super) fn pause_left(asked_at_ms: i64, now_ms: i64) -> i64 {
    let since_ms = now_ms - asked_at_ms;
    if (0..PAUSE_MS).contains(&since_ms) {
        PAUSE_MS - since_ms
    } else {
        0
    }
}

/// One question and what follows from the answer.
pub(crate) async fn step(app: &App, claimed: &Claimed) -> Result<Outcome, AppError> {
    let scope = claimed.org.ok_or_else(|| AppError::internal("a job of no Org"))?;
    let Some(selling) = &app.platforms.stripe else {
        return Ok(Outcome::Drop { code: "NOTHING_SOLD" });
    };
    let begun = app.db.write_for(app.act(scope, Actor::System), Begin).await?;
    let (customer, wanted, asked_at_ms) = match begun {
        Begun::Ask {
            customer,
            wanted,
            asked_at_ms,
        } => (customer, wanted, asked_at_ms),
        Begun::TooSoon { after_ms } => {
            return Ok(Outcome::Later {
                after: Duration::from_millis(after_ms.unsigned_abs()),
            });
        }
        Begun::Nobody => return Ok(Outcome::Done),
    };
    if let Some(cause) = close_left_over(app, selling, claimed).await? {
        return Ok(again(cause));
    }
    let told = match asked::list(app, selling, &customer).await? {
        Ok(told) => told,
        // What it had is kept, as anything else that Stripe does not list.
        Err(NotDone::Missing(_)) => Vec::new(),
        Err(cause) => return Ok(again(cause)),
    };
    let apply = Apply {
        wanted,
        asked_at_ms,
        customer,
        told_at: asked_at_ms.div_euclid(1_000),
        told,
        catalogue: selling.catalogue.clone(),
        plans: app.plans,
    };
    let is_applied = app.db.write_for(app.act(scope, Actor::System), apply).await?;
    Ok(if is_applied { Outcome::Done } else { Outcome::Again })
}

fn again(cause: NotDone) -> Outcome {
    let NotDone::TryAgain(cause) = cause else {
        return Outcome::Retry {
            after: None,
            code: "STRIPE_REFUSED",
        };
    };
    let after = cause.retry_after_ms();
    let after = after.map(|ms| Duration::from_millis(ms.max(1).unsigned_abs()));
    if let (Unanswered::Held { .. }, Some(after)) = (cause, after) {
        return Outcome::Later { after };
    }
    match after {
        Some(after) if !cause.was_asked() => Outcome::Later {
            after: after.max(REST),
        },
        after => Outcome::Retry {
            after,
            code: "STRIPE_UNAVAILABLE",
        },
    }
}

/// Closes the pages on which somebody could still pay for what was removed.
async fn close_left_over(
    app: &App,
    selling: &Selling,
    claimed: &Claimed,
) -> Result<Option<NotDone>, AppError> {
    let Some(scope) = claimed.org else {
        return Ok(None);
    };
    for open in checkouts::list_left_over(&app.db, scope).await? {
        let is_unpaid = match &open.session_id {
            Some(session) => match selling.api.expire_checkout(session).await {
                Ok(is_unpaid) => is_unpaid,
                Err(cause) => return Ok(Some(cause)),
            },
            None => true,
        };
        let (act, id) = (app.act(scope, Actor::System), open.id.as_str().to_owned());
        if is_unpaid {
            app.db.write_for(act, Close { id }).await?;
        } else {
            app.db.write_for(act, EndCheckout { id }).await?;
        }
    }
    Ok(None)
}

pub(super) struct EndCheckout {
    pub id: String,
}

impl Work for EndCheckout {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "end_checkout";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock_even_removed(tx, act.scope).await?;
        checkouts::end(tx, act.scope, &self.id, act.now_ms).await?;
        Ok(())
    }
}

enum Begun {
    Ask {
        customer: String,
        wanted: i64,
        asked_at_ms: i64,
    },
    TooSoon {
        after_ms: i64,
    },
    /// Nobody pays for it.
    Nobody,
}

struct Begin;

impl Work for Begin {
    type For = Act;
    type Output = Begun;
    type Error = AppError;
    const NAME: &'static str = "begin_billing_read";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Begun, AppError> {
        orgs::lock_even_removed(tx, act.scope).await?;
        let Some(payer) = payers::find_in(tx, act.scope).await? else {
            return Ok(Begun::Nobody);
        };
        let Some(customer) = payer.customer_id else {
            return Ok(Begun::Nobody);
        };
        let after_ms = pause_left(payer.asked_at_ms, act.now_ms);
        if after_ms > 0 {
            return Ok(Begun::TooSoon { after_ms });
        }
        payers::note_asked(tx, act.scope, act.now_ms).await?;
        Ok(Begun::Ask {
            customer,
            wanted: payer.wanted,
            asked_at_ms: act.now_ms,
        })
    }
}

/// False when something was heard meanwhile: the answer may be older than that.
struct Apply {
    wanted: i64,
    /// Another node may have asked after this one, and been answered before.
    asked_at_ms: i64,
    customer: String,
    told_at: i64,
    told: Vec<Subscription>,
    catalogue: Catalogue,
    plans: Plans,
}

impl Work for Apply {
    type For = Act;
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "apply_billing_read";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<bool, AppError> {
        let scope = act.scope;
        let org = orgs::lock_if_there(tx, scope).await?;
        let payer = payers::find_in(tx, scope).await?;
        let is_last = payer.is_some_and(|payer| {
            let asked = (payer.wanted, payer.asked_at_ms, payer.customer_id.as_deref());
            asked == (self.wanted, self.asked_at_ms, Some(&*self.customer))
        });
        if !is_last {
            return Ok(false);
        }
        let known = subscriptions::list_known(tx, scope).await?;
        for told in &self.told {
            let before = known.iter().find(|known| known.id == told.id);
            let is_foreign = before.is_none() && subscriptions::is_of_another(tx, scope, &told.id).await?;
            let comes_back = before.is_some_and(|before| before.status.is_over() && !told.status.is_over());
            if is_foreign || comes_back {
                continue;
            }
            let told_at = before.map_or(self.told_at, |before| before.told_at.max(self.told_at));
            write_down(tx, act, &self.catalogue, before, told, told_at).await?;
        }
        for one in known.iter().filter(|one| one.listed) {
            if !self.told.iter().any(|told| told.id == one.id) {
                tracing::warn!(
                    subscription = one.id,
                    "Stripe does not list a subscription any more; it is kept"
                );
                subscriptions::unlist(tx, scope, &one.id).await?;
            }
        }
        if let Some(org) = &org {
            derive(tx, act, &self.plans, org).await?;
        }
        payers::note_read(tx, scope, act.now_ms).await?;
        Ok(true)
    }
}
