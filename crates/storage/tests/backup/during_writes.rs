//! A backup taken while others write is one moment of the database.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use storage::testing::TestDb;
use storage::{Db, backup, both_databases};

use crate::fixture::{AddLink, NOW, TempDir, Tenant, add_tenant};
use crate::rows::{self, Cell};

const WRITERS: usize = 4;

/// Adds links until told to stop and returns the ids in the order in which they were acknowledged.
async fn keep_writing(db: Db, tenant: Tenant, stop: Arc<AtomicBool>, done: Arc<AtomicUsize>) -> Vec<String> {
    let mut acknowledged = Vec::new();
    while !stop.load(Ordering::SeqCst) {
        let link = AddLink::new(tenant);
        let id = link.id.as_str().to_owned();
        db.write(link).await.unwrap();
        acknowledged.push(id);
        done.fetch_add(1, Ordering::SeqCst);
    }
    acknowledged
}

/// The link ids that a backup holds.
fn link_ids(file: &std::path::Path) -> BTreeSet<String> {
    let links = rows::of_file(file).remove("links").unwrap();
    let texts = links.into_iter().flatten().filter_map(|cell| match cell {
        Cell::Text(text) if text.starts_with("lnk_") => Some(text),
        Cell::Text(_) | Cell::Int(_) | Cell::Null => None,
    });
    texts.collect()
}

async fn until(done: &AtomicUsize, count: usize) {
    while done.load(Ordering::SeqCst) < count {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

both_databases! {
    async fn everything_acknowledged_before_the_start_is_in_it(engine) {
        let backups = TempDir::make();
        let origin = TestDb::open(engine).await;
        let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut writers = tokio::task::JoinSet::new();
        for _ in 0..WRITERS {
            let tenant = add_tenant(&origin.db).await;
            writers.spawn(keep_writing(origin.db.clone(), tenant, Arc::clone(&stop), Arc::clone(&done)));
        }
        let mut taken = Vec::new();
        for round in 0..3 {
            until(&done, (round + 1) * 100).await;
            let before = done.load(Ordering::SeqCst);
            let to = backups.join(&format!("round-{round}"));
            // The checks inside count every link against its counters and walk every audit chain.
            let made = backup::create(&origin.options(), &to, NOW).await.unwrap();
            let after = done.load(Ordering::SeqCst);
            assert!(after > before, "writers went on meanwhile");
            taken.push((to, before, after, made));
        }
        stop.store(true, Ordering::SeqCst);
        let written = writers.join_all().await;
        for (to, before, after, made) in taken {
            let kept = link_ids(&to.join("symbolon.db"));
            assert_eq!(kept.len() as i64, made.links);
            let found: usize = written.iter().map(|ids| {
                let found = ids.iter().take_while(|id| kept.contains(*id)).count();
                assert!(ids[found..].iter().all(|id| !kept.contains(id)), "a later link without an earlier one");
                found
            }).sum();
            assert!(found >= before, "{found} of {before} acknowledged links");
            assert!(found <= after + WRITERS);
        }
        origin.finish().await;
    }
}
