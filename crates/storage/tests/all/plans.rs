//! Ways that SQLite takes through tables which have a row for each person.

use storage::catalogue;
use storage::testing::{Engine, TestDb};

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
        // A row's own list is read once.
        let is_own = name == "storage::roles::mappings::GROUPS";
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
