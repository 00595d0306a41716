use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use toml::{Table, Value};

use crate::error::{Place, Problem};
use crate::settings::{self, SETTINGS, Setting};
use crate::suggest::nearest;

/// Values from the command line, the strongest source. There is no `Debug`,
/// because the address may hold a password; the types below lack it too.
#[derive(Default)]
pub struct Overrides {
    pub data_dir: Option<PathBuf>,
    pub listen: Option<SocketAddr>,
    /// Replaces the address and the address file of the weaker sources. Not
    /// for passwords: other users of the machine can read command lines.
    pub database_url: Option<String>,
}

pub(crate) struct Given {
    pub(crate) value: Value,
    pub(crate) place: Place,
}

/// What was set explicitly, the strongest source last, and what was wrong.
#[derive(Default)]
pub(crate) struct Layers {
    pub(crate) given: BTreeMap<&'static str, Given>,
    pub(crate) problems: Vec<Problem>,
    /// Files that hold a secret, with the setting it is for.
    pub(crate) secret_files: Vec<(&'static str, PathBuf)>,
}

impl Layers {
    pub(crate) fn problem(&mut self, place: Place, message: String) {
        self.problems.push(Problem { place, message });
    }

    pub(crate) fn add_file(&mut self, name: &str, text: &str) {
        let place = Place::File(name.to_owned());
        match text.parse::<Table>() {
            Ok(table) => self.add_table(&place, "", table),
            Err(error) => {
                // The error's own `Display` quotes the line, which may hold a password.
                let start = error.span().map_or(0, |span| span.start);
                let line = text.bytes().take(start).filter(|&byte| byte == b'\n').count() + 1;
                self.problem(place, format!("line {line} is not TOML: {}", error.message()));
            }
        }
    }

    pub(crate) fn add_environment(&mut self, variables: &[(String, String)]) {
        for (name, text) in variables.iter().filter(|(name, _)| settings::is_ours(name)) {
            let place = Place::Environment(name.clone());
            if let Some(setting) = SETTINGS.iter().find(|setting| setting.variable() == *name) {
                self.set(setting, setting.kind.value_of(text), &place);
            } else if !settings::is_of_a_service(name, text) {
                let closest = nearest(name, SETTINGS.iter().map(Setting::variable));
                self.problem(place, unknown("variable", closest.as_deref()));
            }
        }
    }

    pub(crate) fn add_overrides(&mut self, overrides: &Overrides) {
        let data_dir = overrides
            .data_dir
            .as_ref()
            .map(|dir| dir.to_string_lossy().into_owned());
        let listen = overrides.listen.map(|address| address.to_string());
        if overrides.database_url.is_some() {
            self.given.remove("database.url_file");
        }
        let texts = [
            ("data_dir", data_dir),
            ("server.listen", listen),
            ("database.url", overrides.database_url.clone()),
        ];
        for (key, text) in texts {
            if let (Some(setting), Some(text)) = (settings::find(key), text) {
                self.set(setting, Value::String(text), &Place::CommandLine);
            }
        }
    }

    pub(crate) fn must_be(&mut self, setting: &Setting, place: Place, allowed: &str) {
        self.problem(place, format!("{} must be {allowed}", setting.key));
    }

    fn add_table(&mut self, place: &Place, prefix: &str, table: Table) {
        for (name, value) in table {
            let key = if prefix.is_empty() {
                name
            } else {
                format!("{prefix}.{name}")
            };
            if let Some(setting) = settings::find(&key) {
                self.set(setting, value, place);
            } else if !settings::is_section(&key) {
                let message = unknown("key", nearest(&key, settings::names()));
                self.problem(place.clone(), format!("{}: {message}", key.escape_debug()));
            } else if let Value::Table(inner) = value {
                self.add_table(place, &key, inner);
            } else {
                self.problem(place.clone(), format!("{key} must be a section"));
            }
        }
    }

    fn set(&mut self, setting: &Setting, value: Value, place: &Place) {
        self.given.insert(
            setting.key,
            Given {
                value,
                place: place.clone(),
            },
        );
    }
}

fn unknown(what: &str, closest: Option<&str>) -> String {
    match closest {
        Some(closest) => format!("unknown {what}; the nearest known one is {closest}"),
        None => format!("unknown {what}"),
    }
}
