//! The embedded database: copied while it is in use, brought back as a file.

use std::path::Path;

use super::check;
use super::files::{self, Scratch};
use super::{BackupError, Manifest};
use crate::db::{Db, DbError, OpenOptions, lock_directory};
use crate::migrate::Migrate;

const COPY: &str = "VACUUM INTO ?1";

/// Copies one moment of the database into `file`. It is a reader like any other: writers go on.
pub(super) async fn copy_online(path: &Path, file: &Path) -> Result<(), BackupError> {
    let (path, file) = (path.to_owned(), file.to_owned());
    files::blocking(move || {
        if !path.is_file() {
            return Err(BackupError::NoDatabase { path });
        }
        let Some(name) = file.to_str() else {
            return Err(BackupError::Name { path: file });
        };
        let connection = check::open_reading(&path)?;
        check::refuse_newer(check::schema_of(&connection)?)?;
        // SQLite takes over an empty file as it is, and with it who may read it.
        files::private_file(&file).map_err(files::at(&file))?;
        connection.execute(COPY, [name])?;
        Ok(())
    })
    .await
}

/// Checks a copy beside the target, moves it into place and opens it once as the server will.
pub(super) async fn restore(
    from: &Path,
    manifest: &Manifest,
    path: &Path,
    options: &OpenOptions,
) -> Result<(), BackupError> {
    refuse_existing(path)?;
    let lock = lock_directory(path)?;
    refuse_existing(path)?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(".restoring");
    // The lock is ours: what lies here was left by a restore that was killed.
    files::remove_directory(Path::new(&beside));
    let scratch = Scratch::make(beside.into())?;
    let copy = scratch.database();
    check::copy_and_examine(&files::database_in(from), &copy, Some(manifest)).await?;
    if check::companions(&copy).iter().any(|file| file.exists()) {
        return Err(DbError::Unavailable("the restored file was not closed cleanly".to_owned()).into());
    }
    let target = path.to_owned();
    files::blocking(move || {
        files::move_into_place(&copy, &target)?;
        drop(scratch);
        Ok(())
    })
    .await?;
    drop(lock);
    let db = Db::open(OpenOptions {
        migrate: Migrate::Apply,
        ..options.clone()
    })
    .await?;
    db.close().await;
    Ok(())
}

/// A log that an earlier database left behind would be folded into the restored one and ruin it.
fn refuse_existing(path: &Path) -> Result<(), BackupError> {
    let companions = check::companions(path);
    let mut files = std::iter::once(path).chain(companions.iter().map(AsRef::as_ref));
    match files.find(|file| file.symlink_metadata().is_ok()) {
        Some(file) => Err(BackupError::FileExists {
            path: file.to_owned(),
        }),
        None => Ok(()),
    }
}
