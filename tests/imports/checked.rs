//! A dry run says what an import would do, and the import does it.

use domain::plan::Tier;
use serde_json::json;
use testkit::{both_databases, discord, steam};

use super::stage::{checked, counts, csv, dump, get, imports, owner, press, send, start};
use crate::secrecy::rows::{Rows, is_of};

/// Tables that an import may change before anybody says that it goes on.
const OWN: [&str; 5] = ["imports", "import_rows", "jobs", "job_lanes", "sessions"];

both_databases! {
    async fn a_dump_is_checked_and_taken_over_as_the_command_line_does_it(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let rows = Rows::of(&test.db.db).await;
        let others = |all: Vec<String>| -> Vec<String> {
            all.into_iter().filter(|row| !OWN.iter().any(|table| is_of(row, table))).collect()
        };
        let before = others(rows.all(&test.db.db).await);
        let more = format!("kind=dump&server_id={}", tenant.server);
        let (uri, run) = checked(&test, &owner, &tenant, &more, dump()).await;
        assert_eq!(others(rows.all(&test.db.db).await), before, "a dry run writes nothing");
        assert_eq!(counts(&run), [3, 2, 0, 3]);
        assert_eq!((&run["counts"]["boosters"], &run["counts"]["groups"]), (&json!(1), &json!(2)));
        assert_eq!((&run["total"], &run["done"]), (&json!(8), &json!(8)));
        assert_eq!(run["left_out"], json!(["1 unknown causes"]));
        assert_eq!(run["columns_ignored"], json!(["id"]));
        let reasons = run["counts"]["reasons"].as_array().unwrap();
        assert_eq!(reasons.len(), 2, "{reasons:?}");
        assert_eq!(reasons[0]["reason"], "its Steam ID is also in another row, linked to another account");
        assert_eq!(reasons[0]["first"], json!([{ "table": "users", "row": 5, "line": 2 }, { "table": "users", "row": 6, "line": 2 }]));
        press(&owner, &uri, "start", 200).await;
        press(&owner, &uri, "start", 200).await;
        test.drain_jobs().await;
        let run = get(&owner, &uri).await;
        assert_eq!((run["state"].as_str(), counts(&run)), (Some("done"), [3, 2, 0, 3]));
        press(&owner, &uri, "start", 200).await;
        let found = test.plugin(&tenant.key).get(&format!("/api?action=findBySteam&id={}", steam(1))).await;
        assert_eq!(found.text(), format!("\"{}\"", discord(1)));
        assert_eq!(test.db.count("links WHERE ended_at IS NULL").await, 3);
        assert_eq!(test.db.count("links WHERE ended_at = 1683356889000 AND end_cause = 'user'").await, 1);
        assert_eq!(test.db.count("links WHERE ended_at = 1686035289000 AND end_cause = 'admin'").await, 1);
        assert_eq!(test.db.count("links WHERE linked_at = 1704164645000 AND steam_name = 'A''da'").await, 1);
        assert_eq!(test.db.count("boosters").await, 1);
        assert_eq!(test.db.count("server_players WHERE oxide_groups = '[\"admin\",\"vip\"]'").await, 1);
        assert_eq!(test.db.count("people").await, 4, "everybody of the file is known");
        assert_eq!(test.db.count("jobs").await, 0, "nobody is told, and nothing is left to do");
        assert_eq!(test.db.count("import_rows").await, 3, "refused ones");
        assert_eq!(test.db.count("import_rows WHERE body IS NOT NULL").await, 0, "and nothing of them but the reason");
        for (action, detail) in [
            ("import.started", "%\"active\":3,\"ended\":2,%\"rows\":8%"),
            ("import.finished", "%\"active\":3,\"ended\":2,%\"refused\":3,\"rows\":8%"),
        ] {
            let entry = format!("audit WHERE action = '{action}' AND actor_kind = 'account' AND detail LIKE '{detail}'");
            assert_eq!(test.db.count(&entry).await, 1, "{action}");
        }
        test.finish().await;
    }

    async fn what_was_imported_is_known_the_next_time(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        for (kind, file) in [("dump", dump()), ("users", csv((10..15).map(|n| (n, n))))] {
            let more = format!("kind={kind}");
            let (uri, first) = checked(&test, &owner, &tenant, &more, file.clone()).await;
            press(&owner, &uri, "start", 200).await;
            test.drain_jobs().await;
            let (uri, again) = checked(&test, &owner, &tenant, &more, file).await;
            let [links, history, _, refused] = counts(&first);
            assert_eq!(counts(&again), [0, 0, links + history, refused], "{kind}");
            press(&owner, &uri, "start", 200).await;
            test.drain_jobs().await;
            assert_eq!(counts(&get(&owner, &uri).await), [0, 0, links + history, refused], "{kind}");
        }
        assert_eq!(test.db.count("links").await, 10);
        let listed = get(&owner, &imports(&tenant)).await;
        assert_eq!(listed["imports"].as_array().unwrap().len(), 4);
        test.finish().await;
    }

    async fn a_table_of_who_was_removed_becomes_history_in_the_time_that_was_named(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let file = format!("discord_id;steam_id;date;reason\r\n{};{};2023-05-06 07:08:09;user\r\n", discord(1), steam(1));
        let (uri, run) = checked(&test, &owner, &tenant, "kind=removed&utc_offset=%2B02:00", file).await;
        assert_eq!(counts(&run), [0, 1, 0, 0]);
        press(&owner, &uri, "start", 200).await;
        test.drain_jobs().await;
        assert_eq!(test.db.count("links WHERE ended_at = 1683349689000").await, 1);
        test.finish().await;
    }

    async fn rows_are_judged_again_when_they_are_written(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let (uri, run) = checked(&test, &owner, &tenant, "kind=users", csv([(1, 1), (2, 2), (3, 3)])).await;
        assert_eq!(counts(&run), [3, 0, 0, 0]);
        // Somebody links while the team reads the forecast.
        tenant.link_pair(&test.app, 1, 9).await.unwrap();
        tenant.link(&test.app, 2).await;
        press(&owner, &uri, "start", 200).await;
        test.drain_jobs().await;
        let run = get(&owner, &uri).await;
        assert_eq!(counts(&run), [1, 0, 1, 1]);
        assert_eq!(run["counts"]["reasons"][0]["reason"], "its Discord ID is linked to another Steam ID in this Guild");
        let file = owner.get(&format!("{uri}/refused")).await;
        assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
        assert_eq!(
            file.text(),
            "table,row,line,reason\r\n\"users\",\"1\",\"2\",\"its Discord ID is linked to another Steam ID in this Guild\"\r\n"
        );
        let lines = owner.get(&format!("{uri}/refused?format=json")).await;
        let line: serde_json::Value = serde_json::from_str(lines.text().trim()).unwrap();
        assert_eq!((&line["row"], &line["line"]), (&json!(1), &json!(2)));
        assert_eq!(owner.get(&format!("{uri}/refused?format=xml")).await.status, 400);
        test.finish().await;
    }

    async fn the_plan_holds_and_counts_what_the_dry_run_would_add(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = owner(&test, &tenant).await;
        let ceiling = Tier::Free.default_ceilings().links;
        let file = csv((1..=ceiling as u64 + 7).map(|n| (n, n)));
        let (uri, run) = checked(&test, &owner, &tenant, "kind=users", file).await;
        assert_eq!(counts(&run), [ceiling, 0, 0, 7]);
        press(&owner, &uri, "start", 200).await;
        test.drain_jobs().await;
        assert_eq!(counts(&get(&owner, &uri).await), [ceiling, 0, 0, 7]);
        assert_eq!(test.db.count("links").await, ceiling);
        let full = format!("the plan allows {ceiling} links");
        assert_eq!(get(&owner, &uri).await["counts"]["reasons"][0]["reason"], full.as_str());
        test.finish().await;
    }

    async fn an_org_has_one_import_at_a_time(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let other = test.tenant(2, Tier::Pro).await;
        let (one, two) = (owner(&test, &tenant).await, owner(&test, &other).await);
        let first = send(&one, &tenant, "kind=users", csv([(1, 1)])).await.json();
        let again = send(&one, &tenant, "kind=users", csv([(2, 2)])).await;
        assert_eq!((again.status.as_u16(), again.code().as_str()), (409, "IMPORT_RUNNING"));
        assert_eq!(send(&two, &other, "kind=users", csv([(3, 3)])).await.status, 201);
        let uri = format!("{}/{}", imports(&tenant), first["id"].as_str().unwrap());
        assert_eq!(press(&one, &uri, "start", 409).await.code(), "CONFLICT");
        press(&one, &uri, "cancel", 200).await;
        let (_, run) = checked(&test, &one, &tenant, "kind=users", csv([(2, 2)])).await;
        assert_eq!(counts(&run), [1, 0, 0, 0]);
        let both = tokio::join!(
            send(&one, &tenant, "kind=users", csv([(4, 4)])),
            send(&one, &tenant, "kind=users", csv([(5, 5)])),
        );
        assert!(both.0.status != 201 && both.1.status != 201, "one waits to be started");
        test.finish().await;
    }
}
