//! The Guilds that a bot serves, with the keys of their Servers.

use domain::id::{GuildId, ServerId};
use domain::key::PlainKey;
use domain::platform_id::DiscordId;
use storage::GuildNum;
use storage::bots::guild_lists::{self, SealedBotKey, ServedGuild, ServerKey};
use storage::bots::register::HeldBot;

use crate::error::{AppError, RequestError};
use crate::keys::bot_keys;
use crate::state::App;
use crate::vault::key_place;

/// Guilds on one page.
pub const MOST_ON_A_PAGE: i64 = 200;
/// Keys that one answer makes. A page that lacks more ends early.
const MOST_NEW_KEYS: usize = 50;

/// A page of the list.
pub struct Page {
    /// In the order in which they were made.
    pub guilds: Vec<ListedGuild>,
    /// Where the next page begins; none after the last.
    pub next: Option<i64>,
}

/// A Guild as its bot is told of it.
pub struct ListedGuild {
    /// Ours.
    pub id: GuildId,
    /// Discord's.
    pub discord_guild_id: DiscordId,
    /// As people see it.
    pub name: String,
    /// Of its link page.
    pub slug: String,
    /// Its link page.
    pub link_url: String,
    /// Whether this bot is to act there; one that is not has no keys.
    pub serving: bool,
    /// For calls of the plugin API, one for each Server.
    pub keys: Vec<(ServerId, PlainKey)>,
}

/// The next Guilds of a bot. The shared one is told of those that it serves, a dedicated one of its own.
pub async fn list(app: &App, bot: &HeldBot, after: i64, limit: i64) -> Result<Page, AppError> {
    let now_ms = app.shared_now_ms().await;
    let (mut guilds, next) = served(app, bot, (after, limit), now_ms).await?;
    let is_served_here = |guild: &ServedGuild| match bot.guild {
        Some(_) => guild.is_served_by_its_own(now_ms),
        None => true,
    };
    let serving: Vec<GuildNum> = guilds
        .iter()
        .filter(|guild| is_served_here(guild))
        .map(|guild| guild.num)
        .collect();
    let (keys, cut_after) = keys_of(app, &serving).await?;
    if let Some(last) = cut_after {
        guilds.retain(|guild| guild.num <= last);
    }
    let listed = guilds.into_iter().map(|guild| {
        let own = keys.iter().filter(|key| key.guild == guild.num);
        let keys = own.filter_map(|key| Some((key, key.key.as_ref()?)));
        let opened = keys.map(|(server, key)| Ok((server.server_id.clone(), open(app, key)?)));
        Ok(ListedGuild {
            link_url: [&app.public_url, "/link/", &guild.slug].concat(),
            serving: serving.contains(&guild.num),
            keys: opened.collect::<Result<_, AppError>>()?,
            id: guild.id,
            discord_guild_id: guild.discord_guild_id,
            name: guild.name,
            slug: guild.slug,
        })
    });
    Ok(Page {
        guilds: listed.collect::<Result<_, AppError>>()?,
        next: cut_after.map(|last| last.0).or(next),
    })
}

async fn served(
    app: &App,
    bot: &HeldBot,
    (after, limit): (i64, i64),
    now_ms: i64,
) -> Result<(Vec<ServedGuild>, Option<i64>), AppError> {
    if let Some((_, own)) = bot.guild {
        let own = guild_lists::find_own(&app.db, own).await?;
        return Ok((
            own.filter(|guild| guild.num.0 > after).into_iter().collect(),
            None,
        ));
    }
    let limit = limit.clamp(1, MOST_ON_A_PAGE);
    let mut guilds = guild_lists::list_shared(&app.db, GuildNum(after), limit + 1, now_ms).await?;
    let has_more = guilds.len() as i64 > limit;
    guilds.truncate(usize::try_from(limit).unwrap_or(0));
    let next = guilds.last().filter(|_| has_more).map(|last| last.num.0);
    Ok((guilds, next))
}

/// The keys of these Guilds. Those that are missing are made, and where there are too many of them, the page ends at the
/// Guild that is told.
async fn keys_of(app: &App, guilds: &[GuildNum]) -> Result<(Vec<ServerKey>, Option<GuildNum>), AppError> {
    let (Some(&first), Some(&last)) = (guilds.first(), guilds.last()) else {
        return Ok((Vec::new(), None));
    };
    let read = || async {
        let mut keys = guild_lists::list_server_keys(&app.db, first, last).await?;
        // Guilds in between may be another bot's.
        keys.retain(|key| guilds.contains(&key.guild));
        Ok::<_, AppError>(keys)
    };
    let keys = read().await?;
    let lacking: Vec<&ServerKey> = keys.iter().filter(|key| key.key.is_none()).collect();
    if lacking.is_empty() {
        return Ok((keys, None));
    }
    // No Guild is told of before all of its Servers have their key.
    let last_made = lacking[lacking.len().min(MOST_NEW_KEYS) - 1].guild;
    let made: Vec<&&ServerKey> = lacking.iter().filter(|key| key.guild <= last_made).collect();
    let cut_after = (made.len() < lacking.len()).then_some(last_made);
    for key in made {
        match bot_keys::ensure(app, key.scope, key.server_id.clone()).await {
            // Deleted meanwhile.
            Ok(()) | Err(AppError::Request(RequestError::NotFound)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((read().await?, cut_after))
}

fn open(app: &App, key: &SealedBotKey) -> Result<PlainKey, AppError> {
    let place = key_place(key.id.as_str(), key.version);
    let plain = app.vault.open_sealed(&place, &key.sealed);
    let plain = plain.map_err(AppError::internal)?;
    let text = std::str::from_utf8(&plain).map_err(AppError::internal)?;
    PlainKey::parse(text).map_err(AppError::internal)
}
