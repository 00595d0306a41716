//! A person lets a bot into one of their guilds.

use axum::response::Response;
use http::StatusCode;

use super::authorize::{AuthorizeRequest, PATH};
use crate::common::forms::Form;
use crate::common::page::{self, escape};
use crate::discord::Inner;
use crate::discord::permissions::Permissions;
use crate::discord::snowflake::Snowflake;
use crate::discord::state::{Guild, Member, Role};

pub fn install(inner: &Inner, form: &Form, request: &AuthorizeRequest<'_>, user: Snowflake) -> Response {
    let Some(guild_id) = form.get("guild_id") else {
        return choose_guild(inner, form, user);
    };
    let id = guild_id.parse::<Snowflake>().ok();
    let permitted = id.filter(|id| {
        let world = inner.world();
        let guild = world.state.guilds.get(id);
        guild.is_some_and(|guild| guild.permissions(*id, user).contain(Permissions::MANAGE_GUILD))
    });
    let Some(id) = permitted else {
        let text = "Only someone who can manage the server can add a bot to it.";
        return page::problem("Discord", StatusCode::FORBIDDEN, text);
    };
    let wanted = form
        .get("permissions")
        .and_then(|bits| bits.parse().ok())
        .unwrap_or(0);
    let permissions = Permissions(wanted) & Permissions::ALL;
    let now_ms = inner.hub.now_ms();
    {
        let mut world = inner.world();
        let role_id = world.snowflake(now_ms);
        let (bot, name) = (request.application, request.application_name.clone());
        world.change_guild(id, |guild| admit(guild, bot, role_id, name, permissions, now_ms));
    }
    let code = request.code(inner, user);
    let granted = permissions.0.to_string();
    request.back(&[("code", &code), ("guild_id", guild_id), ("permissions", &granted)])
}

/// The bot becomes a member with a role of its own, just above everybody's. Coming again changes that role.
fn admit(
    guild: &mut Guild,
    bot: Snowflake,
    role_id: Snowflake,
    name: String,
    permissions: Permissions,
    now_ms: i64,
) {
    let own = guild.roles.iter_mut().find(|(_, role)| role.bot_id == Some(bot));
    let role_id = match own {
        Some((id, role)) => {
            role.permissions = permissions;
            *id
        }
        None => {
            guild.raise_roles();
            let role = Role {
                name,
                position: 1,
                permissions,
                managed: true,
                bot_id: Some(bot),
                ..Role::default()
            };
            guild.roles.insert(role_id, role);
            role_id
        }
    };
    let member = guild.members.entry(bot).or_insert_with(|| Member {
        joined_ms: now_ms,
        ..Member::default()
    });
    if !member.roles.contains(&role_id) {
        member.roles.push(role_id);
    }
}

fn choose_guild(inner: &Inner, form: &Form, user: Snowflake) -> Response {
    let world = inner.world();
    let manageable = world
        .state
        .guilds
        .iter()
        .filter(|(id, guild)| guild.permissions(**id, user).contain(Permissions::MANAGE_GUILD));
    let buttons: String = manageable
        .map(|(id, guild)| {
            let name = escape(&guild.name);
            format!("<li><button name=\"guild_id\" value=\"{id}\">{name} <small>{id}</small></button></li>")
        })
        .collect();
    let fields = form.fields().filter(|(name, _)| *name != "as");
    let hidden: String = fields
        .map(|(name, value)| {
            let (name, value) = (escape(name), escape(value));
            format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">")
        })
        .collect();
    let list = if buttons.is_empty() {
        "<p>This person does not manage any server.</p>".to_owned()
    } else {
        format!("<fieldset><legend>Which server?</legend><ul>{buttons}</ul></fieldset>")
    };
    let body = format!(
        "<form method=\"get\" action=\"{PATH}\">{hidden}<input type=\"hidden\" name=\"as\" value=\"{user}\">{list}</form>"
    );
    page::page("Discord", "Add a bot to a server", &body)
}
