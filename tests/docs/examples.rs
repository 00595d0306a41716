//! The examples of the reference pages, called for real.

use app::import::{self, ImportRow, ImportSlice};
use app::tenancy::guild_changes::{self, GuildChange};
use domain::action::{Action, ActionSet};
use domain::action_docs::{self, Example};
use domain::audit::Actor;
use domain::plan::Tier;
use domain::platform_id::{DiscordId, SteamId};
use emulator::Steam;
use emulator::steam::Account;
use testkit::{Client, Engine, Reply, START_MS, TestApp, both_databases};

use super::schema::{Schemas, assert_valid};

/// The community of the examples: two linked players, one of whom boosts, is in a group and waits for things.
async fn stage(engine: Engine) -> (TestApp, Steam, Client) {
    let (test, steam) = TestApp::start_with_steam(engine).await;
    let player = |id: &str| SteamId::parse(id).expect("an id");
    steam.set_membership(&player("76561198000000001"), 4, true);
    steam.set_account(&player("76561198000000009"), Account::named("Bo"));
    let tenant = test.tenant(1, Tier::Standard).await;
    let row = |discord: &str, steam: &str| ImportRow {
        discord_id: DiscordId::parse(discord).expect("an id"),
        steam_id: SteamId::parse(steam).expect("an id"),
        discord_name: None,
        steam_name: None,
        country: None,
        booster: false,
        groups: None,
        linked_at_ms: Some(START_MS),
        ended: None,
    };
    let ada = ImportRow {
        discord_name: Some("ada.l".to_owned()),
        booster: true,
        groups: Some("vip".to_owned()),
        ..row("223456789012345678", "76561198000000001")
    };
    let slice = ImportSlice {
        guild: tenant.guild.clone(),
        server: Some(tenant.server.clone()),
        rows: vec![ada, row("323456789012345678", "76561198000000002")],
        write: true,
        planned: 0,
    };
    import::run(&test.app, tenant.scope, slice)
        .await
        .expect("players");
    let change = GuildChange {
        plugin_roles: Some(vec![DiscordId::parse("523456789012345678").expect("an id")]),
        steam_group: Some(Some("4".to_owned())),
        ..GuildChange::default()
    };
    guild_changes::change(
        &test.app,
        tenant.scope,
        tenant.guild.clone(),
        change,
        Actor::System,
    )
    .await
    .expect("settings");
    let (_, key) = test.custom_key(&tenant, ActionSet::ALL, true).await;
    let caller = test.plugin(&key);
    for action in [Action::UpdateSteam, Action::SetOxideGroupFromDiscord] {
        let doc = action_docs::doc(action);
        assert_eq!(call(&caller, action, &doc.example).await.status, 200);
    }
    (test, steam, caller)
}

async fn call(caller: &Client, action: Action, example: &Example) -> Reply {
    let separator = if example.query.is_empty() { "" } else { "&" };
    let uri = format!("/api?action={}{separator}{}", action.name(), example.query);
    match example.body {
        Some(body) => caller.post(&uri, body).await,
        None => caller.get(&uri).await,
    }
}

both_databases! {
    /// Reads first, because the examples of writes change what they read.
    async fn every_example_is_answered_to_the_byte(engine) {
        let (test, _steam, caller) = stage(engine).await;
        let schemas = Schemas::of(&test).await;
        let mut docs: Vec<_> = action_docs::docs().collect();
        docs.sort_by_key(|doc| doc.spec().mutating);
        for doc in docs {
            let name = doc.spec().name;
            let many = doc.many.map(|(_, example)| example);
            for (what, example) in [("many", many), ("example", Some(doc.example)), ("miss", doc.miss)] {
                let Some(example) = example else { continue };
                let field = if what == "many" { "answer_for_many" } else { "answer" };
                let schema = schemas.answer_of(name, field);
                let told: serde_json::Value = serde_json::from_str(example.answer).expect("JSON");
                if example.status == 200 {
                    assert_valid(&schemas, &schema, &told, name);
                }
                let reply = call(&caller, doc.action, &example).await;
                // The one answer that names the instance.
                let answer = reply.text().replace("http://127.0.0.1:8080", "https://symbolon.example");
                assert_eq!((reply.status.as_u16(), answer.as_str()), (example.status, example.answer), "{what} of {name}");
            }
        }
        test.finish().await;
    }

    /// Parameters that are told as required are, and their absence is answered as told.
    async fn a_required_parameter_that_is_missing_is_named(engine) {
        let (test, _steam, caller) = stage(engine).await;
        for doc in action_docs::docs() {
            let name = doc.spec().name;
            for param in doc.params.iter().filter(|param| param.required) {
                let query: Vec<&str> = doc
                    .example
                    .query
                    .split('&')
                    .filter(|pair| pair.split('=').next() != Some(param.name))
                    .collect();
                let mut body = doc.example.body.map(|body| serde_json::from_str::<serde_json::Value>(body).expect("JSON"));
                if let Some(fields) = body.as_mut().and_then(serde_json::Value::as_object_mut) {
                    fields.remove(param.name);
                }
                let uri = format!("/api?action={name}&{}", query.join("&"));
                let reply = match body {
                    Some(body) => caller.post(&uri, &body.to_string()).await,
                    None => caller.get(&uri).await,
                };
                assert_eq!((reply.status.as_u16(), reply.code().as_str()), (400, "INVALID_PARAMETER"), "{name}");
                assert_eq!(reply.json()["parameter"], param.name, "{name}: {}", reply.text());
            }
        }
        test.finish().await;
    }
}
