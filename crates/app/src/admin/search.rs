//! Looking for Orgs and accounts: by an id of ours or of Discord's, a short name, or how a name begins.

use domain::id::{AccountId, OrgId};
use domain::platform_id::DiscordId;
use storage::OperatorScope;
use storage::admin::search;
pub use storage::admin::search::{FoundAccount, FoundOrg};
use storage::identity::blocklist;
use storage::tenancy::{guilds, team};

use crate::error::{AppError, RequestError};
use crate::identity::accounts::OrgOfPerson;
use crate::identity::sessions;
use crate::state::App;
use crate::tenancy::guilds::Guild;

const QUERY_MAX: usize = 100;

/// Orgs that fit, behind the given one. What is named exactly comes alone.
pub async fn orgs(
    app: &App,
    operator: OperatorScope,
    query: &str,
    after: &str,
    limit: i64,
) -> Result<Vec<FoundOrg>, AppError> {
    let query = checked(query)?;
    if after.is_empty() && !query.is_empty() {
        let mut named = search::list_named(&app.db, operator, query).await?;
        if OrgId::parse(query).is_ok() {
            named.push(query.to_owned());
        }
        let mut found = Vec::new();
        for id in named.iter().take(limit.unsigned_abs() as usize) {
            found.extend(search::find_org(&app.db, operator, id).await?);
        }
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(search::list_orgs(&app.db, operator, query, after, limit).await?)
}

fn checked(query: &str) -> Result<&str, AppError> {
    let query = query.trim();
    if query.chars().count() > QUERY_MAX {
        return Err(AppError::invalid("q", "must have at most 100 characters"));
    }
    Ok(query)
}

/// An Org with its Guilds and the size of its team.
pub struct OrgDetail {
    /// What a list shows of it.
    pub org: FoundOrg,
    /// In the order they were made.
    pub guilds: Vec<Guild>,
    /// Besides the owner.
    pub members: i64,
}

/// One Org.
pub async fn org(app: &App, operator: OperatorScope, id: &OrgId) -> Result<OrgDetail, AppError> {
    let org = search::find_org(&app.db, operator, id.as_str()).await?;
    let org = org.ok_or(RequestError::NotFound)?;
    Ok(OrgDetail {
        guilds: guilds::list(&app.db, org.scope).await?,
        members: search::count_members(&app.db, org.scope).await?,
        org,
    })
}

/// Accounts that fit, behind the given one.
pub async fn accounts(
    app: &App,
    operator: OperatorScope,
    query: &str,
    after: &str,
    limit: i64,
) -> Result<Vec<FoundAccount>, AppError> {
    let query = checked(query)?;
    if let Ok(id) = AccountId::parse(query) {
        let found = search::find_account(&app.db, operator, &id).await?;
        return Ok(found.into_iter().collect());
    }
    if let Ok(id) = DiscordId::parse(query) {
        let found = search::find_account_of(&app.db, operator, &id).await?;
        return Ok(found.into_iter().collect());
    }
    Ok(search::list_accounts(&app.db, operator, query, after, limit).await?)
}

/// An account with what hangs on it.
pub struct AccountDetail {
    /// What a list shows of it.
    pub account: FoundAccount,
    /// Whether it is kept out.
    pub is_blocked: bool,
    /// Signed-in browsers, 100 at most.
    pub sessions: i64,
    /// Those they own or belong to.
    pub orgs: Vec<OrgOfPerson>,
}

/// One account.
pub async fn account(app: &App, operator: OperatorScope, id: &AccountId) -> Result<AccountDetail, AppError> {
    let account = search::find_account(&app.db, operator, id).await?;
    let account = account.ok_or(RequestError::NotFound)?;
    let blocks = app.discord_blocks(&account.discord_id);
    let signed_in = sessions::list(app, account.num).await?;
    Ok(AccountDetail {
        is_blocked: blocklist::is_any_blocked(&app.db, &blocks, app.now_ms()).await?,
        sessions: i64::try_from(signed_in.len()).unwrap_or(i64::MAX),
        orgs: team::list_orgs(&app.db, account.num).await?,
        account,
    })
}
