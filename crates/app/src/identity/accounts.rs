//! Dashboard accounts.

use domain::audit::Actor;
use domain::id::AccountId;
use domain::name::DisplayName;
use domain::permission::Role;
use domain::platform_id::DiscordId;
use storage::identity::accounts;
pub use storage::identity::accounts::Account;
use storage::tenancy::team;
pub use storage::tenancy::team::OrgOfPerson;
use storage::{NoOrg, Tx, Work};

use crate::error::{AppError, RequestError};
use crate::identity::operator_grants;
use crate::instance;
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
    type For = NoOrg;
    type Output = Account;
    type Error = AppError;
    const NAME: &'static str = "ensure_account";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Account, AppError> {
        Ok(accounts::ensure(tx, &self.id, &self.discord_id, self.name.as_str(), self.now_ms).await?)
    }
}

/// An existing account.
pub async fn get_by_discord(app: &App, discord_id: &DiscordId) -> Result<Account, AppError> {
    accounts::find_by_discord(&app.db, discord_id)
        .await?
        .ok_or(RequestError::NotFound.into())
}

/// Makes an account an operator; repeating it changes nothing.
pub async fn grant_operator(app: &App, account: Account) -> Result<(), AppError> {
    operator_grants::grant_to(app, account, Actor::Operator.into()).await
}

/// Takes back what was granted, from the next request on. Who stands in the configuration is an operator by that.
pub async fn revoke_operator(app: &App, account: Account) -> Result<(), AppError> {
    if app.operators.contains(&account.discord_id) {
        let problem = "they are an operator by the setting `operators`; take the id out of it and restart";
        return Err(AppError::invalid("discord", problem));
    }
    if !account.operator {
        return Err(AppError::invalid("discord", "this person is not an operator"));
    }
    operator_grants::revoke(app, account.num, Actor::Operator.into()).await
}

/// An operator, and why they are one.
pub struct Operator {
    /// What the setting and the command line name people by.
    pub discord_id: DiscordId,
    /// None for somebody of the setting who never signed in.
    pub account: Option<Account>,
    /// Such a person stays an operator for as long as they stand in the setting.
    pub in_setting: bool,
}

/// Those of the setting first, then those with a grant only.
pub async fn list_operators(app: &App) -> Result<Vec<Operator>, AppError> {
    let mut operators = Vec::new();
    for discord_id in &app.operators {
        operators.push(Operator {
            discord_id: discord_id.clone(),
            account: accounts::find_by_discord(&app.db, discord_id).await?,
            in_setting: true,
        });
    }
    let granted = accounts::list_granted_operators(&app.db).await?;
    let others = granted
        .into_iter()
        .filter(|account| !app.operators.contains(&account.discord_id));
    operators.extend(others.map(|account| Operator {
        discord_id: account.discord_id.clone(),
        account: Some(account),
        in_setting: false,
    }));
    Ok(operators)
}

/// A person with their Orgs and how many more they may make.
pub struct Me {
    /// Without anything secret.
    pub account: Account,
    /// Those they belong to, as owner or as a member.
    pub orgs: Vec<OrgOfPerson>,
    /// What counts towards the ceiling.
    pub orgs_owned: i64,
    /// By the best plan among the Orgs they own.
    pub orgs_ceiling: i64,
    /// A new Org needs a code at the moment.
    pub invite_only: bool,
}

/// What the dashboard knows about whoever is signed in.
pub async fn me(app: &App, id: &AccountId) -> Result<Me, AppError> {
    let account = get(app, id).await?;
    let orgs = team::list_orgs(&app.db, account.num).await?;
    let owned = orgs.iter().filter(|org| org.role == Role::Owner);
    let orgs_ceiling = app.plans.orgs_ceiling(owned.map(|org| org.tier));
    Ok(Me {
        orgs_owned: accounts::count_owned(&app.db, account.num).await?,
        orgs_ceiling,
        invite_only: instance::is_invite_only(app).await?,
        account,
        orgs,
    })
}

/// An account by its public id.
pub async fn get(app: &App, id: &AccountId) -> Result<Account, AppError> {
    accounts::find(&app.db, id)
        .await?
        .ok_or(RequestError::NotFound.into())
}
