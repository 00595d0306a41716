//! `nitroChecks`: which of many Steam ids belong to boosters.

use storage::linking::lookups;

use crate::error::AppError;
use crate::plugin::{Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let asked = call.steam_ids()?;
    let boosting = lookups::boosting(&call.app.db, call.key.guild, &asked.ids).await?;
    // Whoever boosts nothing may be linked all the same.
    call.mark_named(&asked.ids).await;
    Ok(Reply::flags(&asked, boosting))
}
