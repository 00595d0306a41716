//! `nitroChecks`: which of many Steam ids belong to boosters.

use domain::platform_id::SteamId;
use storage::lookups;

use crate::error::AppError;
use crate::plugin::{Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let asked = call.steam_ids()?;
    let boosting = lookups::boosting(&call.app.db, call.key.guild, &asked).await?;
    boosting.iter().for_each(|id| call.mark_seen(id));
    Ok(Reply::flags(asked.iter().map(SteamId::as_str), boosting))
}
