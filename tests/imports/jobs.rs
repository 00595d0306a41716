//! The job of an import may be cancelled at any row.

use domain::job::LaneKind;
use domain::plan::Tier;
use testkit::both_databases;
use tokio::sync::watch;

use super::stage::{checked, counts, csv, get, owner, press, start};

both_databases! {
    async fn an_import_that_is_cancelled_in_the_middle_keeps_what_it_has_done(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let (uri, _) = checked(&test, &owner, &tenant, "kind=users", csv((1..=2_000).map(|n| (n, n)))).await;
        press(&owner, &uri, "start", 200).await;
        some_steps(&test.app).await;
        let midway = get(&owner, &uri).await;
        let done = midway["counts"]["links"].as_i64().unwrap();
        assert_eq!(midway["state"], "importing");
        assert!(done > 0 && done < 2_000, "{done}");
        let run = press(&owner, &uri, "cancel", 200).await.json();
        assert_eq!((run["state"].as_str(), counts(&run)), (Some("cancelled"), [done, 0, 0, 0]));
        test.drain_jobs().await;
        assert_eq!(test.db.count("links").await, done);
        assert_eq!(test.db.count("import_rows").await, 0);
        let entry = format!("audit WHERE action = 'import.cancelled' AND detail LIKE '%\"active\":{done},%'");
        assert_eq!(test.db.count(&entry).await, 1);
        test.finish().await;
    }
}

/// A turn of the engine for the lanes of Orgs and of their imports: a few slices, and not the whole file.
async fn some_steps(app: &app::App) {
    let (_never, stop) = watch::channel(false);
    let engine = app::work::engines(app, &stop)
        .into_iter()
        .find(|engine| engine.lanes() == LaneKind::Org);
    engine.expect("an engine").turn_once(1).await.expect("a turn");
}
