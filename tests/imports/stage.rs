//! Files of older systems, and a team that sends them.

use axum::body::Body;
use http::Method;
use serde_json::Value;
use testkit::{Client, Engine, Reply, Tenant, TestApp, discord, steam};

/// Somebody looks at a great many pages here.
pub async fn start(engine: Engine) -> TestApp {
    TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await
}

/// Five users of whom three are sound, and two ended links.
pub fn dump() -> String {
    let users = [
        format!(
            "(1,'{}','{}','Ada','A\\'da',1,'vip,admin','2024-01-02 03:04:05')",
            discord(1),
            steam(1)
        ),
        format!(
            "(2,{},{},'Bob 🦀','',0,NULL,'0000-00-00 00:00:00')",
            discord(2),
            steam(2)
        ),
        format!(
            "(3,'{}','{}',NULL,NULL,NULL,'[\"vip\"]',NULL)",
            discord(3),
            steam(3)
        ),
        format!("(4,'{}','123','Eve',NULL,0,NULL,NULL)", discord(4)),
        format!("(5,'{}','{}','Fay',NULL,0,NULL,NULL)", discord(5), steam(6)),
        format!("(6,'{}','{}','Gil',NULL,0,NULL,NULL)", discord(6), steam(6)),
    ];
    let removed = [
        format!("('{}','{}','2023-05-06 07:08:09','user')", discord(1), steam(9)),
        format!(
            "('{}','{}','2023-06-06 07:08:09','got bored')",
            discord(7),
            steam(7)
        ),
    ];
    format!(
        "CREATE TABLE `users` (`id` int, `discord_id` text, `steam_id` text, `discord_name` text, `steam_name` text, \
         `nitro` int, `oxide_groups` text, `created_at` datetime);\nINSERT INTO `users` VALUES {};\n\
         INSERT INTO `users_removed` (`discord`, `steam`, `timestamp`, `reason`) VALUES {};\n",
        users.join(","),
        removed.join(",")
    )
}

/// A table with these pairs, by their numbers.
pub fn csv(pairs: impl IntoIterator<Item = (u64, u64)>) -> String {
    let rows = pairs
        .into_iter()
        .map(|(one, other)| format!("{},{}\n", discord(one), steam(other)));
    ["discord_id,steam_id\n".to_owned()]
        .into_iter()
        .chain(rows)
        .collect()
}

pub fn imports(tenant: &Tenant) -> String {
    format!("/orgs/{}/imports", tenant.org)
}

pub async fn owner(test: &TestApp, tenant: &Tenant) -> Client {
    test.person(&test.session(&tenant.owner).await)
}

/// Sends a file into the tenant's Guild.
pub async fn send(person: &Client, tenant: &Tenant, more: &str, file: impl Into<Body>) -> Reply {
    let uri = format!("{}?guild_id={}&{more}", imports(tenant), tenant.guild);
    person
        .clone()
        .sending_file()
        .send(Method::POST, &uri, file.into())
        .await
}

/// The same with a file that is taken, and its dry run.
pub async fn checked(
    test: &TestApp,
    person: &Client,
    tenant: &Tenant,
    more: &str,
    file: String,
) -> (String, Value) {
    let reply = send(person, tenant, more, file).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    let uri = format!(
        "{}/{}",
        imports(tenant),
        reply.json()["id"].as_str().expect("an id")
    );
    test.drain_jobs().await;
    let run = get(person, &uri).await;
    assert_eq!(run["state"], "checked", "{run}");
    (uri, run)
}

pub async fn get(person: &Client, uri: &str) -> Value {
    let reply = person.get(uri).await;
    assert_eq!(reply.status, 200, "{uri}: {}", reply.text());
    reply.json()
}

/// Presses a button of an import.
pub async fn press(person: &Client, uri: &str, button: &str, status: u16) -> Reply {
    let reply = person.post(&format!("{uri}/{button}"), "").await;
    assert_eq!(reply.status, status, "{button}: {}", reply.text());
    reply
}

/// What came of rows: links, history, known, refused.
pub fn counts(run: &Value) -> [i64; 4] {
    ["links", "history", "known", "refused"].map(|name| run["counts"][name].as_i64().expect("a number"))
}
