//! Who acts as an operator, and whether they still may when it counts.

use domain::audit::{Actor, AuditAction};
use domain::id::AccountId;
use serde_json::Value;
use storage::identity::sessions;
use storage::records::audit::Act;
use storage::{NoOrg, Tx};

use crate::error::{AppError, IdentityError, RequestError};

/// Somebody with a session, or the command line. A request is let in before its body is read, and much can happen until its
/// unit of work runs: what an operator does is noted with this, which looks again.
#[derive(Clone)]
pub struct ByOperator {
    actor: Actor,
    session: Option<Shown>,
}

/// What somebody was let in by.
#[derive(Clone)]
struct Shown {
    hash: String,
    /// The setting `operators` is read at the start and stays.
    in_setting: bool,
}

impl ByOperator {
    /// Somebody with a session, by its hash.
    pub fn signed_in(account: AccountId, session_hash: String, in_setting: bool) -> Self {
        let session = Some(Shown {
            hash: session_hash,
            in_setting,
        });
        Self {
            actor: Actor::Account(account),
            session,
        }
    }

    /// How they stand in the audit log.
    pub fn actor(&self) -> Actor {
        self.actor.clone()
    }

    /// Whether it is this person.
    pub(crate) fn is(&self, account: &AccountId) -> bool {
        match &self.actor {
            Actor::Account(own) => own == account,
            Actor::Visitor(_) | Actor::Key(_) | Actor::Player | Actor::Operator | Actor::System => false,
        }
    }

    /// Writes an entry into the operators' own log, as the last that its unit locks. Whatever ends sessions or takes somebody's
    /// right away is noted there too, so from here on the unit is in order with all of it; the next statement sees whether
    /// whoever acts still may. If not, nothing was done.
    pub(crate) async fn note(
        &self,
        tx: &mut Tx<'_>,
        act: &Act<NoOrg>,
        action: AuditAction,
        target: Option<&str>,
        detail: &Value,
    ) -> Result<(), AppError> {
        act.note(tx, action, target, detail).await?;
        self.confirm(tx, act.now_ms).await
    }

    async fn confirm(&self, tx: &mut Tx<'_>, now_ms: i64) -> Result<(), AppError> {
        let Some(shown) = &self.session else {
            return match self.actor {
                Actor::Operator | Actor::System => Ok(()),
                // Whoever has an account has a session to show.
                Actor::Account(_) | Actor::Visitor(_) | Actor::Key(_) | Actor::Player => {
                    Err(IdentityError::SignInRequired.into())
                }
            };
        };
        let caller = sessions::find_caller_in(tx, &shown.hash, now_ms).await?;
        let caller = caller.ok_or(IdentityError::SignInRequired)?;
        if shown.in_setting || caller.operator.is_some() {
            return Ok(());
        }
        Err(RequestError::OperatorOnly.into())
    }
}

impl From<Actor> for ByOperator {
    /// For the command line and the service itself. An account gets nowhere without its session.
    fn from(actor: Actor) -> Self {
        Self { actor, session: None }
    }
}
