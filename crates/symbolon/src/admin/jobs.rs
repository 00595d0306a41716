//! `admin jobs`: what waits, and what an operator may do with it.

use app::jobs::operate::{self, ListedJob, Soon};
use app::{App, AppError};
use clap::Subcommand;
use domain::audit::Actor;
use serde::{Deserialize, Serialize};

use super::Fields;
use super::words::named;

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum JobsCommand {
    /// List the oldest jobs: how far they are, how often they failed and why, and when they are tried next.
    List,
    /// Try a job again now instead of after its pause.
    Retry {
        /// Its number.
        number: i64,
    },
    /// Take a job away undone. The organisation's audit log notes it.
    Drop {
        /// Its number.
        number: i64,
    },
}

pub(super) async fn run(app: &App, command: JobsCommand) -> Result<Fields, AppError> {
    match command {
        JobsCommand::List => {
            let (listed, now_ms) = (operate::list(app).await?, app.now_ms());
            let line = |job: &ListedJob| (job.num.to_string(), describe(job, now_ms));
            Ok(listed.iter().map(line).collect())
        }
        JobsCommand::Retry { number } => {
            let soon = operate::retry(app, number).await.map_err(unknown)?;
            Ok(vec![
                field("job", number),
                field("tried", word(soon, "now", "already running")),
            ])
        }
        JobsCommand::Drop { number } => {
            let soon = operate::drop_job(app, number, Actor::Operator)
                .await
                .map_err(unknown)?;
            Ok(vec![
                field("job", number),
                field("dropped", word(soon, "now", "before its next step")),
            ])
        }
    }
}

fn unknown(error: AppError) -> AppError {
    named(error, "number", "there is no such job")
}

fn field(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

fn word(soon: Soon, now: &'static str, running: &'static str) -> &'static str {
    match soon {
        Soon::Now => now,
        Soon::Running => running,
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
    let wait_s = (job.run_at_ms - now_ms).max(0) / 1_000;
    let state = match (job.cancelled, job.is_taken, wait_s) {
        (true, _, _) => ", being dropped".to_owned(),
        (false, true, _) => ", running".to_owned(),
        (false, false, 0) => format!(", waiting for {} s", (now_ms - job.created_at_ms).max(0) / 1_000),
        (false, false, _) => format!(", tried again in {wait_s} s"),
    };
    line.push_str(&state);
    line
}
