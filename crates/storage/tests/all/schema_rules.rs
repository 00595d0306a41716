//! Bad states that the schema itself refuses, whatever the code above it does.

use storage::both_databases;
use storage::db::{Broken, DbError};
use storage::testing::{Engine, TestDb};

use crate::support::{NOW, Raw, Tenant};

/// Two tenants and a way around the layer.
pub struct Bench {
    test: TestDb,
    raw: Raw,
    pub one: Tenant,
    pub two: Tenant,
}

impl Bench {
    pub async fn open(engine: Engine) -> Bench {
        let test = TestDb::open(engine).await;
        let (one, two) = (Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await);
        Bench {
            raw: Raw::open(&test).await,
            test,
            one,
            two,
        }
    }

    pub async fn refused(&self, rule: Broken, sql: &str) {
        match self.raw.run(sql).await {
            Err(DbError::Constraint(broken, _)) => assert_eq!(broken, rule, "{sql}"),
            other => panic!("{sql}\nwas not refused by a rule: {other:?}"),
        }
    }

    pub async fn allowed(&self, sql: &str) {
        if let Err(error) = self.raw.run(sql).await {
            panic!("{sql}\nwas refused: {error}");
        }
    }

    /// A link of the first tenant; `ended` is SQL for its end and its cause.
    fn link(&self, id: &str, discord: &str, steam: &str, ended: &str) -> String {
        format!(
            "INSERT INTO links (id, org_num, guild_num, discord_id, steam_id, linked_at, verified_at, ended_at, end_cause)
             VALUES ('{id}', {}, {}, '{discord}', '{steam}', 1000, 1000, {ended})",
            self.one.scope.num(),
            self.one.guild.0,
        )
    }

    /// An archived link, to be tampered with.
    async fn archived(&self) {
        self.allowed(&self.link("old", "d-old", "s-old", "2000, 'user'"))
            .await;
        self.allowed("UPDATE links SET country = 'FR' WHERE id = 'old' AND 1 = 0")
            .await;
    }

    pub async fn done(self) {
        drop(self.raw);
        let findings = storage::doctor::examine(&self.test.db).await.unwrap();
        // Rows that were put past the code are not counted and have made-up ids.
        let expected = |finding: &String| {
            [
                "count of links differs",
                "has an unreadable id",
                "is not among the Org's people",
                "is shown by a link that does not stand for them",
                "what is counted of a person",
                "links by day differ",
                "how long links lasted differ",
            ]
            .iter()
            .any(|known| finding.contains(known))
        };
        assert!(findings.iter().all(expected), "{findings:?}");
        self.test.finish().await;
    }
}

both_databases! {
    async fn a_discord_id_has_one_active_link_in_a_guild(engine) {
        let bench = Bench::open(engine).await;
        let taken = bench.one.discord.as_str();
        bench.refused(Broken::Unique, &bench.link("x", taken, "other", "NULL, NULL")).await;
        bench.allowed(&bench.link("ended", taken, "other", "2000, 'relink'")).await;
        bench.done().await;
    }

    async fn a_steam_id_has_one_active_link_in_a_guild(engine) {
        let bench = Bench::open(engine).await;
        let taken = bench.one.steam.as_str();
        bench.refused(Broken::Unique, &bench.link("x", "other", taken, "NULL, NULL")).await;
        bench.allowed(&bench.link("ended", "other", taken, "2000, 'relink'")).await;
        bench.done().await;
    }

    async fn the_same_pair_may_be_linked_in_two_guilds(engine) {
        let bench = Bench::open(engine).await;
        bench.allowed(&bench.link("x", bench.two.discord.as_str(), bench.two.steam.as_str(), "NULL, NULL")).await;
        bench.done().await;
    }

    async fn an_end_needs_a_cause_and_a_cause_an_end(engine) {
        let bench = Bench::open(engine).await;
        bench.refused(Broken::Rule, &bench.link("x", "d", "s", "2000, NULL")).await;
        bench.refused(Broken::Rule, &bench.link("x", "d", "s", "NULL, 'user'")).await;
        bench.refused(Broken::Rule, &bench.link("x", "d", "s", "2000, 'whim'")).await;
        bench.done().await;
    }

    async fn a_link_cannot_end_before_it_began(engine) {
        let bench = Bench::open(engine).await;
        bench.refused(Broken::Rule, &bench.link("x", "d", "s", "999, 'user'")).await;
        bench.allowed(&bench.link("x", "d", "s", "1000, 'user'")).await;
        bench.done().await;
    }

    async fn an_archived_link_cannot_be_changed(engine) {
        let bench = Bench::open(engine).await;
        bench.archived().await;
        for change in [
            "ended_at = 3000",
            "ended_at = NULL, end_cause = NULL",
            "end_cause = 'admin'",
            "verified_at = 1500",
            "discord_id = 'd-new'",
            "steam_id = 's-new'",
            "linked_at = 999",
            "country = 'FR'",
            "id = 'renamed'",
        ] {
            bench.refused(Broken::Rule, &format!("UPDATE links SET {change} WHERE id = 'old'")).await;
        }
        bench.done().await;
    }

    async fn the_identity_of_an_active_link_cannot_be_changed(engine) {
        let bench = Bench::open(engine).await;
        let active = format!("WHERE discord_id = '{}'", bench.one.discord.as_str());
        let foreign = format!("org_num = {}, guild_num = {}", bench.two.scope.num(), bench.two.guild.0);
        for change in [
            "discord_id = 'd-new'",
            "discord_id = 'x:digest'",
            "steam_id = 's-new'",
            "steam_id = 'x:digest'",
            "linked_at = 1",
            "id = 'renamed'",
            "num = 999",
            &foreign,
        ] {
            bench.refused(Broken::Rule, &format!("UPDATE links SET {change} {active}")).await;
        }
        // Nor while it is being ended.
        let ending = format!("UPDATE links SET ended_at = {}, end_cause = 'user', steam_id = 'x:s' {active}", NOW + 1);
        bench.refused(Broken::Rule, &ending).await;
        bench.allowed(&format!("UPDATE links SET verified_at = {}, country = 'FR' {active}", NOW + 1)).await;
        bench.done().await;
    }

    async fn erasing_a_person_from_an_archived_link_is_allowed(engine) {
        let bench = Bench::open(engine).await;
        bench.archived().await;
        bench.allowed("UPDATE links SET discord_id = 'x:d', steam_id = 'x:s', country = NULL WHERE id = 'old'").await;
        bench.done().await;
    }

    async fn a_link_cannot_be_deleted(engine) {
        let bench = Bench::open(engine).await;
        bench.archived().await;
        bench.refused(Broken::Rule, "DELETE FROM links WHERE id = 'old'").await;
        bench.refused(Broken::Rule, "DELETE FROM links").await;
        bench.done().await;
    }

    async fn an_audit_row_is_final(engine) {
        let bench = Bench::open(engine).await;
        let row = "INSERT INTO audit (chain, seq, at, actor_kind, action, detail, hash)
                   VALUES (0, 1, 1, 'system', 'x', '{}', 'h')";
        bench.allowed(row).await;
        bench.refused(Broken::Unique, row).await;
        bench.refused(Broken::Rule, "UPDATE audit SET detail = '{\"a\":1}' WHERE chain = 0").await;
        bench.refused(Broken::Rule, "DELETE FROM audit WHERE chain = 0").await;
        bench.refused(Broken::ForeignKey, "DELETE FROM audit_heads WHERE chain = 0").await;
        bench.done().await;
    }

    async fn an_audit_row_needs_a_chain_and_a_known_actor(engine) {
        let bench = Bench::open(engine).await;
        let row = |chain: i64, kind: &str| format!(
            "INSERT INTO audit (chain, seq, at, actor_kind, action, detail, hash)
             VALUES ({chain}, 1, 1, '{kind}', 'x', '{{}}', 'h')");
        bench.refused(Broken::ForeignKey, &row(12345, "system")).await;
        bench.refused(Broken::Rule, &row(0, "stranger")).await;
        bench.done().await;
    }

    async fn a_server_cannot_stand_in_another_orgs_guild(engine) {
        let bench = Bench::open(engine).await;
        let sql = format!(
            "INSERT INTO servers (id, org_num, guild_num, name, created_at) VALUES ('x', {}, {}, 'n', 1)",
            bench.one.scope.num(), bench.two.guild.0);
        bench.refused(Broken::ForeignKey, &sql).await;
        bench.done().await;
    }

    async fn a_link_cannot_stand_in_another_orgs_guild(engine) {
        let bench = Bench::open(engine).await;
        let sql = format!(
            "INSERT INTO links (id, org_num, guild_num, discord_id, steam_id, linked_at, verified_at)
             VALUES ('x', {}, {}, 'd', 's', 1, 1)",
            bench.one.scope.num(), bench.two.guild.0);
        bench.refused(Broken::ForeignKey, &sql).await;
        bench.done().await;
    }

    async fn a_key_cannot_open_another_tenants_server(engine) {
        let bench = Bench::open(engine).await;
        let (one, two) = (&bench.one, &bench.two);
        let server = two.server.0.to_string();
        bench.refused(Broken::ForeignKey, &key(one.scope.num(), one.guild.0, &server, "custom")).await;
        bench.refused(Broken::ForeignKey, &key(one.scope.num(), two.guild.0, &server, "custom")).await;
        bench.done().await;
    }

    async fn a_key_without_server_cannot_open_another_tenants_guild(engine) {
        let bench = Bench::open(engine).await;
        let (one, two) = (&bench.one, &bench.two);
        bench.refused(Broken::ForeignKey, &key(one.scope.num(), two.guild.0, "NULL", "custom")).await;
        bench.allowed(&key(one.scope.num(), one.guild.0, "NULL", "custom")).await;
        bench.done().await;
    }

    async fn a_server_has_one_plugin_key(engine) {
        let bench = Bench::open(engine).await;
        let one = &bench.one;
        let server = one.server.0.to_string();
        bench.refused(Broken::Unique, &key(one.scope.num(), one.guild.0, &server, "plugin")).await;
        bench.allowed(&key(one.scope.num(), one.guild.0, &server, "custom")).await;
        bench.done().await;
    }

    async fn a_plugin_key_needs_its_server(engine) {
        let bench = Bench::open(engine).await;
        let one = &bench.one;
        bench.refused(Broken::Rule, &key(one.scope.num(), one.guild.0, "NULL", "plugin")).await;
        bench.refused(Broken::Rule, &key(one.scope.num(), one.guild.0, "NULL", "bot")).await;
        bench.refused(Broken::Rule, &key(one.scope.num(), one.guild.0, "NULL", "stranger")).await;
        bench.done().await;
    }

    async fn a_discord_guild_belongs_to_one_org(engine) {
        let bench = Bench::open(engine).await;
        let sql = format!(
            "INSERT INTO guilds (id, org_num, discord_guild_id, slug, name, created_at)
             SELECT 'x', {}, discord_guild_id, 'other', 'n', 1 FROM guilds WHERE num = {}",
            bench.two.scope.num(), bench.one.guild.0);
        bench.refused(Broken::Unique, &sql).await;
        bench.done().await;
    }

    async fn counters_cannot_go_below_zero(engine) {
        let bench = Bench::open(engine).await;
        for sql in [
            "UPDATE org_usage SET guilds = -1",
            "UPDATE org_usage SET servers = -1",
            "UPDATE org_usage SET links = -1",
            "UPDATE guilds SET active_links = -1",
            "UPDATE accounts SET orgs_owned = -1",
            "UPDATE api_keys SET query_calls = -1",
            "UPDATE api_keys SET version = 0",
            "UPDATE api_keys SET actions = 0",
        ] {
            bench.refused(Broken::Rule, sql).await;
        }
        bench.done().await;
    }

    async fn ownership_is_no_membership(engine) {
        let bench = Bench::open(engine).await;
        let member = |role: &str, permissions: i64| format!(
            "INSERT INTO members (org_num, account_num, role, permissions, joined_at)
             VALUES ({}, {}, '{role}', {permissions}, 1)",
            bench.one.scope.num(), bench.two.account.0);
        bench.refused(Broken::Rule, &member("owner", 0)).await;
        bench.refused(Broken::Rule, &member("staff", -1)).await;
        bench.allowed(&member("staff", 0)).await;
        bench.refused(Broken::Unique, &member("admin", 0)).await;
        bench.done().await;
    }

    async fn an_org_cannot_lose_its_owner(engine) {
        let bench = Bench::open(engine).await;
        bench.refused(Broken::Rule, "UPDATE orgs SET owner_account_num = NULL").await;
        bench.refused(Broken::ForeignKey, "UPDATE orgs SET owner_account_num = -5").await;
        let delete = format!("DELETE FROM accounts WHERE num = {}", bench.one.account.0);
        bench.refused(Broken::ForeignKey, &delete).await;
        bench.done().await;
    }

    async fn a_flag_is_zero_or_one(engine) {
        let bench = Bench::open(engine).await;
        bench.refused(Broken::Rule, "UPDATE accounts SET operator = 2").await;
        bench.refused(Broken::Rule, "UPDATE servers SET active = -1").await;
        bench.done().await;
    }

    async fn a_country_has_two_letters(engine) {
        let bench = Bench::open(engine).await;
        let active = format!("WHERE discord_id = '{}'", bench.one.discord.as_str());
        bench.refused(Broken::Rule, &format!("UPDATE links SET country = 'DEU' {active}")).await;
        bench.refused(Broken::Rule, &format!("UPDATE links SET country = '' {active}")).await;
        bench.done().await;
    }

    async fn words_come_from_their_lists(engine) {
        let bench = Bench::open(engine).await;
        bench.refused(Broken::Rule, "UPDATE orgs SET tier = 'gold'").await;
        bench.refused(Broken::Rule, "UPDATE api_keys SET hash_alg = 'md5'").await;
        bench.done().await;
    }

    async fn a_job_waits_in_a_lane_that_has_jobs(engine) {
        let bench = Bench::open(engine).await;
        let lane = |jobs: i64| format!("INSERT INTO job_lanes (lane, kind, jobs, run_at) VALUES ('l', 'k', {jobs}, 1)");
        let job = |lane: &str| format!(
            "INSERT INTO jobs (lane, kind, dedupe, payload, created_at) VALUES ('{lane}', 'k', 'd', '{{}}', 1)");
        bench.refused(Broken::Rule, &lane(0)).await;
        bench.allowed(&lane(1)).await;
        bench.refused(Broken::Unique, &lane(1)).await;
        bench.refused(Broken::ForeignKey, &job("other")).await;
        bench.allowed(&job("l")).await;
        bench.refused(Broken::Unique, &job("l")).await;
        bench.refused(Broken::ForeignKey, "DELETE FROM job_lanes").await;
        for wrong in ["done = -1", "total = -1", "cancelled = 2"] {
            bench.refused(Broken::Rule, &format!("UPDATE jobs SET {wrong}")).await;
        }
        bench.done().await;
    }

    async fn a_steam_group_is_a_text_and_its_number(engine) {
        let bench = Bench::open(engine).await;
        let group = |text: &str, number: &str| format!("UPDATE guilds SET steam_group = {text}, steam_group_id = {number}");
        for (text, number) in [("'x'", "NULL"), ("NULL", "4"), ("'x'", "0"), ("'x'", "4294967296")] {
            bench.refused(Broken::Rule, &group(text, number)).await;
        }
        bench.allowed(&group("'x'", "4294967295")).await;
        bench.allowed(&group("NULL", "NULL")).await;
        bench.done().await;
    }

    async fn a_server_asks_neither_all_the_time_nor_never(engine) {
        let bench = Bench::open(engine).await;
        bench.refused(Broken::Rule, "UPDATE servers SET poll_seconds = 9").await;
        bench.refused(Broken::Rule, "UPDATE servers SET poll_seconds = 3601").await;
        bench.done().await;
    }

    async fn a_session_ends_after_it_began(engine) {
        let bench = Bench::open(engine).await;
        let session = |created: i64, seen: i64, expires: i64| format!(
            "INSERT INTO sessions (hash, account_num, created_at, seen_at, expires_at)
             VALUES ('h', {}, {created}, {seen}, {expires})", bench.one.account.0);
        bench.refused(Broken::Rule, &session(10, 9, 20)).await;
        bench.refused(Broken::Rule, &session(10, 10, 10)).await;
        bench.done().await;
    }
}

fn key(org: i64, guild: i64, server: &str, kind: &str) -> String {
    format!(
        "INSERT INTO api_keys (id, org_num, guild_num, server_num, kind, name, actions, hash, prefix, sealed, sealed_kid,
                               version, created_at, rotated_at)
         VALUES ('x', {org}, {guild}, {server}, '{kind}', 'n', 1, 'h', 'p', 's', 'k1', 1, 1, 1)"
    )
}

/// Without strict tables SQLite would store any text in an integer column.
#[tokio::test]
async fn on_sqlite_a_column_holds_its_type() {
    let bench = Bench::open(Engine::Sqlite).await;
    bench
        .refused(Broken::Rule, "UPDATE org_usage SET links = 'many'")
        .await;
    bench
        .refused(Broken::Rule, "UPDATE accounts SET name = x'00'")
        .await;
    bench.done().await;
}
