//! What changes who gets in takes a sign-in of the last 15 minutes.

use testkit::{TestApp, both_databases};
use web::routes::Access;

use super::operator;
use crate::authorization::examples::{Target, example};
use crate::secrecy::rows::Rows;

const FRESH_MS: i64 = 15 * 60_000;
/// Beginning with these, or every change below them.
const CHANGES_ACCESS: [&str; 7] = [
    "/admin/maintenance",
    "/admin/sessions/",
    "/admin/blocks",
    "/admin/registration",
    "/admin/operators",
    "/admin/orgs/",
    "/admin/guilds/",
];

#[test]
fn what_changes_access_takes_a_fresh_sign_in_and_nothing_that_only_shows_does() {
    for route in web::table() {
        let is_change = route.method != http::Method::GET;
        let is_access = CHANGES_ACCESS.iter().any(|start| route.path.starts_with(start));
        // To end a visit early gives nobody anything.
        let ends = route.path.contains("/visit") && route.method == http::Method::DELETE;
        // What is published runs on everybody's game servers.
        let publishes = route.path.starts_with("/admin/plugin-builds");
        let wanted = route.access == Access::Operator && is_change && (is_access || publishes) && !ends;
        assert_eq!(route.fresh, wanted, "{} {}", route.method, route.path);
    }
}

both_databases! {
    async fn a_sign_in_that_is_too_old_changes_no_access(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, domain::plan::Tier::Pro).await;
        let (_, me) = operator(&test, 21).await;
        test.clock.advance_ms(FRESH_MS);
        assert_eq!(me.get("/admin/sessions").await.status, 200);
        test.settle().await;
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        let mut tried = 0;
        for route in web::table().into_iter().filter(|route| route.fresh) {
            let reply = example(&route, &Target::from(&tenant)).send(&me).await;
            assert_eq!((reply.status.as_u16(), reply.code().as_str()), (403, "SIGN_IN_AGAIN"), "{}", route.path);
            tried += 1;
        }
        assert!(tried >= 12, "{tried}");
        test.settle().await;
        assert_eq!(before, rows.all(&test.db.db).await);
        test.finish().await;
    }
}
