//! Counts what becomes of jobs, and how much waits.

use domain::job::{JobKind, LaneKind};
use storage::jobs;

use crate::error::AppError;
use crate::records::alerts::{self, Place};
use crate::state::App;

/// What became of a job, or of a step of it.
#[derive(Clone, Copy)]
pub(super) enum JobEnd {
    Done,
    Retried,
    Dropped,
    Panicked,
    Lost,
}

impl JobEnd {
    const fn as_str(self) -> &'static str {
        match self {
            JobEnd::Done => "done",
            JobEnd::Retried => "retried",
            JobEnd::Dropped => "dropped",
            JobEnd::Panicked => "panicked",
            JobEnd::Lost => "lost",
        }
    }
}

pub(super) fn count(app: &App, kind: Option<JobKind>, became: JobEnd) {
    if matches!(became, JobEnd::Panicked) {
        alerts::note(app, "PANICKED", Place::of_job(kind), None);
    }
    count_many(app, kind, became, 1);
}

pub(super) fn count_many(app: &App, kind: Option<JobKind>, became: JobEnd, times: u64) {
    let kind = kind.map_or("unknown", JobKind::as_str);
    let outcomes = &app.memories.jobs.outcomes;
    outcomes
        .get_or_create(&[("kind", kind), ("outcome", became.as_str())])
        .inc_by(times);
}

pub(super) fn claimed(app: &App, lanes: LaneKind, count: usize) {
    let claimed = &app.memories.jobs.claimed;
    claimed
        .get_or_create(&[("lanes", lanes.as_str())])
        .inc_by(count as u64);
}

/// Notes how much waits in lanes of each kind, and for how long the oldest job of each kind.
pub(super) async fn measure(app: &App) -> Result<(), AppError> {
    let (numbers, now_ms) = (&app.memories.jobs, app.now_ms());
    let found = jobs::count_waiting(&app.db).await?;
    for lanes in LaneKind::ALL {
        let of_lanes = found.iter().find(|found| found.lanes == lanes.as_str());
        let waiting = of_lanes.map_or(0, |found| found.jobs);
        let labels = [("lanes", lanes.as_str())];
        numbers.waiting.get_or_create(&labels).set(waiting);
    }
    for kind in JobKind::ALL {
        let oldest_ms = jobs::find_oldest(&app.db, *kind).await?;
        let age_ms = oldest_ms.map_or(0, |oldest_ms| (now_ms - oldest_ms).max(0));
        let oldest = numbers.oldest_seconds.get_or_create(&[("kind", kind.as_str())]);
        oldest.set(age_ms as f64 / 1_000.0);
    }
    Ok(())
}
