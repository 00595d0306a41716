//! Jobs and their lanes: order, leases and fences, bounds, and what operators may do.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::id::{GuildId, LinkId};
use domain::job::{Job, LaneKind};
use domain::random::SeededRandom;
use storage::jobs::{self, Changed, Claim, Grip, Held, Moment};
use storage::testing::{Engine, TestDb};
use storage::{OrgScope, both_databases};

use crate::support::{NOW, Raw, Tenant};

pub const LEASE_MS: i64 = 15_000;

fn at(now_ms: i64) -> Moment {
    Moment {
        here_ms: now_ms,
        ahead_ms: None,
    }
}

unit!(Enqueue { scope: OrgScope, job: Job } -> (), |it, tx| { jobs::enqueue(tx, it.scope, &it.job, NOW).await });
unit!(Take { owner: &'static str, limit: i64, moment: Moment } -> Vec<Claim>, |it, tx| {
    jobs::claim(tx, LaneKind::Log, &Arc::from(it.owner), it.limit, it.moment).await
});
unit!(Finish { held: Held, seen: i64 } -> Grip, |it, tx| { jobs::finish(tx, &it.held, it.seen).await });
unit!(Retry { held: Held, pause_ms: i64, now: i64 } -> Grip, |it, tx| {
    jobs::retry(tx, &it.held, it.pause_ms, "BROKEN", at(it.now)).await
});
unit!(Renew { held: Held, moment: Moment } -> Grip, |it, tx| { jobs::renew(tx, &it.held, it.moment).await });
unit!(DropHeld { held: Held } -> Grip, |it, tx| { jobs::drop_held(tx, &it.held).await });
unit!(Release { claim: Claim, now: i64 } -> Grip, |it, tx| { jobs::release(tx, &it.claim, at(it.now)).await });
unit!(Advance { held: Held, done: i64 } -> Grip, |it, tx| {
    let grip = jobs::hold(tx, &it.held).await?;
    if grip == Grip::Ours {
        jobs::advance(tx, &it.held, Some("here"), it.done).await?;
    }
    Ok(grip)
});
unit!(DropJob { lane: String, num: i64, now: i64 } -> Changed, |it, tx| {
    jobs::drop_job(tx, &it.lane, it.num, at(it.now)).await
});
unit!(RetryNow { lane: String, num: i64, now: i64 } -> Changed, |it, tx| {
    jobs::retry_now(tx, &it.lane, it.num, at(it.now)).await
});
unit!(PurgeJobs { now: i64 } -> BTreeMap<String, u64>, |it, tx| { jobs::purge(tx, it.now).await });

/// A store with an Org and jobs about Guilds that only have an id.
pub struct Stage {
    pub test: TestDb,
    pub scope: OrgScope,
}

fn guild(number: u64) -> GuildId {
    GuildId::generate(NOW, &SeededRandom::new(number))
}

pub fn linked(number: u64, link: u64) -> Job {
    let link = LinkId::generate(NOW, &SeededRandom::new(1_000_000 + link));
    Job::LogLinked {
        guild: guild(number),
        link,
    }
}

impl Stage {
    pub async fn open(engine: Engine) -> Stage {
        let test = TestDb::open(engine).await;
        let scope = Tenant::make(&test.db, 1).await.scope;
        Stage { test, scope }
    }

    pub async fn enqueue(&self, job: &Job) {
        let (scope, job) = (self.scope, job.clone());
        self.test.db.write(Enqueue { scope, job }).await.unwrap();
    }

    pub async fn take(&self, owner: &'static str, limit: i64, now: i64) -> Vec<Claim> {
        let moment = at(now);
        self.test.db.write(Take { owner, limit, moment }).await.unwrap()
    }

    /// Takes the only lane that is due.
    async fn take_one(&self, owner: &'static str, now: i64) -> Held {
        let [claim] = self.take(owner, 9, now).await.try_into().unwrap();
        self.held(claim).await
    }

    async fn held(&self, claim: Claim) -> Held {
        let head = jobs::find_head(&self.test.db, &claim.lane)
            .await
            .unwrap()
            .unwrap();
        Held { claim, num: head.num }
    }

    async fn lanes(&self) -> Vec<String> {
        let sql =
            "SELECT lane || ' ' || jobs || ' ' || run_at || ' ' || fence || ' ' || COALESCE(lease_owner, '-')
                   FROM job_lanes ORDER BY lane";
        Raw::open(&self.test).await.texts(sql).await
    }

    async fn jobs(&self) -> Vec<String> {
        let sql = "SELECT dedupe || ' ' || attempts || ' ' || COALESCE(cursor, '-') || ' ' || done || ' ' || total || ' '
                          || cancelled || ' ' || COALESCE(last_error, '-')
                   FROM jobs ORDER BY num";
        Raw::open(&self.test).await.texts(sql).await
    }

    pub async fn done(self) {
        let findings = storage::doctor::examine(&self.test.db).await.unwrap();
        assert!(findings.is_empty(), "{findings:?}");
        self.test.finish().await;
    }
}

both_databases! {
    async fn the_same_job_waits_once_and_ends_in_time(engine) {
        let stage = Stage::open(engine).await;
        let (one, two) = (linked(1, 1), linked(1, 2));
        for job in [&one, &one, &two, &one] {
            stage.enqueue(job).await;
        }
        let waiting = jobs::list_waiting(&stage.test.db, "log.linked").await.unwrap();
        let found: Vec<&str> = waiting.iter().map(|job| job.dedupe.as_str()).collect();
        assert_eq!(found, [one.dedupe(), two.dedupe()]);
        assert_eq!(waiting[0].payload, one.payload());
        assert!(jobs::list_waiting(&stage.test.db, "log.unlinked").await.unwrap().is_empty());
        assert_eq!(stage.lanes().await, [format!("{} 2 {NOW} 0 -", one.lane())]);
        let day = one.lifetime_ms().unwrap();
        assert!(stage.test.db.write(PurgeJobs { now: NOW + day - 1 }).await.unwrap().is_empty());
        let purged = stage.test.db.write(PurgeJobs { now: NOW + day }).await.unwrap();
        assert_eq!(purged, BTreeMap::from([("log.linked".to_owned(), 2)]));
        assert!(stage.lanes().await.is_empty(), "the last job takes its lane along");
        stage.done().await;
    }

    async fn a_number_is_never_given_twice(engine) {
        let stage = Stage::open(engine).await;
        let mut last = 0;
        for link in 0..3 {
            stage.enqueue(&linked(1, link)).await;
            let held = stage.take_one("a", NOW).await;
            assert!(held.num > last, "{} after {last}", held.num);
            last = held.num;
            assert_eq!(stage.test.db.write(Finish { held, seen: 0 }).await.unwrap(), Grip::Over);
        }
        stage.done().await;
    }

    async fn what_comes_after_a_full_lane_is_told_in_sum(engine) {
        let stage = Stage::open(engine).await;
        let (first, lane) = (linked(1, 0), linked(1, 0).lane());
        stage.enqueue(&first).await;
        let copies = format!(
            "INSERT INTO jobs (lane, kind, dedupe, org_num, payload, give_up_at, created_at)
             WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < {most})
             SELECT lane, kind, 'copy:' || CAST(i AS TEXT), org_num, payload, give_up_at, created_at FROM jobs, n;
             UPDATE job_lanes SET jobs = {most}", most = jobs::MOST_WAITING);
        stage.test.damage(&copies).await;
        for link in [7, 8, 8] {
            stage.enqueue(&linked(1, link)).await;
        }
        stage.enqueue(&linked(2, 9)).await;
        let more = Job::LogMore { guild: guild(1) };
        let found = stage.jobs().await;
        assert_eq!(found.len() as i64, jobs::MOST_WAITING + 2);
        assert_eq!(found[found.len() - 2], format!("{} 0 - 0 3 0 -", more.dedupe()));
        assert!(found.last().unwrap().starts_with(&linked(2, 9).dedupe()), "another Guild's lane has room");
        let full = format!("{lane} {} {NOW} 0 -", jobs::MOST_WAITING + 1);
        assert!(stage.lanes().await.contains(&full));
        stage.done().await;
    }

    async fn what_is_added_to_a_sum_while_it_is_told_stays_to_be_told(engine) {
        let stage = Stage::open(engine).await;
        stage.enqueue(&Job::LogMore { guild: guild(1) }).await;
        stage.test.damage("UPDATE jobs SET total = 3").await;
        let held = stage.take_one("a", NOW).await;
        stage.test.damage("UPDATE jobs SET total = 5").await;
        assert_eq!(stage.test.db.write(Finish { held: held.clone(), seen: 3 }).await.unwrap(), Grip::Ours);
        assert!(stage.jobs().await[0].ends_with(" 2 0 -"));
        assert_eq!(stage.test.db.write(Finish { held, seen: 2 }).await.unwrap(), Grip::Over);
        stage.done().await;
    }

    async fn a_lane_is_one_workers_and_its_jobs_come_in_order(engine) {
        let stage = Stage::open(engine).await;
        let jobs: Vec<Job> = (0..4).map(|link| linked(1, link)).collect();
        for job in &jobs {
            stage.enqueue(job).await;
        }
        for (index, job) in jobs.iter().enumerate() {
            let held = stage.take_one(["a", "b", "c", "d"][index], NOW).await;
            assert!(stage.take("other", 9, NOW + LEASE_MS - 1).await.is_empty(), "the lane is taken");
            let head = jobs::find_head(&stage.test.db, &held.claim.lane).await.unwrap().unwrap();
            assert_eq!(Job::parse(&head.kind, &head.payload).as_ref(), Ok(job));
            assert_eq!(held.claim.fence, index as i64 + 1);
            let last = index == 3;
            let grip = stage.test.db.write(Finish { held: held.clone(), seen: 0 }).await.unwrap();
            assert_eq!(grip, if last { Grip::Over } else { Grip::Ours });
            if !last {
                assert_eq!(stage.test.db.write(Release { claim: held.claim, now: NOW }).await.unwrap(), Grip::Ours);
            }
        }
        stage.done().await;
    }

    async fn who_lost_a_lane_changes_nothing_in_it(engine) {
        let stage = Stage::open(engine).await;
        for link in 0..2 {
            stage.enqueue(&linked(1, link)).await;
        }
        let late = stage.take_one("late", NOW).await;
        let now = NOW + LEASE_MS;
        let next = stage.take_one("next", now).await;
        assert_eq!((next.num, next.claim.fence), (late.num, 2), "the same job, another fence");
        let before = (stage.lanes().await, stage.jobs().await);
        let db = &stage.test.db;
        for grip in [
            db.write(Finish { held: late.clone(), seen: 0 }).await,
            db.write(DropHeld { held: late.clone() }).await,
            db.write(Retry { held: late.clone(), pause_ms: 1, now }).await,
            db.write(Renew { held: late.clone(), moment: at(now) }).await,
            db.write(Advance { held: late.clone(), done: 7 }).await,
            db.write(Release { claim: late.claim.clone(), now }).await,
        ] {
            assert_eq!(grip.unwrap(), Grip::Lost);
        }
        assert_eq!((stage.lanes().await, stage.jobs().await), before);
        stage.done().await;
    }

    /// The fence of a new lane begins anew, so it may be the same number as that of a claim from before.
    async fn a_claim_of_a_lane_that_was_gone_is_worth_nothing_in_its_next_life(engine) {
        let stage = Stage::open(engine).await;
        stage.enqueue(&linked(1, 1)).await;
        let late = stage.take_one("late", NOW).await;
        let next = stage.take_one("next", NOW + LEASE_MS).await;
        assert_eq!(stage.test.db.write(Finish { held: next, seen: 0 }).await.unwrap(), Grip::Over);
        stage.enqueue(&linked(1, 2)).await;
        let third = stage.take_one("third", NOW + LEASE_MS).await;
        assert_eq!(third.claim.fence, late.claim.fence);
        let before = stage.lanes().await;
        let release = Release { claim: late.claim.clone(), now: NOW };
        assert_eq!(stage.test.db.write(release).await.unwrap(), Grip::Lost);
        let wrong = Held { num: third.num, ..late };
        assert_eq!(stage.test.db.write(Finish { held: wrong, seen: 0 }).await.unwrap(), Grip::Lost);
        assert_eq!(stage.lanes().await, before);
        stage.done().await;
    }

    async fn a_renewed_lease_is_kept(engine) {
        let stage = Stage::open(engine).await;
        stage.enqueue(&linked(1, 1)).await;
        let held = stage.take_one("a", NOW).await;
        let renew = Renew { held, moment: at(NOW + 10_000) };
        assert_eq!(stage.test.db.write(renew).await.unwrap(), Grip::Ours);
        assert!(stage.take("b", 9, NOW + LEASE_MS + 9_999).await.is_empty());
        assert_eq!(stage.take("b", 9, NOW + LEASE_MS + 10_000).await.len(), 1);
        stage.done().await;
    }

    async fn a_failed_job_waits_and_keeps_its_place(engine) {
        let stage = Stage::open(engine).await;
        for link in 0..2 {
            stage.enqueue(&linked(1, link)).await;
        }
        let held = stage.take_one("a", NOW).await;
        let retry = Retry { held: held.clone(), pause_ms: 5_000, now: NOW };
        assert_eq!(stage.test.db.write(retry).await.unwrap(), Grip::Ours);
        assert!(stage.take("b", 9, NOW + 4_999).await.is_empty());
        let again = stage.take_one("c", NOW + 5_000).await;
        assert_eq!(again.num, held.num, "the one behind it does not overtake");
        assert!(stage.jobs().await[0].ends_with(" 1 - 0 0 0 BROKEN"));
        let advance = Advance { held: again, done: 3 };
        assert_eq!(stage.test.db.write(advance).await.unwrap(), Grip::Ours);
        assert!(stage.jobs().await[0].ends_with(" 0 here 3 0 0 -"), "who gets on has failed no more");
        stage.done().await;
    }

    async fn lanes_come_in_the_order_of_their_waiting(engine) {
        let stage = Stage::open(engine).await;
        for number in 1..=3 {
            stage.enqueue(&linked(number, number)).await;
            stage.enqueue(&linked(number, number + 10)).await;
        }
        let mut order = Vec::new();
        for turn in 0..6 {
            let [claim] = stage.take(["a", "b", "c", "d", "e", "f"][turn as usize], 1, NOW).await.try_into().unwrap();
            order.push(claim.lane.clone());
            assert_eq!(stage.test.db.write(Release { claim, now: NOW }).await.unwrap(), Grip::Ours);
        }
        assert_eq!(order[..3], order[3..], "each has its turn before anybody has a second one");
        stage.done().await;
    }

    async fn a_job_that_is_left_again_while_somebody_is_at_it_is_done_once_more(engine) {
        let stage = Stage::open(engine).await;
        let job = linked(1, 1);
        for _ in 0..2 {
            stage.enqueue(&job).await;
        }
        let held = stage.take_one("a", NOW).await;
        let db = &stage.test.db;
        let seen = jobs::find_head(db, &job.lane()).await.unwrap().unwrap().total;
        assert_eq!(db.write(Advance { held: held.clone(), done: 7 }).await.unwrap(), Grip::Ours);
        stage.enqueue(&job).await;
        assert_eq!(db.write(Finish { held: held.clone(), seen }).await.unwrap(), Grip::Ours, "there is more to do");
        assert_eq!(stage.jobs().await, [format!("{} 0 - 0 1 0 -", job.dedupe())], "from its beginning");
        assert_eq!(db.write(Finish { held, seen: 1 }).await.unwrap(), Grip::Over);
        assert!(stage.jobs().await.is_empty());
        stage.done().await;
    }

    async fn an_operator_drops_and_retries(engine) {
        let stage = Stage::open(engine).await;
        let lane = linked(1, 1).lane();
        for link in 1..=2 {
            stage.enqueue(&linked(1, link)).await;
        }
        let held = stage.take_one("a", NOW).await;
        let (db, num) = (&stage.test.db, held.num);
        let drop_job = |num, now| DropJob { lane: lane.clone(), num, now };
        let retry_now = |num, now| RetryNow { lane: lane.clone(), num, now };
        assert_eq!(db.write(retry_now(num, NOW)).await.unwrap(), Changed::Soon, "somebody is at it");
        assert_eq!(db.write(drop_job(num, NOW)).await.unwrap(), Changed::Soon);
        assert_eq!(db.write(drop_job(num, NOW)).await.unwrap(), Changed::Before, "the worker knows");
        assert!(jobs::find_head(db, &lane).await.unwrap().unwrap().cancelled);
        assert_eq!(db.write(Retry { held, pause_ms: 60_000, now: NOW }).await.unwrap(), Grip::Ours);
        assert_eq!(db.write(retry_now(num, NOW + 1)).await.unwrap(), Changed::Done);
        assert_eq!(stage.lanes().await, [format!("{lane} 2 {} 1 -", NOW + 1)]);
        assert_eq!(db.write(drop_job(num, NOW + 1)).await.unwrap(), Changed::Done);
        assert_eq!(db.write(drop_job(num, NOW + 1)).await.unwrap(), Changed::Missing);
        assert_eq!(stage.jobs().await.len(), 1);
        let listed = jobs::list(db, 100).await.unwrap();
        assert_eq!((listed[0].lane.as_str(), listed[0].is_taken, listed[0].org.is_some()), (lane.as_str(), false, true));
        stage.done().await;
    }

    async fn the_pause_of_a_dropped_job_is_not_that_of_the_next(engine) {
        let stage = Stage::open(engine).await;
        let lane = linked(1, 1).lane();
        for link in 1..=3 {
            stage.enqueue(&linked(1, link)).await;
        }
        let held = stage.take_one("a", NOW).await;
        let (db, num) = (&stage.test.db, held.num);
        assert_eq!(db.write(Retry { held, pause_ms: 60_000, now: NOW }).await.unwrap(), Grip::Ours);
        let drop_job = |num| DropJob { lane: lane.clone(), num, now: NOW + 1 };
        assert_eq!(db.write(drop_job(num + 1)).await.unwrap(), Changed::Done);
        assert_eq!(stage.lanes().await, [format!("{lane} 2 {} 1 -", NOW + 60_000)], "the first still has its pause");
        assert_eq!(db.write(drop_job(num)).await.unwrap(), Changed::Done);
        assert_eq!(stage.lanes().await, [format!("{lane} 1 {} 1 -", NOW + 1)]);
        let again = RetryNow { lane: lane.clone(), num: num + 2, now: NOW + 9 };
        assert_eq!(db.write(again).await.unwrap(), Changed::Done);
        assert_eq!(stage.lanes().await, [format!("{lane} 1 {} 1 -", NOW + 1)], "who is due keeps the place");
        stage.done().await;
    }

    async fn what_is_over_is_purged_in_slices(engine) {
        let stage = Stage::open(engine).await;
        stage.enqueue(&linked(1, 1)).await;
        stage.test.damage(
            "INSERT INTO jobs (lane, kind, dedupe, org_num, payload, give_up_at, created_at)
             WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
             SELECT lane, kind, 'copy:' || CAST(i AS TEXT), org_num, payload, give_up_at, created_at FROM jobs, n;
             UPDATE job_lanes SET jobs = 700").await;
        let now = NOW + linked(1, 1).lifetime_ms().unwrap();
        let purge = async || stage.test.db.write(PurgeJobs { now }).await.unwrap();
        let of = |jobs| BTreeMap::from([("log.linked".to_owned(), jobs)]);
        assert_eq!(purge().await, of(500));
        assert_eq!(stage.jobs().await.len(), 200);
        assert_eq!(purge().await, of(200));
        assert_eq!(purge().await, BTreeMap::new());
        assert!(stage.lanes().await.is_empty());
        stage.done().await;
    }

    async fn what_a_worker_is_at_is_not_purged_under_it(engine) {
        let stage = Stage::open(engine).await;
        stage.enqueue(&linked(1, 1)).await;
        stage.enqueue(&linked(2, 2)).await;
        let day = linked(1, 1).lifetime_ms().unwrap();
        let [claim] = stage.take("a", 1, NOW).await.try_into().unwrap();
        let purged = stage.test.db.write(PurgeJobs { now: NOW + day }).await.unwrap();
        assert_eq!(purged, BTreeMap::from([("log.linked".to_owned(), 1)]));
        let held = stage.held(claim).await;
        assert_eq!(stage.test.db.write(DropHeld { held }).await.unwrap(), Grip::Over);
        stage.done().await;
    }
}
