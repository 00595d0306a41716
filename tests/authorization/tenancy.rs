//! Another tenant's things do not exist.

use domain::id::{GuildId, OrgId, ServerId};
use domain::plan::Tier;
use domain::random::SeededRandom;
use testkit::{START_MS, TestApp, both_databases};
use web::routes::Access;

use super::examples::{Example, Target, example, prefixes};
use crate::secrecy::rows::Rows;

both_databases! {
    async fn foreign_missing_and_malformed_ids_are_answered_with_the_same_bytes(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let (ours, theirs) = (
            test.tenant(1, Tier::Standard).await,
            test.tenant(2, Tier::Standard).await,
        );
        let person = test.person(&test.session(&ours.owner).await);
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        let random = SeededRandom::new(99);
        let missing = Target {
            org: OrgId::generate(START_MS, &random).to_string(),
            guild: GuildId::generate(START_MS, &random).to_string(),
            server: ServerId::generate(START_MS, &random).to_string(),
        };
        let (own, foreign) = (Target::from(&ours), Target::from(&theirs));
        for route in web::table() {
            let Access::Permission(_) = route.access else {
                continue;
            };
            let at = |org: &str, server: &str| {
                example(
                    &route,
                    &Target {
                        org: org.to_owned(),
                        server: server.to_owned(),
                        ..own.clone()
                    },
                )
            };
            let mut calls: Vec<Example> = Vec::new();
            for org in [
                &foreign.org,
                &missing.org,
                "org_",
                "x",
                "%00",
                "%ff",
                "org_%2e%2e",
            ] {
                calls.push(at(org, &own.server));
                calls.push(at(org, &foreign.server));
            }
            if route.path.contains("{server}") {
                for server in [
                    &foreign.server,
                    &missing.server,
                    &own.guild,
                    "srv_",
                    "x",
                    "%00",
                    "%ff",
                ] {
                    calls.push(at(&own.org, server));
                }
            }
            if route.path == "/orgs/{org}/servers" && route.method == "POST" {
                for guild in [&foreign.guild, &missing.guild] {
                    calls.push(example(
                        &route,
                        &Target {
                            guild: guild.clone(),
                            ..own.clone()
                        },
                    ));
                }
            }
            for call in calls {
                for prefix in prefixes(&route) {
                    let call = call.clone().below(prefix);
                    let reply = call.send(&person).await;
                    let first = test.client().get("/orgs/nothing/here").await;
                    assert_eq!(reply.snapshot(), first.snapshot(), "{} {}", call.method, call.uri);
                }
            }
        }
        test.settle().await;
        assert_eq!(before, rows.all(&test.db.db).await);
        test.finish().await;
    }
}
