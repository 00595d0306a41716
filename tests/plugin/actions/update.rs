//! `update`.

use domain::action::Action;
use testkit::{both_databases, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer, assert_refused};

const CASES: [Case; 8] = [
    Case::Get(
        "400 with a role that is not allowed",
        "id={S1}&role=820000000000000001&mode=add",
    ),
    Case::Get("400 without an id", "role=820000000000000001&mode=add"),
    Case::Get(
        "400 with an id that is none",
        "id={S1},x&role=820000000000000001&mode=add",
    ),
    Case::Get("400 without a role", "id={S1}&mode=add"),
    Case::Get("400 without a mode", "id={S1}&role=820000000000000001"),
    Case::Get(
        "400 with too many ids",
        "id={MANY_S}&role=820000000000000001&mode=add",
    ),
    Case::Allow("820000000000000001"),
    Case::Get("200 allowed", "id={S1},{S9}&role=820000000000000001&mode=add"),
];

const ROLE: &str = "820000000000000001";

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::Update, "id={S1}&role=820000000000000001&mode=add", &CASES).await;
    }

    async fn a_role_that_the_guild_allows_is_granted_to_linked_players(engine) {
        let stage = Stage::set(engine).await;
        stage.test.db.damage(&format!("UPDATE guilds SET plugin_roles = '[\"{ROLE}\"]'")).await;
        let players = format!("{},{}", steam(1), steam(9));
        let added = stage.get(&format!("update&id={players}&role={ROLE}&mode=add")).await;
        assert_answer(&added, 200, "\"Roles updated\"");
        stage.get(&format!("update&id={}&role={ROLE}&mode=remove", steam(1))).await;
        let (all, living) = ("role_grants", "role_grants WHERE granted_at > 0");
        assert_eq!((stage.test.db.count(all).await, stage.test.db.count(living).await), (1, 0), "taken back by who gave it");
        stage.get(&format!("update&id={}&role={ROLE}&mode=add", steam(1))).await;
        assert_eq!(stage.test.db.count(living).await, 1);
        stage.test.finish().await;
    }

    async fn any_other_role_is_refused_and_nothing_is_queued(engine) {
        let stage = Stage::set(engine).await;
        let asked = stage.get(&format!("update&id={}&role={ROLE}&mode=add", steam(1))).await;
        assert_refused(&asked, 400, "INVALID_PARAMETER");
        assert_eq!(asked.json()["parameter"], "role");
        assert_refused(&stage.get(&format!("update&id={}&role={ROLE}&mode=x", steam(1))).await, 400, "INVALID_PARAMETER");
        assert_refused(&stage.get(&format!("update&id={}&mode=add", steam(1))).await, 400, "INVALID_PARAMETER");
        stage.test.finish().await;
    }
}
