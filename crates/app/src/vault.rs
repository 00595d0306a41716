//! The instance's master keys: read from a file, never from the database.

use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use domain::random::Random;
use domain::seal::{Aad, KeyRing, RingError, SealError};
use thiserror::Error;
use zeroize::Zeroizing;

/// Why the master keys cannot be used. Each text tells the operator what to do.
#[derive(Debug, Error)]
pub enum VaultError {
    /// The file cannot be read or written.
    #[error("cannot use the master key file {path}: {source}")]
    File {
        /// Where it was looked for.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Whoever can read the file can open every stored secret.
    #[error("the master key file {path} can be read by others (mode {mode:o}): run chmod 600 on it")]
    TooOpen {
        /// Where it was looked for.
        path: PathBuf,
        /// The permissions that it has.
        mode: u32,
    },
    /// The file is there, and is not a ring of keys.
    #[error("the master key file {path} is not valid: {source}")]
    Ring {
        /// Where it was looked for.
        path: PathBuf,
        /// What is wrong with its text.
        source: RingError,
    },
    /// Making a new file would lose what is sealed, so none is made.
    #[error(
        "the master key file {path} is missing although this database holds sealed values: put the original file back"
    )]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The canary of this database was sealed with other keys.
    #[error("the master keys in {path} do not open what this database holds: put the original file back")]
    WrongKeys {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Found before anything is served, not when somebody asks for their key.
    #[error("the master key {kid} is needed by {copies} stored values and is not in {path}")]
    KidMissing {
        /// Where it was looked for.
        path: PathBuf,
        /// The id of the key that is missing.
        kid: String,
        /// How many stored values nobody could open.
        copies: i64,
    },
}

/// Seals and opens stored secrets.
pub struct Vault {
    path: PathBuf,
    ring: RwLock<KeyRing>,
}

impl Vault {
    /// Reads the ring; `create` makes a first one, readable by this user alone, when there is none.
    pub fn open(path: &Path, create: bool, random: &dyn Random) -> Result<Self, VaultError> {
        if !path.exists() && !create {
            return Err(VaultError::Missing {
                path: path.to_owned(),
            });
        }
        if !path.exists() {
            let _turn = take_turn(path)?;
            // Another node may have been first; its keys are the instance's.
            if !path.exists() {
                write_ring(path, &KeyRing::generate(random))?;
            }
        }
        Ok(Self {
            path: path.to_owned(),
            ring: RwLock::new(read_ring(path)?),
        })
    }

    /// For messages to the operator.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The sealed text and the id of the master key that opens it. A key that another node has made active is used
    /// from the next call on: what is sealed with the one before could lose its key when that is removed.
    pub fn seal(&self, random: &dyn Random, place: &Aad<'_>, plain: &[u8]) -> (String, String) {
        self.reload();
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        (ring.seal(random, place, plain), ring.active_kid().to_owned())
    }

    /// Opens a sealed text. A key added by another node is picked up from the file.
    pub(crate) fn open_sealed(&self, place: &Aad<'_>, sealed: &str) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let first = self
            .ring
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .open(place, sealed);
        match first {
            Err(SealError::UnknownKid { .. }) => {}
            answer @ (Ok(_) | Err(SealError::Malformed | SealError::NotAuthentic)) => return answer,
        }
        self.reload();
        self.ring
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .open(place, sealed)
    }

    /// Reads the file again, which another node may have changed. While it cannot be read, the keys stay as they are.
    pub(crate) fn reload(&self) {
        if let Ok(newer) = read_ring(&self.path) {
            *self.ring.write().unwrap_or_else(PoisonError::into_inner) = newer;
        }
    }

    /// The key with which this node seals, as it read the file last.
    pub fn active_kid(&self) -> String {
        self.ring
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .active_kid()
            .to_owned()
    }

    /// All keys that this node can open with, in the order of the file.
    pub fn kids(&self) -> Vec<String> {
        self.ring
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .kids()
            .map(str::to_owned)
            .collect()
    }

    /// Adds a new active key, in the file first.
    pub fn add_key(&self, random: &dyn Random) -> Result<String, VaultError> {
        self.change(|ring| Ok(ring.add_active(random)))
    }

    /// Removes a key that nothing needs any more; the caller has made sure of that.
    pub(crate) fn remove_key(&self, kid: &str) -> Result<(), VaultError> {
        self.change(|ring| ring.remove(kid))
    }

    fn change<T>(&self, edit: impl FnOnce(&mut KeyRing) -> Result<T, RingError>) -> Result<T, VaultError> {
        let _turn = take_turn(&self.path)?;
        let mut ring = self.ring.write().unwrap_or_else(PoisonError::into_inner);
        let mut edited = read_ring(&self.path)?;
        let result = edit(&mut edited).map_err(|source| VaultError::Ring {
            path: self.path.clone(),
            source,
        })?;
        write_ring(&self.path, &edited)?;
        *ring = edited;
        Ok(result)
    }
}

fn read_ring(path: &Path) -> Result<KeyRing, VaultError> {
    let at = |source| VaultError::File {
        path: path.to_owned(),
        source,
    };
    let mode = std::fs::metadata(path).map_err(at)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(VaultError::TooOpen {
            path: path.to_owned(),
            mode,
        });
    }
    let text = Zeroizing::new(std::fs::read_to_string(path).map_err(at)?);
    KeyRing::parse(&text).map_err(|source| VaultError::Ring {
        path: path.to_owned(),
        source,
    })
}

/// One process at a time changes the file: a key that a second writer overwrote would be lost with all it sealed.
fn take_turn(path: &Path) -> Result<std::fs::File, VaultError> {
    let at = |source| VaultError::File {
        path: path.to_owned(),
        source,
    };
    std::fs::create_dir_all(directory_of(path)).map_err(at)?;
    let lock = std::fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path.with_added_extension("lock"))
        .map_err(at)?;
    lock.lock().map_err(at)?;
    Ok(lock)
}

fn directory_of(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Written beside and renamed, so that a crash leaves the old file or the new one. The caller has its turn.
fn write_ring(path: &Path, ring: &KeyRing) -> Result<(), VaultError> {
    let at = |source| VaultError::File {
        path: path.to_owned(),
        source,
    };
    let temporary = path.with_extension("new");
    // Whatever is left there may be open to others, and a file keeps its mode when it is written anew.
    match std::fs::remove_file(&temporary) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(at(error)),
        Ok(()) | Err(_) => {}
    }
    let mut file = std::fs::OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(&temporary)
        .map_err(at)?;
    file.write_all(ring.to_text().as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(at)?;
    std::fs::rename(&temporary, path).map_err(at)?;
    std::fs::File::open(directory_of(path))
        .and_then(|directory| directory.sync_all())
        .map_err(at)
}

/// Where a key's sealed copy lives; it opens nowhere else and for no other version.
pub(crate) fn key_place(key_id: &str, version: i64) -> Aad<'_> {
    Aad {
        table: "api_keys",
        column: "sealed",
        row: key_id,
        version,
    }
}
