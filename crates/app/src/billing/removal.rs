//! Nothing is removed that somebody goes on paying for. What is known here decides, so that it works while Stripe is silent.

use domain::audit::Actor;
use domain::job::Job;
use platform::Unanswered;
use platform::stripe::NotDone;
use storage::billing::{checkouts, subscriptions};
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{GuildNum, OrgScope, Tx, Work, jobs};

use super::checkout::paid;
use crate::error::{AppError, BillingError};
use crate::state::App;

/// Closes the pages on which somebody could pay for what is about to be removed; to be called when nothing else stands
/// against it. If somebody just paid, it stays. Pages that Stripe does not close now are closed by the job that follows the
/// removal.
pub(crate) async fn close_pages(app: &App, scope: OrgScope, guild: Option<GuildNum>) -> Result<(), AppError> {
    let Some(selling) = &app.platforms.stripe else {
        return Ok(());
    };
    for open in checkouts::list_open(&app.db, scope).await? {
        let is_meant = guild.is_none() || open.guild == guild;
        let Some(session) = open.session_id.filter(|_| is_meant) else {
            continue;
        };
        match selling.api.expire_checkout(&session).await {
            Ok(true) => {
                let id = open.id.as_str().to_owned();
                app.db
                    .write_for(app.act(scope, Actor::System), Close { id })
                    .await?;
            }
            Ok(false) => return paid(app, scope, BillingError::ActiveSubscription).await,
            // A payment is under way on it, or Stripe is busy with this very page.
            Err(NotDone::TryAgain(Unanswered::Crowded { .. } | Unanswered::Status(409))) => {
                return Err(BillingError::Unsettled.into());
            }
            Err(cause) => tracing::warn!(%cause, "a page of something removed is closed later"),
        }
    }
    Ok(())
}

/// Refuses to remove what renews, and what was paid for as far as we heard. Under the Org's lock.
pub(crate) async fn refuse_paid(tx: &mut Tx<'_>, act: &Act, guild: Option<GuildNum>) -> Result<(), AppError> {
    if subscriptions::renews(tx, act.scope, guild).await? {
        return Err(BillingError::ActiveSubscription.into());
    }
    if checkouts::is_any_unsettled(tx, act.scope, guild).await? {
        return Err(BillingError::Unsettled.into());
    }
    Ok(())
}

/// Has what somebody could still begin to pay for closed soon. Under the Org's lock, with a removal.
pub(crate) async fn close_soon(tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
    if checkouts::is_any_open(tx, act.scope).await? {
        let org = orgs::get_id(tx, act.scope).await?;
        jobs::enqueue(tx, act.scope, &Job::ReadBilling { org }, act.now_ms).await?;
    }
    Ok(())
}

/// Notes that nobody paid on a page and that nobody can any more.
pub(super) struct Close {
    pub id: String,
}

impl Work for Close {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "close_checkout";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock_even_removed(tx, act.scope).await?;
        checkouts::close(tx, act.scope, &self.id, act.now_ms).await?;
        Ok(())
    }
}
