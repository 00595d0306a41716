//! Every SQL text is understood by both databases, and the hot ones are answered by an index.

use storage::db::Statement;
use storage::identity::sessions;
use storage::keys::plugin_keys;
use storage::testing::{Engine, TestDb, statement};
use storage::{both_databases, catalogue};
use tokio_postgres::types::Type;

use crate::support::{NOW, Tenant, postgres_client};

/// What runs on every plugin call or page view.
const HOT: [&str; 8] = [
    "storage::keys::resolved_keys::RESOLVE",
    "storage::keys::resolved_keys::LINKED",
    "storage::bots::register::HOLDER",
    "storage::linking::links::BY_DISCORD",
    "storage::linking::links::BY_STEAM",
    "storage::identity::sessions::CALLER",
    "storage::tenancy::servers::BY_ID",
    "storage::tenancy::guilds::BY_ID",
];

pub fn named(name: &str) -> &'static Statement {
    let found = catalogue::statements().find(|statement| statement.name() == name);
    found.unwrap_or_else(|| panic!("{name} is not in the catalogue"))
}

/// What may read a whole table, and why that is no harm. Besides these only the doctor does.
const LONG: [&str; 37] = [
    // Kept off the threads that serve requests.
    "storage::admin::flags::ALL",
    "storage::admin::waiting_jobs::KINDS",
    "storage::admin::waiting_jobs::PAGE",
    "storage::bots::guild_lists::LINKED_SHARED",
    "storage::bots::processes::ALL",
    "storage::identity::accounts::COUNT_GRANTED_OPERATORS",
    "storage::identity::accounts::GRANTED_OPERATORS",
    "storage::jobs::waiting::ALL",
    "storage::jobs::waiting::BY_KIND",
    "storage::jobs::waiting::COUNT_LANES",
    "storage::keys::plugin_keys::SEALED_KIDS",
    "storage::linking::links::HISTORY",
    "storage::records::error_log::FAULTS",
    "storage::records::error_log::WITH_REQUEST",
    "storage::roles::subjects::PLACES_OF_DISCORD",
    "storage::roles::subjects::PLACES_OF_STEAM",
    "storage::tenancy::orgs::ALL",
    "storage::linking::sealed_flows::COUNT",
    // Every node reads all bots of Guilds each second: a few thousand short rows.
    "storage::bots::runners::ALL",
    "storage::bots::runners::TAKE_FREE",
    "storage::bots::runners::RENEW_ALL",
    "storage::bots::runners::FREE_LEFT",
    // What it goes through is the list that it makes itself.
    "storage::records::audit_pages::ACTORS",
    "storage::players::graph::COMPONENT",
    "storage::players::graph::EDGES",
    "storage::players::people_rows::COUNTRIES",
    // Few people ask, and a look into each Org's index is cheap.
    "storage::admin::person_search::LINKS_OF_DISCORD",
    "storage::admin::person_search::LINKS_OF_STEAM",
    "storage::admin::person_search::NAMED",
    "storage::privacy::held::ORGS_OF_DISCORD",
    "storage::privacy::held::ORGS_OF_STEAM",
    "storage::privacy::held::ORGS_OF_ROWS",
    // Sign-ins of the last hour.
    "storage::privacy::erasures::FLOWS",
    "storage::privacy::erasures::TRIPS",
    // Housekeeping on tables that it keeps small itself.
    "storage::players::daily_calls::PURGE",
    "storage::records::error_log::PURGE_SURPLUS",
    // The plan of a foreign key that SQLite follows only where a constraint is deferred, and none is.
    "storage::tenancy::guilds::INSERT",
];

/// Whether a line of a plan reads a whole table. Lists of ids, which the caller gave, do not count.
fn scans(engine: Engine, line: &str) -> bool {
    let line = line.trim_start();
    match engine {
        Engine::Sqlite => {
            let is_given = line.contains("VIRTUAL TABLE") || line.starts_with("SCAN CONSTANT");
            line.starts_with("SCAN") && !is_given
        }
        Engine::Postgres => line.contains("Seq Scan"),
    }
}

both_databases! {
    async fn every_statement_can_be_prepared(engine) {
        let test = TestDb::open(engine).await;
        for statement in catalogue::statements() {
            if let Err(error) = test.db.check(statement).await {
                panic!("{}: {error}", statement.name());
            }
        }
        test.finish().await;
    }

    async fn hot_statements_never_scan_a_table(engine) {
        let test = TestDb::open(engine).await;
        for name in HOT {
            let plan = test.db.explain(named(name)).await.unwrap();
            let scans = match engine {
                Engine::Sqlite => plan.lines().any(|line| line.trim_start().starts_with("SCAN")),
                Engine::Postgres => plan.contains("Seq Scan"),
            };
            assert!(!scans && !plan.is_empty(), "{name} reads a whole table:\n{plan}");
        }
        test.finish().await;
    }

    /// Whatever is not in the list of long reads may run on a thread that serves requests, or in the one that writes.
    async fn only_long_reads_scan_a_table(engine) {
        let test = TestDb::open(engine).await;
        let mut found = Vec::new();
        for statement in catalogue::statements() {
            let (name, plan) = (statement.name(), test.db.explain(statement).await.unwrap());
            let is_doctors = name.starts_with("storage::doctor::");
            let is_long = LONG.contains(&name) || is_doctors;
            if !is_long && plan.lines().any(|line| scans(engine, line)) {
                found.push(format!("{name} reads a whole table:\n{plan}"));
            }
        }
        assert!(found.is_empty(), "{}", found.join("\n"));
        for name in LONG {
            named(name);
        }
        test.finish().await;
    }

    /// The check above must be able to fail.
    async fn a_scan_shows_in_the_plan(engine) {
        let test = TestDb::open(engine).await;
        let sql = "SELECT num FROM accounts WHERE name = 'nobody'";
        let plan = test.db.explain(statement(sql, sql)).await.unwrap();
        assert!(plan.contains(if engine == Engine::Sqlite { "SCAN" } else { "Seq Scan" }), "{plan}");
        test.finish().await;
    }
}

/// Reached through a key, which goes with its Server.
const BY_KEY: [&str; 4] = [
    "storage::keys::bot_keys::BY_ORG",
    "storage::keys::custom_keys::BY_ID",
    "storage::keys::custom_keys::BY_ORG",
    "storage::keys::resolved_keys::SCOPE",
];

#[test]
fn whatever_reads_servers_knows_that_some_are_gone() {
    let mut readers = 0;
    for statement in catalogue::statements() {
        let name = statement.name();
        for sql in [statement.sqlite(), statement.postgres()] {
            let reads = ["FROM servers", "JOIN servers", "UPDATE servers"]
                .iter()
                .any(|how| sql.contains(how));
            // An erasure takes what removed Servers left, too.
            let is_let_off = BY_KEY.contains(&name)
                || name.starts_with("storage::doctor::")
                || name.starts_with("storage::privacy::");
            assert!(
                !reads || is_let_off || sql.contains("removed_at"),
                "{name}: {sql}"
            );
            readers += usize::from(reads);
        }
    }
    assert!(readers > 20, "{readers}");
    BY_KEY.iter().copied().map(named).for_each(drop);
}

/// Touching the row as well costs a tenth of a plugin call.
#[tokio::test]
async fn on_sqlite_a_plugin_call_finds_its_link_in_the_index_alone() {
    let test = TestDb::open(Engine::Sqlite).await;
    for name in [
        "storage::keys::resolved_keys::RESOLVE",
        "storage::keys::resolved_keys::LINKED",
    ] {
        let plan = test.db.explain(named(name)).await.unwrap();
        assert!(
            plan.contains("USING COVERING INDEX links_find_by_steam"),
            "{name}: {plan}"
        );
    }
    test.finish().await;
}

/// A page of a long log costs as much as one of a short log.
#[tokio::test]
async fn on_postgres_a_page_of_the_audit_log_is_read_without_sorting_all_of_it() {
    let test = TestDb::open(Engine::Postgres).await;
    let fill = "INSERT INTO audit_heads (chain, seq, hash) VALUES (7, 20000, '');
        INSERT INTO audit (chain, seq, at, actor_kind, action, detail, hash)
        SELECT 7, i, 1, 'system', 'guild.changed', '{}', '' FROM generate_series(1, 20000) i;
        ANALYZE audit";
    test.damage(fill).await;
    let plan = test
        .db
        .explain(named("storage::records::audit_pages::BEFORE"))
        .await
        .unwrap();
    assert!(
        plan.contains("Index Scan Backward") && !plan.contains("Sort"),
        "{plan}"
    );
    test.finish().await;
}

/// A client asks this every minute, and a Guild may have a hundred thousand links.
#[tokio::test]
async fn what_changed_is_read_in_the_order_of_an_index() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let test = TestDb::open(engine).await;
        let plan = test
            .db
            .explain(named("storage::linking::lookups::CHANGED"))
            .await
            .unwrap();
        assert!(plan.contains("links_changed"), "{plan}");
        let sorts = plan.contains("TEMP") || plan.contains("Sort");
        let is_bounded = match engine {
            Engine::Sqlite => plan.contains("guild_num=? AND <expr>>?"),
            Engine::Postgres => plan.contains("Index Cond: ((guild_num") && plan.contains(">="),
        };
        assert!(is_bounded && !sorts, "{plan}");
        test.finish().await;
    }
}

/// The log holds up to a hundred thousand groups, and whoever asks for a page of it, an index leads to it. SQLite reads
/// it in its order; PostgreSQL, which plans without knowing the filters, may sort what the index gave.
#[tokio::test]
async fn a_page_of_the_error_log_is_found_by_an_index() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let test = TestDb::open(engine).await;
        if engine == Engine::Postgres {
            // Its plans go by what is there: in an empty table every way is as short.
            let filled = "INSERT INTO error_log (code, route, org_num, minute, status, count, request_ids, detail) \
                          SELECT 'C' || n % 7, '/r' || n % 50, n % 20, n / 10, 400 + n % 100, 1, 'r', '' \
                          FROM generate_series(1, 20000) n";
            test.damage(filled).await;
            test.damage("ANALYZE error_log").await;
        }
        for (name, index) in [
            ("storage::records::error_log::OF_ORG", "error_log_of_org"),
            ("storage::records::error_log::OF_ALL", "error_log_by_time"),
        ] {
            let plan = test.db.explain(named(name)).await.unwrap();
            assert!(plan.contains(index), "{name}: {plan}");
            let is_bounded = match engine {
                Engine::Sqlite => plan.contains("minute>? AND minute<?") && !plan.contains("TEMP"),
                Engine::Postgres => plan
                    .lines()
                    .any(|line| line.contains("Index Cond") && line.contains("ROW(minute, num) < ROW(")),
            };
            assert!(is_bounded, "{name}: {plan}");
        }
        test.finish().await;
    }
}

/// Statements that are given a list of ids and read the links or rows of each.
const LISTS: [&str; 16] = [
    "storage::players::group_changes::LIST",
    "storage::linking::imports::ACTIVE_OF_DISCORD",
    "storage::linking::imports::ACTIVE_OF_STEAM",
    "storage::linking::imports::ENDED",
    "storage::linking::lookups::LINKED",
    "storage::linking::lookups::LIST_BY_DISCORD",
    "storage::linking::lookups::LIST_BY_STEAM",
    "storage::linking::lookups::BOOSTING",
    "storage::linking::lookups::STEAM_NAMES",
    "storage::players::names::SET_STEAM",
    "storage::roles::game_side::CHANGED",
    "storage::roles::game_side::OURS",
    "storage::roles::game_side::REPORTED",
    "storage::roles::grants::MEMBERS",
    "storage::players::server_players::LIST_GROUPS",
    "storage::players::server_players::REPORT",
];

/// The other way round, each link of the Guild would be held against the list, which takes seconds in a large Guild.
#[tokio::test]
async fn on_sqlite_each_id_of_a_list_is_looked_up() {
    let test = TestDb::open(Engine::Sqlite).await;
    for name in LISTS {
        let plan = test.db.explain(named(name)).await.unwrap();
        let looked_up = plan
            .lines()
            .filter(|line| {
                ["SEARCH l ", "SEARCH c ", "SEARCH p "]
                    .iter()
                    .any(|of| line.contains(of))
            })
            .all(|line| line.contains("steam_id=?") || line.contains("discord_id=?"));
        assert!(looked_up && plan.contains("SEARCH"), "{name}:\n{plan}");
    }
    test.finish().await;
}

/// The layer speaks text and 64-bit integers only; PostgreSQL guesses other types where a text leaves room.
#[tokio::test]
async fn on_postgres_every_parameter_and_column_has_a_type_of_the_layer() {
    let test = TestDb::open(Engine::Postgres).await;
    let client = postgres_client(&test.url_or_path()).await;
    for statement in catalogue::statements() {
        let prepared = client.prepare(statement.postgres()).await.unwrap();
        let columns = prepared.columns().iter().map(|column| column.type_());
        for kind in prepared.params().iter().chain(columns) {
            assert!(
                [Type::INT8, Type::TEXT].contains(kind),
                "{} uses {kind}",
                statement.name()
            );
        }
    }
    drop(client);
    test.finish().await;
}

/// PostgreSQL reads the rows of a statement before it waits for a lock, and only the locked row again afterwards. What
/// stands in other rows is read by the next statement.
#[test]
fn a_statement_that_locks_shows_nothing_but_the_row_it_locks() {
    let mut found = 0;
    for statement in catalogue::statements() {
        let text = statement.postgres();
        if !text.contains("FOR UPDATE") && !text.contains("FOR KEY SHARE") {
            continue;
        }
        found += 1;
        let (shown, rest) = text.split_once("FROM").unwrap();
        let is_plain = !shown.contains('(') && !rest.contains("JOIN");
        assert!(
            is_plain,
            "{} shows more than the locked row:{text}",
            statement.name()
        );
    }
    assert!(found >= 5, "the check sees the statements that lock");
}

/// A statement that is prepared anew for each run costs five times as much.
#[tokio::test]
async fn on_sqlite_hot_statements_are_prepared_once() {
    let test = TestDb::open(Engine::Sqlite).await;
    // One connection, so that all runs are its own.
    let test = test.restart_with(|options| options.pool_size = 1).await.unwrap();
    let tenants = [Tenant::make(&test.db, 1).await, Tenant::make(&test.db, 2).await];
    for round in 0..100 {
        let tenant = &tenants[round % 2];
        let found = plugin_keys::resolve(&test.db, &tenant.key_hash, Some(&tenant.steam))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(found.linked_discord.as_deref(), Some(tenant.discord.as_str()));
        plugin_keys::resolve(&test.db, &tenant.key_hash, None)
            .await
            .unwrap()
            .unwrap();
        let hash = if round % 2 == 0 { "none" } else { "other" };
        assert!(
            sessions::find_caller(&test.db, (hash, &[]), Some(&tenant.org_id), NOW, 0)
                .await
                .unwrap()
                .is_none()
        );
        storage::tenancy::servers::find(&test.db, tenant.scope, &tenant.server_id)
            .await
            .unwrap()
            .unwrap();
        storage::tenancy::guilds::find(&test.db, tenant.scope, &tenant.guild_id)
            .await
            .unwrap()
            .unwrap();
    }
    for name in HOT {
        assert_eq!(test.db.times_prepared_again(named(name)), 0, "{name}");
    }
    test.finish().await;
}
