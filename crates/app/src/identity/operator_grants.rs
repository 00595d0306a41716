//! Making somebody an operator, and taking it back with all that hung on it.

use domain::audit::AuditAction;
use domain::id::AccountId;
use domain::name::DisplayName;
use domain::platform_id::DiscordId;
use serde_json::json;
use storage::admin::visits;
use storage::identity::accounts::{self, Account};
use storage::records::audit::Act;
use storage::tenancy::orgs;
use storage::{AccountNum, NoOrg, Tx, Work};

use crate::by_operator::ByOperator;
use crate::error::{AppError, RequestError};
use crate::state::App;

/// Makes a Discord user an operator, who need not have signed in yet; repeating it changes nothing.
pub(crate) async fn grant(
    app: &App,
    discord_id: DiscordId,
    name: &DisplayName,
    by: ByOperator,
) -> Result<AccountId, AppError> {
    let act = app.act(NoOrg, by.actor());
    let work = Grant {
        id: AccountId::generate(act.now_ms, &*app.random),
        discord_id,
        name: name.as_str().to_owned(),
        by,
    };
    app.db.write_for(act, work).await
}

/// The same for an account that is there.
pub(crate) async fn grant_to(app: &App, account: Account, by: ByOperator) -> Result<(), AppError> {
    let work = Grant {
        id: account.id,
        discord_id: account.discord_id,
        name: account.name,
        by: by.clone(),
    };
    app.db.write_for(app.act(NoOrg, by.actor()), work).await.map(drop)
}

struct Grant {
    id: AccountId,
    discord_id: DiscordId,
    name: String,
    by: ByOperator,
}

impl Work for Grant {
    type For = Act<NoOrg>;
    type Output = AccountId;
    type Error = AppError;
    const NAME: &'static str = "grant_operator";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<AccountId, AppError> {
        let account = accounts::ensure(tx, &self.id, &self.discord_id, &self.name, act.now_ms).await?;
        if !accounts::set_operator(tx, account.num, true).await? {
            return Ok(account.id);
        }
        let (action, target) = (AuditAction::OperatorGranted, Some(account.id.as_str()));
        self.by.note(tx, act, action, target, &json!({})).await?;
        // Such as one of the setting left behind when they were taken out of it.
        visits::end_all_of(tx, account.num, act.now_ms).await?;
        Ok(account.id)
    }
}

/// Takes back a grant and ends the visits that were made with it. The account is no operator by the setting.
pub(crate) async fn revoke(app: &App, account: AccountNum, by: ByOperator) -> Result<(), AppError> {
    let act = app.act(NoOrg, by.actor());
    app.db.write_for(act, Revoke { account, by }).await
}

struct Revoke {
    account: AccountNum,
    by: ByOperator,
}

impl Work for Revoke {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "revoke_operator";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        let account = accounts::find_num_in(tx, self.account).await?;
        let account = account.ok_or(RequestError::NotFound)?;
        let seen = visits::list_orgs_of(tx, account.num, act.now_ms).await?;
        for org in &seen {
            orgs::lock_even_removed(tx, org.scope).await?;
        }
        let running = visits::list_orgs_of(tx, account.num, act.now_ms).await?;
        if !accounts::set_operator(tx, account.num, false).await? {
            return Err(RequestError::Conflict("This person is not an operator.").into());
        }
        let detail = json!({ "account": account.id.as_str() });
        // One that began in this moment stands in the operators' log only: its Org cannot be locked any more.
        for org in running.iter().filter(|org| seen.contains(org)) {
            let (action, target) = (AuditAction::VisitEnded, Some(org.id.as_str()));
            act.within(org.scope).note(tx, action, target, &detail).await?;
        }
        let target = Some(account.id.as_str());
        self.by
            .note(tx, act, AuditAction::OperatorRevoked, target, &json!({}))
            .await?;
        // From here on nobody begins one with what was taken back.
        for org in visits::list_orgs_of(tx, account.num, act.now_ms).await? {
            let (action, target) = (AuditAction::VisitEnded, Some(org.id.as_str()));
            act.note(tx, action, target, &detail).await?;
        }
        Ok(visits::end_all_of(tx, account.num, act.now_ms).await?)
    }
}
