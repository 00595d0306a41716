//! Where a test's database is: a directory, and a corner of a PostgreSQL.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;

use super::{Engine, options, run, template};
use crate::db::OpenOptions;

/// The address of a PostgreSQL where tests may make databases and schemas.
const ADDRESS: &str = "SYMBOLON_TEST_POSTGRES";

/// Where a test's database is, before and after it is open.
pub struct Place {
    pub(super) directory: PathBuf,
    pub(super) home: Option<Home>,
}

/// A test's own corner of a PostgreSQL.
pub(super) struct Home {
    server: String,
    pub(super) url: String,
    removal: String,
}

impl Place {
    /// A place without a database: an empty directory, and on PostgreSQL an empty schema.
    pub async fn make(engine: Engine) -> Place {
        let (name, directory) = name_and_directory();
        let home = match engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(Home::with_schema(&name).await),
        };
        Place { directory, home }
    }

    /// A place with a database that has the newest schema and nothing in it.
    pub async fn filled(engine: Engine) -> Place {
        let (name, directory) = name_and_directory();
        let home = match engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(Home::with_database(&name).await),
        };
        let place = Place { directory, home };
        if engine == Engine::Sqlite {
            template::copy_file(&place.file()).await;
        }
        place
    }

    /// How to open it.
    pub fn options(&self) -> OpenOptions {
        options(&self.url_or_path())
    }

    /// What `--database` would be given.
    pub fn url_or_path(&self) -> String {
        match &self.home {
            None => format!("sqlite:{}", self.file().display()),
            Some(home) => home.url.clone(),
        }
    }

    pub(super) fn file(&self) -> PathBuf {
        self.directory.join("symbolon.db")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.directory));
        let Some(home) = self.home.take() else { return };
        // A thread of its own: this may run inside a runtime, and a test that failed cleans up here too.
        let removal = std::thread::spawn(move || {
            if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
                drop(runtime.block_on(run(&home.server, &home.removal)));
            }
        });
        drop(removal.join());
    }
}

impl Home {
    async fn with_schema(name: &str) -> Home {
        let server = postgres_address();
        run(&server, &format!("CREATE SCHEMA {name}"))
            .await
            .expect("the schema is made");
        let separator = if server.contains('?') { '&' } else { '?' };
        Home {
            url: format!("{server}{separator}options=-c%20search_path%3D{name}"),
            removal: format!(
                "SET lock_timeout = '5s'; SET client_min_messages = warning; DROP SCHEMA IF EXISTS {name} CASCADE"
            ),
            server,
        }
    }

    async fn with_database(name: &str) -> Home {
        let server = postgres_address();
        Home {
            url: template::copy_database(&server, name).await,
            removal: format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
            server,
        }
    }
}

/// A name that no other test has, and an empty directory of that name.
fn name_and_directory() -> (String, PathBuf) {
    let name = format!("t_{:016x}", RandomState::new().build_hasher().finish());
    let directory = std::env::temp_dir().join(format!("symbolon-{name}"));
    std::fs::create_dir_all(&directory).expect("the temporary directory is writable");
    (name, directory)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the test runner says where PostgreSQL is"
)]
fn postgres_address() -> String {
    match std::env::var(ADDRESS) {
        Ok(address) => address,
        Err(_) => panic!("{ADDRESS} is not set: run `make test` or `tools/with-postgres cargo test`"),
    }
}
