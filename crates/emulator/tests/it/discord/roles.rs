//! Making, changing and ordering roles.

use serde_json::{Value, json};

use super::world::{BOTS_OWN, BRUNO, GUILD, HIGH, LOW, discord, refusal};

fn path(rest: &str) -> String {
    format!("/guilds/{GUILD}/roles{rest}")
}

#[tokio::test]
async fn a_new_role_stands_just_above_everybody() {
    let test = discord().await;
    let reply = test
        .bot(
            "POST",
            &path(""),
            &json!({"name": "VIP", "color": 255, "permissions": "0"}),
        )
        .await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["position"], 1);
    let guild = test.guild();
    assert_eq!(
        [LOW, BOTS_OWN, HIGH].map(|role| guild.roles[&role].position),
        [2, 3, 4]
    );
    assert_eq!(
        test.bot("GET", &path(""), &Value::Null)
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        5
    );
}

#[tokio::test]
async fn a_bot_cannot_hand_out_what_it_does_not_have() {
    let test = discord().await;
    let reply = test
        .bot("POST", &path(""), &json!({"name": "Boss", "permissions": "8"}))
        .await;
    assert_eq!(refusal(&reply), (403, 50_013));
    let reply = test
        .bot("PATCH", &path(&format!("/{LOW}")), &json!({"permissions": "8"}))
        .await;
    assert_eq!(refusal(&reply), (403, 50_013));
}

#[tokio::test]
async fn only_lower_roles_are_changed_moved_or_deleted() {
    let test = discord().await;
    let (low, high) = (path(&format!("/{LOW}")), path(&format!("/{HIGH}")));
    assert_eq!(
        test.bot("PATCH", &low, &json!({"name": "Verified"})).await.json()["name"],
        "Verified"
    );
    assert_eq!(
        refusal(&test.bot("PATCH", &high, &json!({"name": "X"})).await),
        (403, 50_013)
    );
    let move_up = json!([{"id": LOW, "position": 3}]);
    assert_eq!(
        refusal(&test.bot("PATCH", &path(""), &move_up).await),
        (403, 50_013)
    );
    assert_eq!(
        refusal(&test.bot("DELETE", &high, &Value::Null).await),
        (403, 50_013)
    );
    test.bot(
        "PUT",
        &format!("/guilds/{GUILD}/members/{BRUNO}/roles/{LOW}"),
        &Value::Null,
    )
    .await;
    assert_eq!(test.bot("DELETE", &low, &Value::Null).await.status, 204);
    assert_eq!(test.roles_of(BRUNO), []);
    assert_eq!(refusal(&test.bot("GET", &low, &Value::Null).await), (404, 10_011));
}

#[tokio::test]
async fn roles_below_the_bot_change_places() {
    let test = discord().await;
    let made = test
        .bot("POST", &path(""), &json!({"name": "VIP", "permissions": "0"}))
        .await
        .json();
    let order = json!([{"id": made["id"], "position": 2}, {"id": LOW, "position": 1}]);
    assert_eq!(test.bot("PATCH", &path(""), &order).await.status, 200);
    let read = test
        .bot(
            "GET",
            &path(&format!("/{}", made["id"].as_str().unwrap())),
            &Value::Null,
        )
        .await;
    assert_eq!(read.json()["position"], 2);
    assert_eq!(test.guild().roles[&LOW].position, 1);
}
