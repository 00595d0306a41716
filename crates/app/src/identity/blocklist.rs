//! Blocking accounts and networks, for operators. The audit log is kept for ever, so it has the id of a block and not who is
//! blocked.

use domain::audit::AuditAction;
use domain::blocklist::BlockEntry;
use domain::id::BlockId;
use domain::network::ClientAddress;
use domain::platform_id::DiscordId;
use serde_json::json;
pub use storage::identity::blocklist::Blocked;
use storage::identity::blocklist::{self, NewBlock};
use storage::records::audit::Act;
use storage::{NoOrg, Tx, Work};

use crate::by_operator::ByOperator;
use crate::error::{AppError, IdentityError, RequestError};
use crate::role_marks;
use crate::state::App;

const REASON_MAX: usize = 500;
const DAY_MS: i64 = 24 * 60 * 60_000;

/// An operator's wish to keep somebody out.
pub struct BlockRequest {
    /// A Discord account, a Steam account or a network, in the spelling that is looked up.
    pub entry: BlockEntry,
    /// Given for a Discord account: its sessions end with the same commit.
    pub discord_id: Option<DiscordId>,
    /// Needed, and for operators only.
    pub reason: String,
    /// None blocks for good.
    pub days: Option<u32>,
}

/// Blocks an entry from the next sign-in on, and ends what a blocked account has open.
pub async fn block(app: &App, request: BlockRequest, by: impl Into<ByOperator>) -> Result<BlockId, AppError> {
    let reason = request.reason.trim();
    if reason.is_empty() || reason.chars().count() > REASON_MAX {
        return Err(AppError::invalid("reason", "say why, in at most 500 characters"));
    }
    let by = by.into();
    let act = app.act(NoOrg, by.actor());
    let work = Block {
        id: BlockId::generate(act.now_ms, &*app.random),
        expires_at_ms: request
            .days
            .map(|days| act.now_ms + i64::from(days.max(1)) * DAY_MS),
        request: BlockRequest {
            reason: reason.to_owned(),
            ..request
        },
        by,
    };
    let account = work.request.entry.account();
    let id = app.db.write_for(act, work).await?;
    if let Some(account) = account {
        role_marks::mark_everywhere(app, &account).await?;
    }
    Ok(id)
}

struct Block {
    id: BlockId,
    request: BlockRequest,
    expires_at_ms: Option<i64>,
    by: ByOperator,
}

impl Work for Block {
    type For = Act<NoOrg>;
    type Output = BlockId;
    type Error = AppError;
    const NAME: &'static str = "block";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<BlockId, AppError> {
        let BlockRequest {
            entry,
            discord_id,
            reason,
            ..
        } = &self.request;
        let new = NewBlock {
            entry,
            id: &self.id,
            reason,
            now_ms: act.now_ms,
            expires_at_ms: self.expires_at_ms,
        };
        let before = blocklist::lock(tx, entry, act.now_ms).await?;
        let id = blocklist::put(tx, &new).await?;
        if let Some(discord_id) = discord_id {
            blocklist::end_sessions(tx, discord_id).await?;
        }
        let mut detail = json!({ "until_ms": self.expires_at_ms });
        if let Some(before) = before {
            // Whoever shortens a block is seen to.
            detail["before"] = json!({ "until_ms": before.expires_at_ms });
        }
        let (action, target) = (AuditAction::BlockAdded, Some(id.as_str()));
        self.by.note(tx, act, action, target, &detail).await?;
        Ok(id)
    }
}

/// Lifts a block.
pub async fn unblock(app: &App, entry: BlockEntry, by: impl Into<ByOperator>) -> Result<(), AppError> {
    let account = entry.account();
    let entries = match &account {
        Some(account) => app.blocks_of(account).to_vec(),
        None => vec![entry],
    };
    let by = by.into();
    let act = app.act(NoOrg, by.actor());
    app.db.write_for(act, Unblock { entries, by }).await?;
    if let Some(account) = account {
        role_marks::mark_everywhere(app, &account).await?;
    }
    Ok(())
}

struct Unblock {
    /// As it is, and as what remains of an erased account.
    entries: Vec<BlockEntry>,
    by: ByOperator,
}

impl Work for Unblock {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "unblock";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        let mut lifted = None;
        for entry in &self.entries {
            lifted = blocklist::delete(tx, entry).await?.or(lifted);
        }
        let id = lifted.ok_or(RequestError::NotFound)?;
        let (action, target) = (AuditAction::BlockRemoved, Some(id.as_str()));
        self.by.note(tx, act, action, target, &json!({})).await
    }
}

/// Up to 500 entries after the given one.
pub async fn list(app: &App, after: &str) -> Result<Vec<Blocked>, AppError> {
    Ok(blocklist::list(&app.db, after).await?)
}

/// Refuses a blocked network before anything is asked of anybody.
pub(crate) async fn refuse_blocked_network(app: &App, address: ClientAddress) -> Result<(), AppError> {
    refuse_blocked(app, &BlockEntry::networks_of(address)).await
}

/// Refuses whoever one of these stands for.
pub(crate) async fn refuse_blocked(app: &App, entries: &[BlockEntry]) -> Result<(), AppError> {
    if blocklist::is_any_blocked(&app.db, entries, app.now_ms()).await? {
        return Err(IdentityError::Blocked.into());
    }
    Ok(())
}
