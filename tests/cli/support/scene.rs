//! A community with three players, from the point of view of support.

use serde_json::Value;
use storage::{Db, OpenOptions, Target};
use testkit::{Engine, Node, TestDb};

use crate::cli::shell::{BINARY, Shell, installed};

pub const OWNER: &str = "700000000000000001";
/// Three players, in the order in which they are linked.
pub const PLAYERS: [(&str, &str, &str, &str); 3] = [
    ("700000000000000011", "76561197960300011", "ada.l", "Lovelace"),
    ("700000000000000012", "76561197960300012", "bruno", "Bruno"),
    (
        "700000000000000013",
        "76561197960300013",
        "cleo",
        "Ada the second",
    ),
];

pub struct Scene {
    engine: Engine,
    db: TestDb,
    pub shell: Shell,
    pub org: String,
    pub guild: String,
    pub server: String,
    /// Of the players.
    pub links: Vec<String>,
}

pub fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

pub fn items(listed: &Value) -> &[Value] {
    listed["items"].as_array().expect("a list")
}

pub fn each(listed: &Value, name: &str) -> Vec<String> {
    items(listed).iter().map(|item| text(&item[name])).collect()
}

impl Scene {
    pub async fn set(engine: Engine) -> Scene {
        let (db, shell) = installed(engine).await;
        let org = ["admin", "create-org", "--name", "First", "--owner", OWNER];
        let org = text(&shell.json(&org)["org"]);
        let place = [
            "--discord-guild",
            "800000000000000001",
            "--log-channel",
            "800000000000000002",
        ];
        let guild = [
            &["admin", "create-guild", "--org", &org, "--name", "One"][..],
            &place,
        ]
        .concat();
        let guild = text(&shell.json(&guild)["guild"]);
        let server = shell.json(&["admin", "create-server", "--guild", &guild, "--name", "Main"]);
        let link = |(discord, steam, discord_name, steam_name): (&str, &str, &str, &str)| {
            let accounts = ["--discord", discord, "--steam", steam];
            let names = ["--discord-name", discord_name, "--steam-name", steam_name];
            let command = ["admin", "create-link", "--guild", &guild];
            text(&shell.json(&[&command[..], &accounts, &names].concat())["link"])
        };
        let links = PLAYERS.map(link).to_vec();
        Scene {
            engine,
            db,
            org,
            guild,
            server: text(&server["server"]),
            links,
            shell,
        }
    }

    pub fn json(&self, command: &[&str]) -> Value {
        self.shell.json(&[&["admin"], command].concat())
    }

    pub fn lines(&self, command: &[&str]) -> Vec<String> {
        let ran = self.shell.run(&[&["admin"], command].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.out.lines().map(str::to_owned).collect()
    }

    pub async fn node(&self) -> Node {
        Node::start(BINARY, self.shell.data(), self.shell.database()).await
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
