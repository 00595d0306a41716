//! Several people at the same key at the same time.

use std::collections::HashSet;

use domain::permission::Permission;
use domain::plan::Tier;
use testkit::{TestApp, both_databases, rounds};

use crate::secrecy::rows;
use crate::support::server_of;

both_databases! {
    async fn parallel_regenerates_leave_exactly_one_working_key(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let people = [
            test.person(&test.session(&tenant.owner).await),
            test.person(&test.member(&tenant, 5, &[Permission::ServersKeys]).await),
        ];
        let address = format!("{}/key/regenerate", server_of(&tenant));
        let mut keys = HashSet::from([tenant.key.clone()]);
        let mut regenerated = 0;
        for _ in 0..rounds(2, 50) {
            let mut calls = tokio::task::JoinSet::new();
            for turn in 0..6 {
                let (person, address) = (people[turn % 2].clone(), address.clone());
                calls.spawn(async move { person.post(&address, "").await });
            }
            for reply in calls.join_all().await {
                if reply.status == 200 {
                    regenerated += 1;
                    assert!(keys.insert(reply.json()["key"].as_str().unwrap().to_owned()));
                } else {
                    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (409, "CONFLICT"));
                }
            }
            test.clock.advance_ms(60_000);
            let mut working = Vec::new();
            for key in &keys {
                match test.plugin(key).get("/api?action=count").await.status.as_u16() {
                    200 => working.push(key.clone()),
                    status => assert_eq!(status, 401),
                }
            }
            let reveal = format!("{}/key/reveal", server_of(&tenant));
            let revealed = people[1].post(&reveal, "").await.json()["key"]
                .as_str()
                .unwrap()
                .to_owned();
            assert_eq!(working, [revealed.as_str()]);
            keys = HashSet::from([revealed]);
        }
        assert!(regenerated > 0);
        let entries = rows::texts(
            &test.db.db,
            "SELECT detail FROM audit WHERE action = 'key.regenerated'",
        )
        .await;
        assert_eq!(entries.len(), regenerated);
        test.finish().await;
    }
}
