//! A key speaks for one Guild and one Server, whatever the call names.

use domain::plan::Tier;
use testkit::{TestApp, both_databases, steam};

use super::support::{assert_answer, assert_failure, links};

both_databases! {
    async fn naming_the_keys_own_guild_and_server_changes_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (guild, community, server) = (&tenant.guild, &tenant.discord_guild, &tenant.server);
        for scope in [
            format!("&guild_id={guild}"),
            format!("&guild_id={community}"),
            format!("&server_id={server}"),
            format!("&guild_id={guild}&server_id={server}"),
            format!("&guild_id={community}&server_id={server}"),
        ] {
            let reply = test.plugin(&tenant.key).get(&format!("/api?action=count{scope}")).await;
            assert_answer(&reply, 200, r#"{"Total":0}"#);
        }
        test.finish().await;
    }

    async fn naming_anything_else_is_refused_and_nothing_is_done(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        tenant.link(&test.app, 1).await;
        other.link(&test.app, 1).await;
        let (guild, server) = (&tenant.guild, &tenant.server);
        for (scope, parameter) in [
            (format!("&guild_id={}", other.guild), "guild_id"),
            (format!("&guild_id={}", other.discord_guild), "guild_id"),
            (format!("&guild_id={guild}&guild_id={}", other.guild), "guild_id"),
            ("&guild_id=".to_owned(), "guild_id"),
            (format!("&guild_id=%20{guild}"), "guild_id"),
            (format!("&guild_id={server}"), "guild_id"),
            ("&guild_id=gld_00000000000000000000000000".to_owned(), "guild_id"),
            (format!("&server_id={}", other.server), "server_id"),
            (format!("&server_id={guild}"), "server_id"),
            ("&server_id=".to_owned(), "server_id"),
            (format!("&guild_id={guild}&server_id={}", other.server), "server_id"),
            (format!("&guild_id={}&server_id={server}", other.guild), "guild_id"),
        ] {
            let reply = test
                .plugin(&tenant.key)
                .get(&format!("/api?action=remove&id={}{scope}", steam(1)))
                .await;
            assert_failure(&reply, 403, "SCOPE_MISMATCH");
            assert_eq!(reply.json()["parameter"], parameter, "{scope}");
        }
        for tenant in [&tenant, &other] {
            assert_eq!(links(&test, tenant).await[0].ended_at_ms, None);
        }
        test.finish().await;
    }

    async fn a_refusal_does_not_tell_whether_the_other_guild_exists(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let mut answers = Vec::new();
        for guild in [other.guild.as_str(), "gld_00000000000000000000000000", "junk"] {
            let reply = test.plugin(&tenant.key).get(&format!("/api?action=count&guild_id={guild}")).await;
            assert_failure(&reply, 403, "SCOPE_MISMATCH");
            let mut body = reply.json();
            body["request_id"] = "-".into();
            answers.push(body);
        }
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:#?}");
        test.finish().await;
    }
}
