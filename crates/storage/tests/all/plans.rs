//! Ways that databases take through tables which have a row for each person.

use storage::testing::{Engine, TestDb, statement};
use storage::{both_databases, catalogue};

use crate::catalogue::named;

/// Lists of a row's own, read once for it.
const OWN_LISTS: [&str; 3] = [
    "storage::roles::mappings::GROUPS",
    "storage::players::graph::COMPONENT",
    "storage::players::graph::EDGES",
];

/// A list that stands inside the loop over a table is read once for each of its rows: a second for a large Org.
#[tokio::test]
async fn on_sqlite_no_list_is_gone_through_again_for_each_row_of_a_table() {
    let test = TestDb::open(Engine::Sqlite).await;
    let mut found = Vec::new();
    for statement in catalogue::statements() {
        let (name, plan) = (statement.name(), test.db.explain(statement).await.unwrap());
        let lines: Vec<&str> = plan.lines().collect();
        let is_read = |line: &str| line.starts_with("SEARCH") || line.starts_with("SCAN");
        let is_list = |line: &str| line.starts_with("SCAN") && line.contains("VIRTUAL");
        let is_nested = |pair: &[&str]| is_read(pair[0]) && !is_list(pair[0]) && is_list(pair[1]);
        let is_own = OWN_LISTS.contains(&name);
        if lines.windows(2).any(is_nested) && !is_own && !name.starts_with("storage::doctor::") {
            found.push(format!("{name}:\n{plan}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    test.finish().await;
}

/// Indexes of tables that have a row for each person.
const LARGE: [&str; 6] = [
    " links_",
    " people_",
    "autoindex_people",
    "server_players",
    "person_places",
    "person_servers",
];
/// Long reads, and slices in the order of the index.
const WIDE: [&str; 13] = [
    "storage::linking::links::FORGET_FLAGS",
    "storage::linking::links::END_SLICE",
    "storage::linking::links::HISTORY",
    "storage::linking::lookups::ALL_LINKED",
    "storage::players::names::PENDING",
    "storage::tenancy::removals::FORGET_PLAYERS",
    "storage::tenancy::removals::FORGET_PEOPLE",
    "storage::players::server_players::PENDING",
    "storage::roles::mappings::GROUPS",
    "storage::players::dormant_links::COUNT_FLAGGED",
    "storage::players::stat_days::SCORES",
    "storage::players::stat_days::COUNTRIES",
    // A foreign key of what is empty by then.
    "storage::tenancy::removals::FORGET_SERVER",
];

/// All links, people or reports of an Org, a Guild or a Server: in order, from a place on, or for a long read, but never for a
/// look-up, and never once for each of a list.
#[tokio::test]
async fn on_sqlite_no_look_up_goes_through_everybody() {
    let test = TestDb::open(Engine::Sqlite).await;
    let mut found = Vec::new();
    for statement in catalogue::statements() {
        let (name, plan) = (statement.name(), test.db.explain(statement).await.unwrap());
        let is_wide = |line: &str| {
            // The plan of an insert names foreign keys that SQLite follows only where a constraint is deferred, and none is.
            let is_followed = !name.ends_with("::INSERT");
            is_followed
                && ["(org_num=?)", "(guild_num=?)", "(server_num=?)"]
                    .iter()
                    .any(|prefix| line.ends_with(prefix))
        };
        let is_large = |line: &str| LARGE.iter().any(|index| line.contains(index));
        if plan.lines().any(|line| is_wide(line) && is_large(line)) && !WIDE.contains(&name) {
            found.push(format!("{name}:\n{plan}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    test.finish().await;
}

/// The links of a Guild in the order of the index, without a look at their rows and without sorting.
#[tokio::test]
async fn on_sqlite_everybody_who_is_linked_is_read_from_an_index_alone() {
    let test = TestDb::open(Engine::Sqlite).await;
    let plan = test
        .db
        .explain(named("storage::linking::lookups::ALL_LINKED"))
        .await
        .unwrap();
    assert!(
        plan.contains("SEARCH l USING COVERING INDEX links_find_by_steam"),
        "{plan}"
    );
    assert!(!plan.contains("SCAN") && !plan.contains("TEMP"), "{plan}");
    test.finish().await;
}

/// Statements that ask whether somebody else was linked with an account since.
const HOLDERS: [&str; 5] = [
    "storage::players::people::FORGET_SERVERS",
    "storage::players::people::STORE_SERVERS",
    "storage::players::person_page::PRESENCE",
    "storage::players::sweeps::ARCHIVED",
    "storage::players::trust::REPORTS",
];

/// A plan that looks expensive would be compiled before it runs: tens of milliseconds for a page of a list.
#[tokio::test]
async fn on_postgres_no_statement_is_compiled_before_it_runs() {
    let test = TestDb::open(Engine::Postgres).await;
    let setting = statement("SELECT CAST(current_setting('jit') AS TEXT)", "SELECT ''");
    let jit: Option<String> = test.db.find(setting, &[]).await.unwrap();
    assert_eq!(jit.as_deref(), Some("off"));
    test.finish().await;
}

both_databases! {
    /// People whose names begin alike are read word by word, in the order of the index and up to a bound.
    async fn however_many_fit_a_search_by_name_so_many_words_are_looked_at(engine) {
        let test = TestDb::open(engine).await;
        let plan = test.db.explain(named("storage::players::people_words::BY_WORD")).await.unwrap();
        let in_order = match engine {
            Engine::Sqlite => "(org_num=? AND (word,person_num)>(?,?) AND word<?)",
            Engine::Postgres => "(ROW(word, person_num) > ROW($2, $3)) AND (word < $8))",
        };
        let is_sorted = ["TEMP", "Sort", "Hash"].iter().any(|step| plan.contains(step));
        assert!(plan.contains(in_order) && !is_sorted, "{plan}");
        test.finish().await;
    }

    /// Asked once for each person of a slice, under the Org's lock: all links of a Guild would take seconds.
    async fn whose_an_account_is_by_now_is_told_by_its_few_links(engine) {
        let test = TestDb::open(engine).await;
        let of_account = match engine {
            Engine::Sqlite => "SEARCH n USING INDEX links_of_steam (org_num=? AND steam_id=?)",
            Engine::Postgres => "Index Cond: ((org_num = l.org_num) AND (steam_id = l.steam_id))",
        };
        for name in HOLDERS {
            let plan = test.db.explain(named(name)).await.unwrap();
            assert!(plan.contains(of_account), "{name}:\n{plan}");
        }
        test.finish().await;
    }
}
