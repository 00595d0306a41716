//! Discord's objects as they travel.

use serde_json::{Value, json};

use super::permissions::Permissions;
use super::snowflake::Snowflake;
use super::state::{Application, Channel, DiscordState, Guild, Member, Message, Role, User};
use crate::common::dates;

pub fn user(id: Snowflake, user: &User) -> Value {
    let mut fields = json!({
        "id": id,
        "username": user.username,
        "discriminator": "0",
        "global_name": user.global_name,
        "avatar": user.avatar,
        "avatar_decoration_data": null,
        "collectibles": null,
        "display_name_styles": null,
        "banner": null,
        "accent_color": null,
        "primary_guild": null,
        "clan": null,
        "public_flags": 0,
        "flags": 0,
    });
    if user.bot {
        fields["bot"] = true.into();
    }
    fields
}

/// The account itself, as it sees itself.
pub fn own_user(id: Snowflake, own: &User) -> Value {
    let mut fields = user(id, own);
    fields["mfa_enabled"] = false.into();
    fields["locale"] = "en-US".into();
    fields["premium_type"] = 0.into();
    fields["verified"] = true.into();
    fields["email"] = Value::Null;
    fields
}

pub fn member(state: &DiscordState, id: Snowflake, member: &Member) -> Value {
    let mut fields = bare_member(member);
    fields["user"] = known_user(state, id);
    fields
}

/// A member without its user, as in messages and resolved options.
pub fn bare_member(member: &Member) -> Value {
    json!({
        "nick": member.nick,
        "avatar": null,
        "banner": null,
        "roles": member.roles,
        "joined_at": dates::micros(member.joined_ms),
        "premium_since": member.premium_since.as_deref().and_then(dates::parse_ms).map(dates::micros),
        "deaf": false,
        "mute": false,
        "flags": 0,
        "pending": false,
        "communication_disabled_until": null,
    })
}

/// A user by id, also one who is no longer there.
pub fn known_user(state: &DiscordState, id: Snowflake) -> Value {
    match state.users.get(&id) {
        Some(found) => user(id, found),
        None => user(id, &User::named("deleted_user")),
    }
}

pub fn role(id: Snowflake, role: &Role) -> Value {
    let mut fields = json!({
        "id": id,
        "name": role.name,
        "description": null,
        "permissions": role.permissions,
        "position": role.position,
        "color": role.color,
        "colors": {"primary_color": role.color, "secondary_color": null, "tertiary_color": null},
        "hoist": role.hoist,
        "managed": role.managed,
        "mentionable": role.mentionable,
        "icon": null,
        "unicode_emoji": null,
        "flags": 0,
    });
    if let Some(bot) = role.bot_id {
        fields["tags"] = json!({ "bot_id": bot });
    }
    fields
}

pub fn channel(guild: Snowflake, id: Snowflake, channel: &Channel, last_message: Option<Snowflake>) -> Value {
    let mut fields = json!({
        "id": id,
        "type": channel.kind,
        "guild_id": guild,
        "name": channel.name,
        "position": channel.position,
        "parent_id": channel.parent_id,
        "permission_overwrites": channel.permission_overwrites,
        "flags": 0,
    });
    if channel.kind == 0 {
        fields["topic"] = json!(channel.topic);
        fields["nsfw"] = false.into();
        fields["rate_limit_per_user"] = 0.into();
        fields["last_message_id"] = json!(last_message);
    }
    fields
}

/// A guild without its members and channels.
pub fn guild(id: Snowflake, guild: &Guild) -> Value {
    let roles: Vec<Value> = guild.roles.iter().map(|(id, own)| role(*id, own)).collect();
    let boosters = guild
        .members
        .values()
        .filter(|member| member.premium_since.is_some());
    json!({
        "id": id,
        "name": guild.name,
        "icon": guild.icon,
        "description": null,
        "home_header": null,
        "splash": null,
        "discovery_splash": null,
        "features": [],
        "banner": null,
        "owner_id": guild.owner_id.unwrap_or(id),
        "application_id": null,
        "region": "deprecated",
        "afk_channel_id": null,
        "afk_timeout": 300,
        "system_channel_id": null,
        "system_channel_flags": 0,
        "widget_enabled": false,
        "widget_channel_id": null,
        "verification_level": 0,
        "roles": roles,
        "emojis": [],
        "stickers": [],
        "default_message_notifications": 0,
        "mfa_level": 0,
        "explicit_content_filter": 0,
        "max_presences": null,
        "max_members": 500_000,
        "max_stage_video_channel_users": 50,
        "max_video_channel_users": 25,
        "vanity_url_code": null,
        "premium_tier": 0,
        "premium_subscription_count": boosters.count(),
        "preferred_locale": "en-US",
        "rules_channel_id": null,
        "safety_alerts_channel_id": null,
        "public_updates_channel_id": null,
        "premium_progress_bar_enabled": false,
        "nsfw": false,
        "nsfw_level": 0,
        "incidents_data": null,
    })
}

/// A guild in somebody's list of guilds.
pub fn listed_guild(id: Snowflake, guild: &Guild, user: Snowflake) -> Value {
    json!({
        "id": id,
        "name": guild.name,
        "icon": guild.icon,
        "banner": null,
        "owner": guild.owner_id == Some(user),
        "permissions": guild.permissions(id, user),
        "features": [],
    })
}

pub fn message(state: &DiscordState, channel: Snowflake, message: &Message) -> Value {
    let mentioned = pinged(message);
    let users: Vec<Value> = mentioned.iter().map(|id| known_user(state, *id)).collect();
    let mut fields = json!({
        "id": message.id,
        "channel_id": channel,
        "author": known_user(state, message.author_id),
        "content": message.content,
        "timestamp": dates::micros(message.created_ms),
        "edited_timestamp": message.edited_ms.map(dates::micros),
        "tts": false,
        "mention_everyone": false,
        "mentions": users,
        "mention_roles": [],
        "attachments": [],
        "embeds": message.embeds,
        "components": message.components,
        "pinned": false,
        "type": 0,
        "flags": message.flags,
    });
    if let Some(nonce) = &message.nonce {
        fields["nonce"] = nonce.as_str().into();
    }
    fields
}

/// Whom the message's text mentions and may ping. Embeds never do.
fn pinged(message: &Message) -> Vec<Snowflake> {
    let allowed = |id: Snowflake| match &message.allowed_mentions {
        None => true,
        Some(rule) => {
            let has = |list: &str, wanted: &str| {
                let list = rule[list].as_array();
                list.is_some_and(|list| list.iter().any(|entry| entry == wanted))
            };
            has("parse", "users") || has("users", &id.to_string())
        }
    };
    let starts = message.content.split("<@").skip(1);
    let ids = starts.filter_map(|rest| rest.trim_start_matches('!').split_once('>')?.0.parse().ok());
    ids.filter(|id| allowed(*id)).collect()
}

/// An application as everybody sees it.
pub fn application(id: Snowflake, application: &Application) -> Value {
    json!({
        "id": id,
        "name": application.name,
        "icon": null,
        "description": "",
        "summary": "",
        "type": null,
        "bot_public": true,
        "bot_require_code_grant": false,
        "verify_key": "0".repeat(64),
        "flags": 0,
        "flags_new": "0",
        "hook": true,
    })
}

/// Which privileged intents its owner has switched on: presence, members, message content, as for a bot in few guilds.
fn intent_flags(intents: u64) -> u64 {
    let pairs = [(1 << 8, 1 << 13), (1 << 1, 1 << 15), (1 << 15, 1 << 19)];
    let on = pairs.iter().filter(|(intent, _)| intents & intent != 0);
    on.map(|(_, flag)| flag).sum()
}

/// The same as its own bot sees it.
pub fn own_application(state: &DiscordState, id: Snowflake, own: &Application) -> Value {
    let guilds = state
        .guilds
        .values()
        .filter(|guild| guild.members.contains_key(&id))
        .count();
    let mut fields = application(id, own);
    let flags = intent_flags(own.privileged_intents);
    fields["flags"] = flags.into();
    fields["flags_new"] = flags.to_string().into();
    fields["bot"] = known_user(state, id);
    fields["owner"] = known_user(state, id);
    fields["team"] = Value::Null;
    fields["redirect_uris"] = json!(own.redirect_uris);
    fields["interactions_endpoint_url"] = Value::Null;
    fields["role_connections_verification_url"] = Value::Null;
    fields["approximate_guild_count"] = guilds.into();
    fields["approximate_user_install_count"] = 0.into();
    fields["approximate_user_authorization_count"] = 0.into();
    fields["explicit_content_filter"] = 0.into();
    fields["eligible_oauth2_scopes"] = json!([]);
    fields
}

/// A member as the one who used an interaction, with what they may do there.
pub fn acting_member(state: &DiscordState, id: Snowflake, own: &Member, permissions: Permissions) -> Value {
    let mut fields = member(state, id, own);
    fields["permissions"] = json!(permissions);
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_pings_whom_it_names_unless_the_author_said_otherwise() {
        let mut message = Message {
            content: "<@5> and <@!6> and <@&7> and <@x>".to_owned(),
            ..Message::default()
        };
        assert_eq!(pinged(&message), [Snowflake(5), Snowflake(6)]);
        message.allowed_mentions = Some(json!({"parse": []}));
        assert_eq!(pinged(&message), []);
        message.allowed_mentions = Some(json!({"users": ["6"]}));
        assert_eq!(pinged(&message), [Snowflake(6)]);
    }
}
