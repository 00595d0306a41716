//! What support does at the command line, with and without the service.

mod scene;

use serde_json::{Value, json};
use storage::records::audit;
use storage::tenancy::orgs;
use testkit::{both_databases, wait_until};

use self::scene::{OWNER, PLAYERS, Scene, each, items, text};

const NOBODY: &str = "700000000000000999";

impl Scene {
    fn check_guilds_and_servers(&self) {
        let guilds = self.json(&["list-guilds", "--org", &self.org]);
        let only = json!({
            "id": self.guild, "name": "One", "slug": "one", "discord_guild_id": "800000000000000001",
            "log_channel_id": "800000000000000002", "links": 3,
        });
        assert_eq!(guilds, json!({ "items": [only], "more": 0, "next": null }));
        let line = format!(
            "{}  One (one), Discord server 800000000000000001, 3 links",
            self.guild
        );
        assert_eq!(self.lines(&["list-guilds", "--org", &self.org]), [line]);
        let servers = self.json(&["list-servers", "--org", &self.org]);
        assert_eq!(servers, self.json(&["list-servers", "--guild", &self.guild]));
        let server = &items(&servers)[0];
        let told = (
            &server["id"],
            &server["guild_id"],
            &server["active"],
            &server["key_revoked"],
            &server["last_call_at_ms"],
        );
        assert_eq!(
            told,
            (
                &json!(self.server),
                &json!(self.guild),
                &json!(true),
                &json!(false),
                &json!(null)
            )
        );
        let line = format!("{}  Main in {}, active, never called", self.server, self.guild);
        assert_eq!(self.lines(&["list-servers", "--guild", &self.guild]), [line]);
    }

    fn check_links(&self) {
        let list = |more: &[&str]| self.json(&[&["list-links", "--guild", &self.guild], more].concat());
        let all = list(&[]);
        let mut ids = each(&all, "id");
        ids.sort();
        let mut expected = self.links.clone();
        expected.sort();
        assert_eq!(
            (ids, &all["more"], &all["next"]),
            (expected, &json!(0), &json!(null))
        );
        let first = list(&["--limit", "2"]);
        assert_eq!((items(&first), &first["more"]), (&items(&all)[..2], &json!(null)));
        let next = text(&first["next"]);
        assert_eq!(
            list(&["--limit", "2", "--after", &next])["items"],
            json!([items(&all)[2]])
        );
        let lines = self.lines(&["list-links", "--guild", &self.guild, "--limit", "2"]);
        assert!(
            lines.len() == 3 && lines[2].ends_with(&format!("  --after {next}")),
            "{lines:?}"
        );
        let (discord, steam, discord_name, steam_name) = PLAYERS[0];
        let one = list(&["--discord", discord]);
        assert_eq!(one, list(&["--steam", steam]));
        let link = &items(&one)[0];
        let told = (
            &link["id"],
            &link["discord_id"],
            &link["steam_name"],
            &link["ended_at_ms"],
            &link["cause"],
        );
        assert_eq!(
            told,
            (
                &json!(self.links[0]),
                &json!(discord),
                &json!(steam_name),
                &json!(null),
                &json!(null)
            )
        );
        let lines = self.lines(&["list-links", "--guild", &self.guild, "--discord", discord]);
        let begin = format!(
            "{}  {discord} ({discord_name}) and {steam} ({steam_name}), linked 2",
            self.links[0]
        );
        assert!(lines.len() == 1 && lines[0].starts_with(&begin), "{lines:?}");
        assert_eq!(
            list(&["--ended"]),
            json!({ "items": [], "more": 0, "next": null })
        );
    }

    fn check_people(&self) {
        let owner = self.json(&["find", "--discord", OWNER]);
        assert_eq!(each(&owner, "kind"), ["account", "role"]);
        let told = (
            &items(&owner)[0]["operator"],
            &items(&owner)[1]["role"],
            &items(&owner)[1]["org_id"],
        );
        assert_eq!(told, (&json!(false), &json!("owner"), &json!(self.org)));
        let (discord, steam, ..) = PLAYERS[1];
        let player = self.json(&["find", "--steam", steam]);
        assert_eq!(player, self.json(&["find", "--discord", discord]));
        let link = &items(&player)[0];
        let told = (
            &link["kind"],
            &link["link_id"],
            &link["guild_id"],
            &link["org_name"],
            &link["discord_id"],
        );
        assert_eq!(
            told,
            (
                &json!("link"),
                &json!(self.links[1]),
                &json!(self.guild),
                &json!("First"),
                &json!(discord)
            )
        );
        // Words of either name, in either case and in any Org.
        let mut named = each(&self.json(&["find", "--name", "ADA"]), "link_id");
        named.sort();
        let mut expected = vec![self.links[0].clone(), self.links[2].clone()];
        expected.sort();
        assert_eq!(named, expected);
        assert_eq!(
            each(&self.json(&["find", "--name", "love"]), "link_id"),
            [self.links[0].clone()]
        );
        assert_eq!(
            each(&self.json(&["find", "--name", "own"]), "kind"),
            ["account", "role"]
        );
        assert_eq!(
            self.json(&["find", "--discord", NOBODY]),
            json!({ "items": [], "more": 0, "next": null })
        );
        let lines = self.lines(&["find", "--discord", OWNER]);
        assert!(
            lines.len() == 2 && lines[0].starts_with("usr_") && lines[1].contains("  Owner of First, usr_"),
            "{lines:?}"
        );
    }
}

both_databases! {
    async fn guilds_servers_and_links_are_listed_with_and_without_the_service(engine) {
        let scene = Scene::set(engine).await;
        scene.check_guilds_and_servers();
        scene.check_links();
        let node = scene.node().await;
        scene.check_guilds_and_servers();
        scene.check_links();
        assert!(node.stop().await);
        let refused: &[(&[&str], &str)] = &[
            (&["list-guilds", "--org", "org_01ARZ3NDEKTSV4RRFFQ69G5FAV"], "there is no such organisation"),
            (&["list-servers", "--guild", "gld_01ARZ3NDEKTSV4RRFFQ69G5FAV"], "there is no such Guild"),
            (&["list-links", "--guild", &scene.guild, "--after", &scene.links[0]], "after"),
            (&["list-links", "--guild", &scene.guild, "--steam", "12"], "steam"),
            (&["find", "--name", "700000000000000011"], "use --discord or --steam"),
            (&["find", "--name", " "], "name"),
        ];
        for (command, what) in refused {
            scene.shell.run(&[&["admin"], *command].concat()).fails_with_one_line(what);
        }
        for command in [
            &["list-servers", "--org", &scene.org, "--guild", &scene.guild][..],
            &["list-links", "--guild", &scene.guild, "--discord", OWNER, "--steam", PLAYERS[0].1],
            &["list-links", "--guild", &scene.guild, "--limit", "1001"],
            &["find"],
            &["find", "--discord", OWNER, "--name", "ada"],
        ] {
            assert_eq!(scene.shell.run(&[&["admin"], command].concat()).code, Some(2), "{command:?}");
        }
        scene.finish().await;
    }

    async fn a_person_is_found_in_all_orgs_and_every_search_is_written_down_without_naming_them(engine) {
        let scene = Scene::set(engine).await;
        scene.check_people();
        let node = scene.node().await;
        scene.check_people();
        assert!(node.stop().await);
        let db = scene.look().await;
        let rows = audit::list_newest_for_operators(&db, 100).await.expect("the log");
        db.close().await;
        let searches: Vec<_> = rows.iter().filter(|row| row.action == "person.looked_up").collect();
        assert_eq!(searches.len(), 2 * 8);
        for row in &searches {
            assert_eq!(row.actor_kind, "operator_cli");
            // Our own ids have capitals only.
            for telling in ["7000000000", "7656119", "ada", "love", "bruno", "own", "First"] {
                assert!(!row.detail.contains(telling), "{telling} in {}", row.detail);
            }
        }
        let newest: Value = serde_json::from_str(&searches[0].detail).expect("JSON");
        let account = searches[0].target.clone().expect("an account");
        assert_eq!(newest, json!({ "by": "discord", "accounts": [account], "links": [] }));
        scene.finish().await;
    }

    async fn a_link_is_ended_for_a_reason_that_the_audit_log_keeps(engine) {
        let scene = Scene::set(engine).await;
        let unlink = |who: [&str; 2], reason: &str| {
            let command = ["admin", "unlink", "--guild", &scene.guild, "--reason", reason];
            scene.shell.run(&[&command[..], &who].concat())
        };
        let (first, second) = (PLAYERS[0], PLAYERS[1]);
        unlink(["--discord", NOBODY], "Ticket 4711").fails_with_one_line("is not linked in this Guild");
        unlink(["--discord", first.0], "for 700000000000000011").fails_with_one_line("leave out e-mail addresses and the IDs of people");
        let silent = ["admin", "unlink", "--guild", &scene.guild, "--discord", first.0];
        assert_eq!(scene.shell.run(&silent).code, Some(2), "a reason is needed");
        assert_eq!(unlink(["--discord", first.0], "Ticket 4711").out, format!("unlinked  {}\n", scene.links[0]));
        let waiting = each(&scene.json(&["jobs", "list"]), "kind");
        assert!(waiting.contains(&"log.unlinked".to_owned()) && waiting.contains(&"roles.sync".to_owned()), "{waiting:?}");
        let node = scene.node().await;
        assert_eq!(unlink(["--steam", second.1], "Ticket 4712").out, format!("unlinked  {}\n", scene.links[1]));
        unlink(["--steam", second.1], "Ticket 4712").fails_with_one_line("is not linked in this Guild");
        let ended = scene.json(&["list-links", "--guild", &scene.guild, "--ended"]);
        assert_eq!(each(&ended, "cause"), ["admin", "admin"]);
        assert_eq!(each(&ended, "id"), [scene.links[1].clone(), scene.links[0].clone()], "what ended last comes first");
        assert!(node.stop().await);
        let db = scene.look().await;
        let org = domain::id::OrgId::parse(&scene.org).expect("an Org");
        let scope = orgs::find(&db, &org).await.expect("a look").expect("the Org").scope;
        let rows = audit::list_newest(&db, scope, 50).await.expect("the log");
        db.close().await;
        let noted: Vec<_> = rows.iter().filter(|row| row.action == "link.removed").collect();
        for (row, link, reason) in [(noted[0], &scene.links[1], "Ticket 4712"), (noted[1], &scene.links[0], "Ticket 4711")] {
            let detail: Value = serde_json::from_str(&row.detail).expect("JSON");
            assert_eq!(detail, json!({ "guild": scene.guild, "cause": "admin", "reason": reason }));
            assert_eq!((row.actor_kind.as_str(), row.target.as_ref()), ("operator_cli", Some(link)));
        }
        assert_eq!(noted.len(), 2);
        scene.finish().await;
    }

    async fn failures_are_listed_by_code_and_org(engine) {
        let scene = Scene::set(engine).await;
        assert_eq!(scene.json(&["list-errors"]), json!({ "items": [], "more": 0, "next": null }));
        let node = scene.node().await;
        let uri = format!("/orgs/{}/servers", scene.org);
        let (status, _) = node.request("GET", &uri, &[], "").await;
        assert_eq!(status, 401);
        let asked = ["list-errors", "--code", "SIGN_IN_REQUIRED"];
        wait_until("the failure is in the log", || async { !items(&scene.json(&asked)).is_empty() }).await;
        let listed = scene.json(&asked);
        let failure = &items(&listed)[0];
        let told = (&failure["status"], &failure["route"], &failure["count"], &failure["org_id"]);
        assert_eq!(told, (&json!(401), &json!("/orgs/{org}/servers"), &json!(1), &json!(null)));
        assert!(failure["at_ms"].is_i64() && items(&listed).len() == 1, "{listed}");
        let lines = scene.lines(&asked);
        assert!(lines[0].ends_with(" UTC  SIGN_IN_REQUIRED 401 /orgs/{org}/servers, once"), "{lines:?}");
        for narrow in [&["list-errors", "--code", "NO_SUCH_CODE"][..], &["list-errors", "--org", &scene.org]] {
            assert!(items(&scene.json(narrow)).is_empty(), "{narrow:?}");
        }
        let missing = ["admin", "list-errors", "--org", "org_01ARZ3NDEKTSV4RRFFQ69G5FAV"];
        scene.shell.run(&missing).fails_with_one_line("there is no such organisation");
        assert!(node.stop().await);
        scene.finish().await;
    }
}
