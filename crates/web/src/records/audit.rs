//! An Org's audit log: looked through, and taken home as a file.

use app::memories::exports::ExportPlace;
use app::records::audit::{self, AuditFilter, NamedEntry};
use app::{App, AppError, OrgScope};
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::audit::AuditAction;
use domain::permission::Permission;
use futures_util::stream;
use http::HeaderValue;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Asked, Asks, Authorized, Question, perm};
use crate::openapi::{Gives, words};
use crate::records::audit_names::AuditName;
use crate::routes::{Answer, Found, RouteAnswer};

const PAGE: i64 = 50;
const MOST: i64 = 100;
/// Rows of an export that are in memory at a time.
const SLICE: i64 = 32;
/// Room for a usual slice. A text that grows step by step leaves each of its sizes behind in every thread.
const SLICE_BYTES: usize = 16 * 1024;

#[derive(Serialize, ToSchema)]
pub struct AuditList {
    entries: Vec<AuditEntry>,
    /// What to ask for as `before` to go on; nothing at the end.
    next_before: Option<i64>,
    /// What the ids in these entries are called now; what is not here is gone, or not for the reader to know.
    names: Vec<AuditName>,
    /// Every action there is, for choosing one.
    #[schema(value_type = Vec<words::AuditAction>)]
    actions: Vec<&'static str>,
}

#[derive(Serialize, ToSchema)]
pub struct AuditEntry {
    seq: i64,
    at_ms: i64,
    actor_kind: String,
    actor_id: Option<String>,
    actor_name: Option<String>,
    action: String,
    target: Option<String>,
    #[schema(value_type = Object)]
    detail: serde_json::Value,
}

impl From<NamedEntry> for AuditEntry {
    fn from(named: NamedEntry) -> Self {
        let row = named.row;
        Self {
            seq: row.seq,
            at_ms: row.at_ms,
            actor_kind: row.actor_kind,
            actor_id: row.actor_id,
            actor_name: named.actor_name,
            action: row.action,
            target: row.target,
            detail: serde_json::from_str(&row.detail).unwrap_or_default(),
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct AuditQuery {
    action: String,
    actor: String,
    target: String,
    from_ms: Option<i64>,
    to_ms: Option<i64>,
    before: Option<i64>,
    limit: Option<i64>,
    format: String,
}

const FILTERS: [Asks; 6] = [
    Asks::Text("action"),
    Asks::Text("actor"),
    Asks::Text("target"),
    Asks::Number("from_ms"),
    Asks::Number("to_ms"),
    Asks::Number("before"),
];

impl AuditQuery {
    fn filter(&self) -> Result<AuditFilter, AppError> {
        let text = |value: &str| Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        let action = match text(&self.action) {
            Some(name) => Some(
                AuditAction::parse(&name)
                    .ok_or_else(|| AppError::invalid("action", "there is no such action"))?,
            ),
            None => None,
        };
        Ok(AuditFilter {
            action,
            actor: text(&self.actor),
            target: text(&self.target),
            from_ms: self.from_ms,
            to_ms: self.to_ms,
            before: self.before,
        })
    }
}

/// A page of the log.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct PageOfLog(AuditQuery);

impl Question for PageOfLog {
    const ASKS: &'static [Asks] = &[
        FILTERS[0],
        FILTERS[1],
        FILTERS[2],
        FILTERS[3],
        FILTERS[4],
        FILTERS[5],
        Asks::Number("limit"),
    ];
}

/// The log as a file.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct FileOfLog(AuditQuery);

impl Question for FileOfLog {
    const ASKS: &'static [Asks] = &[
        FILTERS[0],
        FILTERS[1],
        FILTERS[2],
        FILTERS[3],
        FILTERS[4],
        FILTERS[5],
        Asks::OneOf("format", &["csv", "json"]),
    ];
}

pub async fn list(
    app: App,
    caller: Authorized<perm::AuditView>,
    Asked(PageOfLog(asked)): Asked<PageOfLog>,
) -> Answer<Found<AuditList>> {
    if !asked.format.is_empty() {
        return Err(AppError::invalid("format", "only an export has one").into());
    }
    let limit = asked.limit.unwrap_or(PAGE);
    if !(1..=MOST).contains(&limit) {
        return Err(AppError::invalid("limit", "must be from 1 to 100").into());
    }
    let found = audit::list(&app, caller.scope, &asked.filter()?, limit).await?;
    let sees_links = caller.permissions.contains(Permission::LinksView);
    let names = audit::name(&app, caller.scope, &found, sees_links).await?;
    let is_full = i64::try_from(found.len()).is_ok_and(|count| count == limit);
    let last = found.last().map(|entry| entry.row.seq);
    Ok(Found(AuditList {
        entries: found.into_iter().map(AuditEntry::from).collect(),
        next_before: last.filter(|seq| is_full && *seq > 1),
        names: names.into_iter().map(AuditName::from).collect(),
        actions: AuditAction::ALL.iter().map(|action| action.as_str()).collect(),
    }))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv,
    Json,
}

/// A file that is written while it is sent.
pub struct Export {
    format: Format,
    body: Body,
}

impl Gives for Export {
    const ANSWER: RouteAnswer = RouteAnswer::File;
}

impl IntoResponse for Export {
    fn into_response(self) -> Response {
        let (kind, name) = match self.format {
            Format::Csv => ("text/csv; charset=utf-8", "attachment; filename=\"audit.csv\""),
            Format::Json => ("application/x-ndjson", "attachment; filename=\"audit.ndjson\""),
        };
        let mut response = Response::new(self.body);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static(name));
        response
    }
}

pub async fn export(
    app: App,
    caller: Authorized<perm::AuditExport>,
    Asked(FileOfLog(asked)): Asked<FileOfLog>,
) -> Answer<Export> {
    let format = match &*asked.format {
        "" | "csv" => Format::Csv,
        "json" => Format::Json,
        _ => return Err(AppError::invalid("format", "must be csv or json").into()),
    };
    if asked.limit.is_some() {
        return Err(AppError::invalid(
            "limit",
            "an export has no pages: it holds everything the filters match",
        )
        .into());
    }
    let filter = asked.filter()?;
    let scope = caller.scope;
    let head = match format {
        Format::Csv => "seq,at_ms,actor_kind,actor_id,actor_name,action,target,detail\r\n",
        Format::Json => "",
    };
    let reading = Reading {
        _place: audit::begin_export(&app, scope, caller.actor).await?,
        app,
        scope,
        filter,
        format,
        head,
        is_over: false,
    };
    Ok(Export {
        format,
        body: Body::from_stream(stream::unfold(reading, Reading::next)),
    })
}

/// An export under way.
struct Reading {
    app: App,
    scope: OrgScope,
    filter: AuditFilter,
    format: Format,
    /// What stands before the first row.
    head: &'static str,
    is_over: bool,
    /// Free again when the file is sent, or nobody takes it any more.
    _place: ExportPlace,
}

impl Reading {
    /// The next slice, read when the one before it is on its way.
    async fn next(mut self) -> Option<(Result<Bytes, AppError>, Self)> {
        if self.is_over {
            return None;
        }
        let found = match audit::list(&self.app, self.scope, &self.filter, SLICE).await {
            Ok(found) => found,
            Err(error) => {
                // The file is cut off visibly: the connection ends before the answer does.
                self.is_over = true;
                return Some((Err(error), self));
            }
        };
        self.filter.before = found.last().map(|entry| entry.row.seq);
        self.is_over = i64::try_from(found.len()).is_ok_and(|count| count < SLICE);
        let mut text = String::with_capacity(SLICE_BYTES);
        text.push_str(std::mem::take(&mut self.head));
        for entry in found {
            write_line(&mut text, self.format, entry);
        }
        Some((Ok(Bytes::from(text)), self))
    }
}

fn write_line(text: &mut String, format: Format, entry: NamedEntry) {
    match format {
        Format::Json => {
            text.push_str(&serde_json::to_string(&AuditEntry::from(entry)).unwrap_or_default());
            text.push('\n');
        }
        Format::Csv => {
            let row = entry.row;
            let (seq, at) = (row.seq.to_string(), row.at_ms.to_string());
            let optional = |value: Option<String>| value.unwrap_or_default();
            let cells = [
                seq,
                at,
                row.actor_kind,
                optional(row.actor_id),
                optional(entry.actor_name),
                row.action,
                optional(row.target),
                row.detail,
            ];
            let cells: Vec<String> = cells.iter().map(|cell| csv_cell(cell)).collect();
            text.push_str(&cells.join(","));
            text.push_str("\r\n");
        }
    }
}

/// Quoted, and unable to become a formula in a spreadsheet.
fn csv_cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let guard = if is_formula { "'" } else { "" };
    ["\"", guard, &text.replace('"', "\"\""), "\""].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_cannot_leave_its_place_or_become_a_formula() {
        assert_eq!(csv_cell("a\"b,c"), "\"a\"\"b,c\"");
        for formula in ["=1+1", "+1", "-1", "@x"] {
            assert_eq!(csv_cell(formula), format!("\"'{formula}\""));
        }
    }
}
