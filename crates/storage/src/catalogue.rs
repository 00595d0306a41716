//! Every SQL text of the crate, so that tests can prepare each on both databases.

use crate::db::Statement;

/// All statements, file by file.
pub fn statements() -> impl Iterator<Item = &'static Statement> {
    [
        crate::accounts::STATEMENTS,
        crate::audit::STATEMENTS,
        crate::blocklist::STATEMENTS,
        crate::boosters::STATEMENTS,
        crate::bot_keys::STATEMENTS,
        crate::custom_keys::STATEMENTS,
        crate::daily_calls::STATEMENTS,
        crate::doctor::STATEMENTS,
        crate::error_log::STATEMENTS,
        crate::flows::STATEMENTS,
        crate::group_changes::STATEMENTS,
        crate::guilds::STATEMENTS,
        crate::idempotency::STATEMENTS,
        crate::imports::STATEMENTS,
        crate::invites::STATEMENTS,
        crate::jobs::STATEMENTS,
        crate::keys::STATEMENTS,
        crate::link_pages::STATEMENTS,
        crate::links::STATEMENTS,
        crate::lookups::STATEMENTS,
        crate::names::STATEMENTS,
        crate::navigation::STATEMENTS,
        crate::orgs::STATEMENTS,
        crate::own_schema::STATEMENTS,
        crate::readable_ids::STATEMENTS,
        crate::registration::STATEMENTS,
        crate::resolved_keys::STATEMENTS,
        crate::role_changes::STATEMENTS,
        crate::sealed_flows::STATEMENTS,
        crate::server_config::STATEMENTS,
        crate::server_players::STATEMENTS,
        crate::servers::STATEMENTS,
        crate::sessions::STATEMENTS,
        crate::settings::STATEMENTS,
        crate::sign_ins::STATEMENTS,
        crate::team::STATEMENTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_with_sql_is_in_the_catalogue() {
        let listed: std::collections::BTreeSet<String> = statements()
            .map(|statement| statement.name().rsplit("::").nth(1).unwrap().to_owned())
            .collect();
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for entry in std::fs::read_dir(source).unwrap() {
            let path = entry.unwrap().path();
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            if is_rust
                && std::fs::read_to_string(&path)
                    .unwrap()
                    .contains("\nstatements! {")
            {
                let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
                assert!(
                    listed.contains(&module),
                    "{module}.rs declares SQL that the catalogue does not list"
                );
            }
        }
    }
}
