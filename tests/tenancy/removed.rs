//! A removed Org or Guild is gone for everybody, also for those who were on their way.

use std::collections::BTreeMap;

use app::AppError;
use app::identity::accounts::Account;
use app::keys::custom_keys::{CustomKeyRequest, KeyEdit};
use app::keys::{bot_keys, custom_keys, plugin_keys};
use app::linking::links;
use app::linking::links::LinkRequest;
use app::records::exports;
use app::tenancy::guild_changes::{self, GuildChange};
use app::tenancy::guilds::NewGuildRequest;
use app::tenancy::invites::InviteRequest;
use app::tenancy::orgs::OrgChange;
use app::tenancy::team::MemberChange;
use app::tenancy::{guilds, invited, invites, navigation, orgs, servers, team};
use domain::action::ActionSet;
use domain::audit::{Actor, AuditAction};
use domain::invitation::{Code, Expiry};
use domain::link::UnlinkCause;
use domain::name::{DisplayName, Slug};
use domain::permission::{PermissionSet, Role};
use domain::plan::Tier;
use domain::platform_id::EitherId;
use http::Method;
use serde_json::json;
use testkit::{Tenant, TestApp, both_databases, discord, steam};
use tokio::task::JoinSet;

use crate::secrecy::rows::Rows;
use crate::support::call;

fn named(text: &str) -> DisplayName {
    DisplayName::parse(text).unwrap()
}

/// What a writer was told, by its name.
type Outcomes = Vec<(&'static str, Result<(), AppError>)>;

fn system() -> Actor {
    Actor::System
}

async fn guilds_and_servers(test: &TestApp, tenant: &Tenant) -> Outcomes {
    let (app, scope) = (&test.app, tenant.scope);
    let (guild, server) = (|| tenant.guild.clone(), || tenant.server.clone());
    let claimed = NewGuildRequest {
        discord_guild_id: discord(4_711),
        name: named("Late"),
        slug: Slug::parse("late").unwrap(),
        log_channel_id: None,
    };
    let claim = guilds::create(app, scope, claimed, system()).await;
    let change = guild_changes::change(app, scope, guild(), GuildChange::default(), system()).await;
    let remove = guilds::remove(app, scope, guild(), system()).await;
    let add = servers::create(app, scope, guild(), named("Late"), system()).await;
    let switch = servers::set_active(app, scope, server(), false, system()).await;
    let delete = servers::delete(app, scope, server(), system()).await;
    let link = LinkRequest {
        guild: guild(),
        discord_id: discord(9),
        steam_id: steam(9),
        country: None,
    };
    let link = links::link(app, scope, link, system()).await;
    let either = EitherId::Discord(discord(1));
    let unlink = links::unlink(app, scope, guild(), either, UnlinkCause::Admin, system()).await;
    vec![
        ("guilds::create", claim.map(drop)),
        ("guilds::change", change),
        ("guilds::remove", remove),
        ("servers::create", add.map(drop)),
        ("servers::set_active", switch),
        ("servers::delete", delete),
        ("links::link", link.map(drop)),
        ("links::unlink", unlink.map(drop)),
    ]
}

async fn all_keys(test: &TestApp, tenant: &Tenant) -> Outcomes {
    let (app, scope) = (&test.app, tenant.scope);
    let (server, key) = (|| tenant.server.clone(), || tenant.custom_key.clone().unwrap());
    let actions = ActionSet::PLUGIN;
    let new = CustomKeyRequest {
        name: named("Late"),
        guild: tenant.guild.clone(),
        server: None,
        actions,
    };
    let create = custom_keys::create(app, scope, new, system()).await;
    let late = KeyEdit {
        name: named("Late"),
        actions,
        revision: None,
    };
    let edit = custom_keys::edit(app, scope, key(), late, system()).await;
    let shown = custom_keys::reveal(app, scope, key(), system()).await;
    let revoke = custom_keys::revoke(app, scope, key(), system()).await;
    vec![
        ("custom_keys::create", create.map(drop)),
        ("custom_keys::edit", edit),
        ("custom_keys::reveal", shown.map(drop)),
        ("custom_keys::revoke", revoke),
        (
            "plugin_keys::reveal",
            plugin_keys::reveal(app, scope, server(), system())
                .await
                .map(drop),
        ),
        (
            "plugin_keys::regenerate",
            plugin_keys::regenerate(app, scope, server(), system())
                .await
                .map(drop),
        ),
        (
            "plugin_keys::revoke",
            plugin_keys::revoke(app, scope, server(), system()).await,
        ),
        (
            "bot_keys::issue",
            bot_keys::issue(app, scope, server(), system()).await.map(drop),
        ),
    ]
}

async fn people(test: &TestApp, tenant: &Tenant, stranger: &Account, code: &Code) -> Outcomes {
    let (app, scope, by) = (&test.app, tenant.scope, || tenant.owner_actor());
    let (invite, helper) = (
        || tenant.invite.clone().unwrap().0,
        || tenant.helper.clone().unwrap(),
    );
    let new = InviteRequest {
        role: Role::Staff,
        permissions: PermissionSet::EMPTY,
        note: None,
        expiry: Expiry::Never,
    };
    let fewer = MemberChange {
        permissions: Some(PermissionSet::EMPTY),
        ..MemberChange::default()
    };
    let accept = invited::accept(app, code, stranger.num, stranger.id.clone()).await;
    vec![
        (
            "invites::create",
            invites::create(app, scope, by(), new).await.map(drop),
        ),
        (
            "invites::reissue",
            invites::reissue(app, scope, by(), invite()).await.map(drop),
        ),
        (
            "invites::revoke",
            invites::revoke(app, scope, by(), invite()).await,
        ),
        ("invited::accept", accept.map(drop)),
        (
            "team::change",
            team::change(app, scope, by(), helper(), fewer).await,
        ),
        ("team::remove", team::remove(app, scope, by(), helper()).await),
        ("team::leave", team::leave(app, scope, by()).await),
        ("team::transfer", team::transfer(app, scope, by(), helper()).await),
        (
            "orgs::add_member",
            orgs::add_member(app, scope, stranger, Role::Admin).await,
        ),
    ]
}

async fn the_org(test: &TestApp, tenant: &Tenant) -> Outcomes {
    let (app, scope) = (&test.app, tenant.scope);
    let renamed = OrgChange {
        name: Some(named("Late")),
        ..OrgChange::default()
    };
    let buttons = navigation::replace(app, scope, &[], BTreeMap::new(), None, system()).await;
    vec![
        ("orgs::change", orgs::change(app, scope, renamed, system()).await),
        (
            "grants::set_tier",
            app::billing::grants::set_tier(app, scope, Tier::Free, system()).await,
        ),
        (
            "orgs::remove",
            orgs::remove(app, scope, tenant.owner_actor()).await,
        ),
        ("orgs::get_own", orgs::get_own(app, scope).await.map(drop)),
        ("navigation::replace", buttons.map(drop)),
        (
            "exports::begin",
            exports::begin(app, scope, system(), AuditAction::AuditExported)
                .await
                .map(drop),
        ),
    ]
}

both_databases! {
    async fn nothing_is_written_into_a_removed_org(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        tenant.link(&test.app, 1).await;
        let (_, code) = test.invite(&tenant, Role::Staff, &[]).await;
        let code = Code::parse(&code).unwrap();
        orgs::remove(&test.app, tenant.scope, tenant.owner_actor()).await.unwrap();
        let stranger = test.account(77).await;
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        // Each with what its caller learned before the removal.
        let mut told = guilds_and_servers(&test, &tenant).await;
        told.extend(all_keys(&test, &tenant).await);
        told.extend(people(&test, &tenant, &stranger, &code).await);
        told.extend(the_org(&test, &tenant).await);
        for (what, result) in told {
            assert_eq!(result.map_err(|error| error.code()), Err("NOT_FOUND"), "{what}");
        }
        test.settle().await;
        assert_eq!(before, rows.all(&test.db.db).await);
        assert_eq!(guilds::find_org(&test.app, &tenant.guild).await.unwrap_err().code(), "NOT_FOUND");
        test.drain_jobs().await;
        test.finish().await;
    }

    async fn of_many_removals_at_once_one_succeeds_and_the_others_find_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let base = format!("/orgs/{}", tenant.org);
        for (uri, confirm) in [(format!("{base}/guilds/{}", tenant.guild), "guild-1"), (base, "org-1")] {
            let mut calls = JoinSet::new();
            for _ in 0..8 {
                let (owner, uri) = (owner.clone(), uri.clone());
                calls.spawn(async move {
                    call(&owner, Method::DELETE, &uri, &json!({ "confirm": confirm })).await.status.as_u16()
                });
            }
            let mut statuses = calls.join_all().await;
            statuses.sort_unstable();
            assert_eq!(statuses, [204, 404, 404, 404, 404, 404, 404, 404], "{uri}");
        }
        test.drain_jobs().await;
        test.finish().await;
    }

    async fn the_pages_of_a_removed_guild_are_gone_by_whatever_name(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let other = test.tenant(2, Tier::Pro).await;
        guilds::remove(&test.app, tenant.scope, tenant.guild.clone(), Actor::System).await.unwrap();
        orgs::remove(&test.app, other.scope, other.owner_actor()).await.unwrap();
        let names = [tenant.guild.to_string(), other.guild.to_string(), "guild-1".to_owned(), "guild-2".to_owned()];
        for name in names {
            for uri in [format!("/link/{name}"), format!("/unlink/{name}"), format!("/auth/discord/link?guild={name}")] {
                assert_eq!(test.client().get(&uri).await.status, 404, "{uri}");
            }
        }
        test.drain_jobs().await;
        test.finish().await;
    }
}
