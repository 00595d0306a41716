//! The doctor finds every kind of damage it knows, and nothing in a sound database.

use domain::id::KeyId;
use domain::random::SystemRandom;
use storage::both_databases;
use storage::testing::{Engine, TestDb};

use crate::doctor_people;
use crate::support::{NOW, Raw, Tenant};
use crate::webhooks;

/// What stands in the way of planting damage: foreign keys, checks, triggers and unique indexes.
pub async fn disarm(raw: &Raw) {
    raw.run_either(
        "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;
         DROP TRIGGER links_keep_history; DROP TRIGGER links_stay;
         DROP INDEX links_active_discord; DROP INDEX links_active_steam; DROP INDEX api_keys_one_plugin_key",
        "SET session_replication_role = replica;
         DROP INDEX links_active_discord; DROP INDEX links_active_steam; DROP INDEX api_keys_one_plugin_key;
         DO $$ DECLARE c record; BEGIN
           FOR c IN SELECT conrelid::regclass AS t, conname FROM pg_constraint
                    WHERE contype = 'c' AND connamespace = current_schema()::regnamespace
           LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.t, c.conname); END LOOP;
         END $$",
    )
    .await;
}

/// Damage, its remedy, and what the doctor says.
pub type Damage = (String, String, &'static str);

pub fn set(change: &str, back: &str, finding: &'static str) -> Damage {
    (change.to_owned(), back.to_owned(), finding)
}

fn damaged_links(one: &Tenant, two: &Tenant) -> Vec<Damage> {
    let (org, guild, other_guild) = (one.scope.num(), one.guild.0, two.guild.0);
    let link = |id: &str, guild: i64, discord: &str, steam: &str| {
        format!(
            "INSERT INTO links (id, org_num, guild_num, discord_id, steam_id, linked_at, verified_at)
             VALUES ('{id}', {org}, {guild}, '{discord}', '{steam}', 1, 1)"
        )
    };
    let (discord, steam) = (one.discord.as_str(), one.steam.as_str());
    vec![
        (
            link("x", guild, discord, "other"),
            forget("x"),
            "a Discord id has two active links",
        ),
        (
            link("x", guild, "other", steam),
            forget("x"),
            "a Steam id has two active links",
        ),
        (
            link("x", other_guild, "d", "s"),
            forget("x"),
            "a link points at another Org's Guild",
        ),
        set(
            &format!("UPDATE links SET end_cause = 'user' WHERE org_num = {org}"),
            "UPDATE links SET end_cause = NULL",
            "a link is half ended",
        ),
    ]
}

fn drifted_counters() -> Vec<Damage> {
    vec![
        set(
            "UPDATE org_usage SET guilds = 9",
            "UPDATE org_usage SET guilds = 1",
            "count of Guilds differs",
        ),
        set(
            "UPDATE org_usage SET servers = 9",
            "UPDATE org_usage SET servers = 1",
            "count of Servers differs",
        ),
        set(
            "UPDATE org_usage SET links = 9",
            "UPDATE org_usage SET links = 1",
            "an Org's count of links differs",
        ),
        set(
            "UPDATE guilds SET active_links = 9",
            "UPDATE guilds SET active_links = 1",
            "a Guild's count of links",
        ),
        set(
            "UPDATE accounts SET orgs_owned = 9",
            "UPDATE accounts SET orgs_owned = 1",
            "count of owned Orgs differs",
        ),
    ]
}

fn damaged_tenants(one: &Tenant, two: &Tenant) -> Vec<Damage> {
    let (org, guild, other_guild) = (one.scope.num(), one.guild.0, two.guild.0);
    vec![
        (
            "UPDATE api_keys SET kind = 'custom'".to_owned(),
            "UPDATE api_keys SET kind = 'plugin'".to_owned(),
            "a Server does not have exactly one plugin key (2 times): srv_",
        ),
        (
            second_plugin_key(one),
            "DELETE FROM api_keys WHERE hash = 'h'".to_owned(),
            "a Server does not have exactly one plugin key (1 times)",
        ),
        (
            format!("UPDATE api_keys SET guild_num = {other_guild} WHERE org_num = {org}"),
            format!("UPDATE api_keys SET guild_num = {guild} WHERE org_num = {org}"),
            "a key points at another tenant's Guild or Server",
        ),
        (
            format!(
                "UPDATE api_keys SET server_num = {} WHERE org_num = {org}",
                two.server.0
            ),
            format!(
                "UPDATE api_keys SET server_num = {} WHERE org_num = {org}",
                one.server.0
            ),
            "a key points at another tenant's Guild or Server",
        ),
        (
            format!("DELETE FROM org_usage WHERE org_num = {org}"),
            format!("INSERT INTO org_usage (org_num, guilds, servers, links) VALUES ({org}, 1, 1, 1)"),
            "an Org lacks its counters",
        ),
        (
            format!("DELETE FROM audit_heads WHERE chain = {org}"),
            format!("INSERT INTO audit_heads (chain, seq, hash) VALUES ({org}, 0, '')"),
            "an Org lacks its counters or its audit chain",
        ),
        (
            format!(
                "INSERT INTO members (org_num, account_num, role, permissions, joined_at)
                 VALUES ({org}, {}, 'admin', 0, 1)",
                one.account.0
            ),
            "DELETE FROM members".to_owned(),
            "an owner is listed as a member too",
        ),
        set(
            "UPDATE api_keys SET actions = 1",
            &plugin_actions(),
            "does not hold exactly its twelve actions",
        ),
        set(
            "UPDATE audit_heads SET seq = 1 WHERE chain = 0",
            "UPDATE audit_heads SET seq = 0 WHERE chain = 0",
            "audit chain 0 ends at 0 instead of 1",
        ),
    ]
}

/// What is left behind by somebody who did not see that it was removed.
fn left_in_removed(one: &Tenant, two: &Tenant) -> Vec<Damage> {
    let (org, account, guild) = (one.scope.num(), two.account.0, one.guild.0);
    let remove = format!("UPDATE orgs SET removed_at = 1 WHERE num = {org};");
    let back = "UPDATE orgs SET removed_at = NULL;";
    let member = format!(
        "INSERT INTO members (org_num, account_num, role, permissions, joined_at) VALUES ({org}, {account}, 'staff', 0, 1);"
    );
    let invite = format!(
        "INSERT INTO invites (id, org_num, code_hash, sealed, sealed_kid, role, permissions, account_num, created_at)
         VALUES ('i', {org}, 'h', 's', 'k', 'staff', 0, {account}, 1);"
    );
    let guild_gone = format!("UPDATE guilds SET removed_at = 1 WHERE num = {guild}");
    let guild_back = "UPDATE guilds SET removed_at = NULL";
    vec![
        set(&remove, back, "a removed Org has a Guild (1 times)"),
        set(&remove, back, "a removed Guild or Org has a Server (1 times)"),
        set(&remove, back, "a removed Guild or Org has a key (1 times)"),
        set(
            &remove,
            back,
            "a removed Guild or Org has an active link, and no job to end it (1 times)",
        ),
        set(
            &[&*remove, &member].concat(),
            &[back, "DELETE FROM members"].concat(),
            "a removed Org has a member (1 times)",
        ),
        set(
            &[&*remove, &invite].concat(),
            &[back, "DELETE FROM invites"].concat(),
            "a removed Org has an invite that was not revoked (1 times)",
        ),
        set(
            &guild_gone,
            guild_back,
            "a removed Guild or Org has a Server (1 times)",
        ),
        set(
            &guild_gone,
            guild_back,
            "a removed Guild or Org has a key (1 times)",
        ),
        set(
            &guild_gone,
            guild_back,
            "a removed Guild or Org has an active link, and no job to end it (1 times)",
        ),
    ]
}

fn damaged_lanes(one: &Tenant) -> Vec<Damage> {
    let (org, guild) = (one.scope.num(), &one.guild_id);
    let lane = |jobs: i64| {
        format!(
            "INSERT INTO job_lanes (lane, kind, jobs, run_at) VALUES ('guild:{guild}', 'guild', {jobs}, 1);"
        )
    };
    let job = format!(
        "INSERT INTO jobs (lane, kind, dedupe, org_num, payload, created_at)
         VALUES ('guild:{guild}', 'guild.end', 'guild.end:{guild}', {org}, '{{}}', 1);"
    );
    let back = "DELETE FROM jobs; DELETE FROM job_lanes";
    let counted = "a lane's count of jobs differs from its jobs (1 times)";
    let taken = "UPDATE job_lanes SET lease_owner = 'somebody'";
    vec![
        set(&[&*lane(2), &job].concat(), back, counted),
        set(&lane(1), back, counted),
        set(&lane(0), back, counted),
        set(&job, back, "a job waits in no lane (1 times)"),
        set(
            &[&*lane(1), &job, taken].concat(),
            back,
            "a lane is taken without a fence (1 times)",
        ),
    ]
}

fn damaged_bots(one: &Tenant) -> Vec<Damage> {
    let (org, guild) = (one.scope.num(), one.guild.0);
    let gone = format!("UPDATE guilds SET removed_at = 1 WHERE num = {guild};");
    let back = "UPDATE guilds SET removed_at = NULL;";
    let bot = format!(
        "INSERT INTO bots (id, kind, org_num, guild_num, secret_hash, secret_sealed, secret_kid, version, created_at, rotated_at)
         VALUES ('900000000000000001', 'dedicated', {org}, {guild}, 'h', 's', 'k', 1, 1, 1);"
    );
    let known = "a removed Guild is still known on Discord, and no job forgets it (1 times)";
    let facts = [
        ("guild_bots", "present", "1"),
        ("discord_roles", "id, name, position", "'1', 'r', 1"),
        ("discord_channels", "id, name, position, kind", "'1', 'c', 1, 0"),
        ("log_batches", "body, last_job, created_at", "'{}', 1, 1"),
    ]
    .map(|(table, columns, values)| {
        let row =
            format!("INSERT INTO {table} (guild_num, org_num, {columns}) VALUES ({guild}, {org}, {values})");
        let undo = format!("DELETE FROM {table}");
        set(&[&*gone, &row].concat(), &[back, &undo].concat(), known)
    });
    let mut damage = facts.to_vec();
    damage.push(set(
        &[&*gone, &bot].concat(),
        &[back, "DELETE FROM bots"].concat(),
        "a removed Guild has a bot (1 times)",
    ));
    damage.push(set(
        &[&*bot, "UPDATE bots SET lease_owner = 'n', lease_until = 1"].concat(),
        "DELETE FROM bots",
        "a bot is taken without a fence (1 times)",
    ));
    damage
}

fn forget(link: &str) -> String {
    format!("DELETE FROM links WHERE id = '{link}'")
}

fn plugin_actions() -> String {
    format!(
        "UPDATE api_keys SET actions = {}",
        domain::action::ActionSet::PLUGIN.bits()
    )
}

fn second_plugin_key(tenant: &Tenant) -> String {
    let id = KeyId::generate(NOW, &SystemRandom);
    format!(
        "INSERT INTO api_keys (id, org_num, guild_num, server_num, kind, actions, hash, prefix, sealed, sealed_kid,
                               version, created_at, rotated_at)
         SELECT '{id}', org_num, guild_num, server_num, kind, actions, 'h', prefix, sealed, sealed_kid, 1, 1, 1
         FROM api_keys WHERE server_num = {}",
        tenant.server.0
    )
}

/// Findings but for what [`disarm`] took away.
pub async fn beside_the_schema(test: &TestDb) -> Vec<String> {
    let mut findings = storage::doctor::examine(&test.db).await.unwrap();
    findings.retain(|finding| !finding.ends_with("is missing or does not work"));
    findings
}

both_databases! {
    async fn a_sound_database_has_no_findings(engine) {
        let test = TestDb::open(engine).await;
        let nothing = Vec::<String>::new();
        assert_eq!(storage::doctor::examine(&test.db).await.unwrap(), nothing);
        Tenant::make(&test.db, 1).await;
        assert_eq!(storage::doctor::examine(&test.db).await.unwrap(), nothing);
        assert_eq!(test.db.verify_files().await.unwrap(), nothing);
        test.finish().await;
    }

    async fn every_kind_of_damage_is_found(engine) {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        let raw = Raw::open(&test).await;
        disarm(&raw).await;
        let damages = [drifted_counters(), damaged_links(&one, &two), damaged_tenants(&one, &two), left_in_removed(&one, &two), damaged_lanes(&one), damaged_bots(&one), doctor_people::damaged(&one), doctor_people::damaged_counts(&one), webhooks::damaged(&one)].concat();
        assert_eq!(damages.len(), 53);
        for (damage, remedy, expected) in damages {
            raw.run(&damage).await.unwrap_or_else(|error| panic!("{damage}: {error}"));
            let findings = beside_the_schema(&test).await;
            let found = findings.iter().find(|finding| finding.contains(expected));
            let found = found.unwrap_or_else(|| panic!("{damage}\n{findings:?}"));
            let named = [one.org_id.as_str(), two.org_id.as_str(), "usr_", "guild:gld_", "audit chain"].iter().any(|name| found.contains(name));
            assert!(named, "{found} names nobody");
            raw.run(&remedy).await.unwrap_or_else(|error| panic!("{remedy}: {error}"));
            let left = beside_the_schema(&test).await;
            assert!(left.is_empty(), "{damage}\n{left:?}");
        }
        drop(raw);
        test.finish().await;
    }
}

#[tokio::test]
async fn on_sqlite_a_dangling_reference_is_found() {
    let test = TestDb::open(Engine::Sqlite).await;
    let tenant = Tenant::make(&test.db, 1).await;
    let raw = Raw::open(&test).await;
    let dangling = format!(
        "UPDATE orgs SET owner_account_num = 999 WHERE num = {}",
        tenant.scope.num()
    );
    raw.run(&["PRAGMA foreign_keys = OFF;", &dangling].concat())
        .await
        .unwrap();
    let findings = test.db.verify_files().await.unwrap();
    assert_eq!(findings, ["a row refers to one that does not exist"]);
    drop(raw);
    test.finish().await;
}

#[tokio::test]
async fn on_sqlite_a_damaged_file_is_found() {
    let test = TestDb::open(Engine::Sqlite).await;
    Tenant::make(&test.db, 1).await;
    let raw = Raw::open(&test).await;
    // An index that lost its entries while the table kept its rows.
    let root = raw
        .number("SELECT rootpage FROM sqlite_schema WHERE name = 'guilds_org'")
        .await;
    raw.run("PRAGMA writable_schema = ON").await.unwrap();
    raw.run(&format!(
        "UPDATE sqlite_schema SET rootpage = {root} WHERE name = 'servers_org'"
    ))
    .await
    .unwrap();
    drop(raw);
    let test = test.restart().await;
    let findings = storage::doctor::examine(&test.db).await.unwrap();
    assert!(
        findings
            .iter()
            .any(|finding| finding.contains("the database file is damaged")),
        "{findings:?}"
    );
    test.finish().await;
}
