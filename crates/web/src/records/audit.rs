//! An Org's audit log: looked through, and taken home as a file.

use app::records::audit::{self, AuditFilter, Named, NamedEntry};
use app::records::exports::{self, ExportPlace};
use app::{App, AppError, OrgScope};
use domain::audit::AuditAction;
use domain::permission::Permission;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::export::{Export, FORMATS, Format, Slices, csv_line, json_line};
use crate::extract::{Asked, Asks, Authorized, Operator, Question, perm};
use crate::openapi::words;
use crate::records::audit_names::AuditName;
use crate::routes::{Answer, Found};

const PAGE: i64 = 50;
const MOST: i64 = 100;
/// Rows of an export that are in memory at a time.
const SLICE: i64 = 32;
const NAMES: [&str; 2] = [
    "attachment; filename=\"audit.csv\"",
    "attachment; filename=\"audit.ndjson\"",
];

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

impl AuditList {
    fn of(found: Vec<NamedEntry>, names: Vec<Named>, limit: i64) -> Self {
        let is_full = i64::try_from(found.len()).is_ok_and(|count| count == limit);
        let last = found.last().map(|entry| entry.row.seq);
        Self {
            entries: found.into_iter().map(AuditEntry::from).collect(),
            next_before: last.filter(|seq| is_full && *seq > 1),
            names: names.into_iter().map(AuditName::from).collect(),
            actions: AuditAction::ALL.iter().map(|action| action.as_str()).collect(),
        }
    }
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
    fn limit(&self) -> Result<i64, AppError> {
        if !self.format.is_empty() {
            return Err(AppError::invalid("format", "only an export has one"));
        }
        let limit = self.limit.unwrap_or(PAGE);
        if (1..=MOST).contains(&limit) {
            return Ok(limit);
        }
        Err(AppError::invalid("limit", "must be from 1 to 100"))
    }

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
        Asks::OneOf("format", FORMATS),
    ];
}

pub async fn list(
    app: App,
    caller: Authorized<perm::AuditView>,
    Asked(PageOfLog(asked)): Asked<PageOfLog>,
) -> Answer<Found<AuditList>> {
    let limit = asked.limit()?;
    let found = audit::list(&app, caller.scope, &asked.filter()?, limit).await?;
    let sees_links = caller.permissions.contains(Permission::LinksView);
    let names = audit::name(&app, caller.scope, &found, sees_links).await?;
    Ok(Found(AuditList::of(found, names, limit)))
}

/// The operators' own log.
pub async fn list_of_operators(
    app: App,
    operator: Operator,
    Asked(PageOfLog(asked)): Asked<PageOfLog>,
) -> Answer<Found<AuditList>> {
    let limit = asked.limit()?;
    let found = audit::list_for_operators(&app, operator.scope, &asked.filter()?, limit).await?;
    let names = audit::name_for_operators(&app, operator.scope, &found).await?;
    Ok(Found(AuditList::of(found, names, limit)))
}

pub async fn export(
    app: App,
    caller: Authorized<perm::AuditExport>,
    Asked(FileOfLog(asked)): Asked<FileOfLog>,
) -> Answer<Export> {
    let format = Format::parse(&asked.format)?;
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
        _place: exports::begin(&app, scope, caller.actor, AuditAction::AuditExported).await?,
        app,
        scope,
        filter,
        format,
        is_over: false,
    };
    Ok(Export::new(format, NAMES, head, reading))
}

/// An export under way.
struct Reading {
    app: App,
    scope: OrgScope,
    filter: AuditFilter,
    format: Format,
    is_over: bool,
    /// Free again when the file is sent, or nobody takes it any more.
    _place: ExportPlace,
}

impl Slices for Reading {
    /// Read when the slice before it is on its way.
    async fn next(&mut self) -> Result<Option<Vec<String>>, AppError> {
        if self.is_over {
            return Ok(None);
        }
        let found = audit::list(&self.app, self.scope, &self.filter, SLICE).await?;
        self.filter.before = found.last().map(|entry| entry.row.seq);
        self.is_over = i64::try_from(found.len()).is_ok_and(|count| count < SLICE);
        Ok(Some(
            found.into_iter().map(|entry| line(self.format, entry)).collect(),
        ))
    }
}

fn line(format: Format, entry: NamedEntry) -> String {
    match format {
        Format::Json => json_line(&AuditEntry::from(entry)),
        Format::Csv => {
            let row = entry.row;
            csv_line([
                row.seq.to_string(),
                row.at_ms.to_string(),
                row.actor_kind,
                row.actor_id.unwrap_or_default(),
                entry.actor_name.unwrap_or_default(),
                row.action,
                row.target.unwrap_or_default(),
                row.detail,
            ])
        }
    }
}
