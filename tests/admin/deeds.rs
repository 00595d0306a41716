//! What operators do, for the walk over all deeds of the audit log.

use std::collections::BTreeSet;

use app::admin::find::{self, Wanted};
use axum::body::Body;
use domain::audit::Actor;
use domain::plan::Tier;
use domain::platform_id::EitherId;
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, Engine, TestApp, discord, steam};

use super::operator;
use crate::secrecy::rows::{Rows, texts};
use crate::support::call;

/// Whoever stands in what was typed may not stand in the log.
const NAME: &str = "Zebulon Quux";

async fn done(me: &Client, method: Method, uri: &str, body: Value) -> Value {
    let reply = call(me, method.clone(), uri, &body).await;
    assert!(reply.status.is_success(), "{method} {uri}: {}", reply.text());
    if reply.body.is_empty() {
        Value::Null
    } else {
        reply.json()
    }
}

/// Publishes a build, withdraws it and puts it back.
async fn with_builds(me: &Client) {
    let uri = "/admin/plugin-builds?version=v1.2.3&file_name=Symbolon.cs";
    let sender = me.clone().sending_file();
    let made = sender.send(Method::POST, uri, Body::from("class Symbolon")).await;
    assert_eq!(made.status, 201, "{}", made.text());
    for what in ["withdraw", "restore"] {
        done(
            me,
            Method::POST,
            &format!("/admin/plugin-builds/v1.2.3/{what}"),
            json!({}),
        )
        .await;
    }
}

/// Looks for people by all that they can be found by.
async fn looked_up(test: &TestApp) {
    for wanted in [
        Wanted::Account(EitherId::Discord(discord(31))),
        Wanted::Account(EitherId::Steam(steam(31))),
        Wanted::Name(NAME.to_owned()),
    ] {
        let operator = storage::admin::command_line();
        find::find(&test.app, operator, &wanted, Actor::Operator)
            .await
            .unwrap();
    }
}

/// Nothing that was written down names anybody.
async fn names_nobody(test: &TestApp) {
    let db = &test.db.db;
    let mut people = texts(db, "SELECT discord_id FROM accounts").await;
    people.extend(texts(db, "SELECT name FROM accounts").await);
    people.push(NAME.to_owned());
    for line in Rows::of(db).await.of_tables(db, &["audit"]).await {
        let named = people.iter().find(|person| line.contains(person.as_str()));
        assert_eq!(named, None, "{line}");
    }
}

/// Does all of it. Returns what the log calls it, and checks that it names nobody.
pub async fn of_operators(engine: Engine) -> BTreeSet<String> {
    let test = TestApp::start(engine).await;
    let tenant = test.tenant(1, Tier::Free).await;
    let (_, me) = operator(&test, 21).await;
    let heir = test.account(31).await;
    test.session(&heir).await;
    let (post, put, patch, delete) = (Method::POST, Method::PUT, Method::PATCH, Method::DELETE);
    let org = format!("/admin/orgs/{}", tenant.org);

    let code = done(
        &me,
        post.clone(),
        "/admin/registration/codes",
        json!({ "note": NAME }),
    )
    .await;
    let revoke = format!(
        "/admin/registration/codes/{}/revoke",
        code["id"].as_str().unwrap()
    );
    done(&me, post.clone(), &revoke, json!({})).await;
    let text = json!({ "severity": "info", "target": "all", "text": NAME });
    let made = done(&me, post.clone(), "/admin/announcements", text).await;
    let one = format!("/admin/announcements/{}", made["id"].as_str().unwrap());
    done(&me, patch, &one, json!({ "severity": "critical" })).await;
    done(&me, delete.clone(), &one, json!({})).await;
    done(&me, put, "/admin/flags/imports", json!({ "on": false })).await;
    with_builds(&me).await;
    looked_up(&test).await;
    let visit = format!("{org}/visit");
    done(&me, post.clone(), &visit, json!({ "reason": "Ticket 4711" })).await;
    done(&me, delete, &visit, json!({})).await;
    let release = json!({ "reason": "Wrong claim", "confirm": tenant.discord_guild.as_str() });
    done(
        &me,
        post.clone(),
        &format!("/admin/guilds/{}/release", tenant.guild),
        release,
    )
    .await;
    let heir = json!({ "account_id": heir.id.as_str(), "reason": "Lost account", "confirm": "org-1" });
    done(&me, post.clone(), &format!("{org}/transfer"), heir).await;
    done(&me, post.clone(), "/admin/sessions/drop-idle", json!({})).await;
    done(
        &me,
        post,
        "/admin/sessions/end-all",
        json!({ "confirm": "sign out everyone" }),
    )
    .await;

    names_nobody(&test).await;
    let actions = texts(&test.db.db, "SELECT DISTINCT action FROM audit").await;
    test.finish().await;
    actions.into_iter().collect()
}
