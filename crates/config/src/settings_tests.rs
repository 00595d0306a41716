use std::collections::HashSet;

use super::{SETTINGS, Setting};
use crate::kind::Kind;
use crate::{Config, Overrides};

fn another_value(kind: &Kind) -> String {
    match kind {
        Kind::Number { default, max, .. } if default == max => (default - 1).to_string(),
        Kind::Number { default, .. } => (default + 1).to_string(),
        Kind::Switch { default } => (!default).to_string(),
        Kind::Choice { choices, default } => choices
            .iter()
            .find(|choice| *choice != default)
            .unwrap()
            .to_string(),
        Kind::Path { .. } | Kind::OptionalPath { .. } => "other".to_owned(),
        Kind::Address { .. } | Kind::OptionalAddress { .. } => "127.0.0.2:99".to_owned(),
        Kind::PublicUrl { .. } | Kind::ServiceUrl { .. } => "https://other.example".to_owned(),
        Kind::Networks => "10.0.0.0/8".to_owned(),
        Kind::DiscordIds | Kind::OptionalDiscordId => "12345678901234567".to_owned(),
        Kind::Word { .. } | Kind::Words => "another-word".to_owned(),
        Kind::Secret => "another-secret".to_owned(),
        Kind::DatabaseUrl { .. } => "sqlite:other.db".to_owned(),
        Kind::SecretFile { .. } => {
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/database-url").to_owned()
        }
    }
}

fn load(env: &[(String, String)]) -> String {
    format!(
        "{:?}",
        Config::from_parts(None, env, &Overrides::default()).unwrap()
    )
}

#[test]
fn every_setting_can_be_set_by_environment() {
    let defaults = load(&[]);
    let mut seen = HashSet::from([defaults.clone()]);
    for setting in SETTINGS {
        let changed = load(&[(setting.variable(), another_value(&setting.kind))]);
        assert_ne!(changed, defaults, "{} changes nothing", setting.key);
        // A file changes what its target changes, and a secret is not printed.
        let of_its_own = seen.insert(changed) || matches!(setting.kind, Kind::SecretFile { .. });
        assert!(of_its_own, "{} changes nothing of its own", setting.key);
    }
}

#[test]
fn every_default_is_in_its_normal_form() {
    for setting in SETTINGS {
        let default = setting.kind.default();
        assert_eq!(setting.kind.check(&default), Ok(default), "{}", setting.key);
    }
}

#[test]
fn both_ends_of_each_range_are_allowed_and_nothing_beyond() {
    for setting in SETTINGS {
        let Kind::Number { min, max, .. } = setting.kind else {
            continue;
        };
        for (number, allowed) in [(min - 1, false), (min, true), (max, true), (max + 1, false)] {
            let checked = setting.kind.check(&toml::Value::Integer(number));
            assert_eq!(checked.is_ok(), allowed, "{} = {number}", setting.key);
        }
    }
}

#[test]
fn names_are_distinct_and_explanations_are_single_sentences() {
    let variables: HashSet<_> = SETTINGS.iter().map(Setting::variable).collect();
    assert_eq!(variables.len(), SETTINGS.len());
    for Setting { key, about, .. } in SETTINGS {
        assert!(about.ends_with('.') && !about.contains(['\n', '|']), "{key}");
    }
}
