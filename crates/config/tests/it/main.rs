//! The configuration as the program meets it.

use std::path::Path;

use config::{Config, ConfigError, DatabaseUrl, Overrides};

mod defaults;
mod refusals;
mod secrets;
mod sources;

pub(crate) fn from(file: &str, env: &[(&str, &str)]) -> Result<Config, ConfigError> {
    with_overrides(file, env, &Overrides::default())
}

pub(crate) fn with_overrides(
    file: &str,
    env: &[(&str, &str)],
    overrides: &Overrides,
) -> Result<Config, ConfigError> {
    let env: Vec<_> = env
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    Config::from_parts(Some(("symbolon.toml", file)), &env, overrides)
}

/// Empty when nothing was refused.
pub(crate) fn refusal(file: &str, env: &[(&str, &str)]) -> String {
    from(file, env)
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

pub(crate) fn same(a: &Config, b: &Config) {
    assert_eq!(format!("{a:#?}"), format!("{b:#?}"));
}

pub(crate) fn sqlite_path(config: &Config) -> Option<&Path> {
    match &config.database.url {
        DatabaseUrl::Sqlite { path } => Some(path),
        DatabaseUrl::Postgres { .. } => None,
    }
}
