//! What is seen to without anybody asking: grants that are over, tiers that do not follow from what there is, customers
//! that Stripe was not asked about for long, and what need not be kept.

use domain::audit::Actor;
use domain::job::Job;
use storage::billing::{checkouts, payers, stripe_events, tier_grants};
use storage::tenancy::orgs;
use storage::{NoOrg, OrgScope, Tx, Work, doctor, jobs};

use super::derive::Derive;
use crate::error::AppError;
use crate::state::App;

const DAY_MS: i64 = 24 * 60 * 60_000;
/// Within the hour: a round comes once a minute, and its last question a minute later.
const ASKED_EVERY_MS: i64 = 55 * 60_000;
/// In one round of housekeeping.
const AT_ONCE: i64 = 100;
/// Five customers in a second, for the minute between two rounds.
const ASKED_AT_ONCE: i64 = 300;
const BETWEEN_QUESTIONS_MS: i64 = 200;
/// Stripe sends an event again for three days.
const EVENTS_KEPT_MS: i64 = 30 * DAY_MS;
const CHECKOUTS_KEPT_MS: i64 = 400 * DAY_MS;

/// Has tiers follow what ended by itself, and what was set differently before this process began.
pub(crate) async fn derive_due(app: &App) -> Result<(), AppError> {
    let ended = tier_grants::list_ended(&app.db, app.now_ms(), AT_ONCE).await?;
    let mut due: Vec<OrgScope> = ended.into_iter().map(|org| org.scope).collect();
    let mut after = 0;
    loop {
        let wrong = doctor::list_wrong_tiers(&app.db, after).await?;
        let Some(last) = wrong.last() else {
            break;
        };
        after = last.num();
        due.extend(wrong);
    }
    // One Org's trouble is not another's.
    let mut first_failure = Ok(());
    for scope in due {
        let derived = app
            .db
            .write_for(app.act(scope, Actor::System), Derive { plans: app.plans })
            .await;
        first_failure = first_failure.and(derived);
    }
    first_failure
}

/// Has Stripe asked once an hour about everybody who pays, who could have paid since it was last asked, or of whom something
/// was heard since then; about others once a day, a few at a time.
pub(crate) async fn ask_due(app: &App) -> Result<(), AppError> {
    if !app.plans.sold {
        return Ok(());
    }
    let due = payers::list_unread(
        &app.db,
        app.now_ms() - ASKED_EVERY_MS,
        app.now_ms() - DAY_MS,
        ASKED_AT_ONCE,
    )
    .await?;
    for (place, org) in due.into_iter().enumerate() {
        let work = Ask {
            job: Job::ReadBilling { org: org.id },
            pause_ms: BETWEEN_QUESTIONS_MS * i64::try_from(place).unwrap_or(0),
            moment: app.moment(),
        };
        app.db.write_for(org.scope, work).await?;
    }
    Ok(())
}

struct Ask {
    job: Job,
    pause_ms: i64,
    moment: jobs::Moment,
}

impl Work for Ask {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "ask_about_payer";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        orgs::lock_even_removed(tx, scope).await?;
        Ok(jobs::enqueue_later(tx, scope, &self.job, self.pause_ms, self.moment).await?)
    }
}

/// Ends purchases whose time is over, and forgets events and purchases of long ago.
pub(crate) async fn forget(app: &App) -> Result<(), AppError> {
    let now_ms = app.now_ms();
    while app.db.write(Forget { now_ms }).await? == 500 {}
    Ok(())
}

struct Forget {
    now_ms: i64,
}

impl Work for Forget {
    type For = NoOrg;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "forget_billing";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<u64, AppError> {
        checkouts::keep(tx, self.now_ms, self.now_ms - CHECKOUTS_KEPT_MS).await?;
        Ok(stripe_events::forget(tx, self.now_ms - EVENTS_KEPT_MS).await?)
    }
}
