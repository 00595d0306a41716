//! Tenants with every kind of row, and texts that are hard to carry.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use domain::action::ActionSet;
use domain::audit::{Actor, AuditAction};
use domain::flow::LinkStep;
use domain::id::{AccountId, GuildId, KeyId, LinkId, OrgId, ServerId};
use domain::job::Job;
use domain::key::{KeyKind, PlainKey};
use domain::link::UnlinkCause;
use domain::permission::Role;
use domain::plan::{Dimension, Tier};
use domain::platform_id::{DiscordId, SteamId};
use domain::random::Random;
use domain::steam_group::GroupId;
use serde_json::json;
use storage::identity::{accounts, sessions};
use storage::keys::plugin_keys;
use storage::linking::{link_steps, links};
use storage::players::{daily_calls, people};
use storage::records::audit::Act;
use storage::records::error_log;
use storage::tenancy::{guild_settings, guilds, orgs, servers};
use storage::testing::statement;
use storage::{
    AccountNum, Db, DbError, GuildNum, KeyNum, NoOrg, OrgScope, Tx, Work, doctor, jobs, params, settings,
};

use crate::tables::PLAYER_TABLES;

pub const NOW: i64 = 1_700_000_000_000;
/// What a text format, a quoting rule or an encoding could trip over.
pub const HARD: &str =
    "tab\there\r\nline \\ \\N \\. \\t '' \" $1 ?1 % ü é 漢字 🦀 \u{1} \u{7f} \u{feff} end ";

static COUNT: AtomicU64 = AtomicU64::new(1);

fn count() -> u64 {
    COUNT.fetch_add(1, Ordering::Relaxed)
}

struct Counting;

impl Random for Counting {
    fn fill(&self, out: &mut [u8]) {
        let number = count().to_be_bytes();
        for (index, byte) in out.iter_mut().rev().enumerate() {
            *byte = number.iter().rev().nth(index).copied().unwrap_or(0);
        }
    }
}

fn discord() -> DiscordId {
    DiscordId::parse(&(100_000_000_000_000_000 + count()).to_string()).unwrap()
}

fn steam() -> SteamId {
    SteamId::parse(&(76_561_197_960_265_728 + count()).to_string()).unwrap()
}

/// A directory that goes away with the test.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn make() -> TempDir {
        let name = format!(
            "symbolon-backups-{:016x}",
            RandomState::new().build_hasher().finish()
        );
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        TempDir(path)
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

pub fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[derive(Clone, Copy)]
pub struct Tenant {
    pub scope: OrgScope,
    pub guild: GuildNum,
}

/// An Org with one row in every table, or more.
struct AddTenant {
    account: AccountId,
    staff: AccountId,
    discord: [DiscordId; 3],
    org: OrgId,
    guild: GuildId,
    server: ServerId,
    key: KeyId,
    plain: [PlainKey; 2],
}

impl AddTenant {
    fn new() -> Self {
        Self {
            account: AccountId::generate(NOW, &Counting),
            staff: AccountId::generate(NOW, &Counting),
            discord: [discord(), discord(), discord()],
            org: OrgId::generate(NOW, &Counting),
            guild: GuildId::generate(NOW, &Counting),
            server: ServerId::generate(NOW, &Counting),
            key: KeyId::generate(NOW, &Counting),
            plain: [PlainKey::generate(&Counting), PlainKey::generate(&Counting)],
        }
    }

    async fn org(&self, tx: &mut Tx<'_>) -> Result<(AccountNum, OrgScope), DbError> {
        let owner = accounts::ensure(tx, &self.account, &self.discord[0], HARD, NOW)
            .await?
            .num;
        let staff = accounts::ensure(tx, &self.staff, &self.discord[1], "", NOW)
            .await?
            .num;
        accounts::own_one_more(tx, owner, 10).await?;
        let slug = self.org.as_str();
        let org = orgs::NewOrg {
            id: &self.org,
            slug,
            name: HARD,
            tier: Tier::Pro,
            owner,
            now_ms: NOW,
        };
        let scope = orgs::insert(tx, &org).await?;
        let permissions = Role::Staff.default_permissions();
        orgs::add_member(tx, scope, staff, Role::Staff, permissions, NOW).await?;
        Ok((owner, scope))
    }

    async fn server(&self, tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<(), DbError> {
        orgs::add_one(tx, scope, Dimension::Servers, 100).await?;
        let server = servers::insert(tx, scope, guild, &self.server, HARD, NOW).await?;
        let [first, second] = [&self.plain[0], &self.plain[1]];
        let key = plugin_keys::NewKey {
            id: &self.key,
            server,
            kind: KeyKind::Plugin,
            actions: ActionSet::PLUGIN,
            hash: &first.hash(),
            prefix: &first.prefix(),
            sealed: "sealed",
            sealed_kid: "k1",
            now_ms: NOW,
        };
        plugin_keys::insert(tx, scope, &key).await?;
        let num: i64 = tx
            .get(
                statement(
                    "SELECT num FROM api_keys WHERE id = $1",
                    "SELECT num FROM api_keys WHERE id = ?1",
                ),
                params![self.key.as_str()],
            )
            .await?;
        let replacement = plugin_keys::Replacement {
            hash: &second.hash(),
            prefix: &second.prefix(),
            sealed: HARD,
            sealed_kid: "k2",
            now_ms: NOW + 1,
        };
        plugin_keys::replace(tx, scope, KeyNum(num), 1, &replacement)
            .await
            .map(drop)
    }

    async fn records(&self, tx: &mut Tx<'_>, owner: AccountNum, scope: OrgScope) -> Result<(), DbError> {
        let text = self.org.as_str();
        sessions::insert(tx, text, owner, NOW, NOW + 1000, Some("Firefox on Linux")).await?;
        let guild = self.guild.clone();
        jobs::enqueue_counted(tx, scope, &Job::EndGuild { guild }, i64::MAX, NOW).await?;
        let group = error_log::Group {
            code: "internal".to_owned(),
            route: text.to_owned(),
            org_num: scope.num(),
            minute: NOW / 60_000,
            status: 500,
            count: i64::MAX,
            request_ids: vec!["r1".to_owned(), "r2".to_owned()],
            detail: HARD.to_owned(),
        };
        error_log::record(tx, &group).await?;
        settings::put(tx, text, HARD, NOW).await?;
        let calls = daily_calls::Calls {
            org_num: scope.num(),
            calls: i64::MAX,
        };
        daily_calls::add(tx, HARD, NOW, calls).await?;
        let action = AuditAction::OrgCreated;
        let act = Act::new(scope, Actor::Account(self.account.clone()), NOW);
        act.note(tx, action, Some(text), &json!(HARD)).await?;
        let act = Act::new(NoOrg, Actor::Operator, NOW);
        act.note(tx, action, None, &json!({})).await
    }
}

impl Work for AddTenant {
    type For = NoOrg;
    type Output = Tenant;
    type Error = DbError;
    const NAME: &'static str = "add a tenant";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Tenant, DbError> {
        let (owner, scope) = self.org(tx).await?;
        orgs::add_one(tx, scope, Dimension::Guilds, 100).await?;
        let guild = guilds::NewGuild {
            id: &self.guild,
            discord_guild_id: &self.discord[2],
            slug: self.guild.as_str(),
            name: HARD,
            log_channel_id: None,
            now_ms: NOW,
        };
        let guild = guilds::insert(tx, scope, &guild).await?;
        let mut settings = guild_settings::get_in(tx, scope, guild).await?;
        settings.steam_group = GroupId::new(u32::MAX).map(|id| guild_settings::SteamGroup {
            pasted: HARD.to_owned(),
            id,
        });
        guild_settings::set(tx, scope, guild, &settings).await?;
        self.server(tx, scope, guild).await?;
        let tally = link_steps::Tally {
            guild,
            hour: NOW,
            step: LinkStep::Failed,
            reason: HARD,
        };
        link_steps::add(tx, &tally, i64::MAX).await?;
        self.records(tx, owner, scope).await?;
        Ok(Tenant { scope, guild })
    }
}

/// A link with its counters and its audit entry, as the service makes it.
pub struct AddLink {
    pub id: LinkId,
    tenant: Tenant,
    discord: DiscordId,
    steam: SteamId,
    country: Option<&'static str>,
    ended: bool,
}

impl AddLink {
    pub fn new(tenant: Tenant) -> Self {
        let (discord, steam) = (discord(), steam());
        let id = LinkId::generate(NOW, &Counting);
        Self {
            id,
            tenant,
            discord,
            steam,
            country: Some("NL"),
            ended: false,
        }
    }

    fn ended(tenant: Tenant) -> Self {
        Self {
            country: None,
            ended: true,
            ..Self::new(tenant)
        }
    }
}

impl Work for AddLink {
    type For = NoOrg;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "add a link";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), DbError> {
        let Tenant { scope, guild } = self.tenant;
        orgs::lock(tx, scope).await?;
        let link = links::NewLink {
            id: &self.id,
            guild,
            discord_id: &self.discord,
            steam_id: &self.steam,
            country: self.country,
            now_ms: NOW,
        };
        links::insert(tx, scope, &link).await?;
        let whose = BTreeSet::from([self.discord.as_str().to_owned()]);
        if self.ended {
            let Some(link) = links::find_by_discord(tx, guild, &self.discord).await? else {
                return Err(DbError::Bug("the link is gone".to_owned()));
            };
            links::end(tx, scope, link.num, NOW + 5, UnlinkCause::User).await?;
            return people::follow(tx, scope, &whose).await.map(drop);
        }
        people::follow(tx, scope, &whose).await?;
        orgs::add_one(tx, scope, Dimension::Links, i64::MAX).await?;
        guilds::change_links(tx, scope, guild, 1).await?;
        let act = Act::new(scope, Actor::System, NOW);
        let target = Some(self.id.as_str());
        act.note(tx, AuditAction::LinkCreated, target, &json!({})).await
    }
}

/// Any one statement.
pub struct Run(pub &'static str);

impl Work for Run {
    type For = NoOrg;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "run";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), DbError> {
        tx.execute(statement(self.0, self.0), params![]).await.map(drop)
    }
}

/// One more tenant with an active and an ended link.
pub async fn add_tenant(db: &Db) -> Tenant {
    let tenant = db.write(AddTenant::new()).await.unwrap();
    db.write(AddLink::new(tenant)).await.unwrap();
    db.write(AddLink::ended(tenant)).await.unwrap();
    for table in PLAYER_TABLES {
        db.write(Run(table)).await.unwrap();
    }
    tenant
}

pub async fn assert_sound(db: &Db) {
    assert_eq!(doctor::examine(db).await.unwrap(), Vec::<String>::new());
}
