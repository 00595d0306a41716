//! Dashboard accounts.

use domain::audit::{Actor, AuditAction};
use domain::id::AccountId;
use domain::name::DisplayName;
use domain::platform_id::DiscordId;
use storage::accounts::{self, Account};
use storage::{Tx, Work, audit};

use crate::error::AppError;
use crate::state::App;

/// The account of a Discord user, made now if there is none.
pub async fn ensure(app: &App, discord_id: DiscordId, name: DisplayName) -> Result<Account, AppError> {
    let now_ms = app.now_ms();
    app.db
        .write(Ensure {
            id: AccountId::generate(now_ms, &*app.random),
            discord_id,
            name,
            now_ms,
        })
        .await
}

struct Ensure {
    id: AccountId,
    discord_id: DiscordId,
    name: DisplayName,
    now_ms: i64,
}

impl Work for Ensure {
    type Output = Account;
    type Error = AppError;
    const NAME: &'static str = "ensure_account";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<Account, AppError> {
        Ok(accounts::ensure(tx, &self.id, &self.discord_id, self.name.as_str(), self.now_ms).await?)
    }
}

/// An existing account.
pub async fn get_by_discord(app: &App, discord_id: &DiscordId) -> Result<Account, AppError> {
    accounts::find_by_discord(&app.db, discord_id)
        .await?
        .ok_or(AppError::NotFound)
}

/// Makes an account an operator; repeating it changes nothing.
pub async fn grant_operator(app: &App, account: Account) -> Result<(), AppError> {
    app.db
        .write(GrantOperator {
            account,
            now_ms: app.now_ms(),
        })
        .await
}

struct GrantOperator {
    account: Account,
    now_ms: i64,
}

impl Work for GrantOperator {
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "grant_operator";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), AppError> {
        accounts::set_operator(tx, self.account.num).await?;
        let entry = audit::Entry {
            at_ms: self.now_ms,
            actor: &Actor::Operator,
            action: AuditAction::OperatorGranted,
            target: Some(self.account.id.as_str()),
            detail: "{}",
        };
        Ok(audit::append_for_operators(tx, &entry).await?)
    }
}
