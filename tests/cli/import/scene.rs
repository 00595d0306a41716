//! A fresh community, files beside it, and a look into its database.

use std::path::PathBuf;

use serde_json::Value;
use storage::{Db, OpenOptions, Target};
use testkit::{Engine, TestDb};

use crate::cli::shell::{Ran, Shell, installed};
use crate::secrecy::rows::Rows;

const OWNER: &str = "700000000000000001";

pub fn discord(number: u64) -> String {
    (700_000_000_000_100_000 + number).to_string()
}

pub fn steam(number: u64) -> String {
    (76_561_198_000_000_000 + number).to_string()
}

pub struct Scene {
    engine: Engine,
    db: TestDb,
    pub shell: Shell,
    pub org: String,
    pub guild: String,
    pub server: String,
    pub key: String,
}

impl Scene {
    pub async fn set(engine: Engine) -> Scene {
        let (db, shell) = installed(engine).await;
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let org =
            text(&shell.json(&["admin", "create-org", "--name", "Old Friends", "--owner", OWNER])["org"]);
        let guild = [
            "admin",
            "create-guild",
            "--org",
            &org,
            "--discord-guild",
            "800000000000000001",
        ];
        let guild = text(
            &shell.json(
                &[
                    &guild[..],
                    &["--name", "Guild", "--log-channel", "810000000000000001"],
                ]
                .concat(),
            )["guild"],
        );
        let server = shell.json(&["admin", "create-server", "--guild", &guild, "--name", "Main"]);
        let (server, key) = (text(&server["server"]), text(&server["key"]));
        Scene {
            engine,
            db,
            shell,
            org,
            guild,
            server,
            key,
        }
    }

    pub fn file(&self, name: &str, content: &str) -> String {
        let path: PathBuf = self.db.directory().join(name);
        std::fs::write(&path, content).expect("the file is written");
        path.display().to_string()
    }

    pub fn import(&self, arguments: &[&str]) -> Value {
        self.shell
            .json(&[&["import", "--guild", &self.guild], arguments].concat())
    }

    pub fn refused(&self, arguments: &[&str]) -> Ran {
        self.shell
            .run(&[&["import", "--guild", &self.guild], arguments].concat())
    }

    pub async fn look(&self) -> Db {
        let mut options = self.db.options();
        if self.engine == Engine::Sqlite {
            let path = self.shell.data().join("symbolon.db");
            options = OpenOptions {
                target: Target::Sqlite { path },
                ..options
            };
        }
        Db::open_beside(options).await.expect("a look")
    }

    pub async fn rows(&self) -> Vec<String> {
        let db = self.look().await;
        let rows = Rows::of(&db).await.all(&db).await;
        db.close().await;
        rows
    }

    pub async fn finish(self) {
        let ran = self.shell.run(&["doctor"]);
        assert_eq!(
            (ran.code, ran.out.trim()),
            (Some(0), "all invariants hold"),
            "{}",
            ran.err
        );
        self.db.finish().await;
    }
}
