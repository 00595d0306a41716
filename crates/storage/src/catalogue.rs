//! Every SQL text of the crate, so that tests can prepare each on both databases.

use crate::db::Statement;

/// All statements, file by file.
pub fn statements() -> impl Iterator<Item = &'static Statement> {
    [
        crate::identity::accounts::STATEMENTS,
        crate::records::alerts::STATEMENTS,
        crate::records::audit::STATEMENTS,
        crate::records::audit_names::STATEMENTS,
        crate::records::audit_pages::STATEMENTS,
        crate::identity::blocklist::STATEMENTS,
        crate::players::boosters::STATEMENTS,
        crate::players::daily_calls::STATEMENTS,
        crate::doctor::STATEMENTS,
        crate::doctor::own_schema::STATEMENTS,
        crate::doctor::persons::STATEMENTS,
        crate::records::error_log::STATEMENTS,
        crate::linking::flows::STATEMENTS,
        crate::players::group_changes::STATEMENTS,
        crate::tenancy::guild_settings::STATEMENTS,
        crate::tenancy::guilds::STATEMENTS,
        crate::records::idempotency::STATEMENTS,
        crate::tenancy::invites::STATEMENTS,
        crate::jobs::enqueue::STATEMENTS,
        crate::jobs::lanes::STATEMENTS,
        crate::jobs::running::STATEMENTS,
        crate::jobs::waiting::STATEMENTS,
        crate::linking::guild_links::STATEMENTS,
        crate::linking::link_pages::STATEMENTS,
        crate::linking::links::STATEMENTS,
        crate::linking::lookups::STATEMENTS,
        crate::players::names::STATEMENTS,
        crate::tenancy::navigation::STATEMENTS,
        crate::tenancy::orgs::STATEMENTS,
        crate::tenancy::registration::STATEMENTS,
        crate::tenancy::removals::STATEMENTS,
        crate::pictures::STATEMENTS,
        crate::tenancy::server_config::STATEMENTS,
        crate::players::server_players::STATEMENTS,
        crate::tenancy::servers::STATEMENTS,
        crate::identity::sessions::STATEMENTS,
        crate::identity::mass_sign_out::STATEMENTS,
        crate::settings::STATEMENTS,
        crate::identity::sign_ins::STATEMENTS,
        crate::tenancy::team::STATEMENTS,
    ]
    .into_iter()
    .chain(of_operators())
    .chain(of_bots())
    .chain(of_billing())
    .chain(of_roles())
    .chain(of_keys())
    .chain(of_people())
    .chain(of_analytics())
    .chain(of_imports())
    .chain(of_privacy())
    .chain(of_webhooks())
    .flatten()
    .copied()
}

fn of_operators() -> [&'static [&'static Statement]; 6] {
    [
        crate::admin::announcements::STATEMENTS,
        crate::admin::flags::STATEMENTS,
        crate::admin::person_search::STATEMENTS,
        crate::admin::search::STATEMENTS,
        crate::admin::visits::STATEMENTS,
        crate::admin::waiting_jobs::STATEMENTS,
    ]
}

fn of_bots() -> [&'static [&'static Statement]; 11] {
    [
        crate::bots::dedicated::STATEMENTS,
        crate::bots::guild_bots::STATEMENTS,
        crate::bots::guild_lists::STATEMENTS,
        crate::bots::interactions::STATEMENTS,
        crate::bots::leases::STATEMENTS,
        crate::bots::log_batches::STATEMENTS,
        crate::bots::log_lines::STATEMENTS,
        crate::bots::places::STATEMENTS,
        crate::bots::register::STATEMENTS,
        crate::bots::runners::STATEMENTS,
        crate::bots::processes::STATEMENTS,
    ]
}

fn of_billing() -> [&'static [&'static Statement]; 7] {
    [
        crate::billing::checkouts::STATEMENTS,
        crate::billing::payers::STATEMENTS,
        crate::billing::stripe_events::STATEMENTS,
        crate::billing::subscriptions::STATEMENTS,
        crate::billing::tier_grants::STATEMENTS,
        crate::doctor::readable_ids::STATEMENTS,
        crate::doctor::tiers::STATEMENTS,
    ]
}

fn of_analytics() -> [&'static [&'static Statement]; 4] {
    [
        crate::doctor::link_counts::STATEMENTS,
        crate::linking::link_days::STATEMENTS,
        crate::linking::link_steps::STATEMENTS,
        crate::players::stat_days::STATEMENTS,
    ]
}

fn of_privacy() -> [&'static [&'static Statement]; 5] {
    [
        crate::linking::sealed_flows::STATEMENTS,
        crate::privacy::erased_members::STATEMENTS,
        crate::privacy::erasures::STATEMENTS,
        crate::privacy::held::STATEMENTS,
        crate::privacy::tombstones::STATEMENTS,
    ]
}

fn of_webhooks() -> [&'static [&'static Statement]; 4] {
    [
        crate::doctor::sent_webhooks::STATEMENTS,
        crate::webhooks::deliveries::STATEMENTS,
        crate::webhooks::endpoints::STATEMENTS,
        crate::webhooks::signing_secrets::STATEMENTS,
    ]
}

fn of_keys() -> [&'static [&'static Statement]; 5] {
    [
        crate::keys::bot_keys::STATEMENTS,
        crate::keys::custom_keys::STATEMENTS,
        crate::keys::plugin_keys::STATEMENTS,
        crate::keys::refusals::STATEMENTS,
        crate::keys::resolved_keys::STATEMENTS,
    ]
}

fn of_imports() -> [&'static [&'static Statement]; 3] {
    [
        crate::linking::import_rows::STATEMENTS,
        crate::linking::import_runs::STATEMENTS,
        crate::linking::imports::STATEMENTS,
    ]
}

fn of_people() -> [&'static [&'static Statement]; 13] {
    [
        crate::players::chosen_links::STATEMENTS,
        crate::players::cleanup::STATEMENTS,
        crate::players::dormant_links::STATEMENTS,
        crate::players::graph::STATEMENTS,
        crate::players::people::STATEMENTS,
        crate::players::people_pages::STATEMENTS,
        crate::players::people_rows::STATEMENTS,
        crate::players::people_words::STATEMENTS,
        crate::players::person_marks::STATEMENTS,
        crate::players::person_page::STATEMENTS,
        crate::players::player_seen::STATEMENTS,
        crate::players::sweeps::STATEMENTS,
        crate::players::trust::STATEMENTS,
    ]
}

fn of_roles() -> [&'static [&'static Statement]; 8] {
    [
        crate::roles::game_side::STATEMENTS,
        crate::roles::grants::STATEMENTS,
        crate::roles::ledger::STATEMENTS,
        crate::roles::mappings::STATEMENTS,
        crate::roles::marks::STATEMENTS,
        crate::roles::members::STATEMENTS,
        crate::roles::rechecks::STATEMENTS,
        crate::roles::subjects::STATEMENTS,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_with_sql_is_in_the_catalogue() {
        let listed: std::collections::BTreeSet<String> = statements()
            .map(|statement| statement.name().rsplit("::").nth(1).unwrap().to_owned())
            .collect();
        let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let mut with_sql = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let source = std::fs::read_to_string(&path).unwrap_or_default();
                if path.extension().is_none_or(|extension| extension != "rs")
                    || !source.contains("\nstatements! {")
                {
                    continue;
                }
                with_sql += 1;
                let file = if path.ends_with("mod.rs") {
                    path.parent().unwrap()
                } else {
                    &path
                };
                let module = file.file_stem().unwrap().to_str().unwrap();
                assert!(
                    listed.contains(module),
                    "{module}: its SQL is not in the catalogue"
                );
            }
        }
        assert_eq!(with_sql, listed.len());
    }
}
