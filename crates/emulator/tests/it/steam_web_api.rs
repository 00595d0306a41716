//! Profiles and groups.

use emulator::steam::{Account, Group};
use serde_json::json;

use crate::support::{ada, get, steam};

#[tokio::test]
async fn summaries_tell_of_known_accounts_and_leave_out_others() {
    let test = steam().await;
    let url = format!(
        "{}/ISteamUser/GetPlayerSummaries/v2/?key=K&steamids={},76561197960399999,junk",
        test.steam.api_url(),
        ada()
    );
    let players = get(&url).await.json()["response"]["players"].clone();
    assert_eq!(players.as_array().unwrap().len(), 1);
    assert_eq!(players[0]["steamid"], ada().as_str());
    assert_eq!(players[0]["personaname"], "Ada");
    assert_eq!(players[0]["communityvisibilitystate"], 3);
    assert_eq!(test.steam.hub().count("GET /ISteamUser/GetPlayerSummaries/v2"), 1);
}

#[tokio::test]
async fn groups_change_from_one_call_to_the_next() {
    let test = steam().await;
    let url = format!(
        "{}/ISteamUser/GetUserGroupList/v1?key=K&steamid={}",
        test.steam.api_url(),
        ada()
    );
    assert_eq!(
        get(&url).await.json(),
        json!({"response": {"success": true, "groups": []}})
    );
    test.steam.set_membership(&ada(), 4, true);
    test.steam.set_membership(&ada(), 4, true);
    assert_eq!(
        get(&url).await.json(),
        json!({"response": {"success": true, "groups": [{"gid": "4"}]}})
    );
    test.steam.set_membership(&ada(), 4, false);
    assert_eq!(get(&url).await.json()["response"]["groups"], json!([]));
}

#[tokio::test]
async fn a_private_account_does_not_show_its_groups() {
    let test = steam().await;
    let mut account = Account::named("Ada");
    account.private = true;
    account.groups = vec!["4".to_owned()];
    test.steam.set_account(&ada(), account);
    let base = test.steam.api_url();
    let reply = get(&format!(
        "{base}/ISteamUser/GetUserGroupList/v1?key=K&steamid={}",
        ada()
    ))
    .await;
    assert_eq!(reply.status, 403);
    assert_eq!(
        reply.json(),
        json!({"response": {"success": false, "error": "Private profile"}})
    );
    let reply = get(&format!(
        "{base}/ISteamUser/GetPlayerSummaries/v2?key=K&steamids={}",
        ada()
    ))
    .await;
    assert_eq!(
        reply.json()["response"]["players"][0]["communityvisibilitystate"],
        1
    );
}

#[tokio::test]
async fn a_missing_or_wrong_key_is_refused_with_a_page() {
    let test = steam().await;
    test.steam
        .change(|state| state.api_keys.insert("RIGHT".to_owned()));
    for method in [
        "GetPlayerSummaries/v2?steamids=1",
        "GetUserGroupList/v1?steamid=1",
        "ResolveVanityURL/v1?vanityurl=a",
    ] {
        let url = format!("{}/ISteamUser/{method}", test.steam.api_url());
        assert_eq!(get(&url).await.status, 400, "{method}");
        let reply = get(&format!("{url}&key=WRONG")).await;
        assert_eq!(reply.status, 403, "{method}");
        assert!(reply.text().starts_with("<html>"));
        assert_ne!(get(&format!("{url}&key=RIGHT")).await.status, 403, "{method}");
    }
}

#[tokio::test]
async fn chosen_names_lead_to_ids() {
    let test = steam().await;
    test.steam.change(|state| {
        state.accounts.get_mut(&ada()).unwrap().vanity = Some("countess".to_owned());
        let (name, vanity) = ("Ashfall".to_owned(), "ashfall".to_owned());
        state.groups.insert("4".to_owned(), Group { name, vanity });
    });
    let url = format!(
        "{}/ISteamUser/ResolveVanityURL/v1?key=K&vanityurl",
        test.steam.api_url()
    );
    let response = |id: &str| json!({"response": {"steamid": id, "success": 1}});
    assert_eq!(
        get(&format!("{url}=Countess")).await.json(),
        response(ada().as_str())
    );
    assert_eq!(
        get(&format!("{url}=ashfall&url_type=2")).await.json(),
        response("103582791429521412")
    );
    assert_eq!(
        get(&format!("{url}=ashfall")).await.json()["response"]["success"],
        42
    );
}

#[tokio::test]
async fn the_member_list_of_a_group_is_public_and_paged() {
    let test = steam().await;
    test.steam.change(|state| {
        for number in 0..1_001_u64 {
            let id = (76_561_197_960_300_001 + number).to_string();
            let mut account = Account::named("Somebody");
            account.private = true;
            account.groups = vec!["4".to_owned()];
            state
                .accounts
                .insert(domain::platform_id::SteamId::parse(&id).unwrap(), account);
        }
        let (name, vanity) = ("Ash & Fall".to_owned(), "ashfall".to_owned());
        state.groups.insert("4".to_owned(), Group { name, vanity });
    });
    let base = test.steam.community_url();
    let first = get(&format!("{base}/groups/AshFall/memberslistxml/?xml=1")).await;
    assert_eq!(first.header("content-type"), Some("text/xml; charset=utf-8"));
    let text = first.text();
    assert!(
        text.contains("<groupID64>103582791429521412</groupID64>"),
        "{text}"
    );
    assert!(text.contains("<groupName>Ash &amp; Fall</groupName>"));
    assert!(
        text.contains(
            "<memberCount>1001</memberCount><totalPages>2</totalPages><currentPage>1</currentPage>"
        )
    );
    assert_eq!(text.matches("<steamID64>").count(), 1_000);
    let last = get(&format!("{base}/gid/103582791429521412/memberslistxml?xml=1&p=2")).await;
    assert_eq!(last.text().matches("<steamID64>").count(), 1);
    assert!(last.text().contains("<startingMember>1000</startingMember>"));
    assert_eq!(
        get(&format!("{base}/gid/5/memberslistxml?xml=1")).await.status,
        404
    );
    assert_eq!(
        get(&format!("{base}/groups/nobody/memberslistxml?xml=1"))
            .await
            .status,
        404
    );
}
