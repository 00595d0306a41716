//! Two people at one form: the second save is refused instead of overwriting the first.

use domain::permission::Role;
use domain::plan::Tier;
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, Tenant, TestApp, both_databases, rounds};
use tokio::task::JoinSet;
use web::routes::Access;

use crate::support::{call, refusal, refused, server_of};

/// Something that is saved as a whole: where it is read and saved, and where in what is read it stands.
struct Form {
    read: String,
    inside: &'static str,
    method: Method,
    save: String,
    changes: [Value; 2],
}

impl Form {
    async fn read(&self, person: &Client) -> Value {
        let reply = person.get(&self.read).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json().pointer(self.inside).expect(self.inside).clone()
    }

    async fn save(&self, person: &Client, change: &Value, revision: Option<&Value>) -> testkit::Reply {
        let mut body = change.clone();
        if let Some(revision) = revision {
            body["revision"] = revision.clone();
        }
        call(person, self.method.clone(), &self.save, &body).await
    }
}

/// All of them, for an Org that has one of everything.
fn forms(tenant: &Tenant) -> Vec<Form> {
    let at = |rest: &str| format!("/orgs/{}/{rest}", tenant.org);
    let form = |read: String, inside, method, save: String, changes| Form {
        read,
        inside,
        method,
        save,
        changes,
    };
    let same = |path: String, method, changes| form(path.clone(), "", method, path, changes);
    let names = || [json!({ "name": "First" }), json!({ "name": "Second" })];
    let button = |label: &str| json!({ "links": [{ "label": label, "url": "https://example.com/" }] });
    let key = |name: &str| json!({ "name": name, "actions": ["count"] });
    let guild = at(&format!("guilds/{}", tenant.guild));
    let custom = tenant.custom_key.as_ref().expect("a custom key");
    let helper = tenant.helper.as_ref().expect("a member");
    let cleanup = |days: i64| json!({ "enabled": false, "days": days, "grace_days": 7 });
    let keywords = |text: &str| json!({ "keywords": [{ "text": text, "class": "staff" }] });
    vec![
        same(at("cleanup"), Method::PUT, [cleanup(30), cleanup(60)]),
        same(at("trust"), Method::PUT, [keywords("first"), keywords("second")]),
        same(at("settings"), Method::PATCH, names()),
        same(guild, Method::PATCH, names()),
        same(server_of(tenant), Method::PATCH, names()),
        same(at("navigation"), Method::PUT, [button("First"), button("Second")]),
        form(
            at("keys"),
            "/keys/0",
            Method::PUT,
            at(&format!("keys/{custom}")),
            [key("First"), key("Second")],
        ),
        form(
            at("team"),
            "/members/1",
            Method::PATCH,
            at(&format!("team/{helper}")),
            [
                json!({ "permissions": ["links.view"] }),
                json!({ "permissions": ["servers.view"] }),
            ],
        ),
    ]
}

both_databases! {
    async fn the_second_save_of_a_form_is_refused_and_changes_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        for form in forms(&tenant) {
            let seen = form.read(&owner).await["revision"].clone();
            let [first, second] = &form.changes;
            let saved = form.save(&owner, first, Some(&seen)).await;
            assert!(saved.status.is_success(), "{} {}", form.save, saved.text());
            let after = form.read(&owner).await;
            assert_ne!(after["revision"], seen, "{}", form.save);
            let late = form.save(&owner, second, Some(&seen)).await;
            assert_eq!(refusal(&late), refused(409, "CHANGED_MEANWHILE"), "{}", form.save);
            assert_eq!(form.read(&owner).await, after, "a refused save changes nothing: {}", form.save);
            let again = form.save(&owner, second, Some(&after["revision"])).await;
            assert!(again.status.is_success(), "from what is there now: {} {}", form.save, again.text());
            assert_ne!(form.read(&owner).await, after);
        }
        test.finish().await;
    }

    async fn a_save_that_names_no_revision_goes_on_top(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        for form in forms(&tenant) {
            let before = form.read(&owner).await;
            for change in &form.changes {
                let saved = form.save(&owner, change, None).await;
                assert!(saved.status.is_success(), "{} {}", form.save, saved.text());
            }
            let (before, after) = (before["revision"].as_i64(), form.read(&owner).await["revision"].as_i64());
            assert_eq!(after, before.map(|revision| revision + 2), "each of them counts: {}", form.save);
        }
        test.finish().await;
    }

    async fn the_same_save_sent_twice_is_no_conflict(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        for form in forms(&tenant) {
            let seen = form.read(&owner).await["revision"].clone();
            let first = form.save(&owner, &form.changes[0], Some(&seen)).await;
            let after = form.read(&owner).await;
            let repeated = form.save(&owner, &form.changes[0], Some(&seen)).await;
            assert_eq!(first.status, repeated.status, "{} {}", form.save, repeated.text());
            assert_eq!(form.read(&owner).await, after, "{}", form.save);
        }
        test.finish().await;
    }

    async fn of_many_saves_from_one_revision_exactly_one_is_kept(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let guild = format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild);
        for round in 0..rounds(3, 100) {
            let seen = owner.get(&guild).await.json()["revision"].clone();
            let mut saves = JoinSet::new();
            for turn in 0..6 {
                let (owner, guild, seen) = (owner.clone(), guild.clone(), seen.clone());
                let name = format!("Round {round} turn {turn}");
                saves.spawn(async move {
                    let body = json!({ "name": name, "revision": seen });
                    (name, call(&owner, Method::PATCH, &guild, &body).await)
                });
            }
            let answers = saves.join_all().await;
            let (kept, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(_, reply)| reply.status == 204);
            assert_eq!(kept.len(), 1);
            assert!(lost.iter().all(|(_, reply)| refusal(reply) == refused(409, "CHANGED_MEANWHILE")));
            assert_eq!(owner.get(&guild).await.json()["name"], kept[0].0.as_str());
        }
        test.finish().await;
    }

    async fn who_left_and_came_back_is_not_taken_for_who_they_were(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let team = format!("/orgs/{}/team", tenant.org);
        let member = format!("{team}/{}", tenant.helper.as_ref().unwrap());
        let seen = owner.get(&team).await.json()["members"][1]["revision"].clone();
        assert_eq!(call(&owner, Method::DELETE, &member, &json!({})).await.status, 204);
        test.clock.advance_ms(1_000);
        let helper = test.account(950_001).await;
        app::tenancy::orgs::add_member(&test.app, tenant.scope, &helper, Role::Admin).await.unwrap();
        let late = call(&owner, Method::PATCH, &member, &json!({ "permissions": [], "revision": seen })).await;
        assert_eq!(refusal(&late), refused(409, "CHANGED_MEANWHILE"));
        test.finish().await;
    }

    async fn a_server_that_is_switched_off_meanwhile_can_still_be_saved(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let server = server_of(&tenant);
        let seen = owner.get(&server).await.json()["revision"].clone();
        assert_eq!(call(&owner, Method::PATCH, &server, &json!({ "active": false })).await.status, 204);
        let saved = call(&owner, Method::PATCH, &server, &json!({ "name": "Renamed", "revision": seen })).await;
        assert_eq!(saved.status, 204, "{}", saved.text());
        let after = owner.get(&server).await.json();
        assert_eq!((&after["name"], &after["active"]), (&"Renamed".into(), &false.into()));
        test.finish().await;
    }

    async fn every_route_that_saves_a_whole_thing_takes_a_revision(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let told = test.client().get("/openapi.json").await.json();
        let table = web::table();
        let saving = table.iter().filter(|route| {
            [Method::PUT, Method::PATCH].contains(&route.method) && matches!(route.access, Access::Permission(_))
        });
        let mut found = 0;
        for route in saving {
            let operation = &told["paths"][route.path][route.method.as_str().to_lowercase()];
            let body = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
            let body = told.pointer(body.as_str().unwrap_or_default().trim_start_matches('#')).expect(route.path);
            assert!(body["properties"]["revision"].is_object(), "{} {}", route.method, route.path);
            assert!(operation["responses"]["409"].to_string().contains("CHANGED_MEANWHILE"), "{}", route.path);
            found += 1;
        }
        // Rules are never saved without one.
        assert_eq!(found, forms(&tenant).len() + 1, "a new form belongs into the list above");
        test.finish().await;
    }
}
