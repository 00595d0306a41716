//! An Org's people as a file.

use app::players::users::{self, Place, Resolved};
use app::records::exports::{self, ExportPlace};
use app::{App, AppError, OrgScope};
use domain::audit::AuditAction;
use serde::Deserialize;

use super::users::{FILTERS, HEAD, User, UsersQuery};
use crate::export::{Export, FORMATS, Format, Slices, csv_line, json_line};
use crate::extract::{Asked, Asks, Authorized, Question, perm};
use crate::routes::Answer;

/// People that are in memory at a time.
const SLICE: usize = 100;
const NAMES: [&str; 2] = [
    "attachment; filename=\"users.csv\"",
    "attachment; filename=\"users.ndjson\"",
];

/// Whom, in which order and how.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct FileOfUsers(UsersQuery);

impl Question for FileOfUsers {
    const ASKS: &'static [Asks] = &[
        FILTERS[0],
        FILTERS[1],
        FILTERS[2],
        FILTERS[3],
        FILTERS[4],
        FILTERS[5],
        FILTERS[6],
        Asks::OneOf("format", FORMATS),
    ];
}

pub async fn export(
    app: App,
    caller: Authorized<perm::LinksExport>,
    Asked(FileOfUsers(file)): Asked<FileOfUsers>,
) -> Answer<Export> {
    let format = Format::parse(&file.format)?;
    if file.limit.is_some() || !file.cursor.is_empty() {
        let problem = "an export has no pages: it holds everybody whom the filters match";
        return Err(AppError::invalid("limit", problem).into());
    }
    let scope = caller.scope;
    let asked = users::resolve(&app, scope, &file.asked()?).await?;
    let head = match format {
        Format::Csv => HEAD,
        Format::Json => "",
    };
    let reading = Reading {
        _place: exports::begin(&app, scope, caller.actor, AuditAction::UsersExported).await?,
        app,
        scope,
        asked,
        format,
        after: None,
        is_over: false,
    };
    Ok(Export::new(format, NAMES, head, reading))
}

/// An export under way.
struct Reading {
    app: App,
    scope: OrgScope,
    asked: Resolved,
    format: Format,
    after: Option<Place>,
    is_over: bool,
    /// Free again when the file is sent, or nobody takes it any more.
    _place: ExportPlace,
}

impl Slices for Reading {
    async fn next(&mut self) -> Result<Option<Vec<String>>, AppError> {
        if self.is_over {
            return Ok(None);
        }
        let after = self.after.take();
        let page = users::list(&self.app, self.scope, &self.asked, after, SLICE).await?;
        (self.is_over, self.after) = (page.next.is_none(), page.next);
        let lines = page.users.into_iter().map(|listed| match self.format {
            Format::Json => json_line(&User::from(listed)),
            Format::Csv => csv_line(User::from(listed).cells()),
        });
        Ok(Some(lines.collect()))
    }
}
