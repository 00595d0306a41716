//! Secrets through every door of the product, and then a search for them in all that it leaves behind.

use app::{background, master_keys};
use axum::Router;
use axum::body::Body;
use axum::routing::get;
use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use testkit::{Client, Reply, Tenant, TestApp, both_databases};
use web::Edge;

use super::search::{Log, Secrets, everything_stored};

const QUERY_WORD: &str = "marked_in_the_query_string";

async fn panicking() -> &'static str {
    panic!("on purpose")
}

/// What was asked and what may not be told.
struct Flow {
    secrets: Secrets,
    failures: Vec<u8>,
}

impl Flow {
    fn failed(&mut self, reply: &Reply) {
        assert!(!reply.status.is_success(), "{}", reply.text());
        self.failures
            .extend(format!("{:?}\n{}\n", reply.headers, reply.text()).into_bytes());
    }

    fn key_of(&mut self, reply: &Reply) -> String {
        let key = reply.json()["key"].as_str().expect("a key").to_owned();
        self.secrets.key(&key);
        key
    }

    async fn use_keys(&mut self, test: &TestApp, owner: &Client, tenant: &Tenant) -> String {
        let servers = format!("/orgs/{}/servers", tenant.org);
        let body = format!(r#"{{"guild_id":"{}","name":"Second"}}"#, tenant.guild);
        self.key_of(&owner.post(&servers, &body).await);
        let key = format!("{servers}/{}/key", tenant.server);
        self.key_of(&owner.post(&format!("{key}/reveal"), "").await);
        let new = self.key_of(&owner.post(&format!("{key}/regenerate"), "").await);
        for uri in ["/api?action=count", "/api?action=remove&id=76561197960265729"] {
            assert_eq!(test.plugin(&new).get(uri).await.status, 200);
        }
        let bearer = test.client().header("authorization", &format!("Bearer {new}"));
        assert_eq!(bearer.get("/api?action=count").await.status, 200);
        let in_query = format!("/api?action=count&secret={new}&x={QUERY_WORD}");
        assert_eq!(test.client().get(&in_query).await.status, 200);
        assert_eq!(test.client().post(&in_query, &new).await.status, 200);
        self.failed(&test.plugin(&tenant.key).get("/api?action=count").await);
        new
    }

    /// Secrets where they do not belong.
    async fn misplace(&mut self, test: &TestApp, owner: &Client, tenant: &Tenant, key: &str, token: &str) {
        let plugin = test.plugin(key);
        let unknown = format!("svc_live_{}", "feedfacecafe".repeat(4));
        self.secrets.key(&unknown);
        for wrong in [unknown.as_str(), &key[..56], &key.to_uppercase(), token] {
            self.failed(&test.plugin(wrong).get("/api?action=findBySteam&id=1").await);
            let in_query = format!("/api?action=count&secret={wrong}");
            self.failed(&test.client().get(&in_query).await);
        }
        for query in [
            format!("action={key}"),
            format!("action=findBySteam&id={key}"),
            format!("action=count&guild_id={key}"),
            format!("action=count&action={key}"),
            format!("action=getBotGuildMapping&x={QUERY_WORD}"),
        ] {
            self.failed(&plugin.get(&format!("/api?{query}")).await);
        }
        let server = format!("/orgs/{}/servers/{}", tenant.org, tenant.server);
        for secret in [key, token] {
            for path in [
                format!("/{secret}"),
                format!("/orgs/{secret}/servers"),
                format!("{server}/{secret}?y={secret}"),
            ] {
                self.failed(&owner.get(&path).await);
            }
            for body in [format!(r#"{{"active":"{secret}"}}"#), format!(r#"{{"{key}":1}}"#)] {
                self.failed(&owner.send(Method::PATCH, &server, Body::from(body)).await);
            }
            let body = format!(r#"{{"guild_id":"{secret}","name":"x"}}"#);
            self.failed(&owner.post(&format!("/orgs/{}/servers", tenant.org), &body).await);
            self.failed(
                &test
                    .person(secret.trim_end_matches('x'))
                    .header("origin", "null")
                    .post(&server, secret)
                    .await,
            );
        }
        self.failed(&test.plugin(token).get(&server).await);
        self.failed(
            &test
                .client()
                .header("x-http-method-override", key)
                .send(Method::PUT, &server, Body::empty())
                .await,
        );
    }

    /// Failures of our own while secrets are at hand.
    async fn break_things(&mut self, test: &TestApp, owner: &Client, tenant: &Tenant, key: &str) {
        let router = Router::new().route("/orgs/panic", get(panicking));
        let client = test.client_of(Edge::new(router, test.state.clone()));
        let with_key = client.header("x-api-key", key);
        self.failed(
            &with_key
                .get(&format!("/orgs/panic?secret={key}&x={QUERY_WORD}"))
                .await,
        );
        test.db
            .damage("UPDATE api_keys SET actions = actions + 4611686018427387904")
            .await;
        self.failed(
            &test
                .plugin(key)
                .get(&format!("/api?action=count&secret={key}"))
                .await,
        );
        test.db
            .damage("UPDATE api_keys SET actions = actions - 4611686018427387904")
            .await;
        test.db.damage("UPDATE api_keys SET sealed = 'v1.k1.AAAA'").await;
        let keys = format!("/orgs/{}/servers/{}/key", tenant.org, tenant.server);
        self.failed(&owner.post(&format!("{keys}/reveal"), "").await);
        assert!(master_keys::rotate(&test.app).await.is_err());
        let second = format!("DELETE FROM servers WHERE id <> '{}'", tenant.server);
        test.db.damage(&second).await;
        test.db.damage("UPDATE org_usage SET servers = 1").await;
        self.key_of(&owner.post(&format!("{keys}/regenerate"), "").await);
        master_keys::rotate(&test.app).await.expect("a rotation");
    }
}

both_databases! {
    async fn no_secret_reaches_logs_rows_files_or_failures(engine) {
        let log = Log::capture();
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let mut flow = Flow {
            secrets: Secrets::default(),
            failures: Vec::new(),
        };
        flow.secrets.key(&tenant.key);
        let token = test.session(&tenant.owner).await;
        let limited = test.member(&tenant, 5, &[Permission::ServersView]).await;
        flow.secrets.token(&token);
        flow.secrets.token(&limited);
        let owner = test.person(&token);
        let key = flow.use_keys(&test, &owner, &tenant).await;
        let reveal = format!("/orgs/{}/servers/{}/key/reveal", tenant.org, tenant.server);
        flow.failed(&test.person(&limited).post(&reveal, &key).await);
        flow.misplace(&test, &owner, &tenant, &key, &token).await;
        flow.break_things(&test, &owner, &tenant, &key).await;
        test.settle().await;
        background::flush_errors(&test.app).await.unwrap();
        background::keep_house(&test.app).await.unwrap();
        flow.secrets
            .master_keys(&std::fs::read_to_string(test.app.vault.path()).unwrap());

        flow.secrets
            .assert_absent("the answer to a failed request", &flow.failures);
        flow.secrets
            .assert_absent("the database", &everything_stored(&test, engine).await);
        let mut hidden = flow.secrets;
        hidden.word("a query string", QUERY_WORD);
        let logged = log.text();
        hidden.assert_absent("the log", logged.as_bytes());
        assert!(
            logged.contains("request failed") && logged.contains("/orgs/{org}/servers"),
            "{logged}"
        );
        // The address that test clients come from.
        assert!(!logged.contains("203.0.113.7"));
        test.finish().await;
    }
}
