//! Erasing oneself is no way around a block, nor around the penalty for many accounts.

use app::master_keys;
use app::{App, Parts};
use domain::platform_id::EitherId;
use testkit::{both_databases, discord, steam};

use super::{block, erase_everywhere, link, visitor};
use crate::linking::stage::Stage;
use app::privacy::Sides;
use app::privacy::erase::{Extent, erase};
use domain::audit::Actor;

fn both(number: u64) -> Sides {
    Sides {
        discord: Some(discord(number)),
        steam: Some(steam(number)),
    }
}

async fn accounts_of(stage: &Stage, number: u64) -> i64 {
    let counted = format!("people WHERE discord_id = '{}' AND accounts = ", discord(number));
    for accounts in 0..20 {
        if stage.count(&format!("{counted}{accounts}")).await == 1 {
            return accounts;
        }
    }
    panic!("nobody")
}

/// As after a restart.
async fn again(stage: &Stage) -> App {
    let parts: Parts = stage.test.parts();
    App::start(parts).await.expect("it starts")
}

both_databases! {
    async fn a_block_outlives_the_erasure_of_whoever_is_blocked_and_the_master_key(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 1).await;
        block(&stage, &discord(1)).await;
        erase(&stage.test.app, both(1), Extent::Everywhere, Actor::Operator).await.unwrap();
        assert!(!stage.dump().await.contains(discord(1).as_str()));
        assert_eq!(stage.count("blocklist").await, 1);
        let refused = async |why: &str| {
            let mut browser = stage.browser();
            let back = browser.answer_of_discord("link", &discord(1)).await;
            let reply = browser.get(&back).await;
            assert_eq!(reply.status, 403, "{why}: {}", reply.text());
            let mut dashboard = stage.browser();
            let out = dashboard.get("/auth/discord/login?return_to=/app/").await;
            let out = out.header("location").unwrap().to_owned();
            let back = crate::linking::stage::own_path(&crate::linking::stage::visit(&format!("{out}&as={}", discord(1))).await);
            assert_eq!(dashboard.get(&back).await.status, 403, "{why}");
        };
        refused("after the erasure").await;
        let old = stage.test.app.vault.active_kid();
        master_keys::rotate(&stage.test.app).await.unwrap();
        master_keys::remove(&stage.test.app, &old).await.unwrap();
        refused("after a rotation").await;
        // What another process reads from the database and the new keys is the same key.
        let again = again(&stage).await;
        let id = EitherId::Discord(discord(1));
        assert_eq!(again.erase_key.tombstone(&id), stage.test.app.erase_key.tombstone(&id));
        // Lifted by whoever names the account, as before.
        app::identity::blocklist::unblock(&again, domain::blocklist::BlockEntry::discord(&discord(1)), Actor::Operator).await.unwrap();
        assert_eq!(stage.count("blocklist").await, 0);
        stage.finish().await;
    }

    async fn of_two_blocks_the_longer_one_outlives_an_erasure(engine) {
        let stage = Stage::set(engine).await;
        let (app, entry) = (&stage.test.app, domain::blocklist::BlockEntry::discord(&discord(1)));
        for days in [Some(7), None, Some(7)] {
            let request = app::identity::blocklist::BlockRequest { entry: entry.clone(), discord_id: None, reason: "cheats".to_owned(), days };
            app::identity::blocklist::block(app, request, Actor::Operator).await.unwrap();
            erase(app, both(1), Extent::Everywhere, Actor::Operator).await.unwrap();
            let for_good = stage.count("blocklist WHERE expires_at IS NULL").await;
            assert_eq!((stage.count("blocklist").await, for_good), (1, i64::from(days.is_none() || for_good == 1)));
        }
        assert_eq!(stage.count("blocklist WHERE expires_at IS NULL").await, 1);
        stage.finish().await;
    }

    async fn the_accounts_of_before_still_count_when_somebody_links_again(engine) {
        let stage = Stage::set(engine).await;
        let (app, tenant) = (&stage.test.app, &stage.tenant);
        // One Discord account, three Steam accounts.
        for number in [11, 12, 1] {
            tenant.link_pair(app, 1, number).await.unwrap();
        }
        assert_eq!(accounts_of(&stage, 1).await, 4);
        erase(app, both(1), Extent::Everywhere, Actor::Player).await.unwrap();
        let old = app.vault.active_kid();
        master_keys::rotate(app).await.unwrap();
        master_keys::remove(app, &old).await.unwrap();
        link(&stage, 1).await;
        assert_eq!(accounts_of(&stage, 1).await, 4, "the same four accounts");
        // A round over the whole Org finds the same.
        stage.test.db.damage("UPDATE orgs SET people_swept_at = 0").await;
        stage.test.settle().await;
        stage.test.drain_jobs().await;
        assert_eq!(accounts_of(&stage, 1).await, 4);
        // Somebody else who used one of those accounts hangs together with them, too.
        tenant.link_pair(app, 2, 11).await.unwrap();
        assert_eq!((accounts_of(&stage, 1).await, accounts_of(&stage, 2).await), (5, 5));
        let owner = stage.test.session(&tenant.owner).await;
        let graph = stage.test.person(&owner).get(&format!("/orgs/{}/users/{}/graph", tenant.org, discord(1))).await;
        assert_eq!(graph.json()["accounts"].as_array().unwrap().len(), 5, "{}", graph.text());
        assert!(!graph.text().contains("x:"), "{}", graph.text());
        assert!(storage::doctor::examine(&stage.test.db.db).await.unwrap().is_empty());
        stage.finish().await;
    }

    async fn whoever_links_the_same_two_accounts_again_is_no_more_than_two(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 1).await;
        for _ in 0..2 {
            let mut browser = visitor(&stage, 1).await;
            erase_everywhere(&mut browser).await;
            link(&stage, 1).await;
            assert_eq!(accounts_of(&stage, 1).await, 2);
        }
        assert_eq!(stage.count("tombstones WHERE alias IS NOT NULL").await, 2);
        stage.finish().await;
    }

    async fn the_wait_before_another_account_holds_after_an_erasure(engine) {
        let stage = Stage::set(engine).await;
        stage.test.db.damage("UPDATE guilds SET relink_cooldown_ms = 86400000").await;
        link(&stage, 1).await;
        let mut browser = visitor(&stage, 1).await;
        erase_everywhere(&mut browser).await;
        let mut other = stage.browser();
        other.sign_in_discord("link", &discord(1)).await;
        other.sign_in_steam("link", &steam(2)).await;
        let refused = other.press("/link/guild-1/verify").await;
        assert_eq!(refused.status, 409, "{}", refused.text());
        // The same two may come back at once.
        link(&stage, 1).await;
        stage.finish().await;
    }
}
