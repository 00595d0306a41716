//! `import`: the tables of an older link system.

mod scene;

use domain::platform_id::{DiscordId, SteamId};
use serde_json::{Value, json};
use storage::Db;
use storage::linking::lookups;
use testkit::{Node, both_databases};

use super::shell::BINARY;
use scene::{Scene, discord, steam};

/// Five users of whom three are sound, and two ended links.
fn dump() -> String {
    let users = [
        format!(
            "(1,'{}','{}','Ada','A\\'da',1,'vip,admin','2024-01-02 03:04:05','10.0.0.1')",
            discord(1),
            steam(1)
        ),
        format!(
            "(2,{},{},'Bob','',0,NULL,'0000-00-00 00:00:00','10.0.0.2')",
            discord(2),
            steam(2)
        ),
        format!(
            "(3,'{}','{}',NULL,NULL,NULL,'[\"vip\"]',NULL,NULL)",
            discord(3),
            steam(3)
        ),
        format!("(4,'{}','123','Eve',NULL,0,NULL,NULL,NULL)", discord(4)),
        format!("(5,'{}','{}','Fay',NULL,0,NULL,NULL,NULL)", discord(5), steam(6)),
        format!("(6,'{}','{}','Gil',NULL,0,NULL,NULL,NULL)", discord(6), steam(6)),
    ];
    let removed = [
        format!("('{}','{}','2023-05-06 07:08:09','user')", discord(1), steam(9)),
        format!(
            "('{}','{}','2023-06-06 07:08:09','got bored')",
            discord(7),
            steam(7)
        ),
    ];
    format!(
        "CREATE TABLE `users` (\n  `id` int NOT NULL,\n  `discord_id` varchar(20),\n  `steam_id` varchar(20),\n  \
         `discord_name` text,\n  `steam_name` text,\n  `nitro` tinyint(1),\n  `oxide_groups` text,\n  \
         `created_at` datetime,\n  `last_ip` varchar(40),\n  PRIMARY KEY (`id`)\n);\n\
         INSERT INTO `users` VALUES {};\n\
         INSERT INTO `users_removed` (`discord`, `steam`, `timestamp`, `reason`) VALUES {};\n",
        users.join(","),
        removed.join(",")
    )
}

/// What the tests expect of that dump, dry or not.
fn assert_report(report: &Value, dry_run: bool) {
    assert_eq!(report["dry_run"], dry_run);
    let counts = |table: &str| {
        [
            &report[table]["read"],
            &report[table]["added"],
            &report[table]["known"],
        ]
        .map(|n| n.as_u64())
    };
    assert_eq!(counts("users"), [6, 3, 0].map(Some));
    assert_eq!(counts("removed"), [2, 2, 0].map(Some));
    let refused = report["users"]["refused"].as_array().expect("a list");
    let places: Vec<_> = refused
        .iter()
        .map(|one| (one["row"].as_u64(), one["line"].as_u64()))
        .collect();
    assert_eq!(places, [4, 5, 6].map(|row| (Some(row), Some(13))));
    for (index, words) in ["the Steam ID is not valid", "also in row 6", "also in row 5"]
        .into_iter()
        .enumerate()
    {
        assert!(
            refused[index]["reason"]
                .as_str()
                .expect("a reason")
                .contains(words),
            "{refused:?}"
        );
    }
    assert_eq!(report["users"]["columns_ignored"], json!(["id", "last_ip"]));
    assert_eq!(report["removed"]["left_out"], json!(["1 unknown causes"]));
    assert_eq!((&report["boosters"], &report["groups"]), (&json!(1), &json!(2)));
}

async fn assert_links_taken_over(db: &Db) {
    let find = |number| DiscordId::parse(&discord(number)).expect("an id");
    let guild = storage::GuildNum(1);
    let ada = lookups::find_by_discord(db, guild, &find(1))
        .await
        .expect("a read")
        .expect("Ada");
    assert_eq!(ada.steam_id, SteamId::parse(&steam(1)).expect("an id"));
    assert_eq!(
        (ada.discord_name.as_deref(), ada.steam_name.as_deref()),
        (Some("Ada"), Some("A'da"))
    );
    assert_eq!(ada.linked_at_ms, 1_704_164_645_000);
    let boosters = storage::players::boosters::list(db, guild, 10)
        .await
        .expect("a read");
    assert_eq!(boosters, [discord(1)]);
    let groups =
        storage::players::server_players::find_groups(db, storage::ServerNum(1), &ada.steam_id).await;
    assert_eq!(groups.expect("a read").as_deref(), Some(r#"["admin","vip"]"#));
}

async fn assert_taken_over(scene: &Scene) {
    let db = scene.look().await;
    assert_links_taken_over(&db).await;
    let scope =
        storage::tenancy::guilds::find_org(&db, &domain::id::GuildId::parse(&scene.guild).expect("an id"))
            .await;
    let scope = scope.expect("a read").expect("an Org");
    let history = storage::linking::links::list_newest(&db, scope, 10)
        .await
        .expect("a read");
    let mut ended: Vec<_> = history
        .iter()
        .filter_map(|link| {
            Some((
                link.discord_id.clone(),
                link.ended_at_ms?,
                link.end_cause.clone()?,
            ))
        })
        .collect();
    ended.sort();
    assert_eq!(
        ended,
        [
            (discord(1), 1_683_356_889_000, "user".to_owned()),
            (discord(7), 1_686_035_289_000, "admin".to_owned()),
        ]
    );
    let audit = storage::records::audit::list_newest(&db, scope, 2)
        .await
        .expect("a read");
    let details: Vec<_> = audit
        .iter()
        .map(|row| (row.action.as_str(), row.detail.as_str()))
        .collect();
    assert_eq!(
        details,
        [
            (
                "links.imported",
                format!(r#"{{"active":0,"ended":2,"guild":"{}"}}"#, scene.guild).as_str()
            ),
            (
                "links.imported",
                format!(r#"{{"active":3,"ended":0,"guild":"{}"}}"#, scene.guild).as_str()
            ),
        ]
    );
    assert!(
        storage::jobs::list_waiting(&db, "log.linked")
            .await
            .expect("a read")
            .is_empty(),
        "nobody is told"
    );
    db.close().await;
}

both_databases! {
    async fn a_dump_is_taken_over_beside_a_running_service(engine) {
        let scene = Scene::set(engine).await;
        let node = Node::start(BINARY, scene.shell.data(), scene.shell.database()).await;
        let file = scene.file("old.sql", &dump());
        let before = scene.rows().await;
        assert_report(&scene.import(&["--dump", &file, "--server", &scene.server]), true);
        assert_eq!(scene.rows().await, before, "a dry run writes nothing");
        assert_report(&scene.import(&["--dump", &file, "--server", &scene.server, "--apply"]), false);
        assert_taken_over(&scene).await;
        let uri = format!("/api?action=findBySteam&id={}", steam(1));
        let found = node.request("GET", &uri, &[("x-api-key", &scene.key)], "").await;
        assert_eq!(found, (200, format!("\"{}\"", discord(1))));
        let log = std::fs::read_to_string(&node.log).expect("a log");
        for secret in [discord(1), steam(1), "A'da".to_owned(), "10.0.0.1".to_owned()] {
            assert!(!log.contains(&secret), "{log}");
        }
        assert!(node.stop().await);
        scene.finish().await;
    }

    async fn a_dump_is_taken_over_without_a_service_and_a_second_run_adds_nothing(engine) {
        let scene = Scene::set(engine).await;
        let file = scene.file("old.sql", &dump());
        let arguments = ["--dump", file.as_str(), "--server", &scene.server, "--apply"];
        assert_report(&scene.import(&arguments), false);
        assert_taken_over(&scene).await;
        let before = scene.rows().await;
        let again = scene.import(&arguments);
        for (table, known) in [("users", 3), ("removed", 2)] {
            assert_eq!((&again[table]["added"], &again[table]["known"]), (&json!(0), &json!(known)), "{again}");
        }
        assert_eq!((&again["boosters"], &again["groups"]), (&json!(0), &json!(0)));
        assert_eq!(scene.rows().await, before, "not a byte is different");
        scene.finish().await;
    }

    async fn the_plan_is_a_ceiling_and_many_slices_are_one_run(engine) {
        let scene = Scene::set(engine).await;
        let node = Node::start(BINARY, scene.shell.data(), scene.shell.database()).await;
        let name = "ü".repeat(190);
        let mut csv = "discord;steam;steam_name\n".to_owned();
        for number in 0..503 {
            csv.push_str(&format!("{};{};\"{name}\"\n", discord(number), steam(number)));
        }
        let file = scene.file("users.csv", &csv);
        for (apply, added) in [(None, 500), (Some("--apply"), 500)] {
            let arguments: Vec<&str> = ["--users-csv", &file].into_iter().chain(apply).collect();
            let report = scene.import(&arguments);
            assert_eq!(report["users"]["added"], added);
            let refused = report["users"]["refused"].as_array().expect("a list");
            let rows: Vec<_> = refused.iter().filter_map(|one| one["row"].as_u64()).collect();
            assert_eq!(rows, [501, 502, 503]);
            assert!(refused.iter().all(|one| one["reason"] == "the plan allows 500 links"), "{refused:?}");
        }
        scene.shell.json(&["admin", "set-tier", "--org", &scene.org, "--tier", "standard"]);
        let report = scene.import(&["--users-csv", &file, "--apply"]);
        assert_eq!((&report["users"]["added"], &report["users"]["known"]), (&json!(3), &json!(500)));
        let count = node.request("GET", "/api?action=count", &[("x-api-key", &scene.key)], "").await;
        assert_eq!(count, (200, r#"{"Total":503}"#.to_owned()));
        assert!(node.stop().await);
        scene.finish().await;
    }

    async fn who_is_linked_or_has_unlinked_here_is_left_alone(engine) {
        let scene = Scene::set(engine).await;
        let node = Node::start(BINARY, scene.shell.data(), scene.shell.database()).await;
        let link = |d: u64, s: u64| {
            let (d, s) = (discord(d), steam(s));
            scene.shell.json(&["admin", "create-link", "--guild", &scene.guild, "--discord", &d, "--steam", &s]);
        };
        link(1, 1);
        link(2, 2);
        link(3, 3);
        let uri = format!("/api?action=remove&id={}", steam(3));
        assert_eq!(node.request("GET", &uri, &[("x-api-key", &scene.key)], "").await.0, 200);
        let pairs = [(1, 8), (9, 2), (3, 3), (4, 4)];
        let lines: Vec<String> = pairs.iter().map(|(d, s)| format!("{},{}", discord(*d), steam(*s))).collect();
        let file = scene.file("users.csv", &format!("discord_id,steam_id\n{}\n", lines.join("\n")));
        for apply in [None, Some("--apply")] {
            let arguments: Vec<&str> = ["--users-csv", &file].into_iter().chain(apply).collect();
            let report = scene.import(&arguments);
            assert_eq!(report["users"]["added"], 1);
            let reasons: Vec<_> = report["users"]["refused"].as_array().expect("a list").iter()
                .map(|one| (one["line"].as_u64(), one["reason"].as_str().expect("a reason").split(' ').take(3).collect::<Vec<_>>().join(" ")))
                .collect();
            assert_eq!(reasons, [
                (Some(2), "its Discord ID".to_owned()),
                (Some(3), "its Steam ID".to_owned()),
                (Some(4), "this pair was".to_owned()),
            ]);
        }
        assert!(node.stop().await);
        scene.finish().await;
    }

    async fn what_cannot_be_read_is_told_in_one_line_and_writes_nothing(engine) {
        let scene = Scene::set(engine).await;
        let before = scene.rows().await;
        let good = format!("discord_id,steam_id\n{},{}\n", discord(1), steam(1));
        let good = scene.file("good.csv", &good);
        let cases: &[(&str, &str, &[&str], &str)] = &[
            ("a.sql", "INSERT INTO `players` VALUES (1);", &["--dump"], "it has: players"),
            ("b.sql", "INSERT INTO users (discord_id, steam_id) VALUES ('1", &["--dump"], "line 1: this quote"),
            ("c.csv", "discord_id,player\n1,2\n", &["--users-csv"], "--column steam_id=NAME"),
            ("d.csv", "a,b\n\"1,2\n", &["--removed-csv"], "no column holds"),
            ("e.csv", "discord_id,steam_id\n\"1,2\n", &["--removed-csv"], "line 2: this quote"),
            ("f.csv", "", &["--users-csv"], "there is no header row"),
        ];
        for (name, content, option, words) in cases {
            let file = scene.file(name, content);
            let arguments = [option, &[file.as_str(), "--apply"][..]].concat();
            scene.refused(&arguments).fails_with_one_line(words);
        }
        scene.refused(&["--users-csv", "/nowhere/at/all.csv"]).fails_with_one_line("cannot open");
        scene.refused(&["--users-csv", &good, "--column", "x=y"]).fails_with_one_line("there is no field x");
        scene.refused(&["--users-csv", &good, "--utc-offset", "soon"]).fails_with_one_line("--utc-offset");
        let elsewhere = "srv_01ARZ3NDEKTSV4RRFFQ69G5FAV";
        scene.refused(&["--users-csv", &good, "--server", elsewhere]).fails_with_one_line("server");
        let unknown = scene.shell.run(&["import", "--guild", "gld_01ARZ3NDEKTSV4RRFFQ69G5FAV", "--users-csv", &good]);
        unknown.fails_with_one_line("there is no such Guild");
        assert_eq!(scene.refused(&[]).code, Some(2), "some file is needed");
        assert_eq!(scene.refused(&["--dump", &good, "--users-csv", &good]).code, Some(2));
        assert_eq!(scene.rows().await, before);
        scene.finish().await;
    }

    async fn the_report_for_people_names_rows_and_nobody(engine) {
        let scene = Scene::set(engine).await;
        let file = scene.file("old.sql", &dump());
        let ran = scene.refused(&["--dump", &file]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        for line in [
            "users: 6 rows read, 3 would be added, 0 already known, 3 refused",
            "  columns ignored: id, last_ip",
            "  row 4 (line 13): the Steam ID is not valid",
            "removed: 2 rows read, 2 would be added, 0 already known, 0 refused",
            "This was a dry run; nothing was written. Run it again with --apply to import.",
        ] {
            assert!(ran.out.lines().any(|told| told.starts_with(line)), "{line}: {}", ran.out);
        }
        for word in [discord(4), steam(6), "Eve".to_owned(), "10.0.0.1".to_owned()] {
            assert!(!ran.out.contains(&word), "{}", ran.out);
        }
        scene.finish().await;
    }
}
