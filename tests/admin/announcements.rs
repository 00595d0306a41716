//! What operators tell people.

use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, TestApp, both_databases};

use super::{operator, own_log};
use crate::support::{call, refusal, refused};

async fn texts(person: &Client, uri: &str) -> Vec<String> {
    let reply = person.get(uri).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let list = reply.json()["announcements"].as_array().unwrap().clone();
    let mut texts: Vec<String> = list
        .iter()
        .map(|one| one["text"].as_str().unwrap().to_owned())
        .collect();
    texts.sort();
    texts
}

async fn announce(me: &Client, target: &str, text: &str, more: Value) -> Value {
    let mut body = json!({ "severity": "warning", "target": target, "text": text });
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let reply = call(me, Method::POST, "/admin/announcements", &body).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.json()
}

both_databases! {
    async fn an_announcement_reaches_whom_it_is_for_from_its_start_to_its_end(engine) {
        let test = TestApp::start(engine).await;
        let (free, pro) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Pro).await);
        let (_, me) = operator(&test, 21).await;
        let reader = test.person(&test.session(&free.owner).await);
        let payer = test.person(&test.member(&pro, 31, &[Permission::LinksView]).await);
        for target in ["all", "free", "standard", "pro", "paid"] {
            announce(&me, target, target, json!({})).await;
        }
        let now_ms = test.app.now_ms();
        announce(&me, "all", "later", json!({ "starts_at_ms": now_ms + 10, "ends_at_ms": now_ms + 20 })).await;
        assert_eq!(texts(&reader, "/announcements").await, ["all"]);
        assert_eq!(texts(&reader, &format!("/orgs/{}/announcements", free.org)).await, ["all", "free"]);
        assert_eq!(texts(&payer, &format!("/api/orgs/{}/announcements", pro.org)).await, ["all", "paid", "pro"]);
        assert_eq!(reader.get(&format!("/orgs/{}/announcements", pro.org)).await.status, 404);
        test.clock.advance_ms(10);
        assert_eq!(texts(&reader, "/announcements").await, ["all", "later"]);
        test.clock.advance_ms(10);
        assert_eq!(texts(&reader, "/announcements").await, ["all"]);
        let backwards = json!({ "severity": "info", "target": "all", "text": "x", "ends_at_ms": now_ms });
        let refusal = call(&me, Method::POST, "/admin/announcements", &backwards).await;
        assert_eq!(refusal.json()["parameter"], "ends_at_ms");
        test.finish().await;
    }

    async fn what_somebody_dismissed_stays_away_from_them_and_from_nobody_else(engine) {
        let test = TestApp::start(engine).await;
        let (_, me) = operator(&test, 21).await;
        let (one, other) = (test.account(31).await, test.account(32).await);
        let (one, other) = (test.person(&test.session(&one).await), test.person(&test.session(&other).await));
        let made = announce(&me, "all", "Hello", json!({})).await;
        let id = made["id"].as_str().unwrap();
        for _ in 0..2 {
            assert_eq!(one.post(&format!("/announcements/{id}/dismiss"), "").await.status, 204);
        }
        assert_eq!(one.post("/announcements/ann_01ARZ3NDEKTSV4RRFFQ69G5FAV/dismiss", "").await.status, 204);
        assert_eq!(texts(&one, "/announcements").await, Vec::<String>::new());
        assert_eq!(texts(&other, "/announcements").await, ["Hello"]);
        let edited = call(&me, Method::PATCH, &format!("/admin/announcements/{id}"), &json!({ "text": "Hello again", "revision": 1 })).await.json();
        assert_eq!((&edited["dismissals"], &edited["revision"]), (&json!(1), &json!(2)));
        assert_eq!(texts(&one, "/announcements").await, Vec::<String>::new());
        let stale = call(&me, Method::PATCH, &format!("/admin/announcements/{id}"), &json!({ "text": "Late", "revision": 1 })).await;
        assert_eq!(refusal(&stale), refused(409, "CHANGED_MEANWHILE"));
        let ended = me.post(&format!("/admin/announcements/{id}/end"), "").await.json();
        assert_eq!((&ended["state"], texts(&other, "/announcements").await.len()), (&json!("ended"), 0));
        let again = me.post(&format!("/admin/announcements/{id}/end"), "").await.json();
        assert_eq!(again["revision"], ended["revision"], "it ends once");
        let delete = async || me.send(Method::DELETE, &format!("/admin/announcements/{id}"), axum::body::Body::empty()).await;
        assert_eq!(delete().await.status, 204);
        assert_eq!(delete().await.status, 404);
        let words: Vec<String> = own_log(&test).await.iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(words, ["announcement.created", "announcement.changed", "announcement.changed", "announcement.deleted"]);
        test.finish().await;
    }

    async fn what_matters_most_comes_first_and_nothing_newer_pushes_it_out(engine) {
        let test = TestApp::start(engine).await;
        let (_, me) = operator(&test, 21).await;
        let reader = test.person(&test.session(&test.account(31).await).await);
        announce(&me, "all", "critical", json!({ "severity": "critical" })).await;
        announce(&me, "all", "warning", json!({})).await;
        for number in 0..25 {
            test.clock.advance_ms(1);
            announce(&me, "all", &format!("news {number}"), json!({ "severity": "info" })).await;
        }
        let shown = reader.get("/announcements").await.json()["announcements"].as_array().unwrap().clone();
        let texts: Vec<&str> = shown.iter().map(|one| one["text"].as_str().unwrap()).collect();
        assert_eq!((texts.len(), &texts[..3]), (20, &["critical", "warning", "news 24"][..]));
        test.finish().await;
    }
}
