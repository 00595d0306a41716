//! What the tests share: units of work in one line, a populated tenant, and SQL around the layer.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use domain::action::ActionSet;
use domain::id::{AccountId, GuildId, KeyId, LinkId, OrgId, ServerId};
use domain::key::{KeyHash, KeyKind, PlainKey};
use domain::plan::{Dimension, Tier};
use domain::platform_id::{DiscordId, SteamId};
use domain::random::{SeededRandom, SystemRandom};
use storage::identity::accounts;
use storage::keys::plugin_keys;
use storage::linking::links;
use storage::tenancy::{guilds, orgs, servers};
use storage::testing::TestDb;
use storage::{AccountNum, Db, DbError, GuildNum, NoOrg, OrgScope, ServerNum, Tx, Work, settings};

/// Declares a unit of work: its inputs, what it gives back, and what it does.
macro_rules! unit {
    ($name:ident { $($field:ident: $kind:ty),* $(,)? } -> $output:ty, |$this:ident, $tx:ident| $body:block) => {
        struct $name { $($field: $kind),* }

        impl storage::Work for $name {
            type For = storage::NoOrg;
            type Output = $output;
            type Error = storage::DbError;
            const NAME: &'static str = stringify!($name);

            async fn run(&self, $tx: &mut storage::Tx<'_>, _: &storage::NoOrg) -> Result<$output, storage::DbError> {
                let $this = self;
                $body
            }
        }
    };
}

pub const NOW: i64 = 1_700_000_000_000;

/// Waits until the condition holds, and fails after a generous limit.
pub async fn eventually<F: Future<Output = bool>>(what: &str, condition: impl Fn() -> F) {
    let wait = async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    if tokio::time::timeout(Duration::from_secs(120), wait)
        .await
        .is_err()
    {
        panic!("never happened: {what}");
    }
}

/// Starts a future without waiting for it.
pub fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Writes one setting, for tests that care about the write and not about what is written.
pub struct Put(pub String);

impl Work for Put {
    type For = NoOrg;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "put";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), DbError> {
        settings::put(tx, &self.0, "x", NOW).await
    }
}

pub async fn is_put(db: &Db, name: &str) -> bool {
    settings::find(db, name).await.unwrap().is_some()
}

/// One Org with a Guild, a Server with its key, and one active link.
#[derive(Clone)]
pub struct Tenant {
    pub account: AccountNum,
    pub scope: OrgScope,
    pub org_id: OrgId,
    pub guild: GuildNum,
    pub guild_id: GuildId,
    pub server: ServerNum,
    pub server_id: ServerId,
    pub key_hash: KeyHash,
    pub discord: DiscordId,
    pub steam: SteamId,
}

impl Tenant {
    /// Tenants of different numbers share nothing.
    pub async fn make(db: &Db, number: u64) -> Tenant {
        db.write(MakeTenant { number }).await.unwrap()
    }
}

pub fn discord(number: u64) -> DiscordId {
    DiscordId::parse(&(200_000_000_000_000_000 + number).to_string()).unwrap()
}

pub fn steam(number: u64) -> SteamId {
    SteamId::parse(&(76_561_198_000_000_000 + number).to_string()).unwrap()
}

pub fn link_id() -> LinkId {
    LinkId::generate(NOW, &SystemRandom)
}

pub fn plain_key() -> PlainKey {
    PlainKey::generate(&SystemRandom)
}

struct MakeTenant {
    number: u64,
}

impl Work for MakeTenant {
    type For = NoOrg;
    type Output = Tenant;
    type Error = DbError;
    const NAME: &'static str = "make_tenant";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<Tenant, DbError> {
        let random = SeededRandom::new(self.number);
        let account_id = AccountId::generate(NOW, &random);
        let person = discord(self.number * 1000);
        let account = accounts::ensure(tx, &account_id, &person, "Owner", NOW)
            .await?
            .num;
        accounts::own_one_more(tx, account, 10).await?;
        let org_id = OrgId::generate(NOW, &random);
        let slug = format!("org-{}", self.number);
        let new = orgs::NewOrg {
            id: &org_id,
            slug: &slug,
            name: "Org",
            tier: Tier::Free,
            owner: account,
            now_ms: NOW,
        };
        let scope = orgs::insert(tx, &new).await?;
        let (guild, guild_id) = self.guild(tx, scope, &random).await?;
        let (server, server_id, key_hash) = server_in(tx, scope, guild, &random).await?;
        let (discord, steam) = (discord(self.number * 1000 + 1), steam(self.number));
        let id = LinkId::generate(NOW, &random);
        link(tx, scope, guild, &id, &discord, &steam).await?;
        Ok(Tenant {
            account,
            scope,
            org_id,
            guild,
            guild_id,
            server,
            server_id,
            key_hash,
            discord,
            steam,
        })
    }
}

impl MakeTenant {
    async fn guild(
        &self,
        tx: &mut Tx<'_>,
        scope: OrgScope,
        random: &SeededRandom,
    ) -> Result<(GuildNum, GuildId), DbError> {
        let id = GuildId::generate(NOW, random);
        let (discord_guild_id, slug) = (discord(self.number * 1000 + 2), format!("guild-{}", self.number));
        orgs::add_one(tx, scope, Dimension::Guilds, 10).await?;
        let new = guilds::NewGuild {
            id: &id,
            discord_guild_id: &discord_guild_id,
            slug: &slug,
            name: "Guild",
            log_channel_id: None,
            now_ms: NOW,
        };
        Ok((guilds::insert(tx, scope, &new).await?, id))
    }
}

/// A counted Server with its plugin key.
pub async fn server_in(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    random: &SeededRandom,
) -> Result<(ServerNum, ServerId, KeyHash), DbError> {
    let (id, key_id, key) = (
        ServerId::generate(NOW, random),
        KeyId::generate(NOW, random),
        PlainKey::generate(random),
    );
    orgs::add_one(tx, scope, Dimension::Servers, 10).await?;
    let server = servers::insert(tx, scope, guild, &id, "Server", NOW).await?;
    let new = plugin_keys::NewKey {
        id: &key_id,
        server,
        kind: KeyKind::Plugin,
        actions: ActionSet::PLUGIN,
        hash: &key.hash(),
        prefix: &key.prefix(),
        sealed: "sealed-1",
        sealed_kid: "k1",
        now_ms: NOW,
    };
    plugin_keys::insert(tx, scope, &new).await?;
    Ok((server, id, key.hash()))
}

/// A counted active link.
pub async fn link(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    id: &LinkId,
    discord_id: &DiscordId,
    steam_id: &SteamId,
) -> Result<(), DbError> {
    orgs::add_one(tx, scope, Dimension::Links, 1000).await?;
    guilds::change_links(tx, scope, guild, 1).await?;
    let new = links::NewLink {
        id,
        guild,
        discord_id,
        steam_id,
        country: Some("DE"),
        now_ms: NOW,
    };
    links::insert(tx, scope, &new).await?;
    let whose = std::collections::BTreeSet::from([discord_id.as_str().to_owned()]);
    storage::players::people::follow(tx, scope, &whose)
        .await
        .map(drop)
}

/// SQL on a connection beside the store's own, in the words of either database.
pub enum Raw {
    Sqlite(rusqlite::Connection),
    Postgres(tokio_postgres::Client),
}

impl Raw {
    pub async fn open(test: &TestDb) -> Raw {
        Raw::at(test.url_or_path()).await
    }

    pub async fn at(address: String) -> Raw {
        match address.strip_prefix("sqlite:") {
            Some(path) => {
                let connection = rusqlite::Connection::open(path).unwrap();
                connection.pragma_update(None, "foreign_keys", true).unwrap();
                Raw::Sqlite(connection)
            }
            None => Raw::Postgres(postgres_client(&address).await),
        }
    }

    pub async fn run(&self, sql: &str) -> Result<(), DbError> {
        match self {
            Raw::Sqlite(connection) => Ok(connection.execute_batch(sql)?),
            Raw::Postgres(client) => Ok(client.batch_execute(sql).await?),
        }
    }

    /// The two databases need different words to break their own rules.
    pub async fn run_either(&self, sqlite: &str, postgres: &str) {
        let sql = if matches!(self, Raw::Sqlite(_)) {
            sqlite
        } else {
            postgres
        };
        self.run(sql).await.unwrap();
    }

    pub async fn texts(&self, sql: &str) -> Vec<String> {
        match self {
            Raw::Sqlite(connection) => {
                let mut prepared = connection.prepare(sql).unwrap();
                let rows = prepared.query_map([], |row| row.get(0)).unwrap();
                rows.collect::<Result<_, _>>().unwrap()
            }
            Raw::Postgres(client) => {
                let rows = client.query(sql, &[]).await.unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            }
        }
    }

    pub async fn number(&self, sql: &str) -> i64 {
        match self {
            Raw::Sqlite(connection) => connection.query_row(sql, [], |row| row.get(0)).unwrap(),
            Raw::Postgres(client) => client.query_one(sql, &[]).await.unwrap().get(0),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "ends with its client")]
pub async fn postgres_client(address: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(address, tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
}
