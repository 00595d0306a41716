//! Parts of the service that operators switch. Asked of the database whenever it matters.

use domain::audit::AuditAction;
use domain::flag::Flag;
use serde_json::json;
use storage::admin::flags;
pub use storage::admin::flags::SetFlag;
use storage::records::audit::{self, Act};
use storage::{NoOrg, Tx, Work};

use crate::by_operator::ByOperator;
use crate::error::{AppError, ServiceError};
use crate::state::App;

/// Whether a part of the service is on.
pub async fn is_on(app: &App, flag: Flag) -> Result<bool, AppError> {
    let set = flags::find(&app.db, flag).await?;
    Ok(set.unwrap_or_else(|| flag.default()))
}

/// Refuses what operators switched off.
pub async fn require(app: &App, flag: Flag) -> Result<(), AppError> {
    if is_on(app, flag).await? {
        return Ok(());
    }
    Err(ServiceError::FeatureOff.into())
}

/// A flag with what it was set to, if anybody did.
pub struct Known {
    /// Which one.
    pub flag: Flag,
    /// What counts.
    pub is_on: bool,
    /// Who set it, and when.
    pub set: Option<SetFlag>,
}

/// Every flag there is.
pub async fn list(app: &App) -> Result<Vec<Known>, AppError> {
    let set = flags::list(&app.db).await?;
    let known = Flag::ALL.iter().map(|flag| {
        let set = set.iter().find(|set| set.name == flag.as_str()).cloned();
        Known {
            flag: *flag,
            is_on: set.as_ref().map_or(flag.default(), |set| set.is_on),
            set,
        }
    });
    Ok(known.collect())
}

/// Switches a flag from the next question on. Setting it to what it is leaves no trace.
pub async fn set(app: &App, flag: Flag, on: bool, by: impl Into<ByOperator>) -> Result<(), AppError> {
    let by = by.into();
    let act = app.act(NoOrg, by.actor());
    app.db.write_for(act, Set { flag, on, by }).await
}

struct Set {
    flag: Flag,
    on: bool,
    by: ByOperator,
}

impl Work for Set {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "set_flag";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        // Who switches it off while somebody switches it on has the last word.
        audit::lock_operators(tx).await?;
        let was = flags::find_in(tx, self.flag).await?;
        if was.unwrap_or_else(|| self.flag.default()) == self.on {
            return Ok(());
        }
        flags::set(tx, self.flag, self.on, act.actor().id(), act.now_ms).await?;
        let detail = json!({ "flag": self.flag, "on": self.on });
        self.by.note(tx, act, AuditAction::FlagSet, None, &detail).await
    }
}
