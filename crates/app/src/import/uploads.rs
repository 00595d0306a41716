//! Files that somebody sends to the dashboard. A file is read while it comes and is kept nowhere; its rows are stored when
//! all of it was read.

use std::io::Read;

use domain::audit::Actor;
use domain::id::{AccountId, ImportId};
use domain::import::ImportKind;
use jiff::tz::Offset;
use storage::OrgScope;
use storage::linking::import_runs::{self, ImportRun};
use storage::tenancy::{guilds, servers};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::files::{FileError, Gathered, Reading, TABLE_NAMES, Table};
use super::runs::{self, Press};
pub use super::storing::NewImport;
use super::storing::{Begin, Check, is_in_the_way, shortened, store_rows, take_apart};
use crate::error::{AppError, LinkingError, RequestError};
use crate::memories::uploads::UploadPlace;
use crate::state::App;

/// As much as comes over a slow line in the time that a body has.
pub const MOST_BYTES: usize = 10 * 1024 * 1024;
/// Rows of each table.
pub const MOST_ROWS: u64 = 100_000;
/// Pieces that wait to be read.
const PIECES: usize = 4;

/// A file that is being read.
pub struct Upload {
    app: App,
    scope: OrgScope,
    by: AccountId,
    new: NewImport,
    bytes: usize,
    pieces: Option<mpsc::Sender<Vec<u8>>>,
    read: JoinHandle<Result<[Gathered; 2], FileError>>,
    place: UploadPlace,
}

/// Refuses more than is read of a file.
pub fn check_size(bytes: usize) -> Result<(), AppError> {
    let most_bytes = MOST_BYTES;
    if bytes > most_bytes {
        return Err(LinkingError::FileTooLarge { most_bytes }.into());
    }
    Ok(())
}

/// Begins to read a file, if it can be taken over as things are.
pub async fn begin(app: &App, scope: OrgScope, new: NewImport, by: AccountId) -> Result<Upload, AppError> {
    let runs = import_runs::list(&app.db, scope).await?;
    if runs.iter().any(|run| is_in_the_way(run, app.now_ms())) {
        return Err(LinkingError::ImportRunning.into());
    }
    let guild = guilds::find(&app.db, scope, &new.guild).await?;
    let guild = guild.ok_or(RequestError::NotFound)?.num;
    if let Some(server) = &new.server {
        let found = servers::find(&app.db, scope, server).await?;
        found
            .filter(|server| server.guild == guild)
            .ok_or(RequestError::NotFound)?;
    }
    let place = app.memories.uploads.begin(scope, app.clock.steady_ms());
    let place = place.ok_or(LinkingError::UploadsRunning)?;
    let (pieces, from) = mpsc::channel(PIECES);
    let (kind, offset) = (new.kind, new.offset);
    let read = tokio::task::spawn_blocking(move || gather(kind, offset, Pieces::new(from)));
    Ok(Upload {
        app: app.clone(),
        scope,
        by,
        new,
        bytes: 0,
        pieces: Some(pieces),
        read,
        place,
    })
}

fn gather(kind: ImportKind, offset: Offset, file: Pieces) -> Result<[Gathered; 2], FileError> {
    let reading = Reading {
        chosen: Vec::new(),
        offset,
        most_rows: MOST_ROWS,
    };
    let (mut users, mut removed) = (Gathered::default(), Gathered::default());
    match kind {
        ImportKind::Dump => reading.dump(file, TABLE_NAMES, [&mut users, &mut removed])?,
        ImportKind::Users => reading.csv(file, Table::Users, &mut users)?,
        ImportKind::Removed => reading.csv(file, Table::Removed, &mut removed)?,
    }
    users.refuse_contradictions();
    removed.drop_repetitions();
    Ok([users, removed])
}

/// The bytes of a file as they come, for a thread that may wait.
struct Pieces {
    from: mpsc::Receiver<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
}

impl Pieces {
    fn new(from: mpsc::Receiver<Vec<u8>>) -> Self {
        Self {
            from,
            piece: Vec::new(),
            at: 0,
        }
    }
}

impl Read for Pieces {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        while self.at == self.piece.len() {
            match self.from.blocking_recv() {
                Some(piece) => (self.piece, self.at) = (piece, 0),
                None => return Ok(0),
            }
        }
        let count = out.len().min(self.piece.len() - self.at);
        out[..count].copy_from_slice(&self.piece[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

impl Upload {
    /// The next bytes of the file. False when no more of it is wanted.
    pub async fn feed(&mut self, piece: Vec<u8>) -> Result<bool, AppError> {
        self.bytes += piece.len();
        check_size(self.bytes)?;
        match &self.pieces {
            Some(pieces) => Ok(pieces.send(piece).await.is_ok()),
            None => Ok(false),
        }
    }

    /// The file is whole: stores its rows, and has them decided on. What is begun here is finished, even if nobody waits for
    /// it any more.
    pub async fn finish(mut self) -> Result<ImportRun, AppError> {
        self.pieces = None;
        let (tell, told) = oneshot::channel();
        let app = self.app.clone();
        app.tasks.spawn(async move {
            // Nobody may be there to be told.
            drop(tell.send(self.store().await));
        });
        told.await
            .map_err(|_| AppError::internal("a file was not stored to its end"))?
    }

    async fn store(self) -> Result<ImportRun, AppError> {
        let read = self.read.await.map_err(AppError::internal)?;
        let [users, removed] = read.map_err(|error| unreadable(&error))?;
        if users.read + removed.read == 0 {
            let problem = "the file has no rows".to_owned();
            return Err(LinkingError::FileUnreadable { problem }.into());
        }
        let (app, scope) = (&self.app, self.scope);
        let id = ImportId::generate(app.now_ms(), &*app.random);
        let actor = || Actor::Account(self.by.clone());
        let begin = Begin {
            id: id.clone(),
            new: self.new.clone(),
            by: self.by.clone(),
        };
        let import = app.db.write_for(app.act(scope, actor()), begin).await?;
        let (about, rows) = take_apart([users, removed]);
        let total = rows.len() as i64;
        if let Err(error) = store_rows(app, scope, import, rows).await {
            // Nobody has to wait until it is found to be half stored.
            drop(runs::press(app, scope, id, Press::Cancel, self.by.clone()).await);
            return Err(error);
        }
        let check = Check {
            id: id.clone(),
            about,
            total,
            by: self.by.clone(),
        };
        let checked = app.db.write_for(app.act(scope, actor()), check).await;
        if checked.is_err() {
            drop(runs::press(app, scope, id, Press::Cancel, self.by.clone()).await);
        }
        let run = checked?;
        app.bell.ring();
        drop(self.place);
        Ok(run)
    }
}

/// What is wrong with a file, and what helps.
fn unreadable(error: &FileError) -> AppError {
    let fix = match error {
        FileError::NoColumn { .. } => ". Rename the column in the file, such as to discord_id or steam_id",
        FileError::NoTable { .. } => ". Rename the tables in the dump, or send each table as CSV",
        FileError::TooManyRows { .. } => ", or ask the operator to import it at the command line",
        FileError::Broken(_) => "",
    };
    let problem = domain::key::redact(&shortened(&error.to_string(), 400)).into_owned() + fix;
    LinkingError::FileUnreadable { problem }.into()
}
