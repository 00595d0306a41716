//! `findBySteam`.

use app::linking::links;
use domain::audit::Actor;
use domain::link::UnlinkCause;
use domain::plan::Tier;
use domain::platform_id::EitherId;
use testkit::{TestApp, both_databases, discord, steam};

use super::support::{assert_answer, assert_failure};

const MISS: &str = r#""No users found.""#;

both_databases! {
    async fn find_by_steam_answers_the_linked_discord_id_as_a_string(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link_pair(&test.app, 5, 9).await.expect("a link");
        let caller = test.plugin(&tenant.key);
        let asked = format!("/api?action=findBySteam&id={}", steam(9));
        assert_answer(&caller.get(&asked).await, 200, &format!("\"{}\"", discord(5)));
        assert_answer(&caller.post(&asked, "ignored").await, 200, &format!("\"{}\"", discord(5)));
        test.finish().await;
    }

    async fn find_by_steam_of_an_unlinked_id_is_a_miss_and_no_failure(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let reply = test.plugin(&tenant.key).get(&format!("/api?action=findBySteam&id={}", steam(2))).await;
        assert_answer(&reply, 404, MISS);
        assert_eq!(reply.header("x-ratelimit-remaining"), Some("479"));
        test.finish().await;
    }

    async fn find_by_steam_sees_no_link_of_another_guild(engine) {
        let test = TestApp::start(engine).await;
        let (one, other) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        other.link_pair(&test.app, 7, 1).await.expect("a link");
        let asked = format!("/api?action=findBySteam&id={}", steam(1));
        assert_answer(&test.plugin(&one.key).get(&asked).await, 404, MISS);
        one.link_pair(&test.app, 3, 1).await.expect("a link");
        assert_answer(&test.plugin(&one.key).get(&asked).await, 200, &format!("\"{}\"", discord(3)));
        assert_answer(&test.plugin(&other.key).get(&asked).await, 200, &format!("\"{}\"", discord(7)));
        test.finish().await;
    }

    async fn find_by_steam_does_not_see_ended_links(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let either = EitherId::Steam(steam(1));
        links::unlink(&test.app, tenant.scope, tenant.guild.clone(), either, UnlinkCause::User, Actor::System)
            .await
            .expect("an ended link");
        let caller = test.plugin(&tenant.key);
        let asked = format!("/api?action=findBySteam&id={}", steam(1));
        assert_answer(&caller.get(&asked).await, 404, MISS);
        tenant.link_pair(&test.app, 2, 1).await.expect("a new link");
        assert_answer(&caller.get(&asked).await, 200, &format!("\"{}\"", discord(2)));
        test.finish().await;
    }

    async fn find_by_steam_trims_its_id_and_takes_the_last_one(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let caller = test.plugin(&tenant.key);
        let (linked, unlinked) = (steam(1), steam(2));
        for id in [format!("%20{linked}%20"), format!("+{linked}"), format!("%09{linked}%0D%0A")] {
            let reply = caller.get(&format!("/api?action=findBySteam&id={id}")).await;
            assert_answer(&reply, 200, &format!("\"{}\"", discord(1)));
        }
        let reply = caller.get(&format!("/api?id={unlinked}&action=findBySteam&id={linked}")).await;
        assert_answer(&reply, 200, &format!("\"{}\"", discord(1)));
        let reply = caller.get(&format!("/api?id={linked}&action=findBySteam&id={unlinked}")).await;
        assert_answer(&reply, 404, MISS);
        let reply = caller.get(&format!("/api?id={linked}&action=findBySteam&id=")).await;
        assert_failure(&reply, 400, "INVALID_PARAMETER");
        test.finish().await;
    }

    async fn find_by_steam_refuses_whatever_is_no_steam_id(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let caller = test.plugin(&tenant.key);
        let wrong = [
            String::new(),
            format!("&id={}", discord(1)),
            "&id=".to_owned(),
            "&id=%20".to_owned(),
            "&id=76561197960265727".to_owned(),
            "&id=76561202255233024".to_owned(),
            format!("&id=0{}", steam(1)),
            format!("&id=%2B{}", steam(1)),
            format!("&id={}.0", steam(1)),
            format!("&id={},{}", steam(1), steam(2)),
            "&id=STEAM_0:1:1".to_owned(),
            "&id=99999999999999999999999999".to_owned(),
            format!("&ID={}", steam(1)),
        ];
        for query in wrong {
            let reply = caller.get(&format!("/api?action=findBySteam{query}")).await;
            assert_failure(&reply, 400, "INVALID_PARAMETER");
            assert_eq!(reply.json()["parameter"], "id", "{query}");
        }
        test.finish().await;
    }
}
