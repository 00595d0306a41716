//! Looking for Orgs and accounts.

use domain::plan::Tier;
use serde_json::{Value, json};
use testkit::{TestApp, both_databases};

use super::operator;

fn ids(list: &Value) -> Vec<String> {
    let list = list.as_array().expect("a list");
    list.iter()
        .map(|one| one["id"].as_str().expect("an id").to_owned())
        .collect()
}

both_databases! {
    async fn an_org_is_found_by_whatever_is_known_of_it(engine) {
        let test = TestApp::start(engine).await;
        let (one, other) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Pro).await);
        let (_, me) = operator(&test, 21).await;
        let find = async |q: &str| ids(&me.get(&format!("/admin/orgs?q={q}")).await.json()["orgs"]);
        for q in [
            one.org.to_string(),
            one.guild.to_string(),
            one.discord_guild.to_string(),
            one.owner.discord_id.to_string(),
            "oRG%201".to_owned(),
        ] {
            assert_eq!(find(&q).await, [one.org.to_string()], "{q}");
        }
        assert_eq!(find("nothing").await, Vec::<String>::new());
        let first = me.get("/admin/orgs?limit=1").await.json();
        let after = first["next_after"].as_str().unwrap();
        let second = me.get(&format!("/admin/orgs?limit=1&after={after}")).await.json();
        assert_eq!((ids(&first["orgs"]), ids(&second["orgs"])), (vec![one.org.to_string()], vec![other.org.to_string()]));
        let shown = me.get(&format!("/admin/orgs/{}", one.org)).await.json();
        assert_eq!((&shown["owner"]["account_id"], &shown["members"], &shown["visit"]), (&json!(one.owner.id.as_str()), &json!(0), &json!(null)));
        assert_eq!(shown["guild_list"][0]["discord_guild_id"], json!(one.discord_guild.as_str()));
        assert_eq!(me.get("/admin/orgs/org_01ARZ3NDEKTSV4RRFFQ69G5FAV").await.status, 404);
        test.finish().await;
    }

    async fn an_account_is_found_by_its_ids_and_the_beginning_of_its_name(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (account, me) = operator(&test, 21).await;
        let find = async |q: &str| ids(&me.get(&format!("/admin/accounts?q={q}")).await.json()["accounts"]);
        for q in [account.id.to_string(), account.discord_id.to_string(), "person%2021".to_owned()] {
            assert_eq!(find(&q).await, [account.id.to_string()], "{q}");
        }
        let shown = me.get(&format!("/admin/accounts/{}", tenant.owner.id)).await.json();
        assert_eq!((&shown["orgs"][0]["id"], &shown["blocked"]), (&json!(tenant.org.as_str()), &json!(false)));
        assert_eq!(me.get(&format!("/admin/accounts/{}", account.id)).await.json()["operator"], true);
        test.finish().await;
    }
}
