//! Looking inside an emulator and changing what it knows.

use serde_json::json;

use crate::support::{ada, get, send, send_json, steam};

#[tokio::test]
async fn calls_are_counted_by_route_until_they_are_forgotten() {
    let test = steam().await;
    let control = test.steam.control_url();
    for id in ["1", "2"] {
        get(&format!("{}/openid/id/{id}", test.steam.community_url())).await;
    }
    get(&format!("{}/nowhere", test.steam.community_url())).await;
    let counts = json!({"GET /openid/id/{id}": 2, "GET (unknown)": 1});
    assert_eq!(get(&format!("{control}/calls")).await.json(), counts);
    assert_eq!(
        send("DELETE", &format!("{control}/calls"), &[], "")
            .await
            .unwrap()
            .status,
        204
    );
    assert_eq!(get(&format!("{control}/calls")).await.json(), json!({}));
}

#[tokio::test]
async fn requests_are_remembered_with_their_answers() {
    let test = steam().await;
    let url = format!("{}?x=1", test.steam.openid_url());
    send(
        "POST",
        &url,
        &[("authorization", "Bot abc")],
        "openid.mode=associate",
    )
    .await
    .unwrap();
    let requests = get(&format!("{}/requests", test.steam.control_url()))
        .await
        .json();
    let expected = json!([{
        "at_ms": 1_767_225_600_000_i64,
        "route": "POST /openid/login",
        "path": "/openid/login",
        "query": "x=1",
        "authorization": "Bot abc",
        "body": "openid.mode=associate",
        "status": 400,
    }]);
    assert_eq!(requests, expected);
}

#[tokio::test]
async fn state_is_changed_by_merge_patch() {
    let test = steam().await;
    let url = format!("{}/state", test.steam.control_url());
    let patch =
        json!({"accounts": {ada().as_str(): {"groups": ["7"]}, "76561197960300002": {"name": "Bruno"}}});
    let reply = send_json("PATCH", &url, &patch).await;
    assert_eq!(reply.status, 200);
    let state = test.steam.state();
    assert_eq!(state.accounts[&ada()].name, "Ada");
    assert_eq!(state.accounts[&ada()].groups, ["7"]);
    assert_eq!(state.accounts.len(), 2);
    assert_eq!(get(&url).await.json(), reply.json());
    send_json("PATCH", &url, &json!({"accounts": {"76561197960300002": null}})).await;
    assert_eq!(test.steam.state().accounts.len(), 1);
}

#[tokio::test]
async fn a_patch_that_makes_no_sense_changes_nothing() {
    let test = steam().await;
    let url = format!("{}/state", test.steam.control_url());
    let before = get(&url).await.json();
    for wrong in [
        json!({"accounts": {"1": {"name": "Nobody"}}}),
        json!({"accounts": {ada().as_str(): {"groups": ["4294967296"]}}}),
        json!({"accounts": {ada().as_str(): {"grups": []}}}),
        json!({"acounts": {}}),
        json!([]),
    ] {
        let reply = send_json("PATCH", &url, &wrong).await;
        assert_eq!(reply.status, 400, "{wrong}");
        assert_eq!(reply.json()["code"], "INVALID_REQUEST");
    }
    assert_eq!(send("PATCH", &url, &[], "{}").await.unwrap().status, 400);
    assert_eq!(get(&url).await.json(), before);
}

#[tokio::test]
async fn control_answers_only_to_the_name_of_this_machine() {
    let test = steam().await;
    let url = format!("{}/state", test.steam.control_url());
    let reply = send("GET", &url, &[("host", "evil.example")], "").await.unwrap();
    assert_eq!(reply.status, 403);
    assert_eq!(reply.json()["code"], "NOT_LOOPBACK");
    assert_eq!(
        send("GET", &url, &[("host", "localhost:1")], "")
            .await
            .unwrap()
            .status,
        200
    );
}
