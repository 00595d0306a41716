//! What is asked for, by whom, and what comes back.

use domain::link::UnlinkCause;
use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use serde_json::{Value, json};
use testkit::{TestApp, both_databases};

use super::{DAY_MS, analytics, counts, day, get, get_of};
use crate::players::crowd::{Who, call, link, owner, second_guild, start, unlink, who};

/// Steps of one Guild's page on the first day, as the page would count them.
async fn steps(test: &TestApp, guild: &str, rows: &[(&str, &str, i64)]) {
    for (hour, (step, reason, times)) in rows.iter().enumerate() {
        let hour = testkit::START_MS / 3_600_000 + hour as i64 % 24;
        test.db
            .damage(&format!(
                "INSERT INTO link_steps (guild_num, org_num, hour, step, reason, times)
                 SELECT num, org_num, {hour}, '{step}', '{reason}', {times} FROM guilds WHERE id = '{guild}'"
            ))
            .await;
    }
}

both_databases! {
    async fn another_org_is_never_among_the_numbers(engine) {
        let test = start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        for number in 1..=3 {
            link(&test, &other, &other.guild, &Who { country: Some("FR"), ..who(number, "Theirs") }).await;
        }
        unlink(&test, &other, &other.guild, 1, UnlinkCause::User).await;
        steps(&test, other.guild.as_str(), &[("started", "", 9), ("failed", "NOT_A_MEMBER", 4)]).await;
        test.clock.advance_ms(DAY_MS + 1);
        app::background::keep_house(&test.app).await.expect("housekeeping");
        test.drain_jobs().await;
        let owner = owner(&test, &tenant).await;
        let found = get(&owner, &tenant, "").await;
        assert!(found["days"].as_array().expect("days").iter().all(|day| counts(day) == [0; 7]), "{found}");
        assert_eq!(found["funnel"], json!({ "started": 0, "discord": 0, "steam": 0, "joined": 0, "verified": 0, "failed": [] }));
        assert!(found["retention"].as_array().expect("months").iter().all(|month| month["linked"] == 0));
        assert_eq!(found["countries"]["list"], json!([]));
        for what in ["", "/export"] {
            call(&owner, Method::GET, &format!("{}{what}?guild_id={}", analytics(&tenant), other.guild), "", 404).await;
            call(&owner, Method::GET, &format!("{}{what}", analytics(&other)), "", 404).await;
        }
        test.finish().await;
    }

    async fn who_may_see_is_not_who_may_take_home(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let (view, export) = (Permission::AnalyticsView, Permission::AnalyticsExport);
        for (number, permissions, sees, takes) in [
            (51, vec![view], 200, 403),
            (52, vec![export], 403, 200),
            (53, vec![view, export], 200, 200),
            (54, vec![Permission::LinksView, Permission::LinksExport], 403, 403),
        ] {
            let member = test.person(&test.member(&tenant, number, &permissions).await);
            call(&member, Method::GET, &analytics(&tenant), "", sees).await;
            call(&member, Method::GET, &format!("{}/export", analytics(&tenant)), "", takes).await;
        }
        assert_eq!(test.db.count("audit WHERE action = 'analytics.exported'").await, 2, "those who took it home");
        call(&test.client(), Method::GET, &analytics(&tenant), "", 401).await;
        test.finish().await;
    }

    async fn days_that_cannot_be_told_are_refused_with_the_name_of_what_is_wrong(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        for (query, parameter) in [
            ("from=yesterday", "from"), ("to=2025-02-29", "to"), ("to=2026-01-02", "to"), ("from=2026-01-02", "from"),
            ("from=2025-12-31&to=2025-12-30", "from"), ("from=2024-12-31", "from"), ("from=1969-12-31", "from"),
            ("guild_id=x", "guild_id"), ("guild_id=%00", "address"), ("from=%F0%9F%A6%8A", "from"), ("days=7", "query"),
            ("format=csv", "format"), ("table=days", "format"),
        ] {
            let reply = call(&owner, Method::GET, &format!("{}?{query}", analytics(&tenant)), "", 400).await;
            assert_eq!((reply.code(), &reply.json()["parameter"]), ("INVALID_PARAMETER".to_owned(), &Value::from(parameter)), "{query}");
        }
        for query in ["table=people", "format=xml", "from=x"] {
            call(&owner, Method::GET, &format!("{}/export?{query}", analytics(&tenant)), "", 400).await;
        }
        assert_eq!(test.db.count("audit WHERE action = 'analytics.exported'").await, 0);
        // A year is a year, and one day is a range.
        assert_eq!(get(&owner, &tenant, "from=2025-01-01").await["days"].as_array().expect("days").len(), 366);
        assert_eq!(get(&owner, &tenant, "from=2026-01-01&to=2026-01-01").await["days"].as_array().expect("days").len(), 1);
        test.finish().await;
    }

    async fn the_steps_of_the_link_page_are_added_up_over_the_days(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let second = second_guild(&test, &tenant).await;
        steps(&test, tenant.guild.as_str(), &[
            ("started", "", 10), ("discord", "", 8), ("steam", "", 6), ("joined", "", 5), ("verified", "", 4),
            ("started", "", 5), ("failed", "NOT_A_MEMBER", 2), ("failed", "RELINK_TOO_SOON", 1), ("failed", "NOT_A_MEMBER", 3),
        ]).await;
        steps(&test, second.as_str(), &[("started", "", 100), ("failed", "RELINK_TOO_SOON", 9)]).await;
        let owner = owner(&test, &tenant).await;
        let first = get_of(&owner, &tenant, &tenant.guild).await;
        assert_eq!(first["funnel"], json!({
            "started": 15, "discord": 8, "steam": 6, "joined": 5, "verified": 4,
            "failed": [{ "reason": "NOT_A_MEMBER", "times": 5 }, { "reason": "RELINK_TOO_SOON", "times": 1 }],
        }));
        assert_eq!(first["ceiling"], Value::Null, "the plan counts over all Guilds");
        let all = get(&owner, &tenant, "").await;
        assert_eq!(all["funnel"]["started"], 115);
        assert_eq!(all["funnel"]["failed"], json!([{ "reason": "RELINK_TOO_SOON", "times": 10 }, { "reason": "NOT_A_MEMBER", "times": 5 }]));
        assert_eq!(get(&owner, &tenant, "to=2025-12-31").await["funnel"]["started"], 0, "another day");
        test.finish().await;
    }

    async fn links_of_a_month_are_followed_until_their_time_has_come(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        for number in 1..=4 {
            link(&test, &tenant, &tenant.guild, &who(number, "Somebody")).await;
        }
        test.clock.advance_ms(2 * DAY_MS);
        unlink(&test, &tenant, &tenant.guild, 1, UnlinkCause::User).await;
        test.clock.advance_ms(8 * DAY_MS);
        unlink(&test, &tenant, &tenant.guild, 2, UnlinkCause::Admin).await;
        let owner = owner(&test, &tenant).await;
        let after = |found: &Value| {
            let month = found["retention"].as_array().expect("months").iter().find(|month| month["month"] == "2026-01").expect("the month").clone();
            assert_eq!(month["linked"], 4);
            let cells = month["after"].as_array().expect("cells").iter().map(|cell| (cell["days"].as_i64().expect("days"), cell["left"].as_i64()));
            cells.collect::<Vec<_>>()
        };
        let found = get(&owner, &tenant, "").await;
        assert_eq!(found["retention"].as_array().expect("months").len(), 14);
        assert_eq!(after(&found), [(1, None), (7, None), (30, None), (90, None), (180, None), (365, None)]);
        // The eighth of February: the last link of January is a week old.
        test.clock.advance_ms(28 * DAY_MS);
        let owner = crate::players::crowd::owner(&test, &tenant).await;
        assert_eq!(after(&get(&owner, &tenant, "").await)[..3], [(1, Some(4)), (7, Some(3)), (30, None)]);
        test.clock.advance_ms(60 * DAY_MS);
        let owner = crate::players::crowd::owner(&test, &tenant).await;
        assert_eq!(after(&get(&owner, &tenant, "").await)[..3], [(1, Some(4)), (7, Some(3)), (30, Some(2))]);
        test.finish().await;
    }

    async fn a_file_holds_the_table_that_was_asked_for(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        link(&test, &tenant, &tenant.guild, &who(1, "Somebody")).await;
        steps(&test, tenant.guild.as_str(), &[("started", "", 2), ("failed", "NOT_A_MEMBER", 1)]).await;
        let owner = owner(&test, &tenant).await;
        let export = |query: &str| format!("{}/export?{query}", analytics(&tenant));
        let csv = call(&owner, Method::GET, &export("from=2025-01-01"), "", 200).await;
        assert_eq!(csv.header("content-disposition"), Some("attachment; filename=\"links.csv\""));
        assert_eq!(csv.text().lines().count(), 367);
        assert_eq!(csv.text().lines().last(), Some("\"2026-01-01\",\"1\",\"0\",\"0\",\"0\",\"0\",\"0\",\"1\""));
        let lines = |text: &str| text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>();
        let json = lines(call(&owner, Method::GET, &export("format=json&from=2026-01-01"), "", 200).await.text());
        assert_eq!((json.len(), counts(&json[0])), (1, [1, 0, 0, 0, 0, 0, 1]));
        let months = lines(call(&owner, Method::GET, &export("format=json&table=retention"), "", 200).await.text());
        assert_eq!((months.len(), &months[13]["linked"]), (14, &1.into()));
        let found = call(&owner, Method::GET, &export("table=steps"), "", 200).await.text().to_owned();
        assert!(found.contains("\"started\",\"\",\"2\"\r\n") && found.contains("\"failed\",\"NOT_A_MEMBER\",\"1\"\r\n"), "{found}");
        for (table, head) in [("tiers", "day,trusted,normal,watch,risk\r\n"), ("countries", "country,links\r\n")] {
            let file = call(&owner, Method::GET, &export(&format!("table={table}")), "", 200).await;
            assert_eq!(file.text(), head, "nothing was counted yet");
        }
        let found = get(&owner, &tenant, "").await;
        assert_eq!(counts(day(&found, "2026-01-01"))[0], 1);
        test.finish().await;
    }
}
