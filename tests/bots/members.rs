//! What a bot hears of members: those of its Guilds whom we know are marked to be looked at.

use domain::plan::Tier;
use serde_json::{Value, json};
use testkit::{Client, Tenant, TestApp, both_databases, discord};

use crate::secrecy::rows::texts;

async fn tell(bot: &Client, tenant: &Tenant, members: Value) -> u16 {
    let told = json!({ "discord_guild_id": tenant.discord_guild.as_str(), "members": members });
    bot.post("/bot/members", &told.to_string()).await.status.as_u16()
}

/// Whom it is about is known because we have looked at them before.
async fn know(test: &TestApp, number: u64) {
    let known = format!(
        "INSERT INTO role_members (guild_num, org_num, discord_id) SELECT num, org_num, '{}' FROM guilds",
        discord(number).as_str()
    );
    test.db.damage(&known).await;
}

async fn marks(test: &TestApp) -> Vec<String> {
    let sql = "SELECT g.id || ' ' || m.discord_id || ' ' || m.cause FROM role_marks m
               JOIN guilds g ON g.num = m.guild_num ORDER BY m.guild_num, m.discord_id";
    texts(&test.db.db, sql).await
}

async fn jobs(test: &TestApp) -> Vec<String> {
    texts(
        &test.db.db,
        "SELECT lane FROM jobs WHERE lane LIKE 'roles:%' ORDER BY lane",
    )
    .await
}

both_databases! {
    async fn members_of_its_guilds_are_marked(engine) {
        let test = TestApp::start(engine).await;
        let (one, two) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let bot = test.platform_bot().await;
        for number in [51, 52, 53] {
            know(&test, number).await;
        }
        let heard = json!([
            { "id": discord(51).as_str(), "change": "joined" },
            { "id": discord(52).as_str(), "change": "changed" },
            { "id": discord(53).as_str(), "change": "left" },
            { "id": discord(54).as_str(), "change": "changed" },
        ]);
        assert_eq!(tell(&bot, &one, heard.clone()).await, 204);
        let expected = [(51, "joined"), (52, "changed"), (53, "left")]
            .map(|(number, cause)| format!("{} {} {cause}", one.guild, discord(number).as_str()));
        assert_eq!(marks(&test).await, expected, "nobody knows the fourth");
        assert_eq!(jobs(&test).await, [format!("roles:{}", one.guild)]);
        assert_eq!(tell(&bot, &one, heard).await, 204);
        assert_eq!(jobs(&test).await.len(), 1);
        assert_eq!(tell(&bot, &two, json!([])).await, 204);
        assert_eq!(marks(&test).await, expected);
        test.finish().await;
    }

    async fn members_of_guilds_that_the_bot_does_not_serve_are_not(engine) {
        let test = TestApp::start(engine).await;
        let (one, two) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        know(&test, 51).await;
        let shared = test.platform_bot().await;
        let own = test.dedicated_bot(&one, &discord(77)).await;
        let online = json!({ "instance": "00000000000000bb", "state": "online" });
        assert_eq!(own.post("/bot/session", &online.to_string()).await.status, 200);
        let heard = json!([{ "id": discord(51).as_str(), "change": "changed" }]);
        assert_eq!(tell(&shared, &one, heard.clone()).await, 204, "its own bot serves it");
        assert_eq!(tell(&own, &two, heard.clone()).await, 204);
        let nowhere = json!({ "discord_guild_id": "123456789012345678", "members": heard });
        assert_eq!(shared.post("/bot/members", &nowhere.to_string()).await.status, 204);
        assert!(marks(&test).await.is_empty() && jobs(&test).await.is_empty());
        assert_eq!(tell(&own, &one, heard).await, 204);
        assert_eq!(marks(&test).await.len(), 1);
        test.finish().await;
    }

    async fn what_is_no_list_of_members_is_refused(engine) {
        let test = TestApp::start(engine).await;
        let one = test.tenant(1, Tier::Free).await;
        let bot = test.platform_bot().await;
        let member = |number: u64| json!({ "id": discord(number).as_str(), "change": "changed" });
        assert_eq!(tell(&bot, &one, (0..200).map(|number| member(300 + number)).collect()).await, 204);
        assert_eq!(tell(&bot, &one, (0..201).map(|number| member(300 + number)).collect()).await, 400);
        for members in [
            json!([{ "id": "ada", "change": "changed" }]),
            json!([{ "id": discord(51).as_str(), "change": "promoted" }]),
            json!([{ "id": discord(51).as_str(), "change": "left", "roles": [] }]),
            json!([{ "id": discord(51).as_str() }]),
        ] {
            assert_eq!(tell(&bot, &one, members.clone()).await, 400, "{members}");
        }
        let more = json!({ "discord_guild_id": one.discord_guild.as_str(), "members": [], "more": 1 });
        assert_eq!(bot.post("/bot/members", &more.to_string()).await.status, 400);
        let nobody = test.client().header("content-type", "application/json");
        assert_eq!(tell(&nobody, &one, json!([])).await, 401);
        test.finish().await;
    }
}
