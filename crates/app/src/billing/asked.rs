//! Questions to Stripe about what a customer has. All nodes together ask so many in a second and no more, pages of long
//! lists and clicks of people included. What is answered replaces what is known, unless more was heard meanwhile.

use std::time::Duration;

use domain::audit::Actor;
use domain::billing::Catalogue;
use domain::plan::Plans;
use platform::Unanswered;
use platform::stripe::{NotDone, Subscription};
use storage::billing::turns::{self, LONGEST_WAIT_MS};
use storage::billing::{payers, subscriptions};
use storage::jobs::Moment;
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{NoOrg, OrgScope, Tx, Work};

use super::derive::derive;
use super::told::write_down;
use crate::error::AppError;
use crate::platforms::Selling;
use crate::state::App;

/// An Org that hears of many changes is asked about once in that time.
const PAUSE_MS: i64 = 2_000;

/// Nobody has so many subscriptions, and no answer is read without an end.
const MOST_PAGES: usize = 20;

/// How long it is until somebody may be asked about again. Whoever was given a turn is about to ask.
pub(super) fn pause_left(asked_at_ms: i64, now_ms: i64) -> i64 {
    let since_ms = now_ms - asked_at_ms;
    if (-LONGEST_WAIT_MS..PAUSE_MS).contains(&since_ms) {
        PAUSE_MS - since_ms
    } else {
        0
    }
}

/// One that has its turn.
pub(super) struct Question {
    customer: String,
    /// What had been heard before it.
    pub wanted: i64,
    /// When it is asked.
    at_ms: i64,
    /// How long that is from when it was begun.
    wait_ms: i64,
}

pub(super) enum Begun {
    Ask(Question),
    TooSoon {
        after_ms: i64,
    },
    /// Nobody pays for it.
    Nobody,
}

/// Begins a question about an Org, or tells when it may be.
pub(super) struct Begin {
    /// Somebody waits for the answer, and has as many questions as the gate lets through.
    pub is_waited_for: bool,
    pub moment: Moment,
}

impl Work for Begin {
    type For = Act;
    type Output = Begun;
    type Error = AppError;
    const NAME: &'static str = "begin_billing_read";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Begun, AppError> {
        orgs::lock_even_removed(tx, act.scope).await?;
        let payer = payers::find_in(tx, act.scope).await?;
        let payer = payer.and_then(|payer| Some((payer.customer_id?, payer.wanted, payer.asked_at_ms)));
        let Some((customer, wanted, asked_at_ms)) = payer else {
            return Ok(Begun::Nobody);
        };
        let after_ms = pause_left(asked_at_ms, act.now_ms);
        if after_ms > 0 && !self.is_waited_for {
            return Ok(Begun::TooSoon { after_ms });
        }
        let wait_ms = turns::take(tx, self.moment).await?;
        if wait_ms > LONGEST_WAIT_MS {
            return Ok(Begun::TooSoon { after_ms: wait_ms });
        }
        let at_ms = act.now_ms + wait_ms;
        payers::note_asked(tx, act.scope, at_ms).await?;
        Ok(Begun::Ask(Question {
            customer,
            wanted,
            at_ms,
            wait_ms,
        }))
    }
}

/// What Stripe answered.
pub(super) struct Answer {
    /// All subscriptions that the customer ever had and that Stripe still lists.
    pub told: Vec<Subscription>,
    /// False when something was heard meanwhile: the answer may be older than that.
    pub is_written: bool,
}

/// Asks, and writes down what is answered.
pub(super) async fn ask(
    app: &App,
    selling: &Selling,
    scope: OrgScope,
    question: Question,
) -> Result<Result<Answer, NotDone>, AppError> {
    let told = match list(app, selling, &question).await? {
        Ok(told) => told,
        // What it had is kept, as anything else that Stripe does not list.
        Err(NotDone::Missing(what)) if what == "customer" => Vec::new(),
        Err(cause) => return Ok(Err(cause)),
    };
    let apply = Apply {
        told: told.clone(),
        question,
        catalogue: selling.catalogue.clone(),
        plans: app.plans,
    };
    let is_written = app.db.write_for(app.act(scope, Actor::System), apply).await?;
    Ok(Ok(Answer { told, is_written }))
}

async fn list(
    app: &App,
    selling: &Selling,
    question: &Question,
) -> Result<Result<Vec<Subscription>, NotDone>, AppError> {
    let (mut found, mut wait_ms): (Vec<Subscription>, i64) = (Vec::new(), question.wait_ms);
    for _ in 0..MOST_PAGES {
        if wait_ms > LONGEST_WAIT_MS {
            let held = Unanswered::Held {
                retry_after_ms: wait_ms,
            };
            return Ok(Err(held.into()));
        }
        tokio::time::sleep(Duration::from_millis(wait_ms.unsigned_abs())).await;
        let last = found.last().map(|last| last.id.clone());
        let asked = selling.api.subscriptions(&question.customer, last.as_deref());
        match asked.await {
            Ok((page, has_more)) => {
                let is_last = !has_more || page.is_empty();
                found.extend(page);
                if is_last {
                    return Ok(Ok(found));
                }
            }
            Err(cause) => return Ok(Err(cause)),
        }
        wait_ms = app.db.write(TakeTurn { moment: app.moment() }).await?;
    }
    Ok(Err(Unanswered::TooLong.into()))
}

/// For another page.
struct TakeTurn {
    moment: Moment,
}

impl Work for TakeTurn {
    type For = NoOrg;
    type Output = i64;
    type Error = AppError;
    const NAME: &'static str = "take_stripe_turn";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<i64, AppError> {
        Ok(turns::take(tx, self.moment).await?)
    }
}

/// False when something was heard meanwhile.
struct Apply {
    told: Vec<Subscription>,
    /// Another one may have been asked after this one, and been answered before.
    question: Question,
    catalogue: Catalogue,
    plans: Plans,
}

impl Work for Apply {
    type For = Act;
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "apply_billing_read";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<bool, AppError> {
        let (scope, own) = (act.scope, &self.question);
        let org = orgs::lock_if_there(tx, scope).await?;
        let payer = payers::find_in(tx, scope).await?;
        let is_last = payer.is_some_and(|payer| {
            let asked = (payer.wanted, payer.asked_at_ms, payer.customer_id.as_deref());
            asked == (own.wanted, own.at_ms, Some(&*own.customer))
        });
        if !is_last {
            return Ok(false);
        }
        self.write_down_all(tx, act).await?;
        if let Some(org) = &org {
            derive(tx, act, &self.plans, org).await?;
        }
        payers::note_read(tx, scope, act.now_ms).await?;
        Ok(true)
    }
}

impl Apply {
    async fn write_down_all(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let (scope, asked_at) = (act.scope, self.question.at_ms.div_euclid(1_000));
        let known = subscriptions::list_known(tx, scope).await?;
        for told in &self.told {
            let before = known.iter().find(|known| known.id == told.id);
            let is_foreign = before.is_none() && subscriptions::is_of_another(tx, scope, &told.id).await?;
            let comes_back = before.is_some_and(|before| before.status.is_over() && !told.status.is_over());
            if is_foreign || comes_back {
                continue;
            }
            let told_at = before.map_or(asked_at, |before| before.told_at.max(asked_at));
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
        Ok(())
    }
}
