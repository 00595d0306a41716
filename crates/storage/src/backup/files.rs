//! Directories and files that hold people's data: readable by their owner only, on disk before they are announced.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use super::{BackupError, Manifest};

const DATABASE: &str = "symbolon.db";
const MANIFEST: &str = "manifest.json";
const MANIFEST_DRAFT: &str = "manifest.json.partial";
const PARTIAL: &str = "partial";
const CHUNK: usize = 1024 * 1024;
const MANIFEST_LIMIT: u64 = 64 * 1024;

/// The database file of a backup.
pub(super) fn database_in(directory: &Path) -> PathBuf {
    directory.join(DATABASE)
}

/// A directory that goes away with this value, and all that is in it.
pub(super) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    pub(super) fn make(path: PathBuf) -> Result<Self, BackupError> {
        private_directory(&path).map_err(at(&path))?;
        Ok(Self { path })
    }

    /// One of its own inside a backup, so that several checks can run at once.
    pub(super) fn inside(backup: &Path) -> Result<Self, BackupError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!(
            ".check-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        Self::make(backup.join(name))
    }

    pub(super) fn database(&self) -> PathBuf {
        database_in(&self.path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove_directory(&self.path);
    }
}

pub(super) fn remove_directory(path: &Path) {
    match std::fs::remove_dir_all(path) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => tracing::warn!(path = %path.display(), %error, "a working directory was not removed"),
    }
}

/// A backup on its way. Dropped before it is finished, it leaves nothing behind.
pub(super) struct Draft {
    to: PathBuf,
    /// Whether `to` was made here and goes away again after a failure.
    made: bool,
    partial: Option<Scratch>,
    finished: bool,
}

impl Draft {
    pub(super) fn begin(to: &Path) -> Result<Self, BackupError> {
        // Its parent is not made: a backup disk that is not mounted must not be mistaken for an empty one.
        let made = match private_directory(to) {
            Ok(()) => true,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
            Err(error) => return Err(at(to)(error)),
        };
        if !made && std::fs::read_dir(to).map_err(at(to))?.next().is_some() {
            return Err(BackupError::NotEmpty { path: to.to_owned() });
        }
        let partial = Scratch::make(to.join(PARTIAL))?;
        Ok(Self {
            to: to.to_owned(),
            made,
            partial: Some(partial),
            finished: false,
        })
    }

    /// Where the copy is written.
    pub(super) fn database(&self) -> PathBuf {
        self.to.join(PARTIAL).join(DATABASE)
    }

    /// Where the copy of the copy is checked.
    pub(super) fn checked(&self) -> PathBuf {
        self.to.join(PARTIAL).join("check.db")
    }

    /// Puts the file in its place and then, when it is on disk, the manifest.
    pub(super) fn finish(mut self, manifest: &Manifest) -> Result<(), BackupError> {
        move_into_place(&self.database(), &database_in(&self.to))?;
        drop(self.partial.take());
        let draft = self.to.join(MANIFEST_DRAFT);
        let text = serde_json::to_vec_pretty(manifest).map_err(|error| BackupError::BadManifest {
            path: draft.clone(),
            reason: error.to_string(),
        })?;
        private_file(&draft)
            .and_then(|mut file| file.write_all(&text))
            .map_err(at(&draft))?;
        move_into_place(&draft, &self.to.join(MANIFEST))?;
        if self.made {
            sync_parent(&self.to)?;
        }
        self.finished = true;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        // The directory was empty, so these names are ours. The manifest goes first.
        for name in [MANIFEST, MANIFEST_DRAFT, DATABASE] {
            drop(std::fs::remove_file(self.to.join(name)));
        }
        drop(self.partial.take());
        if self.made {
            drop(std::fs::remove_dir(&self.to));
        }
    }
}

pub(super) fn has_manifest(directory: &Path) -> bool {
    directory.join(MANIFEST).is_file()
}

pub(super) fn read_manifest(backup: &Path) -> Result<Manifest, BackupError> {
    let path = backup.join(MANIFEST);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(BackupError::NotFinished {
                path: backup.to_owned(),
            });
        }
        Err(error) => return Err(at(&path)(error)),
    };
    let mut text = Vec::new();
    file.take(MANIFEST_LIMIT)
        .read_to_end(&mut text)
        .map_err(at(&path))?;
    serde_json::from_slice(&text).map_err(|error| BackupError::BadManifest {
        path,
        reason: error.to_string(),
    })
}

/// Flushes a file to disk, gives it its final name and makes the name durable too.
pub(super) fn move_into_place(from: &Path, to: &Path) -> Result<(), BackupError> {
    File::open(from)
        .and_then(|file| file.sync_all())
        .map_err(at(from))?;
    std::fs::rename(from, to).map_err(at(to))?;
    sync_parent(to)
}

fn sync_parent(path: &Path) -> Result<(), BackupError> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    };
    File::open(parent)
        .and_then(|directory| directory.sync_all())
        .map_err(at(parent))
}

/// Copies a file into a new one and returns the digest and the number of the bytes that were copied.
pub(super) fn copy_hashed(from: &Path, to: &Path) -> Result<(String, u64), BackupError> {
    let mut source = File::open(from).map_err(at(from))?;
    let mut target = private_file(to).map_err(at(to))?;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    let mut size = 0;
    loop {
        let read = source.read(&mut chunk).map_err(at(from))?;
        if read == 0 {
            break;
        }
        hasher.update(&chunk[..read]);
        target.write_all(&chunk[..read]).map_err(at(to))?;
        size += read as u64;
    }
    let digest = hasher.finalize();
    Ok((digest.iter().map(|byte| format!("{byte:02x}")).collect(), size))
}

/// A new, empty file.
pub(super) fn private_file(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

fn private_directory(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

pub(super) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> BackupError + '_ {
    move |source| BackupError::File {
        path: path.to_owned(),
        source,
    }
}

/// Keeps work that waits for the disk off the threads that serve requests.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
) -> Result<T, BackupError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or(Err(BackupError::Interrupted))
}
