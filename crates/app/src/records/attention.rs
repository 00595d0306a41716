//! What failed lately, and what could not be written down.

use storage::OperatorScope;
use storage::records::error_log;

use crate::error::AppError;
use crate::notice::{Notice, Page, Severity};
use crate::records::log_lines;
use crate::state::App;

const LATELY_MS: i64 = 60 * 60_000;
const MISCONFIGURED: &str = "PROVIDER_MISCONFIGURED";
const TIMEOUT: &str = "TIMEOUT";

/// Failures of the last hour that an operator can do something about. What was refused on purpose, as during
/// maintenance, is none.
pub(crate) async fn failures(app: &App, operator: OperatorScope) -> Result<Vec<Notice>, AppError> {
    let from_ms = app.now_ms() - LATELY_MS;
    let causes = error_log::list_details(&app.db, operator, MISCONFIGURED, from_ms).await?;
    let mut notices: Vec<Notice> = causes
        .iter()
        .map(|cause| {
            let notice = Notice::new("provider_misconfigured", Severity::Bad, sentence(cause));
            notice.fixed_at("View errors", Page::ErrorsWith(MISCONFIGURED))
        })
        .collect();
    let (mut failed, mut late) = (0, 0);
    for fault in error_log::count_faults(&app.db, operator, from_ms).await? {
        match &*fault.code {
            MISCONFIGURED => {}
            TIMEOUT => late += fault.count,
            _ => failed += fault.count,
        }
    }
    for (kind, count, what, page) in [
        ("failures", failed, "failed", Page::OurErrors),
        ("timeouts", late, "took too long", Page::ErrorsWith(TIMEOUT)),
    ] {
        if count > 0 {
            let requests = if count == 1 { "request" } else { "requests" };
            let text = format!("{count} {requests} {what} in the last hour.");
            let notice = Notice::new(kind, Severity::Warn, text);
            notices.push(notice.fixed_at("View errors", page));
        }
    }
    Ok(notices)
}

/// What this process could not write down since it began.
pub(crate) fn losses(app: &App) -> Vec<Notice> {
    let mut found = Vec::new();
    let lines = log_lines::dropped();
    if lines > 0 {
        let text =
            format!("{lines} log lines were dropped since the start, because the log was not read in time.");
        found.push(Notice::new("log_lines_dropped", Severity::Warn, text));
    }
    let errors = app.memories.errors.dropped();
    if errors > 0 {
        let text =
            format!("{errors} failures are missing from the error log, because too many came at once.");
        found.push(Notice::new("errors_dropped", Severity::Warn, text));
    }
    if let Some(kind) = app.memories.alerts.trouble() {
        let text = format!("Error alerts do not reach Discord ({kind}). Check the settings alerts.*.");
        found.push(Notice::new("alerts_stuck", Severity::Warn, text));
    }
    found
}

/// The cause as it was written down, for people.
fn sentence(cause: &str) -> String {
    let mut letters = cause.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    [&first.unwrap_or_default(), letters.as_str(), "."].concat()
}
