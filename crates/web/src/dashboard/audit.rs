//! The newest entries of an Org's audit log.

use app::{App, audit};
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{Authorized, perm};
use crate::routes::{Answer, Found};

const NEWEST: i64 = 100;

#[derive(Serialize, ToSchema)]
pub struct AuditList {
    entries: Vec<AuditEntry>,
}

#[derive(Serialize, ToSchema)]
pub struct AuditEntry {
    seq: i64,
    at_ms: i64,
    actor_kind: String,
    actor_id: Option<String>,
    action: String,
    target: Option<String>,
    #[schema(value_type = Object)]
    detail: serde_json::Value,
}

pub async fn list(app: App, caller: Authorized<perm::AuditView>, (): ()) -> Answer<Found<AuditList>> {
    let rows = audit::list_newest(&app, caller.scope, NEWEST).await?;
    let entries = rows.into_iter().map(|row| AuditEntry {
        seq: row.seq,
        at_ms: row.at_ms,
        actor_kind: row.actor_kind,
        actor_id: row.actor_id,
        action: row.action,
        target: row.target,
        detail: serde_json::from_str(&row.detail).unwrap_or_default(),
    });
    Ok(Found(AuditList {
        entries: entries.collect(),
    }))
}
