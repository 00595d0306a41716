//! `getPendingOxideChangesBulk`.

use domain::action::Action;
use serde_json::{Value, json};
use testkit::{both_databases, discord, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer};

const CASES: [Case; 8] = [
    Case::Before(
        "setOxideGroupFromDiscord",
        r#"{"discord_id":"{D1}","changes":[{"group":"vip","action":"add"}]}"#,
    ),
    Case::Get("200 what waits", "id={S1},{S2}"),
    Case::Get("200 nobody asked for", "id="),
    Case::Get("200 with entries that are no ids", "id=x,{S1},{D1}"),
    Case::Get("400 without an id", ""),
    Case::Post(
        "400 with numbers instead of texts",
        "",
        r#"{"ids":[76561197960265729]}"#,
    ),
    Case::Post("400 with a body that is no JSON", "", "{"),
    Case::Get("400 with too many ids", "id={MANY_S}"),
];

fn changes(player: u64, changes: &Value) -> String {
    json!({ "discord_id": discord(player).to_string(), "changes": changes }).to_string()
}

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::GetPendingOxideChangesBulk, "id={S1}", &CASES).await;
    }

    async fn another_servers_list_is_its_own(engine) {
        let stage = Stage::set(engine).await;
        stage.post("setOxideGroupFromDiscord", &changes(1, &json!([{ "group": "vip", "action": "add" }]))).await;
        let name = domain::name::DisplayName::parse("Second").unwrap();
        let (scope, guild) = (stage.tenant.scope, stage.tenant.guild.clone());
        let second = app::tenancy::servers::create(&stage.test.app, scope, guild, name, domain::audit::Actor::System).await.unwrap();
        let other = stage.test.plugin(second.key.expose());
        let uri = format!("/api?action=getPendingOxideChangesBulk&id={}", steam(1));
        assert_answer(&other.get(&uri).await, 200, "{}");
        other.get(&format!("/api?action=clearPendingOxideChangesBulk&id={}", steam(1))).await;
        assert_eq!(stage.get(&format!("getPendingOxideChanges&id={}", steam(1))).await.json().as_array().unwrap().len(), 1);
        stage.test.finish().await;
    }
}
