//! Who does something in an Org, and when: what every audit entry begins with.

use domain::audit::{Actor, AuditAction};
use storage::records::audit;
use storage::{OrgScope, Tx};

use crate::error::AppError;
use crate::state::App;

pub(crate) struct Deed {
    pub scope: OrgScope,
    actor: Actor,
    pub now_ms: i64,
}

impl Deed {
    pub(crate) fn begin(app: &App, scope: OrgScope, actor: Actor) -> Self {
        Self {
            scope,
            actor,
            now_ms: app.now_ms(),
        }
    }

    /// The share of the write queue that it uses.
    pub(crate) fn tenant(&self) -> Option<i64> {
        Some(self.scope.num())
    }

    /// Writes the entry, in the transaction of what it tells about.
    pub(crate) async fn note(
        &self,
        tx: &mut Tx<'_>,
        action: AuditAction,
        target: Option<&str>,
        detail: &serde_json::Value,
    ) -> Result<(), AppError> {
        let entry = audit::Entry {
            at_ms: self.now_ms,
            actor: &self.actor,
            action,
            target,
            detail: &detail.to_string(),
        };
        Ok(audit::append(tx, self.scope, &entry).await?)
    }
}
