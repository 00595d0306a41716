//! Secrets that are sent to other people's systems.

use domain::plan::Tier;
use emulator::{Fault, FaultKind};
use testkit::{STEAM_KEY, TestApp, both_databases, steam};

use super::search::{Log, Secrets, everything_stored};

const ROUTE: &str = "GET /ISteamUser/GetUserGroupList/v1";

both_databases! {
    async fn the_key_for_steam_is_in_no_log_row_or_answer(engine) {
        let log = Log::capture();
        let (test, peer) = TestApp::start_with_steam(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        peer.set_membership(&steam(0), 4, true);
        let caller = test.plugin(&tenant.key);
        let mut answers = Vec::new();
        let faults = [FaultKind::Error403, FaultKind::RateLimit, FaultKind::Garbage, FaultKind::Drop, FaultKind::Error500,
            FaultKind::Drop, FaultKind::Error500, FaultKind::Error500];
        for (number, fault) in (1..).zip(faults) {
            // A refusal opens nothing and holds for a second; the fifth failure in a row opens the breaker and is logged.
            test.clock.advance_ms(1_000);
            peer.hub().add_fault(Fault::new(ROUTE, fault).times(1));
            let reply = caller.get(&format!("/api?action=groupChecks&group=4&id={}", steam(number))).await;
            answers.extend(format!("{:?}\n{}\n", reply.headers, reply.text()).into_bytes());
        }
        test.clock.advance_ms(5_000);
        let found = caller.get(&format!("/api?action=groupChecks&group=4&id={}", steam(0))).await;
        assert_eq!(found.status, 200, "{}", found.text());
        assert!(peer.hub().calls().iter().any(|call| format!("{call:?}").contains(STEAM_KEY)), "it is sent");
        app::background::flush_errors(&test.app).await.unwrap();
        let mut secrets = Secrets::default();
        secrets.word("the key for Steam", STEAM_KEY);
        secrets.assert_absent("an answer", &answers);
        secrets.assert_absent("the database", &everything_stored(&test, engine).await);
        let logged = log.text();
        secrets.assert_absent("the log", logged.as_bytes());
        assert!(logged.contains("it keeps failing") && logged.contains("it answers again"), "{logged}");
        test.finish().await;
    }
}
