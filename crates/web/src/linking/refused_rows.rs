//! Rows of an import that were refused, as a file. It names nobody.

use app::import::runs::{self, RefusedRow};
use app::records::exports::{self, ExportPlace};
use app::{App, AppError, OrgScope};
use domain::id::ImportId;
use serde::{Deserialize, Serialize};

use crate::export::{Export, FORMATS, Format, Slices, csv_line, json_line};
use crate::extract::{Asked, Asks, Authorized, Question, Segments, perm};
use crate::routes::Answer;

/// Rows that are in memory at a time.
const SLICE: usize = 500;
const HEAD: &str = "table,row,line,reason\r\n";
const NAMES: [&str; 2] = [
    "attachment; filename=\"refused.csv\"",
    "attachment; filename=\"refused.ndjson\"",
];

/// How the file is written.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct FileOfRefused {
    format: String,
}

impl Question for FileOfRefused {
    const ASKS: &'static [Asks] = &[Asks::OneOf("format", FORMATS)];
}

pub async fn refused(
    app: App,
    caller: Authorized<perm::OrgSettings>,
    (Segments(id), Asked(asked)): (Segments<ImportId>, Asked<FileOfRefused>),
) -> Answer<Export> {
    let format = Format::parse(&asked.format)?;
    let scope = caller.scope;
    runs::get(&app, scope, &id).await?;
    let head = match format {
        Format::Csv => HEAD,
        Format::Json => "",
    };
    let reading = Reading {
        _place: exports::take_place(&app, scope)?,
        app,
        scope,
        id,
        format,
        after: 0,
        is_over: false,
    };
    Ok(Export::new(format, NAMES, head, reading))
}

/// A file under way.
struct Reading {
    app: App,
    scope: OrgScope,
    id: ImportId,
    format: Format,
    after: i64,
    is_over: bool,
    /// Free again when the file is sent, or nobody takes it any more.
    _place: ExportPlace,
}

#[derive(Serialize)]
struct Refused {
    table: String,
    row: i64,
    line: i64,
    reason: String,
}

impl From<RefusedRow> for Refused {
    fn from(row: RefusedRow) -> Self {
        Self {
            table: row.part,
            row: row.place,
            line: row.line,
            reason: row.reason,
        }
    }
}

impl Refused {
    fn cells(self) -> [String; 4] {
        [
            self.table,
            self.row.to_string(),
            self.line.to_string(),
            self.reason,
        ]
    }
}

impl Slices for Reading {
    async fn next(&mut self) -> Result<Option<Vec<String>>, AppError> {
        if self.is_over {
            return Ok(None);
        }
        let rows = runs::list_refused(&self.app, self.scope, &self.id, self.after, SLICE).await?;
        self.is_over = rows.len() < SLICE;
        self.after = rows.last().map_or(self.after, |row| row.row_no);
        let lines = rows.into_iter().map(|row| match self.format {
            Format::Json => json_line(&Refused::from(row)),
            Format::Csv => csv_line(Refused::from(row).cells()),
        });
        Ok(Some(lines.collect()))
    }
}
