//! `admin jobs`: what waits, and what an operator may do with it.

use app::jobs::operate::{self, ListedJob, Soon};
use app::{App, AppError};
use clap::Subcommand;
use domain::audit::Actor;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Fields;
use super::fields::{Item, Rest};
use super::words::named;

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum JobsCommand {
    /// List the oldest jobs: their progress, how often they failed and why, and when they run next.
    List {
        /// Maximum number of jobs to list.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
    },
    /// Retry a job now instead of waiting for its next attempt.
    Retry {
        /// Its number.
        number: i64,
    },
    /// Drop a job without finishing it. The organisation's audit log records it.
    Drop {
        /// Its number.
        number: i64,
    },
}

pub(super) async fn run(app: &App, command: JobsCommand) -> Result<Fields, AppError> {
    match command {
        JobsCommand::List { limit } => {
            let ((listed, more), now_ms) = (operate::list(app, limit).await?, app.now_ms());
            let items = listed.iter().map(|job| item(job, now_ms));
            Ok(Fields::list(items, Rest::Counted(more)))
        }
        JobsCommand::Retry { number } => {
            let soon = operate::retry(app, number, Actor::Operator)
                .await
                .map_err(unknown)?;
            let word = word(soon, "now", "already running");
            Ok(Fields::new().with("job", number).with("tried", word))
        }
        JobsCommand::Drop { number } => {
            let soon = operate::drop_job(app, number, Actor::Operator)
                .await
                .map_err(unknown)?;
            let word = word(soon, "now", "before its next step");
            Ok(Fields::new().with("job", number).with("dropped", word))
        }
    }
}

fn unknown(error: AppError) -> AppError {
    named(error, "number", "there is no such job")
}

fn word(soon: Soon, now: &'static str, running: &'static str) -> &'static str {
    match soon {
        Soon::Now => now,
        Soon::Running => running,
    }
}

fn item(job: &ListedJob, now_ms: i64) -> Item {
    Item {
        name: job.num.to_string(),
        line: describe(job, now_ms),
        object: json!({
            "number": job.num, "kind": job.kind, "lane": job.lane, "org_id": job.org, "created_at_ms": job.created_at_ms,
            "attempts": job.attempts, "done": job.done, "total": job.total, "cancelled": job.cancelled,
            "last_error": job.last_error, "run_at_ms": job.run_at_ms, "running": job.is_taken,
        }),
    }
}

/// One line about a job, such as "guild.end of org_… in guild:gld_…, 400/1300 done, running".
fn describe(job: &ListedJob, now_ms: i64) -> String {
    let mut line = job.kind.clone();
    if let Some(org) = &job.org {
        line.push_str(&format!(" of {org}"));
    }
    line.push_str(&format!(" in {}", job.lane));
    if job.total > 0 {
        line.push_str(&format!(", {}/{} done", job.done, job.total));
    }
    if let Some(code) = &job.last_error {
        line.push_str(&format!(", failed {} times ({code})", job.attempts));
    }
    let wait_ms = job.run_at_ms - now_ms;
    let state = match (job.cancelled, job.is_taken, wait_ms >= 1_000) {
        (true, _, _) => ", being dropped".to_owned(),
        (false, true, _) => ", running".to_owned(),
        (false, false, false) => format!(", waiting for {}", span(now_ms - job.created_at_ms)),
        (false, false, true) => format!(", tried again in {}", span(wait_ms)),
    };
    line.push_str(&state);
    line
}

/// A length of time as one number that a person can grasp, rounded down.
fn span(ms: i64) -> String {
    let s = ms.max(0) / 1_000;
    match s {
        0..120 => format!("{s} s"),
        120..7_200 => format!("{} min", s / 60),
        7_200..172_800 => format!("{} h", s / 3_600),
        _ => format!("{} days", s / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_told_in_the_unit_that_fits() {
        for (s, told) in [
            (-5, "0 s"),
            (0, "0 s"),
            (119, "119 s"),
            (120, "2 min"),
            (7_199, "119 min"),
            (7_200, "2 h"),
            (3 * 3_600 + 3_599, "3 h"),
            (172_799, "47 h"),
            (172_800, "2 days"),
            (40 * 86_400, "40 days"),
        ] {
            assert_eq!(span(s * 1_000), told, "{s}");
        }
    }
}
