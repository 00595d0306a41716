//! What a run stands on and takes away again: executables, a directory, databases.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Fallible;
use crate::report::line;
use crate::seed::PostgresBench;
use crate::store::{Binaries, Store};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Databases {
    /// PostgreSQL only if there is a server for it.
    All,
    Sqlite,
    Postgres,
}

pub struct Ground {
    pub binaries: Binaries,
    pub directory: PathBuf,
    /// The embedded one first.
    pub stores: Vec<Store>,
}

impl Ground {
    /// An empty directory below `data_dir`, or else beside the executables, and empty databases.
    pub async fn prepare(data_dir: Option<PathBuf>, wanted: Databases) -> Fallible<Self> {
        let binaries = Binaries::find()?;
        let beside = || binaries.bench.parent().map(Path::to_owned).unwrap_or_default();
        // A name of our own below the given one, because it is emptied.
        let directory = data_dir.unwrap_or_else(beside).join("symbolon-bench-data");
        if directory.exists() {
            fs::remove_dir_all(&directory)?;
        }
        fs::create_dir_all(&directory)?;
        let mut stores = Vec::new();
        if wanted != Databases::Postgres {
            stores.push(Store::sqlite(&directory));
        }
        if wanted != Databases::Sqlite {
            match postgres_address() {
                None => line("postgres   SYMBOLON_TEST_POSTGRES is not set, so it is left out"),
                Some(address) => {
                    let bench = PostgresBench::create(&address).await?;
                    line(&format!("postgres   {}", bench.version().await?));
                    stores.push(Store::postgres(&directory, bench));
                }
            }
        }
        Ok(Self {
            binaries,
            directory,
            stores,
        })
    }

    pub async fn clear(self) -> Fallible<()> {
        for store in self.stores {
            store.remove().await?;
        }
        Ok(fs::remove_dir_all(&self.directory)?)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the way tools/with-postgres names its server"
)]
fn postgres_address() -> Option<String> {
    std::env::var("SYMBOLON_TEST_POSTGRES").ok()
}
