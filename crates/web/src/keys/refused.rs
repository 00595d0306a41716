//! Refused plugin calls.

use app::App;
use app::keys::refusals;
use domain::id::KeyId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{Authorized, perm};
use crate::routes::{Answer, Found};

/// Plugin calls that were refused in the last 24 hours.
#[derive(Serialize, ToSchema)]
pub struct RefusedCalls {
    /// Key by key, of each those that happened most often first.
    refused: Vec<RefusedCall>,
}

#[derive(Serialize, ToSchema)]
struct RefusedCall {
    #[schema(value_type = String)]
    key_id: KeyId,
    /// What the calls were answered with.
    code: String,
    calls: i64,
    /// The beginning of the hour of the last one.
    last_hour_at_ms: i64,
}

pub async fn list(app: App, caller: Authorized<perm::ServersKeys>, (): ()) -> Answer<Found<RefusedCalls>> {
    let refused = refusals::list(&app, caller.scope).await?;
    let refused = refused.into_iter().map(|refused| RefusedCall {
        key_id: refused.key,
        code: refused.code,
        calls: refused.calls,
        last_hour_at_ms: refused.last_hour * 60 * 60_000,
    });
    Ok(Found(RefusedCalls {
        refused: refused.collect(),
    }))
}
