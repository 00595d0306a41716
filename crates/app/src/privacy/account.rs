//! The end of a dashboard account.

use domain::audit::{Actor, AuditAction};
use domain::permission::Role;
use serde_json::json;
use storage::identity::accounts::{self, Account};
use storage::records::audit::Act;
use storage::tenancy::team;
use storage::{AccountNum, NoOrg, Tx, Work};

use crate::error::{AppError, IdentityError, RequestError};
use crate::identity::sessions::Caller;
use crate::pictures;
use crate::state::App;
use crate::tenancy::orgs;
use crate::tenancy::team::{TeamActor, leave};

/// Deletes the account of whoever asks: their sessions end, and they are in no team any more.
pub async fn delete(app: &App, caller: &Caller) -> Result<(), AppError> {
    let found = accounts::find(&app.db, &caller.account_id).await?;
    let account = found.ok_or(RequestError::NotFound)?;
    refuse_owner(app, account.num).await?;
    delete_found(app, &account, Actor::Account(account.id.clone())).await
}

/// Somebody owns every Org: whoever does hands it over first.
pub(super) async fn refuse_owner(app: &App, account: AccountNum) -> Result<(), AppError> {
    let orgs = team::list_orgs(&app.db, account).await?;
    if orgs.iter().any(|org| org.role == Role::Owner) {
        return Err(IdentityError::OwnsOrgs.into());
    }
    Ok(())
}

pub(super) async fn delete_found(app: &App, account: &Account, actor: Actor) -> Result<(), AppError> {
    for org in team::list_orgs(&app.db, account.num).await? {
        let by = TeamActor {
            account: account.num,
            actor: Actor::Account(account.id.clone()),
        };
        let scope = orgs::get(app, &org.id).await?.scope;
        match leave(app, scope, by).await {
            // Taken out of it meanwhile.
            Ok(()) | Err(AppError::Request(RequestError::NotFound)) => {}
            Err(error) => return Err(error),
        }
    }
    pictures::forget(app, account.id.as_str()).await?;
    let work = Delete {
        account: account.clone(),
    };
    app.db.write_for(app.act(NoOrg, actor), work).await?;
    app.db.empty_log();
    Ok(())
}

struct Delete {
    account: Account,
}

impl Work for Delete {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "delete_account";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        let account = self.account.num;
        accounts::lock(tx, &[account]).await?;
        if !accounts::owned_tiers(tx, account).await?.is_empty() {
            return Err(IdentityError::OwnsOrgs.into());
        }
        accounts::delete(tx, account).await?;
        let target = Some(self.account.id.as_str());
        Ok(act
            .note(tx, AuditAction::AccountDeleted, target, &json!({}))
            .await?)
    }
}
