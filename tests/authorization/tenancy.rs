//! Another tenant's things do not exist.

use domain::id::{AccountId, GuildId, InviteId, KeyId, OrgId, ServerId};
use domain::plan::Tier;
use domain::random::SeededRandom;
use testkit::{START_MS, TestApp, both_databases};
use web::routes::{Access, RouteSpec};

use super::examples::{Example, Target, example, prefixes};
use crate::secrecy::rows::Rows;

both_databases! {
    async fn foreign_missing_and_malformed_ids_are_answered_with_the_same_bytes(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let (ours, theirs) = (
            test.full_tenant(1, Tier::Standard).await,
            test.full_tenant(2, Tier::Standard).await,
        );
        let person = test.person(&test.session(&ours.owner).await);
        let random = SeededRandom::new(99);
        let missing = Target {
            org: OrgId::generate(START_MS, &random).to_string(),
            guild: GuildId::generate(START_MS, &random).to_string(),
            server: ServerId::generate(START_MS, &random).to_string(),
            key: KeyId::generate(START_MS, &random).to_string(),
            account: AccountId::generate(START_MS, &random).to_string(),
            invite: InviteId::generate(START_MS, &random).to_string(),
        };
        let (own, foreign) = (Target::from(&ours), Target::from(&theirs));
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        for route in web::table() {
            let Access::Permission(_) = route.access else {
                continue;
            };
            let calls = strange_calls(&route, &own, &foreign, &missing);
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

/// Calls of a route with ids that are somebody else's, nobody's, or no ids at all.
fn strange_calls(route: &RouteSpec, own: &Target, foreign: &Target, missing: &Target) -> Vec<Example> {
    let mut targets: Vec<Target> = Vec::new();
    for org in [
        &foreign.org,
        &missing.org,
        "org_",
        "x",
        "%00",
        "%ff",
        "org_%2e%2e",
    ] {
        for server in [&own.server, &foreign.server] {
            targets.push(Target {
                org: org.to_owned(),
                server: server.clone(),
                ..own.clone()
            });
        }
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
            targets.push(Target {
                server: server.to_owned(),
                ..own.clone()
            });
        }
    }
    if route.path.contains("{key}") {
        for key in [&foreign.key, &missing.key, &own.server, "key_", "x", "%00", "%ff"] {
            targets.push(Target {
                key: key.to_owned(),
                ..own.clone()
            });
        }
    }
    if route.path.contains("{account}") {
        for account in [
            &foreign.account,
            &missing.account,
            &own.server,
            "usr_",
            "x",
            "%00",
        ] {
            targets.push(Target {
                account: account.to_owned(),
                ..own.clone()
            });
        }
    }
    if route.path.contains("{invite}") {
        for invite in [&foreign.invite, &missing.invite, &own.server, "inv_", "x", "%00"] {
            targets.push(Target {
                invite: invite.to_owned(),
                ..own.clone()
            });
        }
    }
    // What is made in a Guild is named by its body.
    if ["/orgs/{org}/servers", "/orgs/{org}/keys"].contains(&route.path) && route.method == "POST" {
        for guild in [&foreign.guild, &missing.guild] {
            targets.push(Target {
                guild: guild.clone(),
                ..own.clone()
            });
        }
    }
    targets.iter().map(|target| example(route, target)).collect()
}
