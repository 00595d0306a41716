//! Nothing is stored of which nobody has decided whether it is about a person.

use std::collections::{BTreeMap, BTreeSet};

use testkit::{TestDb, both_databases};

use crate::secrecy::rows;

const CLASSES: &str = include_str!("columns.txt");
const KNOWN: [&str; 6] = ["-", "digest", "emptied", "deleted", "rewritten", "sealed"];
/// What columns are called that hold who somebody is.
const TELLING: [&str; 8] = [
    "discord_id",
    "steam_id",
    "discord_name",
    "steam_name",
    "nick_set",
    "nick_before",
    "country",
    "nickname",
];

fn classes() -> BTreeMap<&'static str, &'static str> {
    let lines = CLASSES.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.split_once(' ').expect("a column and its class"))
        .collect()
}

both_databases! {
    async fn every_column_is_classified(engine) {
        let test = TestDb::open(engine).await;
        let stored: BTreeSet<String> = rows::columns(&test.db).await.into_iter().collect();
        let classes = classes();
        let classified: BTreeSet<String> = classes.keys().map(|column| (*column).to_owned()).collect();
        let missing: Vec<_> = stored.difference(&classified).collect();
        let gone: Vec<_> = classified.difference(&stored).collect();
        assert!(missing.is_empty() && gone.is_empty(), "not in tests/privacy/columns.txt: {missing:?}; not stored: {gone:?}");
        test.finish().await;
    }
}

#[test]
fn what_tells_who_somebody_is_is_never_called_harmless() {
    for (column, class) in classes() {
        assert!(KNOWN.contains(&class), "{column} is {class}");
        let (_, name) = column.split_once('.').expect("a table and a column");
        assert!(class != "-" || !TELLING.contains(&name), "{column}");
    }
}
