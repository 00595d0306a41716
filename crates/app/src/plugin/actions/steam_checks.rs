//! `steamChecks` and its older name `isLinkedSteamBulk`: which of many Steam ids are linked.

use storage::linking::lookups;

use crate::error::AppError;
use crate::plugin::{Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let asked = call.steam_ids()?;
    let linked = lookups::linked(&call.app.db, call.key.guild, &asked.ids).await?;
    call.mark_asked(&asked.ids, &linked);
    Ok(Reply::flags(&asked, linked))
}
