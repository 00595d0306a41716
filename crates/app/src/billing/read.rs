//! The question that follows whatever is heard of an Org, and comes by itself when nothing is. Beside it, pages are closed on
//! which somebody could still pay for what was removed.

use std::time::Duration;

use domain::audit::Actor;
use platform::Unanswered;
use platform::stripe::NotDone;
use storage::billing::{checkouts, payers};
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use super::asked::{self, Begin, Begun};
use super::removal::Close;
use crate::error::AppError;
use crate::jobs::{Claimed, Outcome};
use crate::platforms::Selling;
use crate::state::App;

/// While Stripe is not asked at all, because it keeps failing.
const REST: Duration = Duration::from_secs(60);

/// Until somebody is asked about again who was to be asked about while a question failed.
const ONCE_MORE: Duration = Duration::from_secs(2);

/// One question and what follows from the answer.
pub(crate) async fn step(app: &App, claimed: &Claimed) -> Result<Outcome, AppError> {
    let scope = claimed.org.ok_or_else(|| AppError::internal("a job of no Org"))?;
    let Some(selling) = &app.platforms.stripe else {
        return Ok(Outcome::Drop { code: "NOTHING_SOLD" });
    };
    let begin = Begin {
        is_waited_for: false,
        moment: app.moment(),
    };
    let question = match app.db.write_for(app.act(scope, Actor::System), begin).await? {
        Begun::Ask(question) => question,
        Begun::TooSoon { after_ms } => {
            return Ok(Outcome::Later {
                after: Duration::from_millis(after_ms.unsigned_abs()),
            });
        }
        Begun::Nobody => return Ok(Outcome::Done),
    };
    let wanted = question.wanted;
    let answer = asked::ask(app, selling, scope, question).await?;
    // Whichever of the two fails keeps the other from nothing.
    match (answer, close_left_over(app, selling, scope).await?) {
        (Err(cause), _) | (Ok(_), Err(cause)) => put_off(app, scope, wanted, cause).await,
        (Ok(answer), Ok(is_paid)) if answer.is_written && !is_paid => Ok(Outcome::Done),
        (Ok(_), Ok(_)) => Ok(Outcome::Again),
    }
}

/// Whoever wanted an answer while a question failed was promised one, and waits for no pause that it earned.
async fn put_off(app: &App, scope: OrgScope, wanted: i64, cause: NotDone) -> Result<Outcome, AppError> {
    let payer = payers::find(&app.db, scope).await?;
    if payer.is_some_and(|payer| payer.wanted != wanted) {
        return Ok(Outcome::Later { after: ONCE_MORE });
    }
    Ok(again(cause))
}

fn again(cause: NotDone) -> Outcome {
    let NotDone::TryAgain(cause) = cause else {
        return refused();
    };
    let after = cause.retry_after_ms();
    let after = after.map(|ms| Duration::from_millis(ms.max(1).unsigned_abs()));
    match (cause, after) {
        (Unanswered::Refused, _) => refused(),
        (Unanswered::Held { .. }, Some(after)) => Outcome::Later { after },
        (cause, Some(after)) if !cause.was_asked() => Outcome::Later {
            after: after.max(REST),
        },
        (_, after) => Outcome::Retry {
            after,
            code: "STRIPE_UNAVAILABLE",
        },
    }
}

fn refused() -> Outcome {
    Outcome::Retry {
        after: None,
        code: "STRIPE_REFUSED",
    }
}

/// Closes the pages on which somebody could still pay for what was removed. True when somebody had paid on one, which the
/// last answer may not tell of.
async fn close_left_over(
    app: &App,
    selling: &Selling,
    scope: OrgScope,
) -> Result<Result<bool, NotDone>, AppError> {
    let mut is_any_paid = false;
    for open in checkouts::list_left_over(&app.db, scope).await? {
        let is_unpaid = match &open.session_id {
            Some(session) => match selling.api.expire_checkout(session).await {
                Ok(is_unpaid) => is_unpaid,
                Err(cause) => return Ok(Err(cause)),
            },
            None => true,
        };
        let (act, id) = (app.act(scope, Actor::System), open.id.as_str().to_owned());
        if is_unpaid {
            app.db.write_for(act, Close { id }).await?;
        } else {
            app.db.write_for(act, EndCheckout { id }).await?;
        }
        is_any_paid |= !is_unpaid;
    }
    Ok(Ok(is_any_paid))
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
