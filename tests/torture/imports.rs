//! kill -9 while a file is being imported: the next start goes on where it was, and each link is made once.

use testkit::{both_databases, discord, rounds, steam, wait_until};

use super::race::report;
use super::removal::let_leases_end;
use super::site::Site;
use super::wire::Wire;

/// Crashes on the way.
const KILLS: i64 = 3;
/// Beyond those that a seeded site has.
const NEW: u64 = 5_000_000;

both_databases! {
    async fn an_import_that_is_killed_in_the_middle_makes_each_link_once(engine) {
        let rows = rounds(4_000, 40_000) as i64;
        let site = Site::seed(engine, 2, 10).await;
        let [importing, _] = &site.members[..] else { unreachable!("two were made") };
        let mut node = site.node().await;
        let lines = (0..rows as u64).map(|n| format!("{},{}\n", discord(NEW + n), steam(NEW + n)));
        let file: String = ["discord_id,steam_id\n".to_owned()].into_iter().chain(lines).collect();
        let mut wire = Wire::open(node.address).await.expect("a connection");
        let uri = importing.uri(&format!("/imports?kind=users&guild_id={}", importing.tenant.guild));
        let answer = wire.send_file(&importing.session, &uri, &file).await.expect("an answer");
        assert_eq!(answer.status, 201, "{answer:?}");
        let id = answer.json()["id"].as_str().expect("an id").to_owned();
        wait_until("the dry run ends", async || site.db.count("imports WHERE state = 'checked'").await == 1).await;
        let start = importing.uri(&format!("/imports/{id}/start"));
        let answer = wire.person(&importing.session, "POST", &start, "{}").await.expect("an answer");
        assert_eq!(answer.status, 200, "{answer:?}");
        for kill in 1..=KILLS {
            let further = format!("imports WHERE done >= {} OR state = 'done'", rows * kill / (KILLS + 1));
            wait_until("the import gets on", async || site.db.count(&further).await == 1).await;
            node.kill();
            let_leases_end(&site).await;
            node = site.node().await;
        }
        wait_until("the import ends", async || site.db.count("imports WHERE state = 'done'").await == 1).await;
        wait_until("its rows are forgotten", async || site.db.count("import_rows").await == 0).await;
        let pairs = format!("(SELECT discord_id FROM links WHERE CAST(discord_id AS BIGINT) >= {} GROUP BY discord_id HAVING COUNT(*) = 1) one", discord(NEW));
        assert_eq!(site.db.count(&pairs).await, rows, "each once");
        assert_eq!(site.db.count("links").await, rows + 2 * 10, "and nothing else");
        assert_eq!(site.db.count("audit WHERE action = 'import.finished'").await, 1);
        assert!(node.stop().await, "a clean stop");
        site.finish().await;
        report(engine, &format!("{rows} rows imported with {KILLS} kills on the way: each link once"));
    }
}
