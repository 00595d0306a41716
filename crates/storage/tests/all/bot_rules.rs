//! Bad states of bots that the schema itself refuses.

use storage::both_databases;
use storage::db::Broken;

use crate::schema_rules::Bench;
use crate::support::Tenant;

both_databases! {
    async fn there_is_one_shared_bot_and_one_dedicated_for_a_guild(engine) {
        let bench = Bench::open(engine).await;
        let (one, two) = (bench.one.clone(), bench.two.clone());
        let bot = |id: &str, kind: &str, place: &str| format!(
            "INSERT INTO bots (id, kind, org_num, guild_num, secret_hash, secret_sealed, secret_kid, version, created_at, rotated_at)
             VALUES ('{id}', '{kind}', {place}, 'h{id}', 's', 'k', 1, 1, 1)");
        let place = |org: &Tenant, guild: &Tenant| format!("{}, {}", org.scope.num(), guild.guild.0);
        bench.allowed(&bot("platform", "platform", "NULL, NULL")).await;
        bench.refused(Broken::Unique, &bot("platform", "platform", "NULL, NULL")).await;
        bench.refused(Broken::Rule, &bot("1", "platform", "NULL, NULL")).await;
        bench.refused(Broken::Rule, &bot("1", "dedicated", "NULL, NULL")).await;
        bench.refused(Broken::Rule, &bot("1", "other", &place(&one, &one))).await;
        bench.refused(Broken::ForeignKey, &bot("1", "dedicated", &place(&one, &two))).await;
        bench.allowed(&bot("1", "dedicated", &place(&one, &one))).await;
        bench.refused(Broken::Unique, &bot("2", "dedicated", &place(&one, &one))).await;
        for wrong in ["state = 'asleep'", "failure = 'tired'", "fence = -1", "lease_owner = 'n'", "instance = 'i'"] {
            bench.refused(Broken::Rule, &format!("UPDATE bots SET {wrong}")).await;
        }
        bench.done().await;
    }

    async fn what_is_known_on_discord_stands_in_its_own_org(engine) {
        let bench = Bench::open(engine).await;
        let (org, guild) = (bench.two.scope.num(), bench.one.guild.0);
        for (table, columns, values) in [
            ("guild_bots", "present", "1"),
            ("discord_roles", "id, name, position", "'1', 'r', 1"),
            ("discord_channels", "id, name, position, kind", "'1', 'c', 1, 0"),
            ("log_batches", "body, last_job, created_at", "'{}', 1, 1"),
        ] {
            let row = |org: i64| format!("INSERT INTO {table} (guild_num, org_num, {columns}) VALUES ({guild}, {org}, {values})");
            bench.refused(Broken::ForeignKey, &row(org)).await;
            bench.allowed(&row(bench.one.scope.num())).await;
            bench.refused(Broken::Unique, &row(bench.one.scope.num())).await;
        }
        bench.done().await;
    }
}
