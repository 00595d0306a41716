//! Custom keys, and what was refused to keys of all kinds.

mod refused;

use app::keys::bot_keys::{self, BotKey};
use app::keys::custom_keys::{self, CustomKey, CustomKeyRequest, KeyEdit};
use app::once::Outcome;
use app::tenancy::orgs;
use app::{App, AppError};
use domain::action::{Action, ActionGroup, ActionSet};
use domain::id::{GuildId, KeyId, ServerId};
use domain::plan::Tier;
use http::Method;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Authorized, JsonBody, Pressed, Segments, perm};
use crate::fields::display_name;
use crate::routes::Routes;
use crate::routes::{Answer, Created, Done, Found};

pub(crate) fn routes(routes: Routes) -> Routes {
    const KEYS: &str = "/orgs/{org}/keys";
    routes
        .dashboard(Method::GET, KEYS, "List custom keys", list)
        .dashboard(Method::POST, KEYS, "Create a custom key", create)
        .dashboard(
            Method::GET,
            "/orgs/{org}/refused-calls",
            "List refused plugin calls of the last 24 hours",
            refused::list,
        )
        .dashboard(Method::PUT, "/orgs/{org}/keys/{key}", "Edit a custom key", edit)
        .dashboard(
            Method::DELETE,
            "/orgs/{org}/keys/{key}",
            "Remove a revoked custom key",
            remove,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/keys/{key}/reveal",
            "Reveal a custom key",
            reveal,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/keys/{key}/revoke",
            "Revoke a custom key",
            revoke,
        )
}

#[derive(Serialize, ToSchema)]
pub struct CustomKeyView {
    #[schema(value_type = String)]
    id: KeyId,
    name: String,
    #[schema(value_type = String)]
    guild_id: GuildId,
    #[schema(value_type = Option<String>)]
    server_id: Option<ServerId>,
    actions: Vec<&'static str>,
    prefix: String,
    revoked: bool,
    created_at_ms: i64,
    last_used_at_ms: Option<i64>,
    query_calls: i64,
    /// One more with every edit.
    revision: i64,
}

impl From<CustomKey> for CustomKeyView {
    fn from(key: CustomKey) -> Self {
        Self {
            id: key.id,
            name: key.name,
            guild_id: key.guild_id,
            server_id: key.server_id,
            actions: action_names(key.actions),
            prefix: key.prefix,
            revoked: key.revoked_at_ms.is_some(),
            created_at_ms: key.created_at_ms,
            last_used_at_ms: key.last_used_at_ms,
            query_calls: key.query_calls,
            revision: key.revision,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct CustomKeyList {
    keys: Vec<CustomKeyView>,
    /// The platform's own keys, to look at.
    bot_keys: Vec<BotKeyView>,
    groups: Vec<ActionGroupView>,
    /// What every Server's own key may do.
    plugin_actions: Vec<&'static str>,
    ceiling: i64,
    /// False on the Free plan.
    allowed: bool,
}

#[derive(Serialize, ToSchema)]
pub struct BotKeyView {
    #[schema(value_type = String)]
    id: KeyId,
    #[schema(value_type = String)]
    guild_id: GuildId,
    #[schema(value_type = String)]
    server_id: ServerId,
    prefix: String,
    last_used_at_ms: Option<i64>,
}

impl From<BotKey> for BotKeyView {
    fn from(key: BotKey) -> Self {
        Self {
            id: key.id,
            guild_id: key.guild_id,
            server_id: key.server_id,
            prefix: key.prefix,
            last_used_at_ms: key.last_used_at_ms,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct ActionGroupView {
    name: &'static str,
    actions: Vec<&'static str>,
}

fn action_names(set: ActionSet) -> Vec<&'static str> {
    set.iter().map(|action| action.name()).collect()
}

fn action_groups() -> Vec<ActionGroupView> {
    let of = |group: &ActionGroup| ActionGroupView {
        name: group.as_str(),
        actions: action_names(ActionSet::of_group(*group)),
    };
    ActionGroup::ALL.iter().map(of).collect()
}

#[derive(Serialize, ToSchema)]
pub struct PlainCustomKey {
    #[schema(value_type = String)]
    id: KeyId,
    key: String,
}

#[derive(Serialize, ToSchema)]
pub struct MadeKey {
    #[schema(value_type = String)]
    id: KeyId,
    // Nothing when the request was a repetition.
    key: Option<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewKey {
    #[schema(min_length = 1, max_length = 64)]
    name: String,
    #[schema(value_type = String)]
    guild_id: GuildId,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    server_id: Option<ServerId>,
    // Whole groups of actions, single ones, or both.
    #[serde(default)]
    groups: Vec<String>,
    #[serde(default)]
    actions: Vec<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditedKey {
    #[schema(min_length = 1, max_length = 64)]
    name: String,
    // Whole groups of actions, single ones, or both.
    #[serde(default)]
    groups: Vec<String>,
    #[serde(default)]
    actions: Vec<String>,
    /// As it was read. A save by somebody else since then refuses this one; without it, the last one counts.
    revision: Option<i64>,
}

pub async fn list(app: App, caller: Authorized<perm::ServersKeys>, (): ()) -> Answer<Found<CustomKeyList>> {
    let found = custom_keys::list(&app, caller.scope).await?;
    let org = orgs::get_own(&app, caller.scope).await?;
    let bot_keys = bot_keys::list(&app, caller.scope).await?;
    Ok(Found(CustomKeyList {
        keys: found.into_iter().map(CustomKeyView::from).collect(),
        bot_keys: bot_keys.into_iter().map(BotKeyView::from).collect(),
        groups: action_groups(),
        plugin_actions: action_names(ActionSet::PLUGIN),
        ceiling: custom_keys::MOST,
        allowed: org.tier != Tier::Free,
    }))
}

pub async fn create(
    app: App,
    caller: Authorized<perm::ServersKeys>,
    Pressed(JsonBody(new), press): Pressed<JsonBody<NewKey>>,
) -> Answer<Created<MadeKey>> {
    let request = CustomKeyRequest {
        name: display_name(&new.name)?,
        guild: new.guild_id,
        server: new.server_id,
        actions: chosen(&new.groups, &new.actions)?,
    };
    let (scope, press) = (caller.scope, press.by(caller.account));
    let outcome = custom_keys::create_once(&app, press, scope, request, caller.actor).await?;
    Ok(Created(match outcome {
        Outcome::Made((id, key)) => MadeKey {
            id,
            key: Some(key.expose().to_owned()),
        },
        Outcome::MadeBefore(id) => MadeKey {
            id: custom_keys::get(&app, scope, &id).await?.id,
            key: None,
        },
    }))
}

pub async fn edit(
    app: App,
    caller: Authorized<perm::ServersKeys>,
    (Segments(id), JsonBody(edited)): (Segments<KeyId>, JsonBody<EditedKey>),
) -> Answer<Done> {
    let edit = KeyEdit {
        actions: chosen(&edited.groups, &edited.actions)?,
        name: display_name(&edited.name)?,
        revision: edited.revision,
    };
    custom_keys::edit(&app, caller.scope, id, edit, caller.actor).await?;
    Ok(Done)
}

pub async fn reveal(
    app: App,
    caller: Authorized<perm::ServersKeys>,
    Segments(id): Segments<KeyId>,
) -> Answer<Found<PlainCustomKey>> {
    let key = custom_keys::reveal(&app, caller.scope, id.clone(), caller.actor).await?;
    Ok(Found(PlainCustomKey {
        id,
        key: key.expose().to_owned(),
    }))
}

pub async fn revoke(
    app: App,
    caller: Authorized<perm::ServersKeys>,
    Segments(id): Segments<KeyId>,
) -> Answer<Done> {
    custom_keys::revoke(&app, caller.scope, id, caller.actor).await?;
    Ok(Done)
}

pub async fn remove(
    app: App,
    caller: Authorized<perm::ServersKeys>,
    Segments(id): Segments<KeyId>,
) -> Answer<Done> {
    custom_keys::remove(&app, caller.scope, id, caller.actor).await?;
    Ok(Done)
}

/// The actions of the chosen groups and the single ones, together.
fn chosen(groups: &[String], actions: &[String]) -> Result<ActionSet, AppError> {
    let mut set = ActionSet::EMPTY;
    for name in groups {
        let group = ActionGroup::parse(name)
            .ok_or_else(|| AppError::invalid("groups", format!("there is no group {name}")))?;
        set = set.union(ActionSet::of_group(group));
    }
    for name in actions {
        set.insert(
            Action::parse(name)
                .ok_or_else(|| AppError::invalid("actions", format!("there is no action {name}")))?,
        );
    }
    Ok(set)
}
