//! Operators who lose their right, or their session, while they act.

use std::convert::Infallible;

use app::App;
use app::identity::{accounts, sessions};
use axum::body::Body;
use domain::plan::Tier;
use domain::token::SessionToken;
use futures_util::stream;
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, Reply, Tenant, TestApp, both_databases};

use super::{operator, own_log};
use crate::secrecy::rows::{Rows, is_of, numbers};
use crate::support::{refusal, refused};

/// What somebody still sends when they are let in already.
struct Sent {
    method: Method,
    uri: String,
    body: String,
    is_file: bool,
}

fn sent(method: Method, uri: impl Into<String>, body: &Value) -> Sent {
    Sent {
        method,
        uri: uri.into(),
        body: body.to_string(),
        is_file: false,
    }
}

/// All that an operator does with a body, each as it would be done.
fn deeds(tenant: &Tenant, heir: &str) -> Vec<Sent> {
    let org = format!("/admin/orgs/{}", tenant.org);
    let transfer = json!({ "account_id": heir, "reason": "Lost account", "confirm": "org-1" });
    let release = json!({ "reason": "Wrong claim", "confirm": tenant.discord_guild.as_str() });
    let block = json!({ "kind": "network", "value": "198.51.100.0/24", "reason": "nobody is there" });
    let announcement = json!({ "severity": "info", "target": "all", "text": "Hello" });
    vec![
        sent(
            Method::POST,
            "/admin/operators",
            &json!({ "discord_id": "800000000000000077" }),
        ),
        sent(Method::POST, format!("{org}/transfer"), &transfer),
        sent(
            Method::POST,
            format!("/admin/guilds/{}/release", tenant.guild),
            &release,
        ),
        sent(
            Method::POST,
            format!("{org}/visit"),
            &json!({ "reason": "Ticket 4711" }),
        ),
        sent(
            Method::POST,
            "/admin/sessions/end-all",
            &json!({ "confirm": "sign out everyone" }),
        ),
        sent(Method::POST, "/admin/blocks", &block),
        sent(
            Method::PUT,
            "/admin/registration",
            &json!({ "mode": "invite_only" }),
        ),
        sent(Method::POST, "/admin/registration/codes", &json!({})),
        sent(Method::PUT, "/admin/maintenance", &json!({ "on": true })),
        sent(Method::POST, "/admin/announcements", &announcement),
        sent(Method::PUT, "/admin/flags/imports", &json!({ "on": false })),
        Sent {
            is_file: true,
            ..sent(
                Method::POST,
                "/admin/plugin-builds?version=v1.2.3&file_name=Symbolon.cs",
                &json!({}),
            )
        },
    ]
}

impl Sent {
    /// The caller is let in, then something happens, and then the body comes.
    async fn while_something_happens(
        &self,
        me: &Client,
        what: impl Future<Output = ()> + Send + 'static,
    ) -> Reply {
        let body = self.body.clone();
        let late = stream::once(async move {
            what.await;
            Ok::<_, Infallible>(body)
        });
        let caller = if self.is_file {
            me.clone().sending_file()
        } else {
            me.clone()
        };
        caller
            .send(self.method.clone(), &self.uri, Body::from_stream(late))
            .await
    }
}

/// What is stored besides the log, accounts and sessions.
async fn stored(test: &TestApp, rows: &Rows) -> Vec<String> {
    let mut lines = rows.all(&test.db.db).await;
    let beside = ["audit", "audit_heads", "accounts", "sessions"];
    lines.retain(|line| beside.iter().all(|table| !is_of(line, table)));
    lines
}

async fn revoked(app: App, id: domain::id::AccountId) {
    let account = accounts::get(&app, &id).await.expect("an account");
    accounts::revoke_operator(&app, account)
        .await
        .expect("a grant to revoke");
}

both_databases! {
    async fn whoever_is_revoked_while_they_send_does_nothing_any_more(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let heir = test.account(31).await;
        test.session(&heir).await;
        let rows = Rows::of(&test.db.db).await;
        let before = stored(&test, &rows).await;
        for deed in deeds(&tenant, heir.id.as_str()) {
            let (account, me) = operator(&test, 21).await;
            let (app, id) = (test.app.clone(), account.id.clone());
            let reply = deed.while_something_happens(&me, revoked(app, id)).await;
            assert_eq!(refusal(&reply), refused(404, "NOT_FOUND"), "{} {}", deed.method, deed.uri);
            test.settle().await;
            assert_eq!(stored(&test, &rows).await, before, "{} {}", deed.method, deed.uri);
        }
        let log = own_log(&test).await;
        let known = |line: &String| line.starts_with("operator.revoked ") || line.starts_with("access.denied ");
        assert!(log.iter().all(known), "{log:?}");
        assert_eq!(test.client().get("/download/plugin/v1.2.3").await.status, 404);
        test.finish().await;
    }

    async fn whoever_is_signed_out_while_they_send_does_nothing_any_more(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let heir = test.account(31).await;
        test.session(&heir).await;
        let (account, _) = operator(&test, 21).await;
        let rows = Rows::of(&test.db.db).await;
        let before = stored(&test, &rows).await;
        for deed in deeds(&tenant, heir.id.as_str()) {
            let session = test.session(&account).await;
            let (app, token) = (test.app.clone(), SessionToken::parse(&session).unwrap());
            let ended = async move { sessions::end(&app, &token).await.expect("a session to end") };
            let reply = deed.while_something_happens(&test.person(&session), ended).await;
            assert_eq!(refusal(&reply), refused(401, "SIGN_IN_REQUIRED"), "{} {}", deed.method, deed.uri);
            test.settle().await;
            assert_eq!(stored(&test, &rows).await, before, "{} {}", deed.method, deed.uri);
        }
        assert_eq!(own_log(&test).await, Vec::<String>::new());
        test.finish().await;
    }

    async fn of_two_operators_who_revoke_each_other_one_is_left(engine) {
        let test = TestApp::start(engine).await;
        let ((one, first), (other, second)) = (operator(&test, 21).await, operator(&test, 22).await);
        let delete = async |by: &Client, id: &domain::id::AccountId| {
            by.send(Method::DELETE, &format!("/admin/operators/{id}"), Body::empty()).await
        };
        let (a, b) = tokio::join!(delete(&first, &other.id), delete(&second, &one.id));
        let mut told = [a.status.as_u16(), b.status.as_u16()];
        told.sort_unstable();
        assert_eq!(told, [204, 404], "{} {}", a.text(), b.text());
        assert_eq!(numbers(&test.db.db, "SELECT CAST(COUNT(*) AS BIGINT) FROM accounts WHERE operator = 1").await, [1]);
        test.finish().await;
    }

    async fn two_operators_who_revoke_the_same_grant_leave_one_entry(engine) {
        let test = TestApp::start(engine).await;
        let ((_, first), (_, second), (third, _)) = (operator(&test, 21).await, operator(&test, 22).await, operator(&test, 23).await);
        let uri = format!("/admin/operators/{}", third.id);
        let (a, b) = tokio::join!(
            first.send(Method::DELETE, &uri, Body::empty()),
            second.send(Method::DELETE, &uri, Body::empty()),
        );
        let mut told = [a.status.as_u16(), b.status.as_u16()];
        told.sort_unstable();
        assert_eq!(told, [204, 409], "{} {}", a.text(), b.text());
        assert_eq!(own_log(&test).await, [format!("operator.revoked {} {{}}", third.id)]);
        test.finish().await;
    }
}
