//! kill -9 while many people are being unlinked: the next start goes on where it was, and each link ends once.

use testkit::{both_databases, rounds, wait_until};

use super::race::report;
use super::removal::{let_leases_end, no_longer_slow, slow};
use super::site::Site;
use super::wire::Wire;

/// Crashes on the way.
const KILLS: i64 = 3;

both_databases! {
    async fn a_bulk_unlink_that_is_killed_in_the_middle_ends_each_link_once(engine) {
        let links = rounds(1_000, 10_000) as i64;
        let site = Site::seed(engine, 2, links as u64).await;
        let [unlinked, other] = &site.members[..] else { unreachable!("two were made") };
        site.db.damage(slow(engine)).await;
        let mut node = site.node().await;
        let mut wire = Wire::open(node.address).await.expect("a connection");
        let body = r#"{"filter":{"status":"active"}}"#;
        let answer = wire.person(&unlinked.session, "POST", &unlinked.uri("/users/unlink"), body).await.expect("an answer");
        assert_eq!((answer.status, &answer.json()["links"]), (200, &links.into()), "{answer:?}");
        for kill in 1..=KILLS {
            let further = format!("jobs WHERE kind = 'people.unlink' AND done >= {}", links * kill / (KILLS + 1));
            wait_until("the unlink gets on", async || site.db.count(&further).await == 1).await;
            node.kill();
            assert_eq!(site.db.count("jobs WHERE kind = 'people.unlink'").await, 1, "killed in the middle");
            let_leases_end(&site).await;
            node = site.node().await;
        }
        wait_until("the unlink ends", async || site.db.count("jobs WHERE kind = 'people.unlink'").await == 0).await;
        assert_eq!(site.db.count("links WHERE end_cause = 'admin'").await, links);
        let once = "(SELECT target FROM audit WHERE action = 'link.removed' GROUP BY target HAVING COUNT(*) = 1) one";
        assert_eq!(site.db.count(once).await, links, "each has one entry");
        assert_eq!(site.db.count("audit WHERE action = 'link.removed'").await, links);
        assert_eq!(site.db.count("chosen_links").await, 0);
        let mut wire = Wire::open(node.address).await.expect("a connection");
        let counted = wire.plugin(&other.tenant.key, "action=count").await.expect("an answer");
        assert_eq!(counted.json()["Total"], links, "nobody else's");
        assert!(node.stop().await, "a clean stop");
        site.db.damage(no_longer_slow(engine)).await;
        site.finish().await;
        report(engine, &format!("{links} links ended together with {KILLS} kills on the way: each once"));
    }
}
