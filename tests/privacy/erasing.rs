//! What is left after an erasure: nothing that names the person.

use app::background;
use app::identity::accounts;
use app::privacy::Sides;
use app::privacy::erase::{Extent, erase};
use app::privacy::held::{self, Depth};
use domain::audit::Actor;
use domain::name::DisplayName;
use domain::plan::Tier;
use emulator::{Fault, FaultKind};
use testkit::{Engine, both_databases, discord, steam};

use super::{erase_everywhere, link, own_page, press, visitor};
use crate::bots::log::POST;
use crate::linking::stage::Stage;
use crate::players::crowd;
use crate::secrecy::search::{Log, everything_copied, everything_stored};

const NAME: &str = "Rivercrow Fiftynine";

/// Everything that a person may be named by.
fn traces(number: u64) -> [String; 3] {
    [
        discord(number).to_string(),
        steam(number).to_string(),
        NAME.to_owned(),
    ]
}

fn assert_gone(place: &str, bytes: &[u8], number: u64) {
    let text = String::from_utf8_lossy(bytes);
    for trace in traces(number) {
        for spelling in [trace.clone(), trace.to_lowercase(), "rivercrow".to_owned()] {
            if let Some(at) = text.find(&spelling) {
                let around = &text.as_bytes()[at.saturating_sub(200)..(at + 200).min(text.len())];
                panic!("{spelling} in {place}: {}", String::from_utf8_lossy(around));
            }
        }
    }
}

/// What we logged ourselves, at every level. Clients and servers of others show whole requests at theirs, which is how the
/// platforms of a test talk to each other.
fn own_lines(log: &Log) -> String {
    const OURS: [&str; 7] = [
        "app::",
        "web::",
        "storage::",
        "platform::",
        "domain::",
        "bot::",
        "symbolon",
    ];
    let written = log.text();
    // Before its target, a line names the spans that it was written in.
    let is_own = |line: &&str| {
        let mut targets = line.split_whitespace().filter(|word| word.ends_with(':'));
        targets.any(|target| OURS.iter().any(|ours| target.starts_with(ours)))
    };
    written.lines().filter(is_own).collect::<Vec<_>>().join("\n")
}

/// Player 7 with all that a community may come to know about them.
async fn known(stage: &Stage) {
    testkit::rename_player(&stage.discord, &stage.steam, 7, NAME);
    testkit::add_member(&stage.discord, &stage.tenant.discord_guild, &discord(7));
    link(stage, 7).await;
    let plugin = stage.test.plugin(&stage.tenant.key);
    let id = steam(7);
    for call in [
        format!("updateOxideGroups&id={id}&groups=vip,default"),
        format!("findBySteam&id={id}"),
    ] {
        let reply = plugin.get(&format!("/api?action={call}")).await;
        assert_eq!(reply.status, 200, "{call}: {}", reply.text());
    }
    let boosts = format!(
        "INSERT INTO boosters (guild_num, org_num, discord_id, since) SELECT num, org_num, '{}', 1 FROM guilds WHERE id = '{}'",
        discord(7),
        stage.tenant.guild
    );
    stage.test.db.damage(&boosts).await;
    add_row_of_a_file(stage, 7, 7).await;
    // They run the place, and somebody without a session asked about them.
    let account = accounts::ensure(&stage.test.app, discord(7), DisplayName::parse(NAME).unwrap());
    accounts::grant_operator(&stage.test.app, account.await.unwrap())
        .await
        .unwrap();
    let asked = format!("/orgs/{}/users/{}", stage.tenant.org, discord(7));
    assert_eq!(stage.test.client().get(&asked).await.status, 401);
    background::flush_errors(&stage.test.app).await.unwrap();
    assert!(stage.count("error_log").await > 0);
    stage.test.drain_jobs().await;
    stage.test.settle().await;
    // A second visit to the link page that was never finished.
    stage.signed_in(7).await;
}

/// A file that is checked, with a row about two players.
async fn add_row_of_a_file(stage: &Stage, on_discord: u64, on_steam: u64) {
    let body = serde_json::json!({
        "discord_id": discord(on_discord), "steam_id": steam(on_steam),
        "discord_name": format!("Stranger {on_discord}"), "steam_name": NAME, "booster": false,
    });
    let org = stage.tenant.scope.num();
    let of_file = format!(
        "INSERT INTO imports (id, org_num, guild_num, kind, state, about, result, created_at, touched_at)
         SELECT 'imp_00000000000000000000000000', org_num, num, 'users', 'checked', '{{}}', '{{}}', 1, 1
         FROM guilds WHERE org_num = {org}"
    );
    stage.test.db.damage(&of_file).await;
    let of_row = format!(
        "INSERT INTO import_rows (import_num, org_num, row_no, part, place, line, body)
         SELECT num, org_num, 1, 'users', 1, 1, '{body}' FROM imports"
    );
    stage.test.db.damage(&of_row).await;
}

both_databases! {
    async fn after_an_erasure_nothing_that_is_stored_names_the_person(engine) {
        let log = Log::capture();
        let stage = Stage::set(engine).await;
        known(&stage).await;
        let before = String::from_utf8_lossy(&everything_stored(&stage.test, engine).await).into_owned();
        assert!(traces(7).iter().all(|trace| before.contains(trace)));
        let mut browser = visitor(&stage, 7).await;
        erase_everywhere(&mut browser).await;
        stage.test.drain_jobs().await;
        stage.test.settle().await;
        if engine == Engine::Sqlite {
            // The log is folded and emptied as soon as nobody writes.
            testkit::wait_until("the write-ahead log is empty", || async {
                let log = stage.test.db.directory().join("symbolon.db-wal");
                std::fs::metadata(log).map_or(0, |file| file.len()) == 0
            }).await;
        }
        assert_gone("what is stored", &everything_stored(&stage.test, engine).await, 7);
        assert_gone("the data directory, a backup or a dump", &everything_copied(&stage.test, engine).await, 7);
        assert_gone("the log", own_lines(&log).as_bytes(), 7);
        assert_eq!(stage.count("links WHERE ended_at IS NOT NULL AND end_cause = 'user'").await, 1);
        assert_eq!(stage.count("audit WHERE action = 'person.erased'").await, 2);
        assert!(storage::doctor::examine(&stage.test.db.db).await.unwrap().is_empty());
        assert!(own_page(&mut visitor(&stage, 7).await).await.contains("Nothing is held"));
        stage.finish().await;
    }

    async fn an_erasure_in_one_community_leaves_the_others_alone(engine) {
        let stage = Stage::set(engine).await;
        let other = stage.test.tenant(2, Tier::Standard).await;
        link(&stage, 1).await;
        other.link_pair(&stage.test.app, 1, 1).await.unwrap();
        let mut browser = visitor(&stage, 1).await;
        let page = own_page(&mut browser).await;
        assert!(page.contains("Org 1") && page.contains("Org 2"));
        let org = stage.tenant.org.clone();
        let reply = press(&mut browser, "/me/erase", &format!("&what={org}&sure=yes")).await;
        assert_eq!(reply.header("location"), Some("/me?notice=erased"));
        let page = own_page(&mut browser).await;
        assert!(!page.contains("Org 1") && page.contains("Org 2"), "{page}");
        assert!(stage.linked_steam(&discord(1)).await.is_none());
        assert_eq!(stage.count("links WHERE ended_at IS NULL").await, 1);
        // What is done is done; the second press finds nothing.
        let again = press(&mut browser, "/me/erase", &format!("&what={org}&sure=yes")).await;
        assert_eq!(again.status, 404);
        stage.finish().await;
    }

    async fn whoever_was_linked_with_an_erased_account_keeps_their_own_page(engine) {
        let stage = Stage::set(engine).await;
        let (app, tenant) = (&stage.test.app, &stage.tenant);
        // Player 1 had the account of player 2 before.
        tenant.link_pair(app, 1, 2).await.unwrap();
        tenant.link_pair(app, 1, 1).await.unwrap();
        tenant.link_pair(app, 2, 2).await.unwrap();
        erase(app, Sides { discord: Some(discord(2)), steam: Some(steam(2)) }, Extent::Everywhere, Actor::Player).await.unwrap();
        stage.test.drain_jobs().await;
        let owner = stage.test.session(&tenant.owner).await;
        let person = stage.test.person(&owner);
        let one = person.get(&format!("/orgs/{}/users/{}", tenant.org, discord(1))).await;
        assert_eq!(one.status, 200, "{}", one.text());
        let graph = person.get(&format!("/orgs/{}/users/{}/graph", tenant.org, discord(1))).await;
        assert_eq!(graph.status, 200, "{}", graph.text());
        for reply in [one, graph] {
            assert!(!reply.text().contains("x:") && !reply.text().contains(steam(2).as_str()), "{}", reply.text());
        }
        assert_eq!(person.get(&format!("/orgs/{}/users/{}", tenant.org, discord(2))).await.status, 404);
        let all = person.get(&format!("/orgs/{}/users", tenant.org)).await;
        assert_eq!(all.json()["users"].as_array().unwrap().len(), 1, "{}", all.text());
        assert!(storage::doctor::examine(&stage.test.db.db).await.unwrap().is_empty());
        stage.finish().await;
    }

    async fn an_account_that_somebody_else_is_linked_with_is_theirs_alone(engine) {
        let stage = Stage::set(engine).await;
        let (app, tenant) = (&stage.test.app, &stage.tenant);
        let second = crowd::second_guild(&stage.test, tenant).await;
        tenant.link_pair(app, 1, 1).await.unwrap();
        let who = crowd::Who { steam: 1, ..crowd::who(2, "Second") };
        crowd::link(&stage.test, tenant, &second, &who).await;
        // Player 1 shows their Discord account only; the Steam account is also linked with somebody else here.
        erase(app, Sides { discord: Some(discord(1)), steam: None }, Extent::Everywhere, Actor::Player).await.unwrap();
        let left = stage.dump().await;
        assert!(!left.contains(discord(1).as_str()) && left.contains(steam(1).as_str()), "{left}");
        assert_eq!(stage.count("links WHERE ended_at IS NULL").await, 1);
        stage.finish().await;
    }

    async fn whoever_holds_a_shared_account_sees_and_erases_none_of_the_others(engine) {
        let stage = Stage::set(engine).await;
        let (app, tenant) = (&stage.test.app, &stage.tenant);
        let second = crowd::second_guild(&stage.test, tenant).await;
        tenant.link_pair(app, 1, 1).await.unwrap();
        let who = crowd::Who { steam: 1, ..crowd::who(2, "Second Sibling") };
        crowd::link(&stage.test, tenant, &second, &who).await;
        for discord_id in [None, Some(discord(1))] {
            let sides = Sides { discord: discord_id, steam: Some(steam(1)) };
            let held = held::gather(app, &sides, Depth::Whole).await.unwrap().to_json(&sides, 0).to_string();
            assert!(!held.contains(discord(2).as_str()) && !held.contains("Sibling"), "{held}");
        }
        erase(app, Sides { discord: None, steam: Some(steam(1)) }, Extent::Everywhere, Actor::Player).await.unwrap();
        let left = stage.dump().await;
        assert!(!left.contains(steam(1).as_str()), "{left}");
        for number in [1, 2] {
            assert!(left.contains(discord(number).as_str()), "{left}");
        }
        stage.finish().await;
    }

    async fn a_row_of_a_file_tells_nobody_about_somebody_else_and_goes_with_an_erasure(engine) {
        let stage = Stage::set(engine).await;
        add_row_of_a_file(&stage, 8, 7).await;
        let sides = Sides { discord: None, steam: Some(steam(7)) };
        let held = held::gather(&stage.test.app, &sides, Depth::Whole).await.unwrap().to_json(&sides, 0).to_string();
        assert!(held.contains(NAME) && !held.contains("Stranger 8") && !held.contains(discord(8).as_str()), "{held}");
        erase(&stage.test.app, sides, Extent::Everywhere, Actor::Player).await.unwrap();
        assert_eq!(stage.count("import_rows").await, 0);
        stage.finish().await;
    }

    async fn a_bots_list_of_boosters_brings_nobody_back(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 7).await;
        erase_everywhere(&mut visitor(&stage, 7).await).await;
        let key = stage.test.bot_key(&stage.tenant).await;
        let sent = format!("{{\"discord_ids\":[\"{}\",\"{}\"]}}", discord(7), discord(8));
        let reply = stage.test.plugin(&key).post("/api?action=updateNitroBulk", &sent).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(stage.count("boosters").await, 1);
        assert_gone("rows", stage.dump().await.as_bytes(), 7);
        stage.finish().await;
    }

    async fn a_message_that_waits_names_nobody_who_was_erased(engine) {
        let stage = Stage::set(engine).await;
        testkit::rename_player(&stage.discord, &stage.steam, 7, NAME);
        stage.discord.hub().add_fault(Fault::new(POST, FaultKind::Error500));
        link(&stage, 7).await;
        link(&stage, 8).await;
        stage.test.drain_jobs().await;
        assert_eq!(stage.count(&format!("log_batches WHERE body LIKE '%{NAME}%'")).await, 1);
        let mut browser = visitor(&stage, 7).await;
        erase_everywhere(&mut browser).await;
        assert_gone("rows", stage.dump().await.as_bytes(), 7);
        stage.discord.hub().remove_faults();
        stage.test.clock.advance_ms(10 * 60_000);
        stage.test.drain_jobs().await;
        let told = serde_json::to_string(&crate::bots::log::told(&stage, &stage.tenant)).unwrap();
        assert_gone("messages", told.as_bytes(), 7);
        assert!(told.contains(discord(8).as_str()), "{told}");
        stage.finish().await;
    }

    async fn rows_of_an_import_about_an_erased_person_are_refused_from_then_on(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 7).await;
        let mut browser = visitor(&stage, 7).await;
        erase_everywhere(&mut browser).await;
        let row = |number: u64| serde_json::json!({ "discord_id": discord(number), "steam_id": steam(number), "booster": false });
        let slice = serde_json::json!({
            "guild": stage.tenant.guild, "server": null, "write": true, "planned": 0,
            "rows": [row(7), row(8)],
        });
        let slice = serde_json::from_value(slice).unwrap();
        let report = app::import::run(&stage.test.app, stage.tenant.scope, slice).await.unwrap();
        assert_eq!(report.rows[1], app::import::RowOutcome::Added);
        assert!(matches!(&report.rows[0], app::import::RowOutcome::Refused(why) if why.contains("erased")), "{report:?}");
        stage.finish().await;
    }

    async fn a_sighting_that_was_not_written_yet_brings_nobody_back(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 7).await;
        stage.test.plugin(&stage.tenant.key).get(&format!("/api?action=findBySteam&id={}", steam(7))).await;
        let mut browser = visitor(&stage, 7).await;
        erase_everywhere(&mut browser).await;
        app::background::flush_seen(&stage.test.app).await.unwrap();
        stage.test.settle().await;
        assert_gone("rows", stage.dump().await.as_bytes(), 7);
        stage.finish().await;
    }
}
