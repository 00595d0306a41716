//! What support looks through: Guilds, Servers, links and failures.

use app::linking::guild_links::{self, GuildLink, LinkFilter, Place};
use app::records::errors::{self, ErrorFilter, Listed};
use app::tenancy::guilds::Guild;
use app::tenancy::servers::Server;
use app::tenancy::{guilds, servers};
use app::{App, AppError};
use clap::{Args, Subcommand};
use domain::id::LinkId;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Fields;
use super::fields::{Item, Rest};
use super::words::{account, either, find_guild, find_org, known, parse, utc};

const MINUTE_MS: i64 = 60_000;
/// As many Servers of an Org as are read.
const MOST_SERVERS: usize = 200;

#[derive(Debug, Subcommand, Serialize, Deserialize)]
#[expect(clippy::enum_variant_names, reason = "the commands are called so")]
pub enum ListsCommand {
    /// List the Guilds of an organisation.
    ListGuilds {
        /// Organisation ID (org_…).
        #[arg(long)]
        org: String,
    },
    /// List the Servers of an organisation, or of one of its Guilds.
    ListServers {
        /// Organisation ID (org_…).
        #[arg(long, required_unless_present = "guild", conflicts_with = "guild")]
        org: Option<String>,
        /// Guild ID (gld_…).
        #[arg(long)]
        guild: Option<String>,
    },
    /// List the links of a Guild: those that were verified or ended last come first.
    ListLinks(LinksAsked),
    /// List failures of the error log, the newest first.
    ListErrors(ErrorsAsked),
}

/// Which links.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct LinksAsked {
    /// Guild ID (gld_…).
    #[arg(long)]
    guild: String,
    /// Only those of this Discord account.
    #[arg(long, conflicts_with = "steam")]
    discord: Option<String>,
    /// Only those of this Steam account.
    #[arg(long)]
    steam: Option<String>,
    /// Links that have ended, instead of active ones.
    #[arg(long)]
    ended: bool,
    /// Maximum number of links to list.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Go on behind this place, which the list before named.
    #[arg(long)]
    after: Option<String>,
}

/// Which failures.
#[derive(Debug, Args, Serialize, Deserialize)]
pub struct ErrorsAsked {
    /// Only those with this code.
    #[arg(long)]
    code: Option<String>,
    /// Only those of this organisation (org_…).
    #[arg(long)]
    org: Option<String>,
    /// Maximum number of rows to list; each is for a minute.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
}

pub(super) async fn run(app: &App, command: ListsCommand) -> Result<Fields, AppError> {
    use ListsCommand as C;
    match command {
        C::ListGuilds { org } => list_guilds(app, &org).await,
        C::ListServers { org, guild } => list_servers(app, org.as_deref(), guild.as_deref()).await,
        C::ListLinks(asked) => list_links(app, &asked).await,
        C::ListErrors(asked) => list_errors(app, &asked).await,
    }
}

async fn list_guilds(app: &App, org: &str) -> Result<Fields, AppError> {
    let org = find_org(app, org).await?;
    let found = guilds::list(app, org.scope).await?;
    let rest = Rest::Counted(org.guilds - found.len() as i64);
    Ok(Fields::list(found.iter().map(guild), rest))
}

fn guild(guild: &Guild) -> Item {
    Item {
        name: guild.id.to_string(),
        line: format!(
            "{} ({}), Discord server {}, {} links",
            guild.name, guild.slug, guild.discord_guild_id, guild.active_links
        ),
        object: json!({
            "id": guild.id, "name": guild.name, "slug": guild.slug, "discord_guild_id": guild.discord_guild_id,
            "log_channel_id": guild.log_channel_id, "links": guild.active_links,
        }),
    }
}

async fn list_servers(app: &App, org: Option<&str>, guild: Option<&str>) -> Result<Fields, AppError> {
    let (scope, guild) = match (org, guild) {
        (_, Some(guild)) => find_guild(app, guild)
            .await
            .map(|(scope, id)| (scope, Some(id)))?,
        (Some(org), None) => (find_org(app, org).await?.scope, None),
        (None, None) => return Err(AppError::invalid("org", "name an organisation or a Guild")),
    };
    let found = servers::list(app, scope).await?;
    let rest = if found.len() < MOST_SERVERS {
        Rest::Nothing
    } else {
        Rest::Uncounted
    };
    let is_asked = |server: &&Server| guild.as_ref().is_none_or(|guild| server.guild_id == *guild);
    Ok(Fields::list(found.iter().filter(is_asked).map(server), rest))
}

fn server(server: &Server) -> Item {
    let key = &server.key;
    let mut line = format!("{} in {}", server.name, server.guild_id);
    line.push_str(if server.active { ", active" } else { ", inactive" });
    if key.revoked_at_ms.is_some() {
        line.push_str(", key revoked");
    }
    match key.last_used_at_ms {
        Some(at_ms) => line.push_str(&format!(", last call {}", utc(at_ms))),
        None => line.push_str(", never called"),
    }
    if let Some(version) = &server.plugin_version {
        line.push_str(&format!(", plugin {version}"));
    }
    Item {
        name: server.id.to_string(),
        line,
        object: json!({
            "id": server.id, "name": server.name, "guild_id": server.guild_id, "active": server.active,
            "key_prefix": key.prefix, "key_revoked": key.revoked_at_ms.is_some(), "last_call_at_ms": key.last_used_at_ms,
            "plugin_version": server.plugin_version, "created_at_ms": server.created_at_ms,
        }),
    }
}

async fn list_links(app: &App, asked: &LinksAsked) -> Result<Fields, AppError> {
    let (scope, guild) = find_guild(app, &asked.guild).await?;
    let filter = LinkFilter {
        whose: either(asked.discord.as_deref(), asked.steam.as_deref())?,
        ended: asked.ended,
        after: asked.after.as_deref().map(place).transpose()?,
    };
    let most = asked.limit as usize;
    let mut found = guild_links::list(app, scope, &guild, &filter, i64::from(asked.limit) + 1).await?;
    let is_cut = found.len() > most;
    found.truncate(most);
    let rest = match found.last().filter(|_| is_cut) {
        Some(last) => Rest::Behind(cursor(&last.place())),
        None => Rest::Nothing,
    };
    Ok(Fields::list(found.iter().map(link), rest))
}

fn link(link: &GuildLink) -> Item {
    let (ended_at_ms, cause) = link.ended.unzip();
    let mut line = format!(
        "{} and {}, linked {}",
        account(&link.discord_id, link.discord_name.as_deref()),
        account(&link.steam_id, link.steam_name.as_deref()),
        utc(link.linked_at_ms)
    );
    if let Some((at_ms, cause)) = link.ended {
        line.push_str(&format!(", ended {} ({cause})", utc(at_ms)));
    }
    Item {
        name: link.id.to_string(),
        line,
        object: json!({
            "id": link.id, "discord_id": known(&link.discord_id), "steam_id": known(&link.steam_id),
            "discord_name": link.discord_name, "steam_name": link.steam_name, "country": link.country,
            "linked_at_ms": link.linked_at_ms, "verified_at_ms": link.verified_at_ms, "ended_at_ms": ended_at_ms,
            "cause": cause,
        }),
    }
}

/// A time and an id, so that the place stays where it is when the link moves on.
fn cursor(place: &Place) -> String {
    format!("{}-{}", place.at_ms, place.id)
}

fn place(text: &str) -> Result<Place, AppError> {
    let parts = text.split_once('-').and_then(|(at_ms, id)| {
        let at_ms = at_ms.parse::<i64>().ok()?;
        let id = LinkId::parse(id).ok()?.to_string();
        Some(Place { at_ms, id })
    });
    parts.ok_or_else(|| AppError::invalid("after", "use what the list before named"))
}

async fn list_errors(app: &App, asked: &ErrorsAsked) -> Result<Fields, AppError> {
    let org = asked.org.as_deref();
    let org = org.map(|text| parse::org("org", text)).transpose()?;
    let filter = ErrorFilter {
        code: asked.code.clone(),
        ..ErrorFilter::default()
    };
    let (operator, most) = (storage::admin::command_line(), asked.limit as usize);
    let limit = i64::from(asked.limit) + 1;
    let mut found = errors::list_for_operators(app, operator, org.as_ref(), &filter, limit).await?;
    let rest = if found.len() > most {
        Rest::Uncounted
    } else {
        Rest::Nothing
    };
    found.truncate(most);
    Ok(Fields::list(found.iter().map(failure), rest))
}

fn failure(listed: &Listed) -> Item {
    let group = &listed.group;
    let at_ms = group.minute.saturating_mul(MINUTE_MS);
    let mut line = format!("{} {} {}, ", group.code, group.status, group.route);
    match group.count {
        1 => line.push_str("once"),
        count => line.push_str(&format!("{count} times")),
    }
    if let Some(org) = &listed.org_id {
        line.push_str(&format!(", {org}"));
    }
    let detail = Some(group.detail.as_str()).filter(|detail| !detail.is_empty());
    if let Some(detail) = detail {
        line.push_str(&format!(": {detail}"));
    }
    Item {
        name: utc(at_ms),
        line,
        object: json!({
            "at_ms": at_ms, "code": group.code, "status": group.status, "route": group.route, "count": group.count,
            "request_ids": group.request_ids, "org_id": listed.org_id, "org_name": listed.org_name, "detail": detail,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_as_it_was_told() {
        let at = Place {
            at_ms: 1_700_000_000_000,
            id: "lnk_01ARZ3NDEKTSV4RRFFQ69G5FAV".to_owned(),
        };
        assert_eq!(place(&cursor(&at)).unwrap(), at);
        for wrong in [
            "",
            "5",
            "5-",
            "-lnk_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "lnk_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "5-org_1",
        ] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }
}
