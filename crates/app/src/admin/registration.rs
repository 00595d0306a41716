//! The codes with which Orgs can be made while registration is by invitation.

use domain::audit::AuditAction;
use domain::id::RegistrationId;
use serde_json::json;
use storage::records::audit::Act;
pub use storage::tenancy::registration::RegistrationCode;
use storage::tenancy::registration::{self, Revoked};
use storage::{NoOrg, OperatorScope, Tx, Work};

use crate::by_operator::ByOperator;
use crate::error::{AppError, RequestError};
use crate::instance;
use crate::state::App;

/// Whether a new Org needs a code, and the codes there are, the newest first.
pub async fn list(
    app: &App,
    _: OperatorScope,
    after: &str,
    limit: i64,
) -> Result<(bool, Vec<RegistrationCode>), AppError> {
    let codes = registration::list(&app.db, after, limit).await?;
    Ok((instance::is_invite_only(app).await?, codes))
}

/// Ends a code. One that was revoked before is no error.
pub async fn revoke(app: &App, id: RegistrationId, by: ByOperator) -> Result<(), AppError> {
    let act = app.act(NoOrg, by.actor());
    app.db.write_for(act, Revoke { id, by }).await
}

struct Revoke {
    id: RegistrationId,
    by: ByOperator,
}

impl Work for Revoke {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "revoke_registration_code";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        match registration::revoke(tx, &self.id, act.now_ms).await? {
            Revoked::Missing => Err(RequestError::NotFound.into()),
            Revoked::Before => Ok(()),
            Revoked::Now => {
                let (action, target) = (AuditAction::RegistrationCodeRevoked, Some(self.id.as_str()));
                self.by.note(tx, act, action, target, &json!({})).await
            }
        }
    }
}
