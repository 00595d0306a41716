//! `remove`.

use app::tenancy::guilds::{self, NewGuildRequest};
use app::tenancy::servers;
use domain::audit::Actor;
use domain::name::{DisplayName, Slug};
use domain::plan::Tier;
use serde_json::json;
use testkit::{START_MS, Tenant, TestApp, both_databases, discord, steam};

use super::support::{assert_answer, assert_failure, audited, jobs, links, server};

const REMOVED: &str = r#""User Removed""#;

/// Nothing but what linking left behind.
async fn assert_untouched(test: &TestApp, tenant: &Tenant, active: usize) {
    let all = links(test, tenant).await;
    assert_eq!(
        all.iter().filter(|link| link.ended_at_ms.is_none()).count(),
        active
    );
    assert_eq!(all.len(), active);
    assert!(audited(test, tenant, "link.removed").await.is_empty());
    assert!(jobs(test, "log.unlinked").await.is_empty());
}

/// A second Guild of the tenant's Org without a log channel, and the key of its Server.
async fn quiet_guild(test: &TestApp, tenant: &Tenant) -> Tenant {
    let request = NewGuildRequest {
        discord_guild_id: discord(820_000_000),
        name: DisplayName::parse("Quiet").expect("a name"),
        slug: Slug::parse("quiet").expect("a slug"),
        log_channel_id: None,
    };
    let (guild, _) = guilds::create(&test.app, tenant.scope, request, Actor::System)
        .await
        .expect("a Guild");
    let name = DisplayName::parse("Quiet server").expect("a name");
    let created = servers::create(&test.app, tenant.scope, guild.clone(), name, Actor::System)
        .await
        .expect("a Server");
    Tenant {
        guild,
        discord_guild: discord(820_000_000),
        server: created.id,
        key: created.key.expose().to_owned(),
        ..tenant.clone()
    }
}

both_databases! {
    async fn remove_ends_the_link_and_writes_down_why_and_by_which_key(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        test.clock.advance_ms(5_000);
        let reply = test.plugin(&tenant.key).get(&format!("/api?action=remove&id={}", steam(1))).await;
        assert_answer(&reply, 200, REMOVED);

        let all = links(&test, &tenant).await;
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].ended_at_ms, all[0].end_cause.as_deref()), (Some(START_MS + 5_000), Some("plugin")));
        let entries = audited(&test, &tenant, "link.removed").await;
        assert_eq!(entries.len(), 1);
        let key = server(&test, &tenant).await.key;
        assert_eq!((entries[0].actor_kind.as_str(), entries[0].actor_id.as_deref()), ("key", Some(key.id.as_str())));
        assert_eq!(entries[0].target.as_deref(), Some(all[0].id.as_str()));
        assert_eq!(entries[0].detail, json!({ "guild": tenant.guild.as_str(), "cause": "plugin" }).to_string());
        let messages = jobs(&test, "log.unlinked").await;
        assert_eq!(messages.len(), 1);
        let (guild, link, by) = (&tenant.guild, &all[0].id, &key.id);
        assert_eq!(messages[0].payload, format!(r#"{{"guild":"{guild}","link":"{link}","by":"{by}"}}"#));
        assert_answer(&test.plugin(&tenant.key).get("/api?action=count").await, 200, r#"{"Total":0}"#);
        test.finish().await;
    }

    async fn remove_takes_either_id_by_either_method(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        for player in 1..=4 {
            tenant.link(&test.app, player).await;
        }
        let caller = test.plugin(&tenant.key);
        let ask = |id: &str| format!("/api?action=remove&id={id}");
        assert_answer(&caller.get(&ask(steam(1).as_str())).await, 200, REMOVED);
        assert_answer(&caller.get(&ask(discord(2).as_str())).await, 200, REMOVED);
        assert_answer(&caller.post(&ask(steam(3).as_str()), "").await, 200, REMOVED);
        assert_answer(&caller.post(&ask(&format!("%20{}+", discord(4))), r#"{"x":1}"#).await, 200, REMOVED);
        let ended = links(&test, &tenant).await;
        assert!(ended.iter().all(|link| link.end_cause.as_deref() == Some("plugin")), "{ended:#?}");
        test.finish().await;
    }

    async fn removing_twice_is_removing_once(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let caller = test.plugin(&tenant.key);
        for id in [steam(1).to_string(), steam(1).to_string(), discord(1).to_string()] {
            assert_answer(&caller.get(&format!("/api?action=remove&id={id}")).await, 200, REMOVED);
            test.clock.advance_ms(1_000);
        }
        assert_eq!(links(&test, &tenant).await[0].ended_at_ms, Some(START_MS));
        assert_eq!(links(&test, &tenant).await.len(), 1);
        assert_eq!(audited(&test, &tenant, "link.removed").await.len(), 1);
        assert_eq!(jobs(&test, "log.unlinked").await.len(), 1);
        test.finish().await;
    }

    async fn removing_what_was_never_linked_writes_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        for id in [steam(2).to_string(), discord(2).to_string()] {
            let reply = test.plugin(&tenant.key).get(&format!("/api?action=remove&id={id}")).await;
            assert_answer(&reply, 200, REMOVED);
        }
        assert_untouched(&test, &tenant, 1).await;
        test.finish().await;
    }

    async fn remove_leaves_the_same_player_of_another_guild_linked(engine) {
        let test = TestApp::start(engine).await;
        let (one, other) = (test.tenant(1, Tier::Standard).await, test.tenant(2, Tier::Free).await);
        let sibling = quiet_guild(&test, &one).await;
        other.link(&test.app, 1).await;
        sibling.link(&test.app, 1).await;
        let asked = format!("/api?action=remove&id={}", steam(1));
        assert_answer(&test.plugin(&one.key).get(&asked).await, 200, REMOVED);
        assert_untouched(&test, &other, 1).await;
        assert_untouched(&test, &sibling, 1).await;
        test.finish().await;
    }

    async fn remove_leaves_no_message_for_a_guild_without_a_log_channel(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let quiet = quiet_guild(&test, &tenant).await;
        quiet.link(&test.app, 1).await;
        let reply = test.plugin(&quiet.key).get(&format!("/api?action=remove&id={}", discord(1))).await;
        assert_answer(&reply, 200, REMOVED);
        assert_eq!(links(&test, &quiet).await[0].end_cause.as_deref(), Some("plugin"));
        assert_eq!(audited(&test, &quiet, "link.removed").await.len(), 1);
        assert!(jobs(&test, "log.unlinked").await.is_empty());
        assert!(jobs(&test, "log.linked").await.is_empty());
        test.finish().await;
    }

    async fn remove_without_a_usable_id_changes_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let several = format!("&id={},{}", steam(1), discord(1));
        for query in ["", "&id=", "&id=1", "&id=all", "&id=%25", "&id=0", several.as_str()] {
            let reply = test.plugin(&tenant.key).get(&format!("/api?action=remove{query}")).await;
            assert_failure(&reply, 400, "INVALID_PARAMETER");
            assert_eq!(reply.json()["parameter"], "id");
        }
        assert_untouched(&test, &tenant, 1).await;
        test.finish().await;
    }

    async fn a_body_may_have_512_kib_and_not_a_byte_more(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let caller = test.plugin(&tenant.key);
        let asked = format!("/api?action=remove&id={}", steam(1));
        let reply = caller.post(&asked, &"x".repeat(512 * 1024 + 1)).await;
        assert_failure(&reply, 413, "PAYLOAD_TOO_LARGE");
        assert_untouched(&test, &tenant, 1).await;
        assert_answer(&caller.post(&asked, &"x".repeat(512 * 1024)).await, 200, REMOVED);
        test.finish().await;
    }
}
