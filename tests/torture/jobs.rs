//! kill -9 of nodes that make jobs and do them: each job is done once or given up, none is lost, and those of a lane are
//! done in the order in which they were left.

use std::collections::BTreeSet;

use storage::db::{FromRow, Row};
use storage::testing::statement;
use storage::{DbError, params};
use testkit::{Engine, both_databases, rounds};

use super::life::{Life, Living, STEPS, TABLES, is_hopeless};
use super::race::{Dice, report};
use super::site::{Site, pause_ms};

const SEED: u64 = 31;
const LANES: u64 = 4;
/// Jobs that one life makes in each lane, at most.
const MAKES: usize = 8;
/// Longer than a lease.
const AHEAD_EACH_ROUND_MS: i64 = 16_000;
/// Longer than a pause after a failure.
const AHEAD_AT_THE_END_MS: i64 = 15 * 60_000;

/// A line of the tables in which lives note what they do.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    lane: String,
    link: String,
    step: i64,
}

impl FromRow for Line {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            lane: row.text(0)?,
            link: row.text(1)?,
            step: row.int(2)?,
        })
    }
}

struct Campaign {
    site: Site,
    /// How far the clock of the next life is ahead.
    ahead_ms: i64,
    seed: u64,
    told: BTreeSet<String>,
}

impl Campaign {
    async fn begin(engine: Engine) -> Campaign {
        let site = Site::seed(engine, LANES, 0).await;
        site.db.damage(TABLES).await;
        Campaign {
            site,
            ahead_ms: 0,
            seed: SEED,
            told: BTreeSet::new(),
        }
    }

    /// Each is ahead of the one before, so that it need not wait for leases to end.
    fn life(&mut self, makes: usize) -> Living {
        self.ahead_ms += AHEAD_EACH_ROUND_MS;
        self.seed += 1;
        let tenants = self.site.members.iter().map(|member| &member.tenant);
        let life = Life {
            database: self.site.db.url_or_path(),
            directory: self.site.db.directory().to_string_lossy().into_owned(),
            ahead_ms: self.ahead_ms,
            seed: self.seed,
            guilds: tenants.map(|tenant| tenant.guild.as_str().to_owned()).collect(),
            makes,
        };
        life.begin()
    }

    fn kill(&mut self, mut life: Living) {
        life.kill();
        self.bury(life);
    }

    fn bury(&mut self, life: Living) -> bool {
        let (told, is_well) = life.end();
        self.told.extend(told);
        is_well
    }

    /// Lives that make nothing do what is left. Each gets as far as the first unlucky step of each lane.
    async fn work_off(&mut self) {
        let (mut left, mut in_vain) = (i64::MAX, 0);
        while left > 0 {
            self.ahead_ms += AHEAD_AT_THE_END_MS;
            let last = self.life(0);
            assert!(self.bury(last), "a life that nobody ended went wrong");
            let before = std::mem::replace(&mut left, self.site.db.count("jobs").await);
            in_vain = if left < before { 0 } else { in_vain + 1 };
            assert!(in_vain < 10, "{left} jobs are never done");
        }
    }

    async fn lines(&self, sql: &'static str) -> Vec<Line> {
        let listed = self.site.db.db.list(statement(sql, sql), params![]).await;
        listed.expect("what was noted")
    }

    /// Compares what was done with what was made, and returns how many jobs that were.
    async fn compare(&self) -> usize {
        let made = self
            .lines("SELECT lane, link, CAST(0 AS BIGINT) FROM life_made ORDER BY lane, place")
            .await;
        let done = self
            .lines("SELECT lane, link, step FROM life_done ORDER BY lane, place")
            .await;
        let stored: BTreeSet<String> = made.iter().map(|line| line.link.clone()).collect();
        let lost: Vec<_> = self.told.difference(&stored).collect();
        assert!(lost.is_empty(), "told to have been left, and gone: {lost:?}");
        let wanted: Vec<Line> = made
            .iter()
            .filter(|line| !is_hopeless(&line.link))
            .flat_map(|line| (0..STEPS).map(|step| Line { step, ..line.clone() }))
            .collect();
        let differs = wanted.iter().zip(&done).find(|(wanted, done)| wanted != done);
        assert_eq!(differs, None, "wanted next, and done instead");
        assert_eq!(wanted.len(), done.len(), "each step once");
        made.len()
    }

    async fn end(self) -> usize {
        let jobs = self.compare().await;
        assert_eq!(self.site.db.count("job_lanes").await, 0);
        self.site.finish().await;
        jobs
    }
}

/// A life that is left alone does all it makes.
pub async fn one_life_without_a_crash() {
    let mut campaign = Campaign::begin(Engine::Sqlite).await;
    let life = campaign.life(MAKES);
    assert!(campaign.bury(life), "the life went wrong");
    assert_eq!(campaign.told.len(), MAKES * LANES as usize);
    campaign.work_off().await;
    assert_eq!(campaign.end().await, MAKES * LANES as usize);
}

both_databases! {
    /// On PostgreSQL two nodes live side by side, and what one holds is over for the other, whose clock is ahead.
    async fn jobs_are_done_once_and_in_order_whoever_is_killed(engine) {
        let count = rounds(10, 500);
        let mut campaign = Campaign::begin(engine).await;
        let mut dice = Dice::new(SEED);
        let mut beside = None;
        for _ in 0..count {
            let mut life = campaign.life(MAKES);
            // A start takes as long as it takes; what counts is where the work is when the end comes.
            life.until_it_told(2);
            pause_ms(dice.roll(200)).await;
            let doomed = match engine {
                Engine::Sqlite => Some(life),
                Engine::Postgres => beside.replace(life),
            };
            if let Some(doomed) = doomed {
                campaign.kill(doomed);
            }
        }
        if let Some(last) = beside {
            campaign.kill(last);
        }
        assert!(campaign.told.len() > count, "the lives were too short to make anything");
        campaign.work_off().await;
        let told = campaign.told.len();
        let made = campaign.end().await;
        report(engine, &format!(
            "jobs, seeds from {SEED}: {count} rounds of kill -9, {told} jobs told of, {made} made, 0 lost, each step done once and in order"
        ));
    }
}
