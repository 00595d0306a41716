//! What is no file that can be taken over is refused, with what to do about it.

use axum::body::Body;
use domain::plan::Tier;
use futures_util::stream;
use testkit::{both_databases, discord, steam};

use super::stage::{checked, counts, csv, dump, get, imports, owner, press, send, start};

both_databases! {
    async fn files_that_cannot_be_read_are_refused_and_leave_nothing(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let nul = vec![0_u8; 100_000];
        for (kind, file, words) in [
            ("users", Vec::new(), "there is no header row"),
            ("users", b"discord_id,steam_id\n".to_vec(), "no rows"),
            ("users", b"a,b\n1,2\n".to_vec(), "no column holds the discord id; there are a, b. Rename the column"),
            ("users", nul.clone(), "no column holds"),
            ("users", b"discord_id,steam_id\n1,\"2".to_vec(), "line 2: this quote is never closed"),
            ("users", vec![0xff, 0xfe, b',', 0xc3], "no column holds"),
            ("users", "🦀,💥\n1,2".into(), "no column holds the discord id; there are 🦀, 💥"),
            ("dump", Vec::new(), "it has no table users or users_removed"),
            ("dump", nul, "it has no table"),
            ("dump", b"INSERT INTO `links` VALUES (1);".to_vec(), "it has: links. Rename the tables"),
            ("dump", b"INSERT INTO users (a,b) VALUES (1,2);".to_vec(), "no column holds"),
            ("dump", b"INSERT INTO users VALUES ('".to_vec(), "INSERT"),
        ] {
            let reply = send(&owner, &tenant, &format!("kind={kind}"), file).await;
            let told = (reply.status.as_u16(), reply.code());
            assert_eq!(told, (400, "FILE_UNREADABLE".to_owned()), "{words}: {}", reply.text());
            let message = reply.json()["message"].as_str().unwrap().to_owned();
            assert!(message.contains(words) || words == "INSERT", "{message}");
        }
        assert_eq!(test.db.count("imports").await, 0);
        assert_eq!(get(&owner, &imports(&tenant)).await["imports"].as_array().unwrap().len(), 0);
        test.finish().await;
    }

    async fn strange_rows_are_refused_one_by_one(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let good = format!("{},{},Ann 🦀\u{0}\u{7}\n", discord(1), steam(1));
        let file = [
            "discord_id,steam_id,steam_name\n",
            &good,
            "\u{0},\u{0},\u{0}\n",
            ",,\n",
            "7.0E+17,76561198000000001,x\n",
            &format!("{},{}\n", discord(2), steam(2)),
            &format!("{},{},{}\n", discord(3), steam(3), "n".repeat(100_000)),
        ]
        .concat();
        let (uri, run) = checked(&test, &owner, &tenant, "kind=users", file).await;
        assert_eq!(counts(&run), [2, 0, 0, 4], "{run}");
        assert_eq!(run["left_out"], serde_json::json!(["1 names that are not text or too long"]));
        press(&owner, &uri, "start", 200).await;
        test.drain_jobs().await;
        assert_eq!(test.db.count("links WHERE steam_name = 'Ann 🦀'").await, 1);
        assert_eq!(test.db.count("links").await, 2);
        test.finish().await;
    }

    async fn a_file_that_is_too_large_or_has_too_many_rows_is_refused_with_the_way_out(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        // It comes in pieces and nobody says how long it will be.
        let pieces = std::iter::once(b"discord_id,steam_id\n".to_vec());
        let pieces = pieces.chain((0..11 * 64).map(|_| vec![b'x'; 16 * 1024]));
        let body = Body::from_stream(stream::iter(pieces.map(Ok::<_, std::io::Error>)));
        let reply = send(&owner, &tenant, "kind=users", body).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (413, "FILE_TOO_LARGE"));
        assert!(reply.text().contains("10 MiB") && reply.text().contains("command line"), "{}", reply.text());
        let many = ["discord_id,steam_id\n", &"1,2\n".repeat(100_001)].concat();
        let reply = send(&owner, &tenant, "kind=users", many).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (400, "FILE_UNREADABLE"));
        assert!(reply.text().contains("more than 100000 rows; split the file, or ask the operator"), "{}", reply.text());
        // What was refused is in nobody's way.
        assert_eq!(send(&owner, &tenant, "kind=users", csv([(1, 1)])).await.status, 201);
        test.finish().await;
    }

    async fn what_is_asked_about_a_file_has_to_make_sense(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        for (more, parameter) in [
            ("", "kind"),
            ("kind=xlsx", "kind"),
            ("kind=dump&utc_offset=soon", "utc_offset"),
            ("kind=dump&server_id=x", "server_id"),
            ("kind=dump&column=x", "query"),
        ] {
            let reply = send(&owner, &tenant, more, dump()).await;
            let told = (reply.status.as_u16(), reply.json()["parameter"].as_str().unwrap_or_default().to_owned());
            assert_eq!(told, (400, parameter.to_owned()), "{more}: {}", reply.text());
        }
        let uri = format!("{}?kind=dump", imports(&tenant));
        let reply = owner.clone().sending_file().post(&uri, &dump()).await;
        assert_eq!(reply.json()["parameter"], "guild_id");
        let json = owner.post(&format!("{uri}&guild_id={}", tenant.guild), "{}").await;
        assert_eq!((json.status.as_u16(), json.code().as_str()), (415, "UNSUPPORTED_MEDIA_TYPE"));
        assert!(json.text().contains("application/octet-stream"));
        assert_eq!(test.db.count("imports").await, 0);
        test.finish().await;
    }

    async fn a_sender_who_goes_away_leaves_nothing_and_may_come_again(engine) {
        let test = start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = owner(&test, &tenant).await;
        let broken = vec![Ok(csv([(1, 1)]).into_bytes()), Err(std::io::Error::other("gone"))];
        let reply = send(&owner, &tenant, "kind=users", Body::from_stream(stream::iter(broken))).await;
        assert_eq!(reply.status, 400, "{}", reply.text());
        assert_eq!(test.db.count("imports").await, 0);
        assert_eq!(send(&owner, &tenant, "kind=users", csv([(1, 1)])).await.status, 201);
        test.finish().await;
    }
}
