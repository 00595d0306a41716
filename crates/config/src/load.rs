use std::net::SocketAddr;
use std::path::Path;

use toml::{Table, Value};

use crate::config::Config;
use crate::error::{ConfigError, Place, Problem};
use crate::files::read_text;
use crate::kind::Kind;
use crate::layers::{Given, Layers, Overrides};
use crate::settings::{SETTINGS, is_ours};

const FILE_MAX_BYTES: u64 = 1024 * 1024;

impl Config {
    /// Reads the file, when one is named, and the environment. Without a file
    /// there are only the defaults and the environment.
    pub fn load(file: Option<&Path>, overrides: &Overrides) -> Result<Self, ConfigError> {
        let mut layers = Layers::default();
        if let Some(path) = file {
            let name = path.display().to_string();
            match read_text(path, FILE_MAX_BYTES) {
                Ok(text) => layers.add_file(&name, &text),
                Err(error) => layers.problem(Place::File(name), format!("cannot be read: {error}")),
            }
        }
        let variables = environment(&mut layers);
        layers.add_environment(&variables);
        finish(layers, overrides)
    }

    /// The same from values in memory: the file as its name and text, and the
    /// variables. Only `database.url_file` still makes it read from disk.
    pub fn from_parts(
        file_text: Option<(&str, &str)>,
        env: &[(String, String)],
        overrides: &Overrides,
    ) -> Result<Self, ConfigError> {
        let mut layers = Layers::default();
        if let Some((name, text)) = file_text {
            layers.add_file(name, text);
        }
        layers.add_environment(env);
        finish(layers, overrides)
    }

    /// The defaults for a test: everything in `data_dir`, any free port, no
    /// metrics, readable logs. `public_url` stays at its default.
    #[expect(clippy::expect_used, reason = "for tests only, and built from constants")]
    pub fn for_tests(data_dir: &Path) -> Self {
        let overrides = Overrides {
            data_dir: Some(data_dir.to_owned()),
            ..Overrides::default()
        };
        let text = "[server]\nmetrics_listen = ''\n[log]\nformat = 'text'";
        let mut config =
            Self::from_parts(Some(("test", text)), &[], &overrides).expect("the defaults are valid");
        config.server.listen.set_port(0);
        config
    }
}

/// Our variables. A value that is not UTF-8 is a problem here, and variables of
/// other programs are left alone whatever they hold.
fn environment(layers: &mut Layers) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    for (name, value) in std::env::vars_os() {
        let Some(name) = name.to_str().filter(|name| is_ours(name)) else {
            continue;
        };
        match value.into_string() {
            Ok(text) => variables.push((name.to_owned(), text)),
            Err(_) => layers.problem(
                Place::Environment(name.to_owned()),
                "must be UTF-8 text".to_owned(),
            ),
        }
    }
    variables.sort();
    variables
}

fn finish(mut layers: Layers, overrides: &Overrides) -> Result<Config, ConfigError> {
    layers.add_overrides(overrides);
    layers.note_files_with_secrets();
    layers.read_secret_files();
    follow_listen_port(&mut layers);
    let tiers = place_of_tiers(&layers);
    let table = checked_table(&mut layers);
    if !layers.problems.is_empty() {
        return Err(ConfigError::new(layers.problems));
    }
    let mut config: Config = table.try_into().map_err(|error: toml::de::Error| {
        // Reached only when the settings table and `Config` differ.
        let message = error.message().to_owned();
        ConfigError::new(vec![Problem {
            place: Place::Default,
            message,
        }])
    })?;
    if let Some(data_dir) = &overrides.data_dir {
        // The exact path: the table holds text, and a path may not be UTF-8.
        config.data_dir.clone_from(data_dir);
    }
    config.secret_files = layers.secret_files;
    config.database.url.place_in(&config.data_dir);
    if config.keys.master_key_file.as_os_str().is_empty() {
        config.keys.master_key_file = config.data_dir.join("master.keys");
    }
    if config.bot.state_dir.as_os_str().is_empty() {
        config.bot.state_dir = config.data_dir.join("bot");
    }
    let trust = &config.trust;
    if trust.trusted_from <= trust.normal_from || trust.normal_from <= trust.watch_from {
        return Err(ConfigError::new(vec![Problem {
            place: tiers,
            message: "trust.trusted_from must be greater than trust.normal_from, and that greater than trust.watch_from"
                .to_owned(),
        }]));
    }
    Ok(config)
}

/// Where a setting of the tiers was given, for telling that they do not fit together.
fn place_of_tiers(layers: &Layers) -> Place {
    let keys = ["trust.trusted_from", "trust.normal_from", "trust.watch_from"];
    let given = keys.iter().find_map(|key| layers.given.get(key));
    given.map_or(Place::Default, |given| given.place.clone())
}

fn follow_listen_port(layers: &mut Layers) {
    if layers.given.contains_key("server.public_url") {
        return;
    }
    let Some(Given { value, place }) = layers.given.get("server.listen") else {
        return;
    };
    if let Some(Ok(listen)) = value.as_str().map(str::parse::<SocketAddr>) {
        let value = Value::String(format!("http://127.0.0.1:{}", listen.port()));
        let place = place.clone();
        layers.given.insert("server.public_url", Given { value, place });
    }
}

/// Every setting in its normal form, nested by section.
fn checked_table(layers: &mut Layers) -> Table {
    let mut table = Table::new();
    for setting in SETTINGS {
        if matches!(setting.kind, Kind::SecretFile { .. }) {
            continue;
        }
        let default = || Given {
            value: setting.kind.default(),
            place: Place::Default,
        };
        let given = layers.given.remove(setting.key).unwrap_or_else(default);
        match setting.kind.check(&given.value) {
            Ok(value) => insert(&mut table, setting.key, value),
            Err(allowed) => layers.must_be(setting, given.place, &allowed),
        }
    }
    table
}

fn insert(table: &mut Table, key: &str, value: Value) {
    let Some((section, rest)) = key.split_once('.') else {
        table.insert(key.to_owned(), value);
        return;
    };
    let inner = table.entry(section).or_insert_with(|| Value::Table(Table::new()));
    if let Value::Table(inner) = inner {
        insert(inner, rest, value);
    }
}
