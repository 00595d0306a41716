//! The list of an Org's people.

use std::collections::BTreeSet;

use domain::link::UnlinkCause;
use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use testkit::{Client, Tenant, both_databases, discord, steam};

use super::crowd::{Who, all, call, link, numbers, owner, second_guild, start, unlink, users, who};
use crate::support::server_of;

/// What a list is ordered by goes one way.
async fn assert_ordered(owner: &Client, tenant: &Tenant) {
    for (query, key, is_down) in [
        ("sort=score", "score", false),
        ("sort=-score", "score", true),
        ("", "linked_at_ms", true),
    ] {
        let uri = format!("{}?{query}&limit=200", users(tenant));
        let page = call(owner, Method::GET, &uri, "", 200).await.json();
        let listed = page["users"].as_array().expect("a list");
        let mut keys: Vec<i64> = listed
            .iter()
            .map(|user| user[key].as_i64().expect("a number"))
            .collect();
        if is_down {
            keys.reverse();
        }
        assert!(keys.is_sorted(), "{query}: {keys:?}");
    }
}

both_databases! {
    async fn everybody_is_listed_once_the_newest_link_first(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let (first, second) = (tenant.guild.clone(), second_guild(&test, &tenant).await);
        for number in 1..=3 {
            test.clock.advance_ms(1_000);
            link(&test, &tenant, &first, &who(number, "Somebody")).await;
        }
        test.clock.advance_ms(1_000);
        link(&test, &tenant, &second, &who(1, "Somebody")).await;
        unlink(&test, &tenant, &first, 2, UnlinkCause::User).await;
        let owner = owner(&test, &tenant).await;
        let page = call(&owner, Method::GET, &users(&tenant), "", 200).await.json();
        assert_eq!(numbers(&page), [1, 3, 2]);
        assert_eq!((&page["next"], &page["complete"]), (&serde_json::Value::Null, &true.into()));
        let one = &page["users"][0];
        assert_eq!((&one["guild_id"], &one["active_links"]), (&second.as_str().into(), &2.into()));
        assert_eq!((&one["steam_id"], &one["score"], &one["tier"]), (&steam(1).as_str().into(), &56.into(), &"Watch".into()));
        let archived = &page["users"][2];
        assert!(archived["ended_at_ms"].is_i64() && archived["active_links"] == 0);
        // In a Guild, the link there is shown.
        let there = call(&owner, Method::GET, &format!("{}?guild_id={first}", users(&tenant)), "", 200).await.json();
        assert_eq!(numbers(&there), [3, 2, 1]);
        assert_eq!(there["users"][2]["guild_id"], first.as_str());
        assert_eq!(all(&owner, &tenant, &format!("guild_id={second}"), 50).await, [1]);
        test.finish().await;
    }

    async fn each_order_and_filter_shows_everybody_who_fits_once_page_by_page(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let names = ["Zoe", "adam", "Ünal", "Bob", "émile", "ada", "Zack"];
        for number in 1..=70_u64 {
            if number % 3 == 0 {
                test.clock.advance_ms(24 * 3_600_000);
            }
            let place = number as usize;
            let country = [Some("DE"), None, Some("FR")][place % 3];
            link(&test, &tenant, &tenant.guild, &Who { country, ..who(number, names[place % 7]) }).await;
            if number % 5 == 0 {
                unlink(&test, &tenant, &tenant.guild, number, UnlinkCause::User).await;
            }
        }
        // Whoever linked long ago has more points by now.
        let owner = owner(&test, &tenant).await;
        test.clock.advance_ms(20 * 24 * 3_600_000);
        app::background::keep_house(&test.app).await.expect("housekeeping");
        test.drain_jobs().await;
        let everybody: BTreeSet<u64> = (1..=70).collect();
        let wanted = |fits: &dyn Fn(u64) -> bool| everybody.iter().copied().filter(|n| fits(*n)).collect::<BTreeSet<u64>>();
        let cases: [(&str, BTreeSet<u64>); 14] = [
            ("", everybody.clone()),
            ("sort=-linked_at", everybody.clone()),
            ("sort=linked_at", everybody.clone()),
            ("sort=-score", everybody.clone()),
            ("sort=score", everybody.clone()),
            ("sort=name", everybody.clone()),
            ("country=de", wanted(&|n| n % 3 == 0)),
            ("country=FR&sort=name", wanted(&|n| n % 3 == 2)),
            ("status=active", wanted(&|n| n % 5 != 0)),
            ("status=archived", wanted(&|n| n % 5 == 0)),
            ("status=archived&country=DE&sort=score", wanted(&|n| n % 15 == 0)),
            ("q=ad", wanted(&|n| n % 7 == 1 || n % 7 == 5)),
            ("q=una&status=active", wanted(&|n| n % 7 == 2 && n % 5 != 0)),
            ("tier=Risk", BTreeSet::new()),
        ];
        for (query, wanted) in cases {
            for limit in [7, 200] {
                let found = all(&owner, &tenant, query, limit).await;
                assert_eq!(found.len(), wanted.len(), "{query}: somebody is there twice or missing: {found:?}");
                assert_eq!(BTreeSet::from_iter(found), wanted, "{query}");
            }
        }
        assert_ordered(&owner, &tenant).await;
        for query in ["", "q=ad"] {
            let whole = all(&owner, &tenant, query, 200).await.len();
            let mut of_tiers = 0;
            for tier in ["Trusted", "Normal", "Watch", "Risk"] {
                of_tiers += all(&owner, &tenant, &format!("{query}&tier={tier}"), 3).await.len();
            }
            assert_eq!(of_tiers, whole, "each of {query} is in one tier");
        }
        test.finish().await;
    }

    async fn somebody_is_found_by_any_account_of_theirs_and_by_the_beginning_of_any_word_of_a_name(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let ash = Who { steam_name: "xX_Ash.Fox_Xx ★", ..who(1, "Ásh the Great") };
        link(&test, &tenant, &tenant.guild, &ash).await;
        link(&test, &tenant, &tenant.guild, &Who { steam: 11, ..ash.clone() }).await;
        link(&test, &tenant, &tenant.guild, &who(2, "Fox Mulder")).await;
        link(&test, &tenant, &tenant.guild, &who(3, "★★★")).await;
        let owner = owner(&test, &tenant).await;
        let old = format!("https://steamcommunity.com/profiles/{}/", steam(1));
        for (typed, found) in [
            (discord(1).to_string(), vec![1]),
            (format!("<@{}>", discord(1)), vec![1]),
            (steam(11).to_string(), vec![1]),
            (old, vec![1]),
            ("fox".to_owned(), vec![1, 2]),
            ("FOX g".to_owned(), vec![1]),
            ("great ash".to_owned(), vec![1]),
            ("mul".to_owned(), vec![2]),
            ("ulder".to_owned(), vec![]),
            ("★★★".to_owned(), vec![3]),
            ("' OR 1=1 --".to_owned(), vec![]),
            ("%".to_owned(), vec![]),
            ("760000".to_owned(), vec![]),
            ("🦊".to_owned(), vec![]),
            (discord(77).to_string(), vec![]),
        ] {
            let query: String = typed.bytes().map(|byte| format!("%{byte:02x}")).collect();
            assert_eq!(all(&owner, &tenant, &format!("q={query}"), 50).await, found, "{typed}");
        }
        // Who is called something else now is found by that.
        test.plugin(&tenant.key).get(&format!("/api?action=updateSteam&id={}&name=Renamed", steam(2))).await;
        test.drain_jobs().await;
        assert_eq!(all(&owner, &tenant, "q=renamed", 50).await, [2]);
        assert_eq!(all(&owner, &tenant, "q=player", 50).await, [3], "nobody else has that name any more");
        test.finish().await;
    }

    async fn who_was_on_a_server_is_found_there_once_its_plugin_says_so(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let made = call(&owner, Method::POST, &format!("/orgs/{}/servers", tenant.org), &format!(r#"{{"guild_id":"{}","name":"Other"}}"#, tenant.guild), 201).await.json();
        let (other, key) = (made["server_id"].as_str().expect("an id").to_owned(), made["key"].as_str().expect("a key").to_owned());
        for number in 1..=4 {
            link(&test, &tenant, &tenant.guild, &who(number, "Somebody")).await;
        }
        let on = |server: &str| format!("server_id={server}");
        assert!(all(&owner, &tenant, &on(tenant.server.as_str()), 50).await.is_empty());
        // Seen, which is written down a minute later, and reported, which is told at once.
        test.plugin(&tenant.key).get(&format!("/api?action=findBySteam&id={}", steam(1))).await;
        test.plugin(&key).get(&format!("/api?action=updateOxideGroups&id={}&groups=vip", steam(2))).await;
        app::background::keep_house(&test.app).await.expect("housekeeping");
        test.drain_jobs().await;
        assert_eq!(all(&owner, &tenant, &on(tenant.server.as_str()), 50).await, [1]);
        assert_eq!(all(&owner, &tenant, &on(&other), 50).await, [2]);
        // Another Steam account of the same person was never there.
        link(&test, &tenant, &tenant.guild, &Who { steam: 22, ..who(2, "Somebody") }).await;
        assert!(all(&owner, &tenant, &on(&other), 50).await.is_empty());
        // A deleted Server has nobody, and is no filter any more.
        call(&owner, Method::DELETE, &server_of(&tenant), "", 204).await;
        test.drain_jobs().await;
        call(&owner, Method::GET, &format!("{}?{}", users(&tenant), on(tenant.server.as_str())), "", 404).await;
        let all_of_them = call(&owner, Method::GET, &users(&tenant), "", 200).await.json();
        assert!(all_of_them["users"].as_array().expect("a list").iter().all(|user| user["server_ids"].as_array().expect("ids").is_empty()));
        test.finish().await;
    }

    async fn what_cannot_be_asked_is_refused_with_its_name(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let stranger = test.tenant(2, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        for (query, parameter) in [
            ("tier=trusted", "tier"), ("status=gone", "status"), ("sort=steam", "sort"), ("country=DEU", "country"),
            ("guild_id=x", "guild_id"), ("server_id=gld_x", "server_id"), ("limit=0", "limit"), ("limit=201", "limit"),
            ("cursor=x", "cursor"), ("format=csv", "format"), ("offset=1", "query"), ("q=%00", "q"),
        ] {
            let reply = call(&owner, Method::GET, &format!("{}?{query}", users(&tenant)), "", 400).await;
            assert!(reply.json()["parameter"] == parameter || query == "q=%00", "{query}: {}", reply.text());
        }
        let long = "a".repeat(201);
        call(&owner, Method::GET, &format!("{}?q={long}", users(&tenant)), "", 400).await;
        for query in [format!("guild_id={}", stranger.guild), format!("server_id={}", stranger.server)] {
            call(&owner, Method::GET, &format!("{}?{query}", users(&tenant)), "", 404).await;
        }
        test.finish().await;
    }

    async fn an_export_holds_everybody_who_fits_and_is_written_down(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        for number in 1..=230 {
            let name = if number == 7 { "=cmd()|\"x\"" } else { "Somebody" };
            link(&test, &tenant, &tenant.guild, &who(number, name)).await;
        }
        unlink(&test, &tenant, &tenant.guild, 9, UnlinkCause::Admin).await;
        let owner = owner(&test, &tenant).await;
        let csv = call(&owner, Method::GET, &format!("{}/export", users(&tenant)), "", 200).await;
        assert_eq!(csv.text().lines().count(), 231);
        assert!(csv.text().contains("\"'=cmd()|\"\"x\"\"\""), "no formula");
        assert_eq!(csv.header("content-disposition"), Some("attachment; filename=\"users.csv\""));
        let json = call(&owner, Method::GET, &format!("{}/export?format=json&status=archived", users(&tenant)), "", 200).await;
        let lines: Vec<serde_json::Value> = json.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0]["discord_id"], discord(9).as_str());
        let staff = test.person(&test.member(&tenant, 55, &[Permission::LinksView]).await);
        call(&staff, Method::GET, &format!("{}/export", users(&tenant)), "", 403).await;
        assert_eq!(test.db.count("audit WHERE action = 'users.exported'").await, 2);
        test.finish().await;
    }

    async fn people_of_before_an_upgrade_are_filled_in_and_the_list_says_so_until_then(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        for number in 1..=250 {
            link(&test, &tenant, &tenant.guild, &Who { steam: number / 2, ..who(number, "Somebody") }).await;
        }
        let before = test.db.count("people WHERE accounts = 3").await;
        test.db.damage("DELETE FROM people").await;
        test.db.damage("UPDATE orgs SET people_swept_at = 0").await;
        let owner = owner(&test, &tenant).await;
        let page = call(&owner, Method::GET, &users(&tenant), "", 200).await.json();
        assert_eq!((numbers(&page).len(), &page["complete"]), (0, &false.into()));
        app::background::keep_house(&test.app).await.expect("housekeeping");
        test.drain_jobs().await;
        let page = call(&owner, Method::GET, &users(&tenant), "", 200).await.json();
        assert_eq!(page["complete"], true);
        assert_eq!(all(&owner, &tenant, "", 50).await.len(), 250);
        assert_eq!(test.db.count("people WHERE accounts = 3").await, before);
        assert_eq!(test.db.count("people WHERE score = 0").await, 0);
        test.finish().await;
    }
}
