//! `init`: asks for what a first start needs and writes it down, each secret in a file of its own.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use app::set_up::DISCORD_CALLBACKS;
use app::vault::Vault;
use config::{Config, Overrides};
use domain::random::SystemRandom;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::cli::{Common, InitOptions};
use crate::output::{Failure, say};

const FILE: &str = "symbolon.toml";
const KEYS: &str = "master.keys";

/// What is known after asking. Empty texts are settings that are left for later.
#[derive(Default)]
struct Answers {
    public_url: String,
    proxies: Vec<String>,
    client_id: String,
    operators: Vec<String>,
    secrets: Vec<Secret>,
}

struct Secret {
    /// As the configuration calls it, with its section.
    setting: &'static str,
    /// The name of its file.
    file: &'static str,
    text: String,
}

/// A secret as it is asked for.
struct Wanted<'a> {
    setting: &'static str,
    file: &'static str,
    given: Option<&'a PathBuf>,
    question: &'static str,
}

pub fn run(common: &Common, options: &InitOptions) -> Result<(), Failure> {
    let target = options.dir.join(FILE);
    refuse_existing(&target)?;
    let answers = ask(options)?;
    for secret in &answers.secrets {
        refuse_existing(&options.dir.join(secret.file))?;
    }
    let data = common
        .data
        .clone()
        .unwrap_or_else(|| PathBuf::from("/var/lib/symbolon"));
    // Nothing is written before everything is known to be good.
    check(&answers, &data)?;
    write(&options.dir, &answers, &data)?;
    tell(&target, &answers);
    Ok(())
}

fn refuse_existing(path: &Path) -> Result<(), Failure> {
    if path.exists() {
        return Err(format!("{} exists already; nothing was changed", path.display()).into());
    }
    Ok(())
}

fn ask(options: &InitOptions) -> Result<Answers, Failure> {
    let is_asked = io::stdin().is_terminal();
    if is_asked {
        say("An empty answer leaves a setting for later.\n");
    }
    let plain = |given: &Option<String>, question: &str| match given {
        Some(text) => Ok(text.trim().to_owned()),
        None if is_asked => read_line(question),
        None => Ok(String::new()),
    };
    let several = |given: &[String], question: &str| match given {
        [] if is_asked => read_line(question).map(|line| {
            let words = line.split([',', ' ']).filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        }),
        given => Ok(given.to_vec()),
    };
    let mut answers = Answers {
        public_url: plain(
            &options.public_url,
            "URL visitors use, such as https://link.example.org: ",
        )?,
        proxies: several(
            &options.trusted_proxy,
            "Addresses of the proxies in front of it, such as 127.0.0.1: ",
        )?,
        client_id: plain(&options.discord_client_id, "ID of the Discord application: ")?,
        operators: several(
            &options.operator,
            "Discord IDs of the first operators, such as your own: ",
        )?,
        secrets: Vec::new(),
    };
    for wanted in wanted(options) {
        let text = match wanted.given {
            Some(path) => fs::read_to_string(path)
                .map_err(|error| format!("{} cannot be read: {error}", path.display()))?,
            None if is_asked => read_hidden(wanted.question)?,
            None => String::new(),
        };
        let (setting, file, text) = (wanted.setting, wanted.file, text.trim().to_owned());
        if !text.is_empty() {
            answers.secrets.push(Secret { setting, file, text });
        }
    }
    Ok(answers)
}

fn wanted(options: &InitOptions) -> [Wanted<'_>; 4] {
    [
        Wanted {
            setting: "discord.client_secret",
            file: "discord-client-secret",
            given: options.discord_client_secret_file.as_ref(),
            question: "Secret of that application (not shown): ",
        },
        Wanted {
            setting: "discord.bot_token",
            file: "discord-bot-token",
            given: options.discord_bot_token_file.as_ref(),
            question: "Token of its bot (not shown): ",
        },
        Wanted {
            setting: "steam.api_key",
            file: "steam-api-key",
            given: options.steam_api_key_file.as_ref(),
            question: "Steam Web API key (not shown): ",
        },
        Wanted {
            setting: "database.url",
            file: "database-url",
            given: options.database_url_file.as_ref(),
            question: "URL of a PostgreSQL database, or nothing for an SQLite file (not shown): ",
        },
    ]
}

fn read_line(question: &str) -> io::Result<String> {
    let mut out = io::stdout();
    out.write_all(question.as_bytes())?;
    out.flush()?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.trim().to_owned())
}

/// The terminal shows nothing of what is typed meanwhile.
fn read_hidden(question: &str) -> io::Result<String> {
    let terminal = io::stdin();
    let before = tcgetattr(&terminal)?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&terminal, OptionalActions::Flush, &silent)?;
    let answer = read_line(question);
    tcsetattr(&terminal, OptionalActions::Flush, &before)?;
    say("");
    answer
}

/// The same rules as at a start, on the same values; secrets stand in their places for once.
fn check(answers: &Answers, data: &Path) -> Result<(), Failure> {
    let text = draw(answers, data, Path::new(KEYS), |secret| {
        (last(secret.setting).to_owned(), secret.text.clone())
    });
    Config::from_parts(Some((FILE, &text)), &[], &Overrides::default())?;
    Ok(())
}

fn write(dir: &Path, answers: &Answers, data: &Path) -> Result<(), Failure> {
    let private = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    private.map_err(|error| format!("cannot create {}: {error}", dir.display()))?;
    let dir = fs::canonicalize(dir)?;
    // Those of an installation that is set up anew stay.
    let keys = dir.join(KEYS);
    Vault::open(&keys, true, &SystemRandom).map_err(|error| error.to_string())?;
    for secret in &answers.secrets {
        write_new(&dir.join(secret.file), &[&secret.text, "\n"].concat())?;
    }
    let text = draw(answers, data, &keys, |secret| {
        let path = dir.join(secret.file);
        (
            format!("{}_file", last(secret.setting)),
            path.display().to_string(),
        )
    });
    write_new(&dir.join(FILE), &text)
}

fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    let written = file.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    Ok(written.map_err(|error| format!("cannot write {}: {error}", path.display()))?)
}

fn last(setting: &str) -> &str {
    setting.rsplit_once('.').map_or(setting, |(_, name)| name)
}

/// The file, with each setting under what it is about. How a secret stands in it is for the caller to say.
fn draw(answers: &Answers, data: &Path, keys: &Path, place: impl Fn(&Secret) -> (String, String)) -> String {
    let secrets = |section: &str| {
        let of_section = answers.secrets.iter().filter(move |secret| {
            secret
                .setting
                .split_once('.')
                .is_some_and(|(of, _)| of == section)
        });
        of_section
            .map(|secret| {
                let (name, value) = place(secret);
                format!("{name} = {}\n", quoted(&value))
            })
            .collect::<String>()
    };
    let listed = |words: &[String]| {
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        words.join(", ")
    };
    let set = |name: &str, value: &str| {
        if value.is_empty() {
            format!("# {name} = \"\"\n")
        } else {
            format!("{name} = {}\n", quoted(value))
        }
    };
    [
        "# Settings of Symbolon. `symbolon config default` prints all there are.\n\n",
        "# The database (unless it is PostgreSQL) and files are kept here.\n",
        &format!("data_dir = {}\n", quoted(&data.display().to_string())),
        "\n# Discord accounts that run this installation.\n",
        &format!("operators = [{}]\n", listed(&answers.operators)),
        "\n[keys]\n# What stored secrets are encrypted with. Keep a copy of this file in a safe place.\n",
        &format!("master_key_file = {}\n", quoted(&keys.display().to_string())),
        "\n[server]\n# The URL visitors use. Discord and Steam send people back to it.\n",
        &set("public_url", &answers.public_url),
        "# Proxies that name the address of a visitor. Nobody else is believed.\n",
        &format!("trusted_proxies = [{}]\n", listed(&answers.proxies)),
        "\n[discord]\n# The application that people sign in with, and its bot.\n",
        &set("client_id", &answers.client_id),
        &secrets("discord"),
        "\n[steam]\n# Without a key no Steam group can be checked.\n",
        &secrets("steam"),
        "\n[database]\n# Without a URL it is the file symbolon.db in data_dir.\n",
        &secrets("database"),
    ]
    .concat()
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for sign in text.chars() {
        match sign {
            '"' | '\\' => quoted.extend(['\\', sign]),
            sign if sign.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(sign))),
            sign => quoted.push(sign),
        }
    }
    quoted.push('"');
    quoted
}

fn tell(target: &Path, answers: &Answers) {
    say(format!("Written: {}, which only you can read.", target.display()));
    for file in answers.secrets.iter().map(|secret| secret.file).chain([KEYS]) {
        say(format!("         {}", target.with_file_name(file).display()));
    }
    let base = match answers.public_url.trim_end_matches('/') {
        "" => "http://127.0.0.1:8080",
        url => url,
    };
    say("\nGive the Discord application these redirect URLs, under OAuth2:");
    for path in DISCORD_CALLBACKS {
        say(format!("  {base}{path}"));
    }
    say("\nThen ask everybody who is named in it, and start:");
    say(format!(
        "  symbolon --config {} config check --online",
        target.display()
    ));
    say(format!("  symbolon --config {} serve", target.display()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_typed_stays_one_value() {
        for odd in ["a\"b", "back\\slash", "two\nlines", "tab\t", "\u{1f600}", "'"] {
            let text = format!("v = {}", quoted(odd));
            let read: toml::Table = toml::from_str(&text).unwrap();
            assert_eq!(read["v"].as_str(), Some(odd));
        }
    }
}
