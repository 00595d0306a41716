//! Many claims on one account at the same moment.

use std::collections::BTreeSet;

use app::App;
use app::linking::links::Linked;
use app::tenancy::orgs;
use domain::plan::Tier;
use storage::linking::links::LinkRecord;
use testkit::{Tenant, both_databases, discord, rounds, steam};

use super::race::{Dice, Nodes, RACERS, race, report};

async fn claim(app: App, tenant: Tenant, player: u64, account: u64) -> Linked {
    match tenant.link_pair(&app, player, account).await {
        Ok(linked) => linked,
        Err(error) => panic!("a claim failed: {}", error.internal_detail()),
    }
}

async fn newest(nodes: &Nodes, tenant: &Tenant, limit: u64) -> Vec<LinkRecord> {
    storage::linking::links::list_newest(&nodes.test.db.db, tenant.scope, limit.cast_signed())
        .await
        .expect("the history")
}

async fn active_links(nodes: &Nodes, tenant: &Tenant) -> i64 {
    orgs::get(&nodes.test.app, &tenant.org)
        .await
        .expect("the Org")
        .links
}

/// One of the racers' rows is active, the others ended by a relink.
fn one_owner(rows: &[LinkRecord]) {
    assert_eq!(rows.len() as u64, RACERS);
    let active = rows.iter().filter(|row| row.ended_at_ms.is_none()).count();
    let relinked = rows
        .iter()
        .filter(|row| row.end_cause.as_deref() == Some("relink"))
        .count();
    assert_eq!((active, relinked), (1, RACERS as usize - 1), "{rows:#?}");
}

both_databases! {
    async fn one_steam_account_claimed_by_many_has_one_owner(engine) {
        let nodes = Nodes::start(engine).await;
        let tenant = nodes.test.tenant(1, Tier::Standard).await;
        let count = rounds(20, 1_000);
        for round in 0..count as u64 {
            race(RACERS, |racer| claim(nodes.app(racer), tenant.clone(), round * RACERS + racer, round)).await;
            let rows = newest(&nodes, &tenant, RACERS).await;
            assert!(rows.iter().all(|row| row.steam_id == steam(round).as_str()));
            one_owner(&rows);
            assert_eq!(active_links(&nodes, &tenant).await as u64, round + 1);
        }
        report(engine, &format!("one Steam id, {RACERS} Discord ids: {count} rounds, always 1 active and 31 relinked, 0 errors"));
        nodes.finish(engine).await;
    }

    async fn one_discord_account_with_many_steam_ids_keeps_one(engine) {
        let nodes = Nodes::start(engine).await;
        let tenant = nodes.test.tenant(1, Tier::Standard).await;
        let count = rounds(20, 1_000);
        for round in 0..count as u64 {
            race(RACERS, |racer| claim(nodes.app(racer), tenant.clone(), round, round * RACERS + racer)).await;
            let rows = newest(&nodes, &tenant, RACERS).await;
            assert!(rows.iter().all(|row| row.discord_id == discord(round).as_str()));
            one_owner(&rows);
            assert_eq!(active_links(&nodes, &tenant).await as u64, round + 1);
        }
        report(engine, &format!("one Discord id, {RACERS} Steam ids: {count} rounds, always 1 active and 31 relinked, 0 errors"));
        nodes.finish(engine).await;
    }

    async fn claims_in_both_directions_at_once_leave_every_account_one_link(engine) {
        let nodes = Nodes::start(engine).await;
        let tenant = nodes.test.tenant(1, Tier::Standard).await;
        let (count, mut dice) = (rounds(20, 1_000), Dice::new(20));
        for _ in 0..count {
            let pairs: Vec<_> = (0..RACERS).map(|_| (dice.roll(6), dice.roll(6))).collect();
            race(RACERS, |racer| {
                let (player, account) = pairs[racer as usize];
                claim(nodes.app(racer), tenant.clone(), player, account)
            })
            .await;
            let rows = newest(&nodes, &tenant, 10_000).await;
            let active: Vec<_> = rows.iter().filter(|row| row.ended_at_ms.is_none()).collect();
            let players: BTreeSet<_> = active.iter().map(|row| &row.discord_id).collect();
            let accounts: BTreeSet<_> = active.iter().map(|row| &row.steam_id).collect();
            assert_eq!((players.len(), accounts.len()), (active.len(), active.len()), "{active:#?}");
            assert_eq!(active_links(&nodes, &tenant).await as usize, active.len());
        }
        report(engine, &format!("crosswise claims, seed 20: {count} rounds, {RACERS} racers over 6 × 6 accounts, 0 double links, 0 errors"));
        nodes.finish(engine).await;
    }

    async fn many_identical_claims_are_one_link_one_entry_and_one_message(engine) {
        let nodes = Nodes::start(engine).await;
        let tenant = nodes.test.tenant(1, Tier::Standard).await;
        let count = rounds(20, 200);
        for round in 0..count as u64 {
            let answers = race(RACERS, |racer| claim(nodes.app(racer), tenant.clone(), round, round)).await;
            let mut ids = BTreeSet::new();
            let mut created = 0;
            for answer in answers {
                match answer {
                    Linked::Created { id, relinked } => {
                        assert!(relinked.is_empty());
                        created += 1;
                        ids.insert(id.as_str().to_owned());
                    }
                    Linked::Already { id } => drop(ids.insert(id.as_str().to_owned())),
                }
            }
            assert_eq!((created, ids.len()), (1, 1));
            let id = ids.first().expect("one id");
            let entries = storage::records::audit::list_newest(&nodes.test.db.db, tenant.scope, 64).await.expect("the audit log");
            let about: Vec<_> = entries.iter().filter(|entry| entry.target.as_ref() == Some(id)).collect();
            assert_eq!(about.len(), 1);
            assert_eq!(about[0].action, "link.created");
            let jobs = storage::jobs::list_waiting(&nodes.test.db.db, "log.linked").await.expect("the jobs");
            assert_eq!(jobs.iter().filter(|job| job.dedupe == format!("log.linked:{id}")).count(), 1);
            assert_eq!(jobs.len() as u64, round + 1);
        }
        report(engine, &format!("identical claims: {count} rounds, {RACERS} racers, always 1 row, 1 audit entry, 1 message"));
        nodes.finish(engine).await;
    }

    async fn many_removals_end_a_link_once_and_are_all_answered(engine) {
        let nodes = Nodes::start(engine).await;
        let tenant = nodes.test.tenant(1, Tier::Standard).await;
        let plugin = nodes.test.plugin(&tenant.key);
        let count = rounds(20, 200);
        for round in 0..count as u64 {
            tenant.link(&nodes.app(round), round).await;
            let replies = race(RACERS, |racer| {
                let plugin = plugin.clone();
                let id = if racer % 2 == 0 { discord(round).as_str().to_owned() } else { steam(round).as_str().to_owned() };
                async move { plugin.get(&format!("/api?action=remove&id={id}")).await }
            })
            .await;
            for reply in replies {
                assert_eq!((reply.status.as_u16(), reply.text()), (200, r#""User Removed""#));
            }
            let rows = newest(&nodes, &tenant, 2).await;
            assert_eq!(rows[0].end_cause.as_deref(), Some("plugin"));
            let entries = storage::records::audit::list_newest(&nodes.test.db.db, tenant.scope, 64).await.expect("the audit log");
            let removed = entries.iter().filter(|entry| {
                entry.action == "link.removed" && entry.target.as_deref() == Some(rows[0].id.as_str())
            });
            assert_eq!(removed.count(), 1);
            let jobs = storage::jobs::list_waiting(&nodes.test.db.db, "log.unlinked").await.expect("the jobs");
            assert_eq!(jobs.len() as u64, round + 1);
        }
        assert_eq!(newest(&nodes, &tenant, 10_000).await.len(), count);
        report(engine, &format!("parallel removals: {count} rounds, {RACERS} racers, always 1 archived row, all told User Removed"));
        nodes.finish(engine).await;
    }
}
