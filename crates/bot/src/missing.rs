//! A session that begins anew says where the bot is. Where it was thrown out meanwhile, nobody says it: the service is
//! asked which Guilds it expects the bot in.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::backoff::Backoff;
use crate::hints::What;
use crate::run::Core;

const FIRST: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// Points at each Guild that the bot is not in.
pub async fn point_at(core: Arc<Core>, present: BTreeSet<u64>) {
    let mut backoff = Backoff::new(FIRST, LONGEST);
    let mut cursor = None;
    loop {
        let page = match core.service.guilds(cursor.as_deref()).await {
            Ok(page) => page,
            Err(error) => {
                tracing::debug!(%error, "the service does not say where the bot should be");
                tokio::time::sleep(backoff.next()).await;
                continue;
            }
        };
        let expected = page
            .guilds
            .iter()
            .filter_map(|guild| guild.discord_guild_id.parse().ok());
        for missing in expected.filter(|guild: &u64| !present.contains(guild)) {
            core.hints.add(missing, What::GuildGone);
        }
        backoff.reset();
        cursor = page.next;
        if cursor.is_none() {
            return;
        }
    }
}
