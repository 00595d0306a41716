//! Jobs in numbers.

use domain::job::{JobKind, LaneKind};
use storage::jobs;

use crate::error::AppError;
use crate::state::App;

/// What became of a job, or of a step of it.
#[derive(Clone, Copy)]
pub(super) enum Became {
    Done,
    Retried,
    Dropped,
    Panicked,
    Lost,
}

impl Became {
    const ALL: [Became; 5] = [
        Became::Done,
        Became::Retried,
        Became::Dropped,
        Became::Panicked,
        Became::Lost,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Became::Done => "done",
            Became::Retried => "retried",
            Became::Dropped => "dropped",
            Became::Panicked => "panicked",
            Became::Lost => "lost",
        }
    }
}

fn counter(kind: &'static str, became: Became) -> metrics::Counter {
    metrics::counter!("symbolon_jobs_total", "kind" => kind, "outcome" => became.as_str())
}

fn name_of(kind: Option<JobKind>) -> &'static str {
    kind.map_or("unknown", JobKind::as_str)
}

pub(super) fn count(kind: Option<JobKind>, became: Became) {
    counter(name_of(kind), became).increment(1);
}

pub(super) fn dropped_unseen(kind: &str, jobs: i64) {
    let times = u64::try_from(jobs).unwrap_or(0);
    counter(name_of(JobKind::parse(kind)), Became::Dropped).increment(times);
}

pub(super) fn claimed(lanes: LaneKind, count: usize) {
    metrics::counter!("symbolon_job_lanes_claimed_total", "lanes" => lanes.as_str()).increment(count as u64);
}

/// Tells how much waits and for how long. All numbers are there from the start, so that an alarm can be set on them.
pub(super) async fn measure(app: &App) -> Result<(), AppError> {
    let found = jobs::count_kinds(&app.db).await?;
    let now_ms = app.now_ms();
    for kind in JobKind::ALL {
        let of_kind = found.iter().find(|found| found.kind == kind.as_str());
        let waiting = of_kind.map_or(0, |found| found.waiting);
        let age_ms = of_kind.map_or(0, |found| (now_ms - found.oldest_ms).max(0));
        metrics::gauge!("symbolon_jobs_waiting", "kind" => kind.as_str()).set(waiting as f64);
        metrics::gauge!("symbolon_jobs_oldest_seconds", "kind" => kind.as_str()).set(age_ms as f64 / 1_000.0);
        for became in Became::ALL {
            counter(kind.as_str(), became).increment(0);
        }
    }
    Ok(())
}
