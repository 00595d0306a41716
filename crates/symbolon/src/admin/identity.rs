//! Accounts: operators, sessions and blocks.

use app::error::IdentityError;
use app::identity::blocklist::BlockRequest;
use app::identity::{accounts, blocklist, sessions};
use app::privacy::Sides;
use app::privacy::erase::{self, Extent};
use app::{App, AppError};
use clap::{Args, Subcommand};
use domain::audit::Actor;
use domain::blocklist::BlockEntry;
use domain::platform_id::DiscordId;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Fields;
use super::fields::{Item, Rest};
use super::words::{fields, named, parse};

/// An operator's session is for a task at hand.
const SESSION_MS: i64 = 60 * 60_000;
/// As many blocks as are read.
const MOST_BLOCKS: usize = 500;

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum IdentityCommand {
    /// Make a person an operator of this installation.
    Grant {
        /// Discord ID of the person.
        #[arg(long)]
        discord: String,
        #[arg(long, default_value = "Operator")]
        name: String,
    },
    /// Revoke what `grant` gave, from the person's next request on.
    Revoke {
        /// Discord ID of the person.
        #[arg(long)]
        discord: String,
    },
    /// List operators, by the setting and by a grant.
    ListOperators,
    /// Start a dashboard session for a person and print its cookie, for scripts and emergencies. Valid for an hour.
    Session {
        /// Discord ID of the person.
        #[arg(long)]
        discord: String,
    },
    /// Block an account or network from signing in, on link pages and the dashboard.
    Block {
        #[command(flatten)]
        who: Who,
        /// Why, for other operators.
        #[arg(long)]
        reason: String,
        /// Days until the block ends; without it, the block stays.
        #[arg(long)]
        days: Option<u32>,
    },
    /// Lift a block.
    Unblock {
        #[command(flatten)]
        who: Who,
    },
    /// List blocked accounts and networks.
    ListBlocks,
    /// Erase everything held about a person, in every community, and delete their dashboard account. A block stays in force.
    Erase {
        /// Discord ID of the person.
        #[arg(long, required_unless_present = "steam")]
        discord: Option<String>,
        /// SteamID64 of the person.
        #[arg(long)]
        steam: Option<String>,
    },
}

/// One account or network.
#[derive(Debug, Args, Serialize, Deserialize)]
#[group(required = true, multiple = false)]
pub struct Who {
    /// Discord ID.
    #[arg(long)]
    pub discord: Option<String>,
    /// SteamID64.
    #[arg(long)]
    pub steam: Option<String>,
    /// Address or network, such as 203.0.113.0/24.
    #[arg(long)]
    pub network: Option<String>,
}

pub(super) async fn run(app: &App, command: IdentityCommand) -> Result<Fields, AppError> {
    use IdentityCommand as C;
    match command {
        C::Grant { discord, name } => grant(app, &discord, &name).await,
        C::Revoke { discord } => revoke(app, &discord).await,
        C::ListOperators => list_operators(app).await,
        C::Session { discord } => session(app, &discord).await,
        C::Block { who, reason, days } => block(app, &who, reason, days).await,
        C::Unblock { who } => unblock(app, &who).await,
        C::ListBlocks => list_blocks(app).await,
        C::Erase { discord, steam } => erase(app, discord.as_deref(), steam.as_deref()).await,
    }
}

async fn grant(app: &App, discord: &str, name: &str) -> Result<Fields, AppError> {
    let id = parse::discord("discord", discord)?;
    let account = accounts::ensure(app, id, parse::name("name", name)?).await?;
    accounts::grant_operator(app, account.clone()).await?;
    Ok(fields([("operator", account.id.as_str())]))
}

async fn revoke(app: &App, discord: &str) -> Result<Fields, AppError> {
    let account = find_account(app, discord).await?;
    accounts::revoke_operator(app, account.clone()).await?;
    Ok(fields([("revoked", account.id.as_str())]))
}

async fn list_operators(app: &App) -> Result<Fields, AppError> {
    let found = accounts::list_operators(app).await?;
    Ok(Fields::list(found.into_iter().map(operator), Rest::Nothing))
}

fn operator(operator: accounts::Operator) -> Item {
    let granted = operator.account.as_ref().is_some_and(|account| account.operator);
    let why = match (operator.in_setting, granted) {
        (true, true) => "by the setting `operators` and by a grant",
        (true, false) => "by the setting `operators`",
        (false, _) => "by a grant",
    };
    let who = operator.account.as_ref();
    let told = who.map(|account| format!("{}, {}, ", account.name, account.id));
    Item {
        name: operator.discord_id.to_string(),
        line: [told.as_deref().unwrap_or("never signed in, "), why].concat(),
        object: json!({
            "discord_id": operator.discord_id, "account_id": who.map(|account| &account.id),
            "name": who.map(|account| &account.name), "in_setting": operator.in_setting, "granted": granted,
        }),
    }
}

async fn session(app: &App, discord: &str) -> Result<Fields, AppError> {
    let account = find_account(app, discord).await?;
    let token = sessions::start(app, &account, SESSION_MS).await?;
    Ok(fields([
        ("account", account.id.as_str()),
        ("session", token.expose()),
    ]))
}

async fn block(app: &App, who: &Who, reason: String, days: Option<u32>) -> Result<Fields, AppError> {
    let (entry, discord_id) = entry_of(who)?;
    let shown = entry.as_str().to_owned();
    let request = BlockRequest {
        entry,
        discord_id,
        reason,
        days,
    };
    let id = blocklist::block(app, request, Actor::Operator).await?;
    Ok(fields([("blocked", shown.as_str()), ("block", id.as_str())]))
}

async fn unblock(app: &App, who: &Who) -> Result<Fields, AppError> {
    let (entry, _) = entry_of(who)?;
    let shown = entry.as_str().to_owned();
    let lifted = blocklist::unblock(app, entry, Actor::Operator).await;
    lifted.map_err(|error| named(error, "who", "this is not blocked"))?;
    Ok(fields([("unblocked", shown.as_str())]))
}

async fn list_blocks(app: &App) -> Result<Fields, AppError> {
    let found = blocklist::list(app, "").await?;
    let rest = if found.len() < MOST_BLOCKS {
        Rest::Nothing
    } else {
        Rest::Uncounted
    };
    Ok(Fields::list(found.into_iter().map(blocked), rest))
}

fn blocked(blocked: blocklist::Blocked) -> Item {
    let erased = BlockEntry::read(&blocked.entry).is_of_erased();
    let (kind, value) = blocked
        .entry
        .split_once(':')
        .unwrap_or(("network", &blocked.entry));
    let object = json!({
        "id": blocked.id, "kind": kind, "value": Some(value).filter(|_| !erased), "erased": erased,
        "reason": blocked.reason, "created_at_ms": blocked.created_at_ms, "expires_at_ms": blocked.expires_at_ms,
    });
    let name = if erased {
        [kind, ": an erased account, ", blocked.id.as_str()].concat()
    } else {
        blocked.entry.clone()
    };
    Item {
        name,
        line: [blocked.id.as_str(), " ", &blocked.reason].concat(),
        object,
    }
}

async fn erase(app: &App, discord: Option<&str>, steam: Option<&str>) -> Result<Fields, AppError> {
    let sides = Sides {
        discord: discord.map(|text| parse::discord("discord", text)).transpose()?,
        steam: steam.map(|text| parse::steam("steam", text)).transpose()?,
    };
    let done = erase::erase(app, sides, Extent::Everywhere, Actor::Operator).await;
    if matches!(done, Err(AppError::Identity(IdentityError::OwnsOrgs))) {
        let problem = "this person owns an Org; transfer or remove it first";
        return Err(AppError::invalid("discord", problem));
    }
    let done = done?;
    let account = if done.account { "deleted" } else { "none" };
    Ok(Fields::new()
        .with("communities", done.communities)
        .with("dashboard_account", account))
}

/// The entry that was named, and the account whose sessions end with it.
fn entry_of(who: &Who) -> Result<(BlockEntry, Option<DiscordId>), AppError> {
    match (&who.discord, &who.steam, &who.network) {
        (Some(text), None, None) => {
            let id = parse::discord("discord", text)?;
            Ok((BlockEntry::discord(&id), Some(id)))
        }
        (None, Some(text), None) => Ok((BlockEntry::steam(&parse::steam("steam", text)?), None)),
        (None, None, Some(text)) => {
            let entry = BlockEntry::network(text).map_err(|error| AppError::invalid("network", error))?;
            Ok((entry, None))
        }
        (_, _, _) => Err(AppError::invalid(
            "who",
            "name exactly one of discord, steam and network",
        )),
    }
}

async fn find_account(app: &App, discord: &str) -> Result<accounts::Account, AppError> {
    let found = accounts::get_by_discord(app, &parse::discord("discord", discord)?).await;
    found.map_err(|error| named(error, "discord", "no account has this Discord ID"))
}
