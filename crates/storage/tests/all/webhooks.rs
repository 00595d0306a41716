//! Bad states of webhooks that the schema itself refuses, and those that the doctor finds.

use storage::both_databases;
use storage::db::Broken;

use crate::doctor::{Damage, set};
use crate::schema_rules::Bench;
use crate::support::Tenant;

fn endpoint(num: i64, org: i64) -> String {
    format!(
        "INSERT INTO webhook_endpoints (num, id, org_num, url, created_at) VALUES ({num}, 'whk_{num}', {org}, 'https://x', 1);"
    )
}

fn secret(id: &str, endpoint: i64, ends_at: &str) -> String {
    format!(
        "INSERT INTO webhook_secrets (id, endpoint_num, sealed, sealed_kid, ends_at) VALUES ('{id}', {endpoint}, 's', 'k', {ends_at});"
    )
}

/// `state` is SQL for when it is tried next, when it ended, and whether it was given up.
fn message(endpoint: i64, place: (i64, i64), event: &str, state: &str) -> String {
    let (org, guild) = place;
    format!(
        "INSERT INTO webhook_deliveries (endpoint_num, org_num, guild_num, link_id, event, created_at, begun_at, next_at, ended_at, dead)
         VALUES ({endpoint}, {org}, {guild}, 'lnk_1', '{event}', 1, 1, {state});"
    )
}

pub fn damaged(one: &Tenant) -> Vec<Damage> {
    let (org, guild) = (one.scope.num(), one.guild.0);
    let whole = [endpoint(7, org), secret("a", 7, "NULL")].concat();
    let back = "DELETE FROM webhook_deliveries; DELETE FROM webhook_secrets; DELETE FROM webhook_endpoints;";
    let waiting = message(7, (org, guild), "link.created", "1, NULL, 0");
    vec![
        set(
            &endpoint(7, org),
            back,
            "a webhook does not have exactly one secret that stays (1 times)",
        ),
        set(
            &[
                &*whole,
                &format!("UPDATE orgs SET removed_at = 1 WHERE num = {org}"),
            ]
            .concat(),
            &[back, "UPDATE orgs SET removed_at = NULL"].concat(),
            "a removed Org has a webhook (1 times)",
        ),
        set(
            &[
                &*whole,
                &waiting,
                &format!("UPDATE guilds SET removed_at = 1 WHERE num = {guild}"),
            ]
            .concat(),
            &[back, "UPDATE guilds SET removed_at = NULL"].concat(),
            "a removed Guild has messages of webhooks, and no job forgets them (1 times)",
        ),
    ]
}

both_databases! {
    async fn a_webhook_has_one_secret_that_stays(engine) {
        let bench = Bench::open(engine).await;
        bench.refused(Broken::ForeignKey, &secret("a", 7, "NULL")).await;
        bench.refused(Broken::ForeignKey, &endpoint(7, 999)).await;
        bench.allowed(&endpoint(7, bench.one.scope.num())).await;
        bench.allowed(&secret("a", 7, "NULL")).await;
        bench.refused(Broken::Unique, &secret("b", 7, "NULL")).await;
        bench.refused(Broken::Unique, &secret("a", 7, "5")).await;
        bench.allowed(&secret("b", 7, "5")).await;
        bench.refused(Broken::ForeignKey, "DELETE FROM webhook_endpoints").await;
        bench.done().await;
    }

    async fn a_message_waits_or_has_ended_and_stands_in_the_org_of_its_webhook(engine) {
        let bench = Bench::open(engine).await;
        let (one, two) = (bench.one.clone(), bench.two.clone());
        let own = (one.scope.num(), one.guild.0);
        bench.allowed(&[endpoint(7, own.0), secret("a", 7, "NULL")].concat()).await;
        for (place, event, state, rule) in [
            ((two.scope.num(), two.guild.0), "link.created", "1, NULL, 0", Broken::ForeignKey),
            ((own.0, two.guild.0), "link.created", "1, NULL, 0", Broken::ForeignKey),
            (own, "link.lost", "1, NULL, 0", Broken::Rule),
            (own, "link.created", "NULL, NULL, 0", Broken::Rule),
            (own, "link.created", "1, 2, 0", Broken::Rule),
            (own, "link.created", "1, NULL, 1", Broken::Rule),
            (own, "link.created", "NULL, 2, 2", Broken::Rule),
        ] {
            bench.refused(rule, &message(7, place, event, state)).await;
        }
        bench.allowed(&message(7, own, "link.created", "1, NULL, 0")).await;
        bench.refused(Broken::Unique, &message(7, own, "link.created", "NULL, 2, 1")).await;
        bench.allowed(&message(7, own, "link.ended", "NULL, 2, 1")).await;
        bench.done().await;
    }
}
