//! `updateNitro` and `updateNitroBulk`: who boosts the Guild.

use domain::erased::Tombstone;
use domain::platform_id::{DiscordId, EitherId};
use storage::players::boosters;
use storage::privacy::tombstones;
use storage::tenancy::guilds;
use storage::{GuildNum, OrgScope, Tx, Work};

use crate::error::AppError;
use crate::plugin::{Call, Reply};
use crate::state::App;

pub(super) async fn one(call: &Call<'_>) -> Result<Reply, AppError> {
    let id = call.discord_id()?;
    let boosting = match call.params.last("status").map(str::trim) {
        Some("1") => true,
        Some("0") => false,
        Some(_) | None => return Err(AppError::invalid("status", "must be 0 or 1")),
    };
    change(call, vec![id], boosting).await?;
    Ok(Reply::text(200, "Nitro updated"))
}

pub(super) async fn bulk(call: &Call<'_>) -> Result<Reply, AppError> {
    call.json_body()?;
    let listed = call.discord_ids()?;
    let (updated, errors) = (listed.ids.len(), listed.odd.len());
    change(call, listed.ids, true).await?;
    Ok(Reply::counted(updated as u64, errors as u64))
}

async fn change(call: &Call<'_>, ids: Vec<DiscordId>, boosting: bool) -> Result<(), AppError> {
    let work = Change {
        app: call.app.clone(),
        guild: call.key.guild,
        ids,
        boosting,
        now_ms: call.app.now_ms(),
    };
    call.app.db.write_for(call.key.scope, work).await
}

struct Change {
    app: App,
    guild: GuildNum,
    ids: Vec<DiscordId>,
    boosting: bool,
    now_ms: i64,
}

impl Work for Change {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "update_boosters";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        guilds::lock(tx, scope, self.guild).await?;
        if !self.boosting {
            for id in &self.ids {
                boosters::remove(tx, scope, self.guild, id).await?;
            }
            return Ok(());
        }
        let ids = self.without_erased(tx, scope).await?;
        boosters::add_all(tx, scope, self.guild, &ids, self.now_ms).await?;
        if boosters::count(tx, self.guild).await? > boosters::MOST {
            return Err(AppError::invalid(
                "discord_ids",
                format!("a Guild has at most {} boosters", boosters::MOST),
            ));
        }
        Ok(())
    }
}

impl Change {
    /// Nothing is kept of people who were erased here, until they link again.
    async fn without_erased(&self, tx: &mut Tx<'_>, scope: OrgScope) -> Result<Vec<DiscordId>, AppError> {
        let key = &self.app.erase_key;
        let asked = self
            .ids
            .iter()
            .map(|id| key.tombstone(&EitherId::Discord(id.clone())));
        let asked: Vec<Tombstone> = asked.collect();
        let gone = tombstones::list_gone(tx, scope, asked.iter().map(Tombstone::as_str)).await?;
        let both = self.ids.iter().zip(&asked);
        let left = both.filter(|(_, asked)| !gone.iter().any(|gone| gone == asked.as_str()));
        Ok(left.map(|(id, _)| id.clone()).collect())
    }
}
