//! Questions to Stripe about what a customer has. All nodes together ask so many in a second and no more, pages of long
//! lists and clicks of people included.

use std::time::Duration;

use platform::Unanswered;
use platform::stripe::{NotDone, Subscription};
use storage::billing::turns::{self, LONGEST_WAIT_MS};
use storage::jobs::Moment;
use storage::{NoOrg, Tx, Work};

use crate::error::AppError;
use crate::platforms::Selling;
use crate::state::App;

/// Nobody has so many subscriptions, and no answer is read without an end.
const MOST_PAGES: usize = 20;

/// All subscriptions that a customer ever had and that Stripe still lists.
pub(super) async fn list(
    app: &App,
    selling: &Selling,
    customer: &str,
) -> Result<Result<Vec<Subscription>, NotDone>, AppError> {
    let mut found: Vec<Subscription> = Vec::new();
    for _ in 0..MOST_PAGES {
        let wait_ms = app.db.write(TakeTurn { moment: app.moment() }).await?;
        if wait_ms > LONGEST_WAIT_MS {
            let held = Unanswered::Held {
                retry_after_ms: wait_ms,
            };
            return Ok(Err(held.into()));
        }
        tokio::time::sleep(Duration::from_millis(wait_ms.unsigned_abs())).await;
        let last = found.last().map(|last| last.id.clone());
        match selling.api.subscriptions(customer, last.as_deref()).await {
            Ok((page, has_more)) => {
                let is_last = !has_more || page.is_empty();
                found.extend(page);
                if is_last {
                    return Ok(Ok(found));
                }
            }
            Err(cause) => return Ok(Err(cause)),
        }
    }
    Ok(Err(Unanswered::TooLong.into()))
}

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
