//! What failed lately, and what could not be written down.

use std::collections::BTreeSet;

use storage::OperatorScope;
use storage::records::error_log::{self, ErrorFilter};

use crate::error::AppError;
use crate::notice::{Notice, Page, Severity};
use crate::records::log_lines;
use crate::state::App;

const LATELY_MS: i64 = 60 * 60_000;
/// Groups that are looked at. More than these only make the number a lower bound.
const MOST: i64 = 200;
const MISCONFIGURED: &str = "PROVIDER_MISCONFIGURED";

/// Failures of the last hour that an operator can do something about.
pub(crate) async fn failures(app: &App, operator: OperatorScope) -> Result<Vec<Notice>, AppError> {
    let lately = ErrorFilter {
        status_class: Some(5),
        from_ms: Some(app.now_ms() - LATELY_MS),
        ..ErrorFilter::default()
    };
    let found = error_log::list_all(&app.db, operator, &lately, MOST).await?;
    let (misconfigured, others): (Vec<_>, Vec<_>) = found
        .into_iter()
        .map(|listed| listed.group)
        .partition(|group| group.code == MISCONFIGURED);
    let causes: BTreeSet<String> = misconfigured.into_iter().map(|group| group.detail).collect();
    let mut notices: Vec<Notice> = causes
        .iter()
        .map(|cause| {
            let notice = Notice::new("provider_misconfigured", Severity::Bad, sentence(cause));
            notice.fixed_at("Look at errors", Page::ErrorsWith(MISCONFIGURED))
        })
        .collect();
    let failed: i64 = others.iter().map(|group| group.count).sum();
    if failed > 0 {
        let requests = if failed == 1 { "request" } else { "requests" };
        let text = format!("{failed} {requests} failed in the last hour.");
        let notice = Notice::new("failures", Severity::Warn, text);
        notices.push(notice.fixed_at("Look at errors", Page::OurErrors));
    }
    Ok(notices)
}

/// What this process could not write down since it began.
pub(crate) fn losses(app: &App) -> Vec<Notice> {
    let mut found = Vec::new();
    let lines = log_lines::dropped();
    if lines > 0 {
        let text = format!("{lines} lines of the log were dropped since the start: it was not read in time.");
        found.push(Notice::new("log_lines_dropped", Severity::Warn, text));
    }
    let errors = app.memories.errors.dropped();
    if errors > 0 {
        let text = format!("{errors} failures are missing in the error log: too many came at once.");
        found.push(Notice::new("errors_dropped", Severity::Warn, text));
    }
    found
}

/// The cause as it was written down, for people.
fn sentence(cause: &str) -> String {
    let mut letters = cause.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    [&first.unwrap_or_default(), letters.as_str(), "."].concat()
}
