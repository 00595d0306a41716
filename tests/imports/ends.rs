//! How imports end, and what is kept of them.

use app::tenancy::{guilds, orgs, servers};
use domain::audit::Actor;
use domain::plan::Tier;
use http::Method;
use testkit::{both_databases, discord};

use super::stage::{checked, counts, csv, get, imports, owner, press, send, start};

const DAY_MS: i64 = 24 * 60 * 60_000;

both_databases! {
    async fn a_dry_run_that_is_cancelled_leaves_nothing_but_its_numbers(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let (uri, _) = checked(&test, &owner, &tenant, "kind=users", csv((1..=300).map(|n| (n, n)))).await;
        for _ in 0..2 {
            let run = press(&owner, &uri, "cancel", 200).await.json();
            assert_eq!((run["state"].as_str(), counts(&run)), (Some("cancelled"), [0, 0, 0, 0]));
        }
        press(&owner, &uri, "start", 409).await;
        test.drain_jobs().await;
        assert_eq!(test.db.count("import_rows").await, 0);
        assert_eq!(test.db.count("links").await, 0);
        assert_eq!(test.db.count("audit WHERE action = 'import.cancelled'").await, 1);
        test.finish().await;
    }

    async fn rows_are_kept_for_seven_days_after_the_last_thing_that_happened(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner_of = || owner(&test, &tenant);
        let file = format!("{}x,y\n", csv([(1, 1)]));
        let (uri, _) = checked(&test, &owner_of().await, &tenant, "kind=users", file).await;
        test.clock.advance_ms(7 * DAY_MS - 1_000);
        app::background::keep_house(&test.app).await.unwrap();
        let owner = owner_of().await;
        assert_eq!(get(&owner, &uri).await["state"], "checked");
        press(&owner, &uri, "start", 200).await;
        test.drain_jobs().await;
        assert!(get(&owner, &uri).await["forgotten_at_ms"].is_i64());
        assert_eq!(test.db.count("import_rows").await, 1);
        test.clock.advance_ms(7 * DAY_MS + 1_000);
        app::background::keep_house(&test.app).await.unwrap();
        assert_eq!(test.db.count("import_rows").await, 0);
        let owner = owner_of().await;
        let run = get(&owner, &uri).await;
        assert_eq!((run["state"].as_str(), counts(&run)), (Some("done"), [1, 0, 0, 1]));
        assert!(run["forgotten_at_ms"].is_null());
        assert_eq!(owner.get(&format!("{uri}/refused")).await.text(), "table,row,line,reason\r\n");
        test.finish().await;
    }

    async fn an_import_that_nobody_starts_ends_by_itself(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let (uri, _) = checked(&test, &owner(&test, &tenant).await, &tenant, "kind=users", csv([(1, 1)])).await;
        test.clock.advance_ms(7 * DAY_MS + 1_000);
        app::background::keep_house(&test.app).await.unwrap();
        let run = get(&owner(&test, &tenant).await, &uri).await;
        assert_eq!((&run["state"], &run["stop"]), (&"stopped".into(), &"expired".into()));
        assert_eq!(test.db.count("import_rows").await, 0);
        test.finish().await;
    }

    async fn refused_rows_are_forgotten_when_somebody_says_so(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let (uri, run) = checked(&test, &owner, &tenant, "kind=users", format!("{}x,y\n", csv([(1, 1)]))).await;
        assert_eq!(counts(&run), [1, 0, 0, 1]);
        assert_eq!(owner.send(Method::DELETE, &uri, "".into()).await.status, 409);
        press(&owner, &uri, "cancel", 200).await;
        for _ in 0..2 {
            assert_eq!(owner.send(Method::DELETE, &uri, "".into()).await.status, 204);
        }
        test.drain_jobs().await;
        assert_eq!(test.db.count("import_rows").await, 0);
        assert_eq!(get(&owner, &uri).await["counts"]["refused"], 1);
        test.finish().await;
    }

    async fn the_rows_go_with_their_guild_and_their_org(engine) {
        let test = start(engine).await;
        for (number, by_org) in [(1, false), (2, true)] {
            let tenant = test.tenant(number, Tier::Pro).await;
            let owner = owner(&test, &tenant).await;
            let file = format!("{}x,y\n", csv((1..=300).map(|n| (1_000 * number + n, 1_000 * number + n))));
            let (uri, _) = checked(&test, &owner, &tenant, "kind=users", file).await;
            press(&owner, &uri, "start", 200).await;
            if by_org {
                orgs::remove(&test.app, tenant.scope, tenant.owner_actor()).await.unwrap();
            } else {
                guilds::remove(&test.app, tenant.scope, tenant.guild.clone(), Actor::System).await.unwrap();
                let run = get(&owner, &uri).await;
                assert_eq!((&run["state"], &run["stop"]), (&"stopped".into(), &"guild_removed".into()));
                assert_eq!(owner.get(&format!("{uri}/refused")).await.text(), "table,row,line,reason\r\n");
            }
            test.drain_jobs().await;
            assert_eq!(test.db.count("import_rows").await, 0, "{number}");
            assert_eq!(test.db.count("links").await, 0, "it was not begun");
            assert_eq!(test.db.count("imports WHERE has_rows = 1").await, 0);
        }
        test.finish().await;
    }

    async fn an_import_stops_when_its_server_is_deleted(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let more = format!("kind=users&server_id={}", tenant.server);
        let (uri, _) = checked(&test, &owner, &tenant, &more, csv([(1, 1)])).await;
        servers::delete(&test.app, tenant.scope, tenant.server.clone(), Actor::System).await.unwrap();
        press(&owner, &uri, "start", 200).await;
        test.drain_jobs().await;
        let run = get(&owner, &uri).await;
        assert_eq!((&run["state"], &run["stop"]), (&"stopped".into(), &"server_deleted".into()));
        assert_eq!(test.db.count("links").await, 0);
        assert_eq!(test.db.count("audit WHERE action = 'import.finished' AND detail LIKE '%server_deleted%'").await, 1);
        test.finish().await;
    }

    async fn only_the_newest_imports_are_kept(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        for _ in 0..23 {
            let (uri, _) = checked(&test, &owner, &tenant, "kind=users", format!("{}x,y\n", csv([]))).await;
            press(&owner, &uri, "cancel", 200).await;
            test.drain_jobs().await;
        }
        assert_eq!(get(&owner, &imports(&tenant)).await["imports"].as_array().unwrap().len(), 20);
        assert_eq!(test.db.count("imports").await, 20);
        assert_eq!(test.db.count("import_rows").await, 5, "refused rows of the last five");
        test.finish().await;
    }

    async fn what_a_crash_left_half_stored_is_in_nobodys_way_for_long(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let (uri, _) = checked(&test, &owner, &tenant, "kind=users", csv([(1, 1)])).await;
        test.db.damage("UPDATE imports SET state = 'reading'").await;
        let soon = send(&owner, &tenant, "kind=users", csv([(2, 2)])).await;
        assert_eq!(soon.code(), "IMPORT_RUNNING");
        test.clock.advance_ms(3 * 60_000);
        assert_eq!(send(&owner, &tenant, "kind=users", csv([(2, 2)])).await.status, 201);
        test.drain_jobs().await;
        let run = get(&owner, &uri).await;
        assert_eq!((&run["state"], &run["stop"]), (&"stopped".into(), &"interrupted".into()));
        assert_eq!(test.db.count("import_rows").await, 1, "the new one's");
        let name = format!("import_rows WHERE body LIKE '%{}%'", discord(2));
        assert_eq!(test.db.count(&name).await, 1);
        test.finish().await;
    }
}
