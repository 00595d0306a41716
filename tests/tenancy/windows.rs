//! What PostgreSQL shows to those who had to wait, and in which order they wait. A second connection holds what they
//! wait for, so that nothing depends on luck.

use app::billing::grants;
use app::keys::plugin_keys;
use app::memories::seen::SeenAt;
use app::tenancy::guilds::{self, NewGuildRequest};
use app::tenancy::{orgs, servers, team};
use app::{AccountNum, background};
use domain::action::ActionSet;
use domain::audit::Actor;
use domain::name::{DisplayName, Slug};
use domain::permission::Role;
use domain::plan::Tier;
use domain::platform_id::SteamAccount;
use storage::testing::Beside;
use testkit::{Engine, Tenant, TestApp, discord, steam, wait_until};

/// Locks the Org as every unit of work does.
fn locked(tenant: &Tenant) -> String {
    let org = tenant.scope.num();
    format!("SELECT 1 FROM org_usage WHERE org_num = {org} FOR UPDATE;")
}

fn set_tier(tenant: &Tenant, tier: &str) -> String {
    let org = tenant.scope.num();
    format!(
        "{} UPDATE tier_grants SET tier = '{tier}' WHERE org_num = {org};
        UPDATE orgs SET tier = '{tier}' WHERE num = {org}; UPDATE api_keys SET tier = '{tier}' WHERE org_num = {org}",
        locked(tenant)
    )
}

async fn awaited(beside: &Beside) {
    wait_until("somebody waits for the other connection", || beside.is_awaited()).await;
}

/// Lets the other connection go first, once somebody waits for it.
async fn goes_first(beside: Beside) {
    awaited(&beside).await;
    beside.commit().await;
}

fn named(text: &str) -> DisplayName {
    DisplayName::parse(text).unwrap()
}

#[tokio::test]
async fn a_ceiling_is_the_one_of_the_tier_after_the_wait() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    let add = |name: &str| {
        servers::create(
            &test.app,
            tenant.scope,
            tenant.guild.clone(),
            named(name),
            Actor::System,
        )
    };
    for _ in 1..Tier::Free.default_ceilings().servers {
        add("Early").await.unwrap();
    }
    let beside = test.db.begin_beside(&set_tier(&tenant, "free")).await;
    let (late, ()) = tokio::join!(add("Late"), goes_first(beside));
    assert_eq!(late.map(drop).unwrap_err().code(), "LIMIT_REACHED");
    assert_eq!(test.db.count("servers").await, 2);
    test.finish().await;
}

#[tokio::test]
async fn a_downgrade_is_not_lost_to_an_upgrade_it_waited_for() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Free).await;
    let beside = test.db.begin_beside(&set_tier(&tenant, "pro")).await;
    let downgrade = grants::set_tier(&test.app, tenant.scope, Tier::Free, Actor::System);
    let (late, ()) = tokio::join!(downgrade, goes_first(beside));
    late.unwrap();
    assert_eq!(
        orgs::get_own(&test.app, tenant.scope).await.unwrap().tier,
        Tier::Free
    );
    let noted = r#"audit WHERE action = 'org.tier_changed' AND detail = '{"from":"pro","to":"free"}'"#;
    assert_eq!(test.db.count(noted).await, 1);
    test.finish().await;
}

/// What a removal leaves of the only tenant, without its Org.
const REMOVED: &str = "
    DELETE FROM api_keys; DELETE FROM servers;
    UPDATE links SET ended_at = linked_at, end_cause = 'admin'; DELETE FROM people; UPDATE orgs SET people_swept_at = 0;
    UPDATE guilds SET removed_at = 1, slug = id, discord_guild_id = id, active_links = 0;
    DELETE FROM link_days; DELETE FROM link_lives;
    INSERT INTO link_days (guild_num, org_num, day, what, times)
    SELECT guild_num, org_num, linked_at / 86400000, 'linked', COUNT(*) FROM links GROUP BY guild_num, org_num, linked_at / 86400000;
    INSERT INTO link_days (guild_num, org_num, day, what, times)
    SELECT guild_num, org_num, ended_at / 86400000, end_cause, COUNT(*) FROM links GROUP BY guild_num, org_num, ended_at / 86400000, end_cause;
    INSERT INTO link_lives (guild_num, org_num, day, lived, times)
    SELECT guild_num, org_num, linked_at / 86400000, 0, COUNT(*) FROM links GROUP BY guild_num, org_num, linked_at / 86400000;
    UPDATE org_usage SET guilds = 0, servers = 0, links = 0;";

#[tokio::test]
async fn a_claim_that_waited_for_a_removal_finds_the_org_gone() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    let beside = test.db.begin_beside(&[&locked(&tenant), REMOVED].concat()).await;
    beside
        .run("UPDATE accounts SET orgs_owned = 0; UPDATE orgs SET removed_at = 1, slug = id")
        .await;
    let claim = NewGuildRequest {
        discord_guild_id: discord(4_711),
        name: named("Late"),
        slug: Slug::parse("late").unwrap(),
        log_channel_id: None,
    };
    let (late, ()) = tokio::join!(
        guilds::create(&test.app, tenant.scope, claim, Actor::System),
        goes_first(beside)
    );
    assert_eq!(late.map(drop).unwrap_err().code(), "NOT_FOUND");
    assert_eq!(test.db.count("guilds WHERE removed_at IS NULL").await, 0);
    test.finish().await;
}

/// The key was good when the call came in; its Guild goes while the call waits.
#[tokio::test]
async fn a_call_that_waited_for_the_end_of_its_guild_writes_nothing() {
    let (player, member) = (steam(1), discord(1));
    let change = r#"[{"group":"late","action":"add"}]"#;
    let calls = [
        ("updateNitro", format!("id={member}&status=1"), String::new()),
        ("updateSteam", format!("id={player}&name=Late"), String::new()),
        (
            "updateOxideGroups",
            format!("id={player}&groups=late"),
            String::new(),
        ),
        (
            "confirmNicknameSync",
            format!("id={member}&nickname=Late"),
            String::new(),
        ),
        (
            "confirmRoleSync",
            format!("id={member}&synced=late"),
            String::new(),
        ),
        ("clearPendingOxideChanges", format!("id={player}"), String::new()),
        (
            "setOxideGroupFromDiscord",
            String::new(),
            format!(r#"{{"discord_id":"{member}","changes":{change}}}"#),
        ),
        (
            "update",
            format!("id={player}&role={member}&mode=add"),
            String::new(),
        ),
    ];
    for (action, query, body) in calls {
        let test = TestApp::start(Engine::Postgres).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        tenant.link(&test.app, 1).await;
        let (_, key) = test.custom_key(&tenant, ActionSet::ALL, true).await;
        let beside = test.db.begin_beside(&[&locked(&tenant), REMOVED].concat()).await;
        let (caller, uri) = (test.plugin(&key), format!("/api?action={action}&{query}"));
        let (late, ()) = tokio::join!(caller.post(&uri, &body), goes_first(beside));
        assert_eq!(
            (late.status.as_u16(), late.code().as_str()),
            (404, "NOT_FOUND"),
            "{action}: {}",
            late.text()
        );
        for table in ["boosters", "server_players", "group_changes"] {
            assert_eq!(test.db.count(table).await, 0, "{action}: {table}");
        }
        test.finish().await;
    }
}

/// Beginning to sign in takes no lock of the Org, and still nothing is begun in a Guild that goes.
#[tokio::test]
async fn a_sign_in_that_waited_for_the_end_of_its_guild_leaves_nothing() {
    let (test, ..) = TestApp::start_with_platforms(Engine::Postgres, |_| {}).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    let visitor = test.client();
    let uri = "/auth/steam/link?guild=guild-1";
    assert_eq!(visitor.get(uri).await.status, 303);
    assert_eq!(test.db.count("flows").await, 1);
    let gone = [&locked(&tenant), REMOVED, "DELETE FROM flows;"].concat();
    let beside = test.db.begin_beside(&gone).await;
    let (late, ()) = tokio::join!(visitor.get(uri), goes_first(beside));
    assert_eq!(late.status, 404);
    assert_eq!(test.db.count("flows").await, 0);
    test.finish().await;
}

/// Rows that nobody has locked.
async fn free(test: &TestApp, rows: &str) -> i64 {
    let from = format!("(SELECT 1 FROM {rows} FOR UPDATE SKIP LOCKED) free");
    test.db.count(&from).await
}

/// Nodes that write the same rows in the same order never wait for each other in a circle: whoever waits for the first
/// row holds none of the others.
#[tokio::test]
async fn last_uses_are_written_in_the_order_of_their_keys() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    let mut used = vec![tenant.key.clone()];
    for _ in 0..20 {
        used.push(test.custom_key(&tenant, ActionSet::PLUGIN, false).await.1);
    }
    for key in &used {
        assert_eq!(test.plugin(key).get("/api?action=count").await.status, 200);
    }
    let first = "SELECT 1 FROM api_keys WHERE num = (SELECT MIN(num) FROM api_keys) FOR UPDATE";
    let beside = test.db.begin_beside(first).await;
    let (flushed, ()) = tokio::join!(background::flush_uses(&test.app), async {
        awaited(&beside).await;
        assert_eq!(
            free(&test, "api_keys").await,
            20,
            "no other key is touched before the first"
        );
        beside.commit().await;
    });
    flushed.unwrap();
    assert_eq!(test.db.count("api_keys WHERE last_used_at IS NULL").await, 0);
    test.finish().await;
}

/// A key that goes while its refused calls are written down takes nothing along but those.
#[tokio::test]
async fn refused_calls_of_a_key_that_went_meanwhile_are_left_out() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    let going = test.custom_key(&tenant, ActionSet::PLUGIN, false).await.1;
    for key in [&tenant.key, &going] {
        let refused = test.plugin(key).get("/api?action=nope").await;
        assert_eq!(refused.code(), "UNKNOWN_ACTION");
    }
    let beside = test
        .db
        .begin_beside("DELETE FROM api_keys WHERE kind = 'custom'")
        .await;
    let flush = test.app.memories.refused_calls.flush(&test.app.db);
    let (flushed, ()) = tokio::join!(flush, async {
        awaited(&beside).await;
        beside.commit().await;
    });
    flushed.unwrap();
    assert_eq!(test.db.count("key_refusals").await, 1);
    test.finish().await;
}

/// Without an order of its own the change would take the keys as they lie on the disk, the one written last at the end.
#[tokio::test]
async fn a_change_of_all_keys_takes_them_in_the_same_order() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    for _ in 0..5 {
        test.custom_key(&tenant, ActionSet::PLUGIN, false).await;
    }
    let first = "num = (SELECT MIN(num) FROM api_keys)";
    plugin_keys::regenerate(&test.app, tenant.scope, tenant.server.clone(), Actor::System)
        .await
        .unwrap();
    let held = format!("SELECT 1 FROM api_keys WHERE {first} FOR UPDATE");
    let beside = test.db.begin_beside(&held).await;
    let change = grants::set_tier(&test.app, tenant.scope, Tier::Standard, Actor::System);
    let (done, ()) = tokio::join!(change, async {
        awaited(&beside).await;
        assert_eq!(
            free(&test, "api_keys").await,
            5,
            "no other key is touched before the first"
        );
        beside.commit().await;
    });
    done.unwrap();
    test.finish().await;
}

async fn server_of(test: &TestApp, tenant: &testkit::Tenant) -> storage::ServerNum {
    let found = servers::get(&test.app, tenant.scope, &tenant.server).await;
    found.unwrap().num
}

fn player(number: u64) -> SteamAccount {
    SteamAccount::of(steam(number).as_str()).unwrap()
}

#[tokio::test]
async fn marks_of_players_are_written_in_the_order_of_their_rows() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    let server = server_of(&test, &tenant).await;
    for number in 1..=20 {
        tenant.link_pair(&test.app, number, number).await.unwrap();
    }
    let (seen, clock) = (&test.app.memories.seen, &test.app.clock);
    let mark = || seen.mark(server, (1..=20).map(player), SeenAt::of(clock));
    mark();
    background::flush_seen(&test.app).await.unwrap();
    test.clock.advance_ms(2 * 60 * 60_000);
    mark();
    let first =
        "SELECT 1 FROM server_players WHERE steam_id = (SELECT MIN(steam_id) FROM server_players) FOR UPDATE";
    let beside = test.db.begin_beside(first).await;
    let (flushed, ()) = tokio::join!(background::flush_seen(&test.app), async {
        awaited(&beside).await;
        assert_eq!(
            free(&test, "server_players").await,
            19,
            "no other row is touched before the first"
        );
        beside.commit().await;
    });
    flushed.unwrap();
    let now = test.app.now_ms();
    assert_eq!(
        test.db
            .count(&format!("server_players WHERE seen_at = {now}"))
            .await,
        20
    );
    test.finish().await;
}

#[tokio::test]
async fn a_server_that_goes_while_marks_wait_takes_only_its_own_marks_along() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenants = [test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await];
    let mut nums = Vec::new();
    for tenant in &tenants {
        let server = server_of(&test, tenant).await;
        tenant.link_pair(&test.app, 1, 1).await.unwrap();
        let now = SeenAt::of(&test.app.clock);
        test.app.memories.seen.mark(server, [player(1)], now);
        nums.push(server.0);
    }
    let (gone, org) = (nums[0], tenants[0].scope.num());
    let going = format!(
        "DELETE FROM servers WHERE num = {gone}; UPDATE org_usage SET servers = 0 WHERE org_num = {org}"
    );
    let beside = test.db.begin_beside(&going).await;
    let (flushed, ()) = tokio::join!(background::flush_seen(&test.app), goes_first(beside));
    flushed.unwrap();
    assert_eq!(
        test.db
            .count(&format!("server_players WHERE server_num = {}", nums[1]))
            .await,
        1
    );
    test.finish().await;
}

#[tokio::test]
async fn a_transfer_locks_both_accounts_in_their_order() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    let (owner, heir) = (tenant.owner.num, test.account(50).await);
    assert!(owner < heir.num);
    orgs::add_member(&test.app, tenant.scope, &heir, Role::Staff)
        .await
        .unwrap();
    let beside = test.db.begin_beside(&locked_account(owner)).await;
    let transfer = team::transfer(&test.app, tenant.scope, tenant.owner_actor(), heir.id.clone());
    let (done, ()) = tokio::join!(transfer, async {
        awaited(&beside).await;
        assert_eq!(
            free(&test, &format!("accounts WHERE num = {}", heir.num.0)).await,
            1
        );
        beside.commit().await;
    });
    done.unwrap();
    test.finish().await;
}

fn locked_account(account: AccountNum) -> String {
    format!("SELECT 1 FROM accounts WHERE num = {} FOR UPDATE", account.0)
}

/// How many Orgs somebody may own hangs on the tiers of those they have.
#[tokio::test]
async fn a_change_of_tier_waits_for_the_owners_account() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    let beside = test.db.begin_beside(&locked_account(tenant.owner.num)).await;
    let change = grants::set_tier(&test.app, tenant.scope, Tier::Free, Actor::System);
    let (done, ()) = tokio::join!(change, goes_first(beside));
    done.unwrap();
    assert_eq!(
        orgs::get_own(&test.app, tenant.scope).await.unwrap().tier,
        Tier::Free
    );
    test.finish().await;
}
