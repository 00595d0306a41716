//! Every SQL text of the crate, so that tests can prepare each on both databases.

use crate::db::Statement;

/// All statements, file by file.
pub fn statements() -> impl Iterator<Item = &'static Statement> {
    [
        crate::identity::accounts::STATEMENTS,
        crate::records::audit::STATEMENTS,
        crate::identity::blocklist::STATEMENTS,
        crate::players::boosters::STATEMENTS,
        crate::keys::bot_keys::STATEMENTS,
        crate::keys::custom_keys::STATEMENTS,
        crate::players::daily_calls::STATEMENTS,
        crate::doctor::STATEMENTS,
        crate::records::error_log::STATEMENTS,
        crate::linking::flows::STATEMENTS,
        crate::players::group_changes::STATEMENTS,
        crate::tenancy::guilds::STATEMENTS,
        crate::records::idempotency::STATEMENTS,
        crate::linking::imports::STATEMENTS,
        crate::tenancy::invites::STATEMENTS,
        crate::jobs::STATEMENTS,
        crate::keys::plugin_keys::STATEMENTS,
        crate::linking::link_pages::STATEMENTS,
        crate::linking::links::STATEMENTS,
        crate::linking::lookups::STATEMENTS,
        crate::players::names::STATEMENTS,
        crate::tenancy::navigation::STATEMENTS,
        crate::tenancy::orgs::STATEMENTS,
        crate::own_schema::STATEMENTS,
        crate::readable_ids::STATEMENTS,
        crate::tenancy::registration::STATEMENTS,
        crate::keys::resolved_keys::STATEMENTS,
        crate::linking::role_changes::STATEMENTS,
        crate::linking::sealed_flows::STATEMENTS,
        crate::tenancy::server_config::STATEMENTS,
        crate::players::server_players::STATEMENTS,
        crate::tenancy::servers::STATEMENTS,
        crate::identity::sessions::STATEMENTS,
        crate::settings::STATEMENTS,
        crate::identity::sign_ins::STATEMENTS,
        crate::tenancy::team::STATEMENTS,
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
