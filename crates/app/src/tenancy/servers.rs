//! Servers. Each is made together with its one plugin key.

use domain::action::ActionSet;
use domain::audit::{Actor, AuditAction};
use domain::id::{GuildId, KeyId, ServerId};
use domain::job::Job;
use domain::key::{KeyKind, PlainKey};
use domain::name::DisplayName;
use domain::plan::{Dimension, Plans};
use serde_json::{Value, json};
use storage::jobs;
use storage::keys::plugin_keys::{self, NewKey};
use storage::records::audit::Act;
use storage::roles::grants::Grantor;
use storage::tenancy::servers;
pub use storage::tenancy::servers::{GameSettings, Server};
use storage::tenancy::{guilds, orgs};
use storage::{GuildNum, OrgScope, Tx, Work};

use crate::changes::Changes;
use crate::error::{AppError, RequestError, TenancyError};
use crate::once::{Outcome, PressBy};
use crate::people;
use crate::role_marks::look_after_grantor;
use crate::state::App;
use crate::vault::key_place;

const SILENT_AFTER_MS: i64 = 24 * 60 * 60_000;

/// Whether a Server has called before and not for more than a day.
pub fn is_silent(server: &Server, now_ms: i64) -> bool {
    let last = server.key.last_used_at_ms;
    last.is_some_and(|last| last < now_ms - SILENT_AFTER_MS)
}

/// A fresh Server and the key its plugin is to be given.
pub struct CreatedServer {
    /// What programs name it by.
    pub id: ServerId,
    /// Shown now; it can be revealed again until it is regenerated.
    pub key: PlainKey,
}

/// Creates a Server and its key in one transaction, within the tier's ceiling.
pub async fn create(
    app: &App,
    scope: OrgScope,
    guild: GuildId,
    name: DisplayName,
    actor: Actor,
) -> Result<CreatedServer, AppError> {
    let act = app.act(scope, actor);
    let (created, work) = prepare(app, &act, guild, name);
    app.db.write_for(act, work).await?;
    Ok(created)
}

/// The same for a press that may be repeated.
pub async fn create_once(
    app: &App,
    press: PressBy,
    scope: OrgScope,
    guild: GuildId,
    name: DisplayName,
    actor: Actor,
) -> Result<Outcome<CreatedServer, ServerId>, AppError> {
    let act = app.act(scope, actor);
    let (created, work) = prepare(app, &act, guild, name);
    let id = created.id.clone();
    let outcome = press
        .write_for(app, id.as_str(), ServerId::parse, act, work)
        .await?;
    Ok(outcome.map(|()| created))
}

fn prepare(app: &App, act: &Act, guild: GuildId, name: DisplayName) -> (CreatedServer, Create) {
    let id = ServerId::generate(act.now_ms, &*app.random);
    let key_id = KeyId::generate(act.now_ms, &*app.random);
    let key = PlainKey::generate(&*app.random);
    let (sealed, sealed_kid) = app.vault.seal(
        &*app.random,
        &key_place(key_id.as_str(), 1),
        key.expose().as_bytes(),
    );
    let work = Create {
        guild,
        id: id.clone(),
        name,
        key_id,
        hash: key.hash(),
        prefix: key.prefix(),
        sealed,
        sealed_kid,
        plans: app.plans,
    };
    (CreatedServer { id, key }, work)
}

struct Create {
    guild: GuildId,
    id: ServerId,
    name: DisplayName,
    key_id: KeyId,
    hash: domain::key::KeyHash,
    prefix: domain::key::KeyPrefix,
    sealed: String,
    sealed_kid: String,
    plans: Plans,
}

impl Work for Create {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "create_server";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let org = orgs::lock(tx, act.scope).await?;
        let guild = guilds::find_in(tx, act.scope, &self.guild)
            .await?
            .ok_or(RequestError::NotFound)?;
        let ceiling = self.plans.ceilings(org.tier).servers;
        if !orgs::add_one(tx, act.scope, Dimension::Servers, ceiling).await? {
            return Err(TenancyError::LimitReached {
                dimension: Dimension::Servers,
                ceiling,
            }
            .into());
        }
        let server =
            servers::insert(tx, act.scope, guild.num, &self.id, self.name.as_str(), act.now_ms).await?;
        let key = NewKey {
            id: &self.key_id,
            server,
            kind: KeyKind::Plugin,
            actions: ActionSet::PLUGIN,
            hash: &self.hash,
            prefix: &self.prefix,
            sealed: &self.sealed,
            sealed_kid: &self.sealed_kid,
            now_ms: act.now_ms,
        };
        plugin_keys::insert(tx, act.scope, &key).await?;
        let detail = json!({ "key": self.key_id.as_str() });
        let target = Some(self.id.as_str());
        Ok(act.note(tx, AuditAction::ServerCreated, target, &detail).await?)
    }
}

/// With its key's state, not with the key.
pub async fn get(app: &App, scope: OrgScope, id: &ServerId) -> Result<Server, AppError> {
    servers::find(&app.db, scope, id)
        .await?
        .ok_or(RequestError::NotFound.into())
}

/// The Org that a Server belongs to, for operators who name only the Server.
pub async fn find_org(app: &App, id: &ServerId) -> Result<OrgScope, AppError> {
    servers::find_org(&app.db, id)
        .await?
        .ok_or(RequestError::NotFound.into())
}

/// Of all Guilds of the Org, in the order they were made.
pub async fn list(app: &App, scope: OrgScope) -> Result<Vec<Server>, AppError> {
    Ok(servers::list(&app.db, scope).await?)
}

/// What may be changed about a Server; what is left out stays.
#[derive(Debug, Clone, Default)]
pub struct ServerChange {
    /// As people read it.
    pub name: Option<DisplayName>,
    /// The keys of a Server that is off are refused.
    pub active: Option<bool>,
    /// The id look-ups answer digits without quotes.
    pub bare_ids: Option<bool>,
    /// The game server's group for everybody who is linked, and so with the next two.
    pub linked_group: Option<String>,
    /// For those who boost the Discord server.
    pub booster_group: Option<String>,
    /// For members of the Guild's Steam group.
    pub steam_members_group: Option<String>,
    /// How often the plugin is to ask for changes, from 10 to 3600.
    pub poll_seconds: Option<i64>,
    /// What the caller saw; a save of somebody else since then refuses this one. None takes what is there.
    pub revision: Option<i64>,
}

impl ServerChange {
    /// Groups are named as game servers name them.
    fn refuse_unfit(&self) -> Result<(), AppError> {
        let groups = [
            ("linked_group", &self.linked_group),
            ("booster_group", &self.booster_group),
            ("steam_members_group", &self.steam_members_group),
        ];
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        for (parameter, name) in groups {
            let unfit = |name: &String| !(1..=64).contains(&name.len()) || !name.bytes().all(fits);
            if name.as_ref().is_some_and(unfit) {
                return Err(AppError::invalid(
                    parameter,
                    "must be 1 to 64 of a-z, 0-9, dot, hyphen and underscore",
                ));
            }
        }
        if self
            .poll_seconds
            .is_some_and(|seconds| !(10..=3_600).contains(&seconds))
        {
            return Err(AppError::invalid("poll_seconds", "must be from 10 to 3600"));
        }
        Ok(())
    }

    fn apply(&self, game: &GameSettings) -> GameSettings {
        let text = |new: &Option<String>, old: &String| new.clone().unwrap_or_else(|| old.clone());
        GameSettings {
            linked_group: text(&self.linked_group, &game.linked_group),
            booster_group: text(&self.booster_group, &game.booster_group),
            steam_members_group: text(&self.steam_members_group, &game.steam_members_group),
            poll_seconds: self.poll_seconds.unwrap_or(game.poll_seconds),
        }
    }
}

/// As game servers compare their names.
fn groups_of(game: &GameSettings) -> [String; 3] {
    [&game.linked_group, &game.booster_group, &game.steam_members_group].map(|name| name.to_lowercase())
}

/// Two groups by one name would give and take each other's players, and everybody is in the default one.
fn refuse_shared(game: &GameSettings) -> Result<(), AppError> {
    let groups = [
        ("linked_group", &game.linked_group),
        ("booster_group", &game.booster_group),
        ("steam_members_group", &game.steam_members_group),
    ];
    let mut taken = vec!["default".to_owned()];
    for (parameter, group) in groups {
        let group = group.to_ascii_lowercase();
        if taken.contains(&group) {
            let reason = "must be a group of its own, and not \"default\"";
            return Err(AppError::invalid(parameter, reason));
        }
        taken.push(group);
    }
    Ok(())
}

/// Changes a Server, from the next request on.
pub async fn change(
    app: &App,
    scope: OrgScope,
    id: ServerId,
    change: ServerChange,
    actor: Actor,
) -> Result<(), AppError> {
    change.refuse_unfit()?;
    app.db
        .write_for(app.act(scope, actor), Change { id, change })
        .await?;
    app.bell.ring();
    Ok(())
}

/// Switches a Server on or off.
pub async fn set_active(
    app: &App,
    scope: OrgScope,
    id: ServerId,
    active: bool,
    actor: Actor,
) -> Result<(), AppError> {
    let switch = ServerChange {
        active: Some(active),
        ..ServerChange::default()
    };
    change(app, scope, id, switch, actor).await
}

struct Change {
    id: ServerId,
    change: ServerChange,
}

impl Work for Change {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "change_server";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let (scope, target) = (act.scope, Some(self.id.as_str()));
        orgs::lock(tx, scope).await?;
        let found = servers::find_in(tx, scope, &self.id).await?;
        let server = found.ok_or(RequestError::NotFound)?;
        if let Some(active) = self.change.active.filter(|active| *active != server.active) {
            servers::set_active(tx, scope, server.num, active).await?;
            let action = if active {
                AuditAction::ServerActivated
            } else {
                AuditAction::ServerDeactivated
            };
            act.note(tx, action, target, &json!({})).await?;
        }
        self.save(tx, act, &server).await
    }
}

impl Change {
    /// The settings. Whether the Server is on is none of them: that is a switch, and does not count as a save.
    async fn save(&self, tx: &mut Tx<'_>, act: &Act, server: &Server) -> Result<(), AppError> {
        let (scope, change) = (act.scope, &self.change);
        let bare = change.bare_ids.filter(|bare| *bare != server.bare_ids);
        let name = change.name.as_ref().filter(|name| name.as_str() != server.name);
        let (before, game) = (&server.game, change.apply(&server.game));
        if bare.is_none() && name.is_none() && game == *before {
            return Ok(());
        }
        servers::touch(tx, scope, server.num, change.revision.unwrap_or(server.revision)).await?;
        let mut changes = Changes::default();
        if let Some(bare) = bare {
            servers::set_bare_ids(tx, scope, server.num, bare).await?;
            changes.add("bare_ids", server.bare_ids, bare);
        }
        if let Some(name) = name {
            servers::rename(tx, scope, server.num, name.as_str()).await?;
            changes.add("name", &*server.name, name.as_str());
        }
        if game != *before {
            refuse_shared(&game)?;
            servers::set_game_settings(tx, scope, server.num, &game).await?;
            changes.add("poll_seconds", before.poll_seconds, game.poll_seconds);
            changes.add("linked_group", &before.linked_group, &game.linked_group);
            changes.add("booster_group", &before.booster_group, &game.booster_group);
            let (from, to) = (&before.steam_members_group, &game.steam_members_group);
            changes.add("steam_members_group", from, to);
            // Groups of our own say nothing about a player, all others do.
            if groups_of(before) != groups_of(&game) {
                people::sweep_later(tx, scope, act.now_ms).await?;
            }
        }
        let target = Some(self.id.as_str());
        Ok(act
            .note(tx, AuditAction::ServerChanged, target, &changes.into_detail())
            .await?)
    }
}

/// Deletes a Server with its key. Links stay: they belong to the Guild. What it knew of players is forgotten afterwards.
pub async fn delete(app: &App, scope: OrgScope, id: ServerId, actor: Actor) -> Result<(), AppError> {
    app.db.write_for(app.act(scope, actor), Delete { id }).await?;
    app.bell.ring();
    Ok(())
}

struct Delete {
    id: ServerId,
}

impl Work for Delete {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "delete_server";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        let server = servers::find_in(tx, act.scope, &self.id)
            .await?
            .ok_or(RequestError::NotFound)?;
        servers::remove(tx, act.scope, server.num, act.now_ms).await?;
        orgs::drop_server(tx, act.scope).await?;
        // What its plugin gave ends with it.
        let grantor = Grantor::Server(server.num);
        look_after_grantor(tx, act.scope, &server.guild_id, grantor, act.now_ms).await?;
        let (guild, id) = (server.guild_id, self.id.clone());
        jobs::enqueue(tx, act.scope, &Job::EndServer { guild, server: id }, act.now_ms).await?;
        // The name goes with the row, and the log goes on telling about the Server.
        let detail = json!({ "name": server.name, "key": server.key.id.as_str() });
        let target = Some(self.id.as_str());
        Ok(act.note(tx, AuditAction::ServerDeleted, target, &detail).await?)
    }
}

/// What the log keeps of the Servers that go with a Guild: their names go with the rows, and it goes on telling about them.
pub(crate) async fn kept_names(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
) -> Result<Vec<Value>, AppError> {
    let servers = servers::list_in(tx, scope).await?;
    let going = servers.iter().filter(|server| server.guild == guild);
    Ok(going
        .map(|server| json!({ "id": server.id.as_str(), "name": server.name, "key": server.key.id.as_str() }))
        .collect())
}
