//! Looking through the audit log, and taking it home.

use axum::body::Body;
use domain::permission::Permission;
use domain::plan::Tier;
use futures_util::StreamExt;
use http::Method;
use testkit::{TestApp, both_databases};

both_databases! {
    async fn the_log_is_filtered_paged_and_exported_whole(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let member = test.person(&test.member(&tenant, 5, &[Permission::ServersKeys, Permission::AuditView]).await);
        let reveal = format!("/orgs/{}/servers/{}/key/reveal", tenant.org, tenant.server);
        for turn in 0..30 {
            let who = if turn % 3 == 0 { &member } else { &owner };
            assert_eq!(who.post(&reveal, "").await.status, 200);
            test.clock.advance_ms(1_000);
        }
        let base = format!("/orgs/{}/audit", tenant.org);
        let who = test.account(5).await.id;
        let found = owner.get(&format!("{base}?action=key.revealed&actor={who}&limit=4")).await.json();
        assert_eq!(found["entries"].as_array().unwrap().len(), 4);
        assert_eq!(found["entries"][0]["actor_name"], "Person 5");
        let mut seqs: Vec<i64> = Vec::new();
        let mut before = String::new();
        loop {
            let page = owner.get(&format!("{base}?action=key.revealed&actor={who}&limit=4{before}")).await.json();
            seqs.extend(page["entries"].as_array().unwrap().iter().map(|entry| entry["seq"].as_i64().unwrap()));
            match page["next_before"].as_i64() {
                Some(seq) => before = format!("&before={seq}"),
                None => break,
            }
        }
        assert_eq!(seqs.len(), 10);
        assert!(seqs.is_sorted_by(|newer, older| newer > older));
        for bad in ["?action=nothing", "?limit=0", "?limit=101", "?limit=x", "?sql=1"] {
            assert_eq!(owner.get(&format!("{base}{bad}")).await.status, 400, "{bad}");
        }
        let nothing = owner.get(&format!("{base}?from_ms=1&to_ms=2")).await.json();
        assert_eq!(nothing["entries"].as_array().unwrap().len(), 0);
        assert_eq!(member.get(&format!("{base}/export")).await.status, 403, "reading is not taking home");
        let file = owner.get(&format!("{base}/export?action=key.revealed")).await;
        assert_eq!(file.header("content-disposition"), Some("attachment; filename=\"audit.csv\""));
        assert_eq!(file.text().lines().count(), 31);
        let lines = owner.get(&format!("{base}/export?format=json")).await;
        let last = lines.text().lines().last().unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(last).unwrap()["action"], "org.created");
        let taken = owner.get(&format!("{base}?action=audit.exported")).await.json();
        assert_eq!(taken["entries"].as_array().unwrap().len(), 2);
        test.finish().await;
    }

    async fn an_org_has_two_exports_at_once_each_with_a_slice_in_memory(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let (tenant, other) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        let owner = test.person(&test.session(&tenant.owner).await);
        let neighbour = test.person(&test.session(&other.owner).await);
        let reveal = format!("/orgs/{}/servers/{}/key/reveal", tenant.org, tenant.server);
        for _ in 0..250 {
            assert_eq!(owner.post(&reveal, "").await.status, 200);
        }
        let export = format!("/orgs/{}/audit/export?format=json", tenant.org);
        let begin = || owner.begin(Method::GET, &export, Body::empty());
        let (first, second) = (begin().await, begin().await);
        let third = owner.get(&export).await;
        assert_eq!((third.status.as_u16(), third.code().as_str(), third.header("retry-after")), (429, "EXPORTS_RUNNING", Some("10")));
        assert_eq!(neighbour.get(&format!("/orgs/{}/audit/export", other.org)).await.status, 200);
        assert_eq!(owner.get(&format!("/orgs/{}/audit", tenant.org)).await.status, 200);
        drop(first);
        let mut slices = second.into_body().into_data_stream();
        let mut rows = Vec::new();
        while let Some(slice) = slices.next().await {
            rows.push(slice.unwrap().iter().filter(|byte| **byte == b'\n').count());
        }
        assert!(rows.iter().all(|count| *count <= 32) && rows.iter().sum::<usize>() > 250, "{rows:?}");
        for _ in 0..3 {
            assert_eq!(owner.get(&export).await.status, 200, "whoever is finished or gone holds no place");
        }
        let taken = test.db.count("audit WHERE action = 'audit.exported'").await;
        assert_eq!(taken, 6, "a refused export is not noted as one");
        test.finish().await;
    }
}
