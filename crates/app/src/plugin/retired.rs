//! Keys nobody holds: throttled per network, and reported when they once were ours.

use domain::audit::{Actor, AuditAction};
use domain::key::KeyHash;
use domain::network::ClientNetwork;
use serde_json::json;
use storage::keys::plugin_keys::{self, RetiredKey};
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{Tx, Work};

use super::note_refusal;
use crate::error::{AppError, KeysError, RequestError};
use crate::state::App;

/// One audit entry per retired key in this time.
const REPORT_EVERY_MS: i64 = 60 * 60_000;

/// The refusal of a well-formed but unknown key.
pub(super) async fn refuse_unknown(app: &App, hash: KeyHash, network: ClientNetwork) -> AppError {
    let now_ms = app.now_ms();
    let decision = app.memories.gate.take_unknown_key(network);
    if !decision.allowed {
        return RequestError::RateLimited {
            retry_after_ms: decision.retry_after_ms,
        }
        .into();
    }
    // After the answer: a caller must not learn from its timing that a key was once valid.
    let reporting = app.clone();
    app.tasks.spawn(async move {
        if let Err(error) = report(&reporting, hash, now_ms).await {
            tracing::warn!(error = %error.internal_detail(), "the use of a retired key was not recorded");
        }
    });
    KeysError::Unauthorized.into()
}

async fn report(app: &App, hash: KeyHash, now_ms: i64) -> Result<(), AppError> {
    let Some(retired) = plugin_keys::find_retired(&app.db, &hash).await? else {
        return Ok(());
    };
    if let Some(key) = retired.key {
        note_refusal(app, key, &KeysError::Unauthorized.into());
    }
    if retired
        .reported_at_ms
        .is_some_and(|reported| reported >= now_ms - REPORT_EVERY_MS)
    {
        return Ok(());
    }
    let act = Act::new(retired.scope, Actor::System, now_ms);
    app.db.write_for(act, Report { hash, retired }).await
}

struct Report {
    hash: KeyHash,
    retired: RetiredKey,
}

impl Work for Report {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "report_retired_key";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        if !plugin_keys::report_retired(tx, &self.hash, act.now_ms, act.now_ms - REPORT_EVERY_MS).await? {
            return Ok(());
        }
        let target = Some(self.retired.key_id.as_str());
        Ok(act
            .note(tx, AuditAction::KeyRetiredUsed, target, &json!({}))
            .await?)
    }
}
