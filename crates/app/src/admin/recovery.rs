//! Getting back what was lost: an Org whose owner lost their account, a Discord server that the wrong Org claimed.

use domain::audit::AuditAction;
use domain::blocklist::BlockEntry;
use domain::id::{AccountId, GuildId, OrgId};
use domain::plan::{Dimension, Plans, Tier};
use domain::visit::Reason;
use serde_json::json;
use storage::admin::search;
use storage::identity::{accounts, blocklist};
use storage::records::audit::Act;
use storage::tenancy::{invites, orgs, team};
use storage::{OperatorScope, Tx, Work};

use crate::by_operator::ByOperator;
use crate::error::{AppError, RequestError, TenancyError};
use crate::state::App;
use crate::tenancy::guilds;

/// Gives an Org to somebody else, who need not be in its team but has signed in before and is not blocked. Nobody gives one
/// to themselves: that takes a second operator. The owner of before is in it no more, and their invitations end. `confirm` is
/// the short name of the Org.
pub async fn transfer(
    app: &App,
    operator: OperatorScope,
    org: &OrgId,
    (to, confirm): (AccountId, String),
    reason: Reason,
    by: ByOperator,
) -> Result<(), AppError> {
    let found = search::find_org(&app.db, operator, org.as_str()).await?;
    let scope = found.ok_or(RequestError::NotFound)?.scope;
    if by.is(&to) {
        return Err(RequestError::Conflict(
            "You cannot give an organisation to yourself. Ask another operator.",
        )
        .into());
    }
    let heir = accounts::find(&app.db, &to).await?.ok_or_else(unknown)?;
    let work = Transfer {
        org: org.clone(),
        to,
        blocks: app.discord_blocks(&heir.discord_id),
        confirm,
        reason,
        plans: app.plans,
        by,
    };
    let act = app.act(scope, work.by.actor());
    app.db.write_for(act, work).await
}

fn unknown() -> AppError {
    AppError::invalid("account_id", "there is no such account")
}

struct Transfer {
    org: OrgId,
    to: AccountId,
    /// What keeps them out, if anything does.
    blocks: [BlockEntry; 2],
    confirm: String,
    reason: Reason,
    plans: Plans,
    by: ByOperator,
}

impl Work for Transfer {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "recover_org";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        let locked = orgs::lock(tx, scope).await?;
        if orgs::get_in(tx, scope).await?.slug != self.confirm.trim() {
            return Err(AppError::invalid(
                "confirm",
                "type the short name of the organisation",
            ));
        }
        let from = team::get_owner(tx, scope).await?.num;
        let to = accounts::find_in(tx, &self.to).await?.ok_or_else(unknown)?.num;
        if from == to {
            return Err(
                RequestError::Conflict("This account is already the Owner of the organisation.").into(),
            );
        }
        accounts::lock(tx, &[from, to]).await?;
        self.refuse_unreachable(tx, act.now_ms).await?;
        let owned = accounts::owned_tiers(tx, to).await?;
        let tiers = owned.iter().filter_map(|tier| Tier::parse(tier));
        let ceiling = self.plans.orgs_ceiling(tiers.chain([locked.tier]));
        if !accounts::own_one_more(tx, to, ceiling).await? {
            let dimension = Dimension::Orgs;
            return Err(TenancyError::LimitReached { dimension, ceiling }.into());
        }
        accounts::own_one_less(tx, from).await?;
        if !team::set_owner(tx, scope, from, to).await? {
            return Err(RequestError::ChangedMeanwhile.into());
        }
        team::remove(tx, scope, to).await?;
        let revoked = invites::revoke_of(tx, scope, from, act.now_ms).await?;
        self.note(tx, act, revoked).await
    }
}

impl Transfer {
    /// An Org that nobody can enter is lost once more.
    async fn refuse_unreachable(&self, tx: &mut Tx<'_>, now_ms: i64) -> Result<(), AppError> {
        if !accounts::has_signed_in(tx, &self.to).await? {
            return Err(AppError::invalid("account_id", "this person has never signed in"));
        }
        if blocklist::is_any_blocked_in(tx, &self.blocks, now_ms).await? {
            return Err(AppError::invalid("account_id", "this account is blocked"));
        }
        Ok(())
    }

    async fn note(&self, tx: &mut Tx<'_>, act: &Act, revoked: u64) -> Result<(), AppError> {
        let reason = self.reason.as_str();
        let detail = json!({ "recovered": true, "reason": reason, "invites_revoked": revoked });
        let to = Some(self.to.as_str());
        act.note(tx, AuditAction::OwnerChanged, to, &detail).await?;
        let detail = json!({ "reason": reason, "to": self.to.as_str() });
        let (own, org) = (act.for_operators(), Some(self.org.as_str()));
        self.by
            .note(tx, &own, AuditAction::OrgRecovered, org, &detail)
            .await
    }
}

/// Takes a Guild from its Org, as its owner would remove it, so that another Org can claim the Discord server. `confirm` is
/// the Discord server's ID.
pub async fn release(
    app: &App,
    _: OperatorScope,
    id: GuildId,
    confirm: &str,
    reason: Reason,
    by: ByOperator,
) -> Result<(), AppError> {
    let scope = guilds::find_org(app, &id).await?;
    let (guild, _) = guilds::get(app, scope, &id).await?;
    if guild.discord_guild_id.as_str() != confirm.trim() {
        return Err(AppError::invalid("confirm", "type the ID of the Discord server"));
    }
    guilds::release(app, scope, id, reason, by).await
}
