//! The audit log names nobody. Whoever adds a deed to the log adds it to this walk.

use std::collections::BTreeSet;

use app::bots::register;
use app::identity::blocklist::{self, BlockRequest};
use app::identity::{accounts, sessions};
use app::import::{ImportRow, ImportSlice};
use app::linking::links::{self, LinkRequest};
use app::tenancy::{orgs, servers};
use app::{instance, jobs, master_keys};
use axum::body::Body;
use domain::audit::{Actor, AuditAction};
use domain::blocklist::BlockEntry;
use domain::bot::BotId;
use domain::link::UnlinkCause;
use domain::name::DisplayName;
use domain::permission::Role;
use domain::plan::Tier;
use domain::platform_id::EitherId;
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, Tenant, TestApp, both_databases, discord, steam};

use super::rows::{Rows, texts};
use crate::imports::import_files;
use crate::linking::stage::Stage;

/// What everybody in this walk is called, wherever somebody may type.
const NAME: &str = "Zebulon Quux";
const OPERATOR: Actor = Actor::Operator;

fn name() -> DisplayName {
    DisplayName::parse(NAME).unwrap()
}

/// A call that must succeed.
async fn call(person: &Client, method: Method, uri: &str, body: Value) -> Value {
    let reply = person
        .send(method.clone(), uri, Body::from(body.to_string()))
        .await;
    assert!(reply.status.is_success(), "{method} {uri}: {}", reply.text());
    if reply.body.is_empty() {
        Value::Null
    } else {
        reply.json()
    }
}

/// What people of the dashboard do in an Org that has everything.
async fn change_things(tenant: &Tenant, owner: &Client) {
    let org = format!("/orgs/{}", tenant.org);
    let (post, patch) = (Method::POST, Method::PATCH);
    call(
        owner,
        patch.clone(),
        &format!("{org}/settings"),
        json!({ "name": "Other Org" }),
    )
    .await;
    let button = json!({ "label": "Shop", "url": "https://example.com/", "icon": "none", "new_tab": true });
    call(
        owner,
        Method::PUT,
        &format!("{org}/navigation"),
        json!({ "links": [button] }),
    )
    .await;
    let guild = json!({
        "name": "Other Guild",
        "slug": "other-guild",
        "log_channel_id": discord(820_000_001).as_str(),
        "verified_roles": [discord(820_000_002).as_str()],
        "invite_url": "https://discord.gg/abcdef",
    });
    call(
        owner,
        patch.clone(),
        &format!("{org}/guilds/{}", tenant.guild),
        guild,
    )
    .await;
    let server = format!("{org}/servers/{}", tenant.server);
    for active in [false, true] {
        call(
            owner,
            patch.clone(),
            &server,
            json!({ "active": active, "name": format!("Server {active}") }),
        )
        .await;
    }
    for what in ["reveal", "regenerate", "revoke"] {
        call(owner, post.clone(), &format!("{server}/key/{what}"), json!({})).await;
    }
    let key = format!("{org}/keys/{}", tenant.custom_key.as_ref().unwrap());
    call(
        owner,
        Method::PUT,
        &key,
        json!({ "name": "Key", "groups": [], "actions": ["count"] }),
    )
    .await;
    let invite = json!({ "role": "staff", "permissions": [], "expires": "7d", "note": NAME });
    let made = call(owner, post.clone(), &format!("{org}/invites"), invite).await;
    let invite = format!("{org}/invites/{}", made["id"].as_str().unwrap());
    for what in ["reissue", "revoke"] {
        call(owner, post.clone(), &format!("{invite}/{what}"), json!({})).await;
    }
}

/// Who comes and goes, and what goes with them.
async fn change_people(stage: &Stage, tenant: &Tenant, owner: &Client) {
    let (org, delete) = (format!("/orgs/{}", tenant.org), Method::DELETE);
    let helper = format!("{org}/team/{}", tenant.helper.as_ref().unwrap());
    call(
        owner,
        Method::PATCH,
        &helper,
        json!({ "permissions": ["links.view"] }),
    )
    .await;
    let (test, account) = (
        &stage.test,
        accounts::ensure(&stage.test.app, discord(31), name())
            .await
            .unwrap(),
    );
    orgs::add_member(&test.app, tenant.scope, &account, Role::Staff)
        .await
        .unwrap();
    let member = test.person(&test.session(&account).await);
    assert_eq!(
        member
            .get(&format!("{org}/servers/{}?", tenant.server))
            .await
            .status,
        200
    );
    assert_eq!(member.post(&format!("{org}/servers"), "{}").await.status, 403);
    test.settle().await;
    call(
        &member,
        delete.clone(),
        &format!("/account/memberships/{}", tenant.org),
        json!({}),
    )
    .await;
    assert_eq!(owner.get(&format!("{org}/audit/export")).await.status, 200);
    call(owner, delete.clone(), &helper, json!({})).await;
    let spare = servers::create(
        &test.app,
        tenant.scope,
        tenant.guild.clone(),
        DisplayName::parse("Spare").unwrap(),
        Actor::System,
    );
    call(
        owner,
        delete,
        &format!("{org}/servers/{}", spare.await.unwrap().id),
        json!({}),
    )
    .await;
}

/// What the team does with those who are linked.
async fn look_at_users(tenant: &Tenant, owner: &Client) {
    let org = format!("/orgs/{}", tenant.org);
    let player = tenant.player.as_ref().unwrap();
    call(owner, Method::GET, &format!("{org}/users/{player}"), json!({})).await;
    for what in ["users", "analytics"] {
        assert_eq!(owner.get(&format!("{org}/{what}/export")).await.status, 200);
    }
    let keywords = json!({ "keywords": [{ "text": "helper", "class": "staff" }] });
    call(owner, Method::PUT, &format!("{org}/trust"), keywords).await;
    let unlink = format!("{org}/users/unlink");
    call(owner, Method::POST, &unlink, json!({ "users": [player] })).await;
    call(owner, Method::DELETE, &unlink, json!({})).await;
}

/// What is done about somebody who is dormant: kept by the team, and taken off the list by a run.
async fn clean_up(stage: &Stage, tenant: &Tenant, owner: &Client) {
    let (test, org) = (&stage.test, tenant.scope.num());
    let flag = format!(
        "DELETE FROM dormant_links;
         INSERT INTO dormant_links (link_num, org_num, flagged_at)
         SELECT num, org_num, 5 FROM links WHERE org_num = {org} AND ended_at IS NULL"
    );
    test.db.damage(&flag).await;
    let cleanup = format!("/orgs/{}/cleanup", tenant.org);
    let player = json!({ "users": [discord(3)] });
    call(owner, Method::POST, &format!("{cleanup}/keep"), player).await;
    test.db.damage(&flag).await;
    let rules = json!({ "enabled": true, "days": 30, "grace_days": 7 });
    call(owner, Method::PUT, &cleanup, rules).await;
    test.drain_jobs().await;
}

/// What players and their game server do.
async fn link_and_unlink(stage: &Stage, tenant: &Tenant) {
    let (app, guild) = (&stage.test.app, tenant.guild.clone());
    for (player, account) in [(1, 1), (1, 2), (3, 3)] {
        let request = LinkRequest {
            guild: guild.clone(),
            discord_id: discord(player),
            steam_id: steam(account),
            country: None,
        };
        let (chat, game) = (NAME.to_owned(), NAME.to_owned());
        links::link_named(app, tenant.scope, request, chat, game, Actor::Player)
            .await
            .unwrap();
    }
    let either = EitherId::Steam(steam(2));
    links::unlink(
        app,
        tenant.scope,
        guild.clone(),
        either,
        UnlinkCause::User,
        Actor::Player,
    )
    .await
    .unwrap();
    let row = ImportRow {
        discord_id: discord(4),
        steam_id: steam(4),
        discord_name: Some(NAME.to_owned()),
        steam_name: Some(NAME.to_owned()),
        country: None,
        booster: true,
        groups: None,
        linked_at_ms: None,
        ended: None,
    };
    let slice = ImportSlice {
        guild,
        server: None,
        rows: vec![row],
        write: true,
        planned: 0,
    };
    app::import::run(app, tenant.scope, slice).await.unwrap();
    import_files(&stage.test, tenant, NAME).await;
}

/// What operators do, and the ends of things.
async fn operate(stage: &Stage, tenant: &Tenant) {
    let (test, app) = (&stage.test, &stage.test.app);
    for (entry, discord_id) in [
        (BlockEntry::discord(&discord(40)), Some(discord(40))),
        (BlockEntry::steam(&steam(40)), None),
        (BlockEntry::network("198.51.100.0/24").unwrap(), None),
    ] {
        let request = BlockRequest {
            entry: entry.clone(),
            discord_id,
            reason: NAME.to_owned(),
            days: Some(3),
        };
        blocklist::block(app, request, OPERATOR).await.unwrap();
        blocklist::unblock(app, entry, OPERATOR).await.unwrap();
    }
    for on in [true, false] {
        instance::set_maintenance(app, on, Some(NAME), OPERATOR)
            .await
            .unwrap();
        instance::set_invite_only(app, on, OPERATOR).await.unwrap();
    }
    register::show(app, BotId::Platform, OPERATOR).await.unwrap();
    register::rotate(app, BotId::Platform, OPERATOR).await.unwrap();
    let waiting = jobs::operate::list(app, 100).await.unwrap().0;
    let message = waiting.iter().find(|job| job.kind.starts_with("log.")).unwrap();
    jobs::operate::retry(app, message.num, OPERATOR).await.unwrap();
    jobs::operate::drop_job(app, message.num, OPERATOR).await.unwrap();
    let account = accounts::ensure(app, discord(32), name()).await.unwrap();
    accounts::grant_operator(app, account.clone()).await.unwrap();
    let account = accounts::get(app, &account.id).await.unwrap();
    accounts::revoke_operator(app, account.clone()).await.unwrap();
    let token = sessions::start(app, &account, sessions::ABSOLUTE_MS)
        .await
        .unwrap();
    sessions::end(app, &token).await.unwrap();
    master_keys::rotate(app).await.unwrap();
    assert_eq!(
        test.plugin(&tenant.key).get("/api?action=count").await.status,
        401,
        "a key from before"
    );
    test.settle().await;
    hand_over_and_end(stage, tenant).await;
}

/// A rule for a role that the bot saw.
async fn map_a_role(test: &TestApp, tenant: &Tenant, owner: &Client) {
    let (guild, role) = (&tenant.guild, discord(820_000_002));
    let seen = format!(
        "INSERT INTO discord_roles (guild_num, org_num, id, name, position) \
         SELECT num, org_num, '{role}', 'VIP', 1 FROM guilds WHERE id = '{guild}'"
    );
    test.db.damage(&seen).await;
    let rule = json!({
        "group": "vip", "role_id": role.as_str(), "direction": "both", "authority": "game", "on_loss": "remove",
    });
    let roles = format!("/orgs/{}/servers/{}/roles", tenant.org, tenant.server);
    let rules = json!({ "revision": 0, "rules": [rule] });
    call(owner, Method::PUT, &roles, rules).await;
    let check = format!("/orgs/{}/guilds/{guild}/role-recheck", tenant.org);
    for method in [Method::DELETE, Method::POST] {
        call(owner, method, &check, json!({})).await;
    }
}

/// The Org gets another owner, who ends everything.
async fn hand_over_and_end(stage: &Stage, tenant: &Tenant) {
    let (test, app) = (&stage.test, &stage.test.app);
    let heir = accounts::ensure(app, discord(33), name()).await.unwrap();
    orgs::add_member(app, tenant.scope, &heir, Role::Admin)
        .await
        .unwrap();
    let owner = test.person(&test.session(&tenant.owner).await);
    let (org, short) = (format!("/orgs/{}", tenant.org), "org-7");
    call(
        &owner,
        Method::POST,
        &format!("{org}/transfer"),
        json!({ "account_id": heir.id.as_str(), "confirm": short }),
    )
    .await;
    let heir = test.person(&test.session(&heir).await);
    call(&heir, Method::GET, &format!("{org}/keys"), json!({})).await;
    let key = tenant.custom_key.as_ref().unwrap();
    call(
        &heir,
        Method::POST,
        &format!("{org}/keys/{key}/revoke"),
        json!({}),
    )
    .await;
    call(&heir, Method::DELETE, &format!("{org}/keys/{key}"), json!({})).await;
    call(
        &heir,
        Method::DELETE,
        &format!("{org}/guilds/{}", tenant.guild),
        json!({ "confirm": "other-guild" }),
    )
    .await;
    call(&heir, Method::DELETE, &org, json!({ "confirm": short })).await;
}

/// The same person leaves for good, and so does their account.
async fn erase_everything(stage: &Stage) {
    stage.test.account(11).await;
    crate::privacy::erase_everywhere(&mut crate::privacy::visitor(stage, 11).await).await;
}

both_databases! {
    async fn no_deed_leaves_an_id_or_a_name_of_a_person_in_the_audit_log(engine) {
        let stage = Stage::set(engine).await;
        let test = &stage.test;
        let tenant = test.full_tenant(7, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        change_things(&tenant, &owner).await;
        map_a_role(test, &tenant, &owner).await;
        change_people(&stage, &tenant, &owner).await;
        link_and_unlink(&stage, &tenant).await;
        clean_up(&stage, &tenant, &owner).await;
        look_at_users(&tenant, &owner).await;
        operate(&stage, &tenant).await;
        let mut browser = stage.signed_in(11).await;
        assert!(browser.press("/link/guild-1/verify").await.status.is_redirection());
        erase_everything(&stage).await;
        test.settle().await;

        let db = &test.db.db;
        let mut done: BTreeSet<String> = texts(db, "SELECT DISTINCT action FROM audit").await.into_iter().collect();
        done.extend(crate::billing::deeds::of_billing(engine).await);
        done.extend(crate::players::bulk_unlink::deeds(engine).await);
        done.extend(crate::bots::own::deeds(engine).await);
        done.extend(crate::admin::deeds::of_operators(engine).await);
        done.extend(crate::webhooks::ends::deeds(engine).await);
        let known: BTreeSet<String> = AuditAction::ALL.iter().map(|action| action.as_str().to_owned()).collect();
        assert_eq!(done, known, "every deed is walked");

        let lines = Rows::of(db).await.of_tables(db, &["audit"]).await;
        let mut people = texts(db, "SELECT discord_id FROM accounts UNION SELECT discord_id FROM links UNION SELECT steam_id FROM links").await;
        people.extend(texts(db, "SELECT name FROM accounts").await);
        people.extend([NAME.to_owned(), "Player 11".to_owned(), "198.51.100.".to_owned(), discord(40).to_string(), steam(40).to_string()]);
        assert!(people.len() > 15 && lines.len() > 40);
        for line in &lines {
            for person in &people {
                assert!(!line.contains(person.as_str()), "{person} in {line}");
            }
        }
        test.drain_jobs().await;
        stage.finish().await;
    }
}
