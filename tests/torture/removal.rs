//! kill -9 while a removed Guild's links are being ended: the next start goes on where it was, and all of them end.

use testkit::{Engine, both_databases, rounds, wait_until};

use super::race::report;
use super::site::Site;
use super::wire::Wire;

/// Crashes within one removal.
const KILLS: i64 = 3;

/// A node that is gone keeps its lanes for a while by the database's clock. This lets that while pass.
pub async fn let_leases_end(site: &Site) {
    if site.engine == Engine::Postgres {
        site.db.damage("UPDATE job_lanes SET run_at = 0").await;
    }
}

/// Makes each step of a job take a while, so that it is still under way when somebody has seen how far it is.
pub fn slow(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => {
            "CREATE TRIGGER slow AFTER UPDATE OF done ON jobs BEGIN
                SELECT COUNT(*) FROM (SELECT 1 FROM links LIMIT 1000) one, (SELECT 1 FROM links LIMIT 1000) two;
             END"
        }
        Engine::Postgres => {
            "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.2); RETURN NULL; END $$;
             CREATE TRIGGER slow AFTER UPDATE OF done ON jobs FOR EACH ROW EXECUTE FUNCTION slow()"
        }
    }
}

pub fn no_longer_slow(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => "DROP TRIGGER slow",
        Engine::Postgres => "DROP FUNCTION slow CASCADE",
    }
}

both_databases! {
    async fn a_removal_that_is_killed_in_the_middle_is_finished(engine) {
        let links = rounds(2_000, 20_000) as i64;
        let site = Site::seed(engine, 2, links as u64).await;
        let [removed, other] = &site.members[..] else { unreachable!("two were made") };
        site.db.damage(slow(engine)).await;
        let mut node = site.node().await;
        let uri = removed.uri(&format!("/guilds/{}", removed.tenant.guild.as_str()));
        let mut wire = Wire::open(node.address).await.expect("a connection");
        let answer = wire.person(&removed.session, "DELETE", &uri, r#"{"confirm":"guild-1"}"#).await.expect("an answer");
        assert_eq!(answer.status, 204, "{answer:?}");
        for kill in 1..=KILLS {
            // A quarter of the way further each time.
            let further = format!("jobs WHERE kind = 'guild.end' AND done >= {}", links * kill / (KILLS + 1));
            wait_until("the removal gets on", async || site.db.count(&further).await == 1).await;
            node.kill();
            assert_eq!(site.db.count("jobs WHERE kind = 'guild.end'").await, 1, "killed in the middle");
            let_leases_end(&site).await;
            node = site.node().await;
        }
        wait_until("the removal ends", async || site.db.count("jobs WHERE kind = 'guild.end'").await == 0).await;
        let left = "links WHERE ended_at IS NULL AND guild_num = (SELECT num FROM guilds WHERE removed_at IS NOT NULL)";
        assert_eq!(site.db.count(left).await, 0);
        let mut wire = Wire::open(node.address).await.expect("a connection");
        let counted = wire.plugin(&other.tenant.key, "action=count").await.expect("an answer");
        assert_eq!(counted.json()["Total"], links, "{counted:?}");
        assert!(node.stop().await, "a clean stop");
        site.db.damage(no_longer_slow(engine)).await;
        site.finish().await;
        report(engine, &format!("a Guild of {links} links removed with {KILLS} kills on the way: every link ended"));
    }
}
