//! How the rows of a file are stored: what is told of them, and the units of work.

use domain::id::{AccountId, GuildId, ImportId, ServerId};
use domain::import::{ImportKind, ImportState};
use jiff::tz::Offset;
use storage::linking::import_rows::{self, NewRow};
use storage::linking::import_runs::{self, ImportNum, ImportRun, NewRun};
use storage::records::audit::Act;
use storage::tenancy::{guilds, orgs};
use storage::{GuildNum, OrgScope, Tx, Work};

use super::files::{Gathered, Place};
use super::runs;
use super::tally::{About, RowPlace};
use crate::error::{AppError, LinkingError, RequestError};
use crate::state::App;

/// Rows that one unit of work stores.
const SLICE: usize = 500;
/// Names of columns that are told.
const MOST_COLUMNS: usize = 40;
const MOST_NAME_CHARS: usize = 60;
/// Imports of an Org whose refused rows are kept, the newest ones.
const KEPT: usize = 5;

/// A file that is to be taken over.
#[derive(Debug, Clone)]
pub struct NewImport {
    /// Where links are made.
    pub guild: GuildId,
    /// Whose reports the permission groups become.
    pub server: Option<ServerId>,
    /// What is in it.
    pub kind: ImportKind,
    /// Of times that name no zone themselves.
    pub offset: Offset,
}

/// What was half stored long ago is in nobody's way.
pub(super) fn is_in_the_way(run: &ImportRun, now_ms: i64) -> bool {
    let is_given_up = run.state == ImportState::Reading && now_ms - run.touched_at_ms > runs::HALF_STORED_MS;
    !run.state.is_over() && !is_given_up
}

/// What people wrote, without control characters and not too long.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let mut shown: String = text
        .chars()
        .filter(|character| !character.is_control())
        .take(most)
        .collect();
    if text.chars().nth(most).is_some() {
        shown.push('…');
    }
    shown
}

/// Stores them, some in each unit of work.
pub(super) async fn store_rows(
    app: &App,
    scope: OrgScope,
    import: ImportNum,
    rows: Vec<NewRow>,
) -> Result<(), AppError> {
    let mut rows = rows.into_iter();
    loop {
        let rows: Vec<NewRow> = rows.by_ref().take(SLICE).collect();
        if rows.is_empty() {
            return Ok(());
        }
        app.db.write_for(scope, StoreRows { import, rows }).await?;
    }
}

/// The rows in the order in which they are decided on, and what is told of the file.
pub(super) fn take_apart(tables: [Gathered; 2]) -> (About, Vec<NewRow>) {
    let (mut about, mut rows) = (About::default(), Vec::new());
    let named = |names: &std::collections::BTreeSet<String>| -> Vec<String> {
        let names = names.iter().take(MOST_COLUMNS);
        names.map(|name| shortened(name, MOST_NAME_CHARS)).collect()
    };
    for (gathered, part) in tables.into_iter().zip(["users", "removed"]) {
        about.columns_read.extend(named(&gathered.used));
        about.columns_ignored.extend(named(&gathered.ignored));
        about.left_out.extend(gathered.left_out.in_words());
        let begin = rows.len();
        let row = |place: Place, body, reason| NewRow {
            row_no: 0,
            part,
            place: place.row,
            line: place.line,
            body,
            reason,
        };
        for (place, read) in gathered.rows {
            rows.push(row(place, serde_json::to_string(&read).ok(), None));
        }
        for (place, reason) in gathered.refused {
            rows.push(row(place, None, Some(reason)));
        }
        rows[begin..].sort_by_key(|row| row.place);
    }
    for (row_no, row) in (1..).zip(&mut rows) {
        row.row_no = row_no;
        if let Some(reason) = &row.reason {
            let place = RowPlace {
                table: row.part.to_owned(),
                row: row.place.cast_signed(),
                line: row.line.cast_signed(),
            };
            about.tally.refuse(reason, place);
        }
    }
    (about, rows)
}

pub(super) struct Begin {
    pub id: ImportId,
    pub new: NewImport,
    pub by: AccountId,
}

impl Work for Begin {
    type For = Act;
    type Output = ImportNum;
    type Error = AppError;
    const NAME: &'static str = "begin_import";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<ImportNum, AppError> {
        let (scope, now_ms) = (act.scope, act.now_ms);
        orgs::lock(tx, scope).await?;
        let guild = self.find_guild(tx, scope).await?;
        let mut runs = import_runs::list_in(tx, scope).await?;
        for run in &mut runs {
            if is_in_the_way(run, now_ms) {
                return Err(LinkingError::ImportRunning.into());
            }
            runs::end_if_due(run, now_ms);
        }
        // An Org does not fill the database with what it does not take over.
        for (index, run) in runs.iter_mut().enumerate() {
            let is_old = index + 1 >= KEPT && run.state.is_over();
            run.forget |= is_old;
            if run.has_rows && run.forget {
                import_runs::save(tx, run).await?;
                runs::enqueue(tx, run, &self.by, now_ms).await?;
            }
        }
        import_runs::delete_old(tx, scope).await?;
        let new = NewRun {
            id: &self.id,
            guild,
            server: self.new.server.as_ref(),
            kind: self.new.kind,
            now_ms,
        };
        Ok(import_runs::insert(tx, scope, &new).await?)
    }
}

impl Begin {
    async fn find_guild(&self, tx: &mut Tx<'_>, scope: OrgScope) -> Result<GuildNum, AppError> {
        let guild = guilds::find_in(tx, scope, &self.new.guild).await?;
        Ok(guild.ok_or(RequestError::NotFound)?.num)
    }
}

struct StoreRows {
    import: ImportNum,
    rows: Vec<NewRow>,
}

impl Work for StoreRows {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "store_import_rows";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        Ok(import_rows::insert(tx, scope, self.import, &self.rows).await?)
    }
}

/// All rows are stored: they are decided on.
pub(super) struct Check {
    pub id: ImportId,
    pub about: About,
    pub total: i64,
    pub by: AccountId,
}

impl Work for Check {
    type For = Act;
    type Output = ImportRun;
    type Error = AppError;
    const NAME: &'static str = "check_import";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<ImportRun, AppError> {
        orgs::lock_even_removed(tx, act.scope).await?;
        let found = import_runs::find_in(tx, act.scope, &self.id).await?;
        let mut run = found.ok_or(RequestError::NotFound)?;
        // The Guild may have gone meanwhile; then the rows go too.
        if run.state == ImportState::Reading {
            run.state = ImportState::Checking;
        }
        run.total = self.total;
        run.about = self.about.to_json();
        run.result = self.about.tally.to_json();
        (run.has_rows, run.touched_at_ms) = (true, act.now_ms);
        import_runs::save(tx, &run).await?;
        runs::enqueue(tx, &run, &self.by, act.now_ms).await?;
        Ok(run)
    }
}
