//! Factories: a tenant with everything it needs, in one line.

use app::identity::accounts;
use app::identity::sessions;
use app::keys::custom_keys::{self, CustomKeyRequest};
use app::linking::links::{self, LinkRequest, Linked};
use app::tenancy::guilds::{self, NewGuildRequest};
use app::tenancy::invites::{self, InviteRequest};
use app::tenancy::team::{self, MemberChange, TeamActor};
use app::tenancy::{orgs, servers};
use app::{App, OrgScope};
use domain::action::ActionSet;
use domain::audit::Actor;
use domain::id::{AccountId, GuildId, ImportId, InviteId, KeyId, OrgId, ServerId};
use domain::invitation::Expiry;
use domain::name::{DisplayName, Slug};
use domain::permission::{Permission, PermissionSet, Role};
use domain::plan::Tier;
use domain::platform_id::{DiscordId, SteamId};
use storage::identity::accounts::Account;

use crate::app::TestApp;
use crate::platforms::log_channel;

/// A Discord id that differs for each number.
pub fn discord(number: u64) -> DiscordId {
    DiscordId::parse(&(700_000_000_000_000_000 + number).to_string()).expect("a Discord id")
}

/// A Steam id that differs for each number.
pub fn steam(number: u64) -> SteamId {
    SteamId::parse(&(76_561_197_960_265_728 + number).to_string()).expect("a Steam id")
}

/// An Org with an owner, a Guild with a log channel, and a Server with its key.
#[derive(Clone)]
pub struct Tenant {
    pub owner: Account,
    pub org: OrgId,
    pub scope: OrgScope,
    pub guild: GuildId,
    pub discord_guild: DiscordId,
    pub server: ServerId,
    pub key: String,
    /// Made by `full_tenant` only.
    pub custom_key: Option<KeyId>,
    /// A member of the team without permissions, made by `full_tenant` only.
    pub helper: Option<AccountId>,
    /// An invitation and its code, made by `full_tenant` only.
    pub invite: Option<(InviteId, String)>,
    /// Somebody who is linked, made by `full_tenant` only.
    pub player: Option<DiscordId>,
    /// An import that is over, made by `full_tenant` only.
    pub import: Option<ImportId>,
}

impl TestApp {
    /// A tenant whose names and ids follow from `number`.
    pub async fn tenant(&self, number: u64, tier: Tier) -> Tenant {
        let app = &self.app;
        let owner = self.account(900_000 + number).await;
        let (org, scope) = orgs::create(
            app,
            &owner,
            name("Org", number),
            slug("org", number),
            Actor::System,
        )
        .await
        .expect("an Org");
        app::billing::grants::set_tier(app, scope, tier, domain::audit::Actor::System)
            .await
            .expect("a tier");
        let discord_guild = discord(800_000_000 + number);
        let request = NewGuildRequest {
            discord_guild_id: discord_guild.clone(),
            name: name("Guild", number),
            slug: slug("guild", number),
            log_channel_id: Some(log_channel(&discord_guild)),
        };
        let (guild, _) = guilds::create(app, scope, request, Actor::System)
            .await
            .expect("a Guild");
        let created = servers::create(app, scope, guild.clone(), name("Server", number), Actor::System)
            .await
            .expect("a Server");
        let key = created.key.expose().to_owned();
        Tenant {
            owner,
            org,
            scope,
            guild,
            discord_guild,
            server: created.id,
            key,
            custom_key: None,
            helper: None,
            invite: None,
            player: None,
            import: None,
        }
    }

    /// A dashboard account.
    pub async fn account(&self, number: u64) -> Account {
        accounts::ensure(&self.app, discord(number), name("Person", number))
            .await
            .expect("an account")
    }

    /// A session token of an account.
    pub async fn session(&self, account: &Account) -> String {
        let token = sessions::start(&self.app, account, sessions::ABSOLUTE_MS)
            .await
            .expect("a session");
        token.expose().to_owned()
    }

    /// A member of the tenant's Org who holds exactly these permissions, and their session token.
    pub async fn member(&self, tenant: &Tenant, number: u64, permissions: &[Permission]) -> String {
        let account = self.account(number).await;
        orgs::add_member(&self.app, tenant.scope, &account, Role::Staff)
            .await
            .expect("a member");
        let set: PermissionSet = permissions.iter().copied().collect();
        self.set_permissions(tenant, &account, set).await;
        self.session(&account).await
    }

    /// A tenant on a paid plan that has one of everything, a custom key included.
    pub async fn full_tenant(&self, number: u64, tier: Tier) -> Tenant {
        let mut tenant = self.tenant(number, tier).await;
        tenant.custom_key = Some(self.custom_key(&tenant, ActionSet::ALL, true).await.0);
        let helper = self.account(950_000 + number).await;
        orgs::add_member(&self.app, tenant.scope, &helper, Role::Staff)
            .await
            .expect("a member");
        tenant.helper = Some(helper.id);
        tenant.invite = Some(self.invite(&tenant, Role::Staff, &[]).await);
        tenant.link(&self.app, 970_000 + number).await;
        tenant.player = Some(discord(970_000 + number));
        tenant.import = Some(self.ended_import(&tenant).await);
        tenant
    }

    /// An import that is over and has no rows.
    async fn ended_import(&self, tenant: &Tenant) -> ImportId {
        let now_ms = self.app.now_ms();
        let id = ImportId::generate(now_ms, &*self.app.random);
        self.db.add_ended_import(&id, &tenant.guild, now_ms).await;
        id
    }

    /// An invitation by the owner, and its code.
    pub async fn invite(
        &self,
        tenant: &Tenant,
        role: Role,
        permissions: &[Permission],
    ) -> (InviteId, String) {
        let request = InviteRequest {
            role,
            permissions: permissions.iter().copied().collect(),
            note: None,
            expiry: Expiry::SevenDays,
        };
        let made = invites::create(&self.app, tenant.scope, tenant.owner_actor(), request).await;
        let made = made.expect("an invitation");
        let code = made
            .url
            .expect("an address")
            .rsplit('/')
            .next()
            .expect("a code")
            .to_owned();
        (made.invite.id, code)
    }

    /// A custom key of the tenant's Guild, for its Server if asked. The Org must be on a paid plan.
    pub async fn custom_key(&self, tenant: &Tenant, actions: ActionSet, for_server: bool) -> (KeyId, String) {
        let request = CustomKeyRequest {
            name: name("Key", 1),
            guild: tenant.guild.clone(),
            server: for_server.then(|| tenant.server.clone()),
            actions,
        };
        let created = custom_keys::create(&self.app, tenant.scope, request, Actor::System).await;
        let (id, key) = created.expect("a custom key");
        (id, key.expose().to_owned())
    }

    /// A bot key of the tenant's Server.
    pub async fn bot_key(&self, tenant: &Tenant) -> String {
        let issued =
            app::keys::bot_keys::issue(&self.app, tenant.scope, tenant.server.clone(), Actor::System).await;
        issued.expect("a bot key").expose().to_owned()
    }

    /// Changes what a member may do.
    pub async fn set_permissions(&self, tenant: &Tenant, account: &Account, permissions: PermissionSet) {
        let change = MemberChange {
            permissions: Some(permissions),
            ..MemberChange::default()
        };
        let changed = team::change(
            &self.app,
            tenant.scope,
            tenant.owner_actor(),
            account.id.clone(),
            change,
        )
        .await;
        changed.expect("permissions");
    }
}

impl Tenant {
    /// The owner, acting.
    pub fn owner_actor(&self) -> TeamActor {
        TeamActor {
            account: self.owner.num,
            actor: Actor::Account(self.owner.id.clone()),
        }
    }

    /// Links player `number` to the Steam account of the same number.
    pub async fn link(&self, app: &App, number: u64) -> Linked {
        self.link_pair(app, number, number).await.expect("a link")
    }

    pub async fn link_pair(
        &self,
        app: &App,
        discord_number: u64,
        steam_number: u64,
    ) -> Result<Linked, app::AppError> {
        let request = LinkRequest {
            guild: self.guild.clone(),
            discord_id: discord(discord_number),
            steam_id: steam(steam_number),
            country: None,
        };
        links::link(app, self.scope, request, Actor::System).await
    }
}

fn name(kind: &str, number: u64) -> DisplayName {
    DisplayName::parse(&format!("{kind} {number}")).expect("a name")
}

fn slug(kind: &str, number: u64) -> Slug {
    Slug::parse(&format!("{kind}-{number}")).expect("a slug")
}
