//! `admin find`: where a person is known, in all organisations.

use app::admin::find::{self, FoundAccount, HeldRole, PersonLink, Wanted};
use app::{App, AppError};
use clap::Args;
use domain::audit::Actor;
use domain::permission::Role;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Fields;
use super::fields::{Item, Rest};
use super::words::{account, either, known, utc};

/// Whom to find.
#[derive(Debug, Args, Serialize, Deserialize)]
#[group(required = true, multiple = false)]
pub struct Person {
    /// Discord ID.
    #[arg(long)]
    discord: Option<String>,
    /// SteamID64.
    #[arg(long)]
    steam: Option<String>,
    /// How a word of a name on Discord or Steam begins, or a name on the dashboard.
    #[arg(long)]
    name: Option<String>,
}

pub(super) async fn run(app: &App, person: &Person) -> Result<Fields, AppError> {
    let wanted = match either(person.discord.as_deref(), person.steam.as_deref())? {
        Some(id) => Wanted::Account(id),
        None => Wanted::Name(person.name.clone().unwrap_or_default()),
    };
    let operator = storage::admin::command_line();
    let found = find::find(app, operator, &wanted, Actor::Operator).await?;
    let rest = if found.is_cut {
        Rest::Uncounted
    } else {
        Rest::Nothing
    };
    let accounts = found.accounts.iter().map(|one| dashboard_account(app, one));
    let items = accounts.chain(found.roles.iter().map(role));
    Ok(Fields::list(items.chain(found.links.iter().map(link)), rest))
}

fn dashboard_account(app: &App, one: &FoundAccount) -> Item {
    let operator = one.granted || app.operators.contains(&one.discord_id);
    let mut line = format!("{}, signs in as {}", one.name, one.discord_id);
    if operator {
        line.push_str(", operator");
    }
    Item {
        name: one.id.to_string(),
        line,
        object: json!({
            "kind": "account", "account_id": one.id, "discord_id": one.discord_id, "name": one.name, "operator": operator,
            "created_at_ms": one.created_at_ms,
        }),
    }
}

fn role(held: &HeldRole) -> Item {
    let word = match held.role {
        Role::Owner => "Owner",
        Role::Admin => "Admin",
        Role::Staff => "Staff",
    };
    Item {
        name: held.org.to_string(),
        line: format!("{word} of {}, {}", held.org_name, held.account),
        object: json!({
            "kind": "role", "account_id": held.account, "discord_id": held.discord_id, "role": held.role, "org_id": held.org,
            "org_name": held.org_name,
        }),
    }
}

fn link(link: &PersonLink) -> Item {
    let (ended_at_ms, cause) = link.ended.unzip();
    let gone = if link.is_gone { ", which is gone" } else { "" };
    let mut line = format!(
        "{} and {} in {} ({}) of {} ({}){gone}, linked {}",
        account(&link.discord_id, link.discord_name.as_deref()),
        account(&link.steam_id, link.steam_name.as_deref()),
        link.guild_name,
        link.guild,
        link.org_name,
        link.org,
        utc(link.linked_at_ms)
    );
    if let Some((at_ms, cause)) = link.ended {
        line.push_str(&format!(", ended {} ({cause})", utc(at_ms)));
    }
    Item {
        name: link.id.to_string(),
        line,
        object: json!({
            "kind": "link", "link_id": link.id, "discord_id": known(&link.discord_id), "steam_id": known(&link.steam_id),
            "discord_name": link.discord_name, "steam_name": link.steam_name, "org_id": link.org, "org_name": link.org_name,
            "guild_id": link.guild, "guild_name": link.guild_name, "gone": link.is_gone,
            "linked_at_ms": link.linked_at_ms, "ended_at_ms": ended_at_ms, "cause": cause,
        }),
    }
}
