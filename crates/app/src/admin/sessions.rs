//! Ending the sessions of everybody, or of all who have not been here for long.

use domain::audit::AuditAction;
use serde_json::json;
use storage::identity::mass_sign_out;
pub use storage::identity::mass_sign_out::Counted;
use storage::records::audit::Act;
use storage::{NoOrg, OperatorScope, Tx, Work};

use crate::by_operator::ByOperator;
use crate::error::{AppError, IdentityError};
use crate::state::App;

/// A session that nobody used for so many days can be dropped.
pub const IDLE_DAYS: i64 = 7;
const DAY_MS: i64 = 24 * 60 * 60_000;

/// How many sessions there are, and how many of them were idle.
pub async fn count(app: &App, _: OperatorScope) -> Result<Counted, AppError> {
    let now_ms = app.now_ms();
    let unused_ms = now_ms - app.retention.session_idle_ms();
    Ok(mass_sign_out::count(&app.db, now_ms, unused_ms, now_ms - IDLE_DAYS * DAY_MS).await?)
}

/// Ends all sessions but one, on every node from the next request on. What it costs does not hang on how many there are;
/// their rows go later.
pub async fn end_all_but(app: &App, hash: String, by: ByOperator) -> Result<(), AppError> {
    let act = app.act(NoOrg, by.actor());
    app.db.write_for(act, EndAll { hash, by }).await
}

struct EndAll {
    hash: String,
    by: ByOperator,
}

impl Work for EndAll {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "end_all_sessions";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        if !mass_sign_out::end_all_but(tx, &self.hash, act.now_ms).await? {
            // Somebody else did the same a moment ago, and ended this one.
            return Err(IdentityError::SignInRequired.into());
        }
        self.by
            .note(tx, act, AuditAction::SessionsEnded, None, &json!({}))
            .await
    }
}

/// Ends all sessions that nobody used for a week, in the same way.
pub async fn drop_idle(app: &App, by: ByOperator) -> Result<(), AppError> {
    let act = app.act(NoOrg, by.actor());
    app.db.write_for(act, DropIdle { by }).await
}

struct DropIdle {
    by: ByOperator,
}

impl Work for DropIdle {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "drop_idle_sessions";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        mass_sign_out::drop_idle(tx, act.now_ms - IDLE_DAYS * DAY_MS, act.now_ms).await?;
        let detail = json!({ "days": IDLE_DAYS });
        self.by
            .note(tx, act, AuditAction::IdleSessionsDropped, None, &detail)
            .await
    }
}
