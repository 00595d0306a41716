//! kill -9 while dormant links are being ended, and players who come back meanwhile: each link ends once, and theirs not.

use domain::clock::{Clock, SystemClock};
use domain::dormancy::{DAY_MS, day_of};
use storage::testing::COUNT_LINKS_ANEW;
use testkit::{Engine, both_databases, rounds, steam, wait_until};

use super::race::report;
use super::removal::{let_leases_end, no_longer_slow, slow};
use super::site::Site;
use super::wire::Wire;

/// Crashes on the way.
const KILLS: i64 = 3;
/// One of so many comes back while the run is under way.
const EVERY: u64 = 50;

fn now_ms() -> i64 {
    SystemClock.now_ms()
}

/// Nobody can change when a link was made, except who goes around the rules.
fn linked_at(engine: Engine, org: i64, at_ms: i64) -> String {
    match engine {
        Engine::Sqlite => format!(
            "CREATE TEMP TABLE older AS SELECT * FROM links WHERE org_num = {org};
             UPDATE older SET linked_at = {at_ms}, verified_at = {at_ms};
             INSERT OR REPLACE INTO links SELECT * FROM older"
        ),
        Engine::Postgres => format!(
            "ALTER TABLE links DISABLE TRIGGER USER;
             UPDATE links SET linked_at = {at_ms}, verified_at = {at_ms} WHERE org_num = {org};
             ALTER TABLE links ENABLE TRIGGER USER"
        ),
    }
}

/// Everybody was flagged long ago, and the game server was heard from each day.
async fn everybody_is_dormant(site: &Site, org: i64) {
    let today = day_of(now_ms());
    let long_ago = (today - 40) * DAY_MS;
    let days: Vec<String> = (1..=40).map(|back| format!("({})", today - back)).collect();
    site.db
        .damage(&format!(
            "{};
             UPDATE people SET linked_at = {long_ago}, first_linked_at = {long_ago}, flagged_at = {long_ago} WHERE org_num = {org};
             UPDATE person_places SET linked_at = {long_ago}, flagged_at = {long_ago} WHERE org_num = {org};
             DELETE FROM player_seen;
             INSERT INTO guild_days (guild_num, org_num, day)
             SELECT g.num, g.org_num, d.column1 FROM guilds g CROSS JOIN (VALUES {}) d WHERE g.org_num = {org};
             INSERT INTO dormant_links (link_num, org_num, flagged_at)
             SELECT num, org_num, {long_ago} FROM links WHERE org_num = {org};
             INSERT INTO cleanup_settings (org_num, enabled, days, grace_days, revision, ran_at) VALUES ({org}, 1, 30, 7, 1, {})",
            linked_at(site.engine, org, long_ago),
            days.join(", "),
            now_ms()
        ))
        .await;
    site.db.damage(COUNT_LINKS_ANEW).await;
}

both_databases! {
    async fn a_cleanup_that_is_killed_in_the_middle_ends_each_link_once(engine) {
        let links = rounds(1_000, 10_000) as i64;
        let site = Site::seed(engine, 2, links as u64).await;
        let [cleaned, other] = &site.members[..] else { unreachable!("two were made") };
        everybody_is_dormant(&site, cleaned.tenant.scope.num()).await;
        site.db.damage(slow(engine)).await;
        let mut node = site.node().await;
        let mut wire = Wire::open(node.address).await.expect("a connection");
        let answer = wire.person(&cleaned.session, "POST", &cleaned.uri("/cleanup/run"), "").await.expect("an answer");
        assert_eq!(answer.status, 204, "{answer:?}");
        for kill in 1..=KILLS {
            let further = format!("jobs WHERE kind = 'people.cleanup' AND done >= {}", links * kill / (KILLS + 1));
            wait_until("the cleanup gets on", async || site.db.count(&further).await == 1).await;
            node.kill();
            assert_eq!(site.db.count("jobs WHERE kind = 'people.cleanup'").await, 1, "killed in the middle");
            let_leases_end(&site).await;
            node = site.node().await;
        }
        wait_until("the cleanup ends", async || site.db.count("jobs WHERE kind = 'people.cleanup'").await == 0).await;
        assert_eq!(site.db.count("links WHERE end_cause = 'zombie-cleanup'").await, links);
        let once = "(SELECT target FROM audit WHERE action = 'link.removed' GROUP BY target HAVING COUNT(*) = 1) one";
        assert_eq!(site.db.count(once).await, links, "each has one entry");
        assert_eq!(site.db.count("audit WHERE action = 'link.removed'").await, links);
        let mut wire = Wire::open(node.address).await.expect("a connection");
        let counted = wire.plugin(&other.tenant.key, "action=count").await.expect("an answer");
        assert_eq!(counted.json()["Total"], links, "nobody else's");
        assert!(node.stop().await, "a clean stop");
        site.db.damage(no_longer_slow(engine)).await;
        site.finish().await;
        report(engine, &format!("{links} dormant links ended with {KILLS} kills on the way: each once"));
    }

    async fn who_comes_back_while_a_cleanup_runs_keeps_their_link(engine) {
        let links = rounds(1_000, 10_000) as u64;
        let site = Site::seed(engine, 1, links).await;
        let [cleaned] = &site.members[..] else { unreachable!("one was made") };
        everybody_is_dormant(&site, cleaned.tenant.scope.num()).await;
        site.db.damage(slow(engine)).await;
        let node = site.node().await;
        let mut wire = Wire::open(node.address).await.expect("a connection");
        let answer = wire.person(&cleaned.session, "POST", &cleaned.uri("/cleanup/run"), "").await.expect("an answer");
        assert_eq!(answer.status, 204, "{answer:?}");
        let mut back = Vec::new();
        for number in (1..=links).rev().step_by(EVERY as usize) {
            let asked = format!("action=findBySteam&id={}", steam(number));
            let found = wire.plugin(&cleaned.tenant.key, &asked).await.expect("an answer");
            if found.status == 200 {
                back.push((number, now_ms()));
            }
        }
        assert!(!back.is_empty(), "some were there before the run came to them");
        wait_until("the cleanup ends", async || site.db.count("jobs WHERE kind = 'people.cleanup'").await == 0).await;
        for (number, at_ms) in &back {
            // Whom the run had before it while they joined may be ended in that very moment, and no later.
            let late = format!("links WHERE steam_id = '{}' AND ended_at > {}", steam(*number), at_ms + 1_000);
            assert_eq!(site.db.count(&late).await, 0, "player {number} was there and lost their link later");
        }
        let kept = site.db.count("links WHERE ended_at IS NULL").await;
        assert_eq!(kept + site.db.count("links WHERE end_cause = 'zombie-cleanup'").await, links as i64);
        assert!(kept <= back.len() as i64, "everybody else was unlinked");
        assert!(node.stop().await, "a clean stop");
        site.db.damage(no_longer_slow(engine)).await;
        site.finish().await;
        report(engine, &format!("{} of {links} dormant players came back while a cleanup ran: {kept} links kept, none ended after that", back.len()));
    }
}
