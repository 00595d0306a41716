//! Roles that follow from links, waiting for the bot.

use app::tenancy::guild_changes::{self, GuildChange};
use domain::audit::Actor;
use storage::linking::role_changes;
use testkit::{both_databases, discord, steam};

use super::stage::Stage;

/// Role 71 is for everybody who is linked; boosters get 72, and 71 too in a list where it is named again.
async fn with_roles(stage: &Stage) {
    let change = GuildChange {
        verified_roles: Some(vec![discord(71)]),
        booster_roles: Some(vec![discord(72), discord(71)]),
        ..GuildChange::default()
    };
    let (app, tenant) = (&stage.test.app, &stage.tenant);
    guild_changes::change(app, tenant.scope, tenant.guild.clone(), change, Actor::System)
        .await
        .unwrap();
}

/// What waits for a player: role and whether it is given or taken.
async fn waiting(stage: &Stage, player: u64) -> Vec<(String, String)> {
    let page = storage::linking::link_pages::find(&stage.test.app.db, "guild-1")
        .await
        .unwrap()
        .unwrap();
    let all = role_changes::list(&stage.test.app.db, page.guild, 100)
        .await
        .unwrap();
    let mut own: Vec<_> = all
        .into_iter()
        .filter(|change| change.discord_id == discord(player))
        .map(|change| (change.role_id, change.mode))
        .collect();
    own.sort();
    own
}

fn of(changes: &[(u64, &str)]) -> Vec<(String, String)> {
    let change = |(role, mode): &(u64, &str)| (discord(*role).to_string(), (*mode).to_owned());
    changes.iter().map(change).collect()
}

async fn link(stage: &Stage, discord_side: u64, steam_side: u64) {
    let mut browser = stage.browser();
    browser.sign_in_discord("link", &discord(discord_side)).await;
    browser.sign_in_steam("link", &steam(steam_side)).await;
    assert_eq!(browser.press("/link/guild-1/verify").await.status, 303);
}

both_databases! {
    async fn a_link_gives_roles_a_relink_moves_them_and_an_unlink_takes_them(engine) {
        let stage = Stage::set(engine).await;
        with_roles(&stage).await;
        link(&stage, 1, 1).await;
        assert_eq!(waiting(&stage, 1).await, of(&[(71, "add")]));
        // The same person with another account keeps the role.
        link(&stage, 1, 2).await;
        assert_eq!(waiting(&stage, 1).await, of(&[(71, "add"), (72, "remove")]));
        // Somebody else with that account takes the place.
        link(&stage, 2, 2).await;
        assert_eq!(waiting(&stage, 1).await, of(&[(71, "remove"), (72, "remove")]));
        assert_eq!(waiting(&stage, 2).await, of(&[(71, "add")]));
        let removed = stage.test.plugin(&stage.tenant.key).get(&format!("/api?action=remove&id={}", steam(2))).await;
        assert_eq!(removed.status, 200);
        assert_eq!(waiting(&stage, 2).await, of(&[(71, "remove"), (72, "remove")]));
        stage.finish().await;
    }

    async fn a_booster_gets_the_boosters_roles_too(engine) {
        let stage = Stage::set(engine).await;
        with_roles(&stage).await;
        let key = stage.test.bot_key(&stage.tenant).await;
        let marked = stage.test.plugin(&key).get(&format!("/api?action=updateNitro&id={}&status=1", discord(3))).await;
        assert_eq!(marked.status, 200);
        link(&stage, 3, 3).await;
        assert_eq!(waiting(&stage, 3).await, of(&[(71, "add"), (72, "add")]));
        link(&stage, 4, 4).await;
        assert_eq!(waiting(&stage, 4).await, of(&[(71, "add")]));
        stage.finish().await;
    }

    async fn without_roles_or_without_a_link_nothing_waits(engine) {
        let stage = Stage::set(engine).await;
        link(&stage, 1, 1).await;
        assert_eq!(stage.count("role_changes").await, 0);
        with_roles(&stage).await;
        let links = stage.count("links").await;
        // The link cannot be written, so its roles are not either.
        stage.test.db.damage("ALTER TABLE audit RENAME TO lost").await;
        let mut browser = stage.signed_in(2).await;
        assert_eq!(browser.press("/link/guild-1/verify").await.status, 500);
        stage.test.db.damage("ALTER TABLE lost RENAME TO audit").await;
        assert_eq!((stage.count("links").await, stage.count("role_changes").await), (links, 0));
        stage.finish().await;
    }
}
