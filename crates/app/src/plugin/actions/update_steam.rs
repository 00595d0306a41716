//! `updateSteam`: a player's current Steam name.

use domain::platform_id::SteamId;
use storage::{GuildNum, OrgScope, Tx, Work, names, orgs};

use crate::error::AppError;
use crate::plugin::{Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let id = call.steam_id()?;
    let name = call.free_text("name")?;
    let work = SetName {
        scope: call.key.scope,
        guild: call.key.guild,
        id: id.clone(),
        name,
    };
    if call.app.db.write(work).await? {
        call.mark_seen([id.account()]);
    }
    Ok(Reply::text(200, "Steam updated"))
}

struct SetName {
    scope: OrgScope,
    guild: GuildNum,
    id: SteamId,
    name: String,
}

impl Work for SetName {
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "update_steam_name";

    fn tenant(&self) -> Option<i64> {
        Some(self.scope.num())
    }

    async fn run(&self, tx: &mut Tx<'_>) -> Result<bool, AppError> {
        orgs::lock(tx, self.scope).await?;
        Ok(names::set_steam(tx, self.scope, self.guild, &self.id, &self.name).await?)
    }
}
