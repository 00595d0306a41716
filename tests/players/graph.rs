//! The accounts that hang together with somebody's.

use domain::plan::Tier;
use http::Method;
use serde_json::Value;
use testkit::{Client, Tenant, TestApp, both_databases, discord, steam};

use super::crowd::{Who, call, link, owner, user, who};

async fn graph(client: &Client, tenant: &Tenant, number: u64) -> Value {
    call(
        client,
        Method::GET,
        &format!("{}/graph", user(tenant, number)),
        "",
        200,
    )
    .await
    .json()
}

both_databases! {
    async fn accounts_hang_together_over_active_and_ended_links_of_one_org(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        // 1 and 2 shared a Steam account, 2 and 3 another; 4 is apart, and another Org joins 4 with 1.
        for (number, steam) in [(1, 1), (2, 1), (2, 2), (3, 2), (4, 4)] {
            link(&test, &tenant, &tenant.guild, &Who { steam, ..who(number, "Somebody") }).await;
        }
        for number in [1, 4] {
            link(&test, &other, &other.guild, &Who { steam: 9, ..who(number, "Elsewhere") }).await;
        }
        let owner = owner(&test, &tenant).await;
        for number in 1..=3 {
            let found = graph(&owner, &tenant, number).await;
            let accounts = found["accounts"].as_array().expect("accounts");
            assert_eq!((accounts.len(), &found["cut"]), (5, &false.into()));
            assert_eq!(accounts[0]["id"], discord(number).as_str(), "whoever was asked for comes first");
            assert_eq!(found["links"].as_array().expect("links").len(), 4);
            assert!(!found.to_string().contains(steam(9).as_str()), "another Org's link");
        }
        let apart = graph(&owner, &tenant, 4).await;
        assert_eq!(apart["accounts"].as_array().expect("accounts").len(), 2);
        let found = graph(&owner, &tenant, 1).await;
        let ended = found["links"].as_array().expect("links").iter().filter(|link| link["ended_at_ms"].is_i64()).count();
        assert_eq!(ended, 3, "each relink ended one");
        test.finish().await;
    }

    async fn a_graph_without_end_is_cut_and_says_so(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        link(&test, &tenant, &tenant.guild, &who(1, "Ash")).await;
        // A crowd that passed one Steam account around.
        let crowd: String = (2..=700)
            .map(|number| {
                format!(
                    "INSERT INTO links (id, org_num, guild_num, discord_id, steam_id, linked_at, verified_at, ended_at, end_cause)
                     SELECT 'lnk_{number:026}', org_num, guild_num, '{}', steam_id, 1, 1, 2, 'admin' FROM links WHERE discord_id = '{}';",
                    discord(number), discord(1)
                )
            })
            .collect();
        for some in crowd.split_inclusive(';') {
            test.db.damage(some).await;
        }
        test.db.damage("UPDATE orgs SET people_swept_at = 0").await;
        test.db.damage(storage::testing::COUNT_LINKS_ANEW).await;
        app::background::keep_house(&test.app).await.expect("housekeeping");
        test.drain_jobs().await;
        let owner = owner(&test, &tenant).await;
        let found = graph(&owner, &tenant, 1).await;
        assert_eq!((found["accounts"].as_array().expect("accounts").len(), &found["cut"]), (400, &true.into()));
        assert_eq!(test.db.count("people WHERE accounts = 50").await, 700, "nobody counts further");
        test.finish().await;
    }
}
