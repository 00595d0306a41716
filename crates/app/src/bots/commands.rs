//! The slash commands: what they are called, what they need, and how Discord is told of them.

use domain::permission::Permission;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::texts::{Language, Text};

/// The button of the panel.
pub const VERIFY_BUTTON: &str = "verify";

/// What somebody can ask the bot for on Discord.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Where accounts are linked.
    Link,
    /// Ends a link: one's own, or another member's.
    Unlink,
    /// Whether one is linked.
    LinkStatus,
    /// Who a member is on Steam.
    Whois,
    /// Who has an id.
    Search,
    /// Posts the panel with the button.
    Panel,
    /// Has the roles of a member looked at, or everybody's.
    Sync,
}

impl Command {
    /// In the order in which Discord shows them.
    pub const ALL: [Self; 7] = [
        Self::Link,
        Self::Unlink,
        Self::LinkStatus,
        Self::Whois,
        Self::Search,
        Self::Panel,
        Self::Sync,
    ];

    /// By the name that Discord sends, whatever language it was shown in.
    pub fn parse(name: &str) -> Option<Self> {
        let is_called = |command: &&Self| command.name() == name;
        Self::ALL.iter().find(is_called).copied()
    }

    /// In English, which is its name for programs.
    pub fn name(self) -> &'static str {
        self.texts().0.read(Language::English)
    }

    /// What it takes in the Org of the Guild. What anybody may do for themselves takes nothing.
    pub const fn needs(self, is_about_another: bool) -> Option<Permission> {
        match self {
            Self::Link | Self::LinkStatus => None,
            Self::Unlink if is_about_another => Some(Permission::LinksUnlink),
            Self::Unlink => None,
            Self::Whois | Self::Search => Some(Permission::LinksView),
            Self::Panel => Some(Permission::OrgSettings),
            Self::Sync => Some(Permission::ServersRoles),
        }
    }

    const fn texts(self) -> (Text, Text) {
        match self {
            Self::Link => (Text::LinkName, Text::LinkAbout),
            Self::Unlink => (Text::UnlinkName, Text::UnlinkAbout),
            Self::LinkStatus => (Text::StatusName, Text::StatusAbout),
            Self::Whois => (Text::WhoisName, Text::WhoisAbout),
            Self::Search => (Text::SearchName, Text::SearchAbout),
            Self::Panel => (Text::PanelName, Text::PanelAbout),
            Self::Sync => (Text::SyncName, Text::SyncAbout),
        }
    }

    fn options(self) -> Value {
        match self {
            Self::Link | Self::LinkStatus | Self::Panel => json!([]),
            Self::Unlink | Self::Sync => json!([option(USER, (Text::UserName, Text::UserAbout), false)]),
            Self::Whois => json!([option(USER, (Text::UserName, Text::UserAbout), true)]),
            Self::Search => json!([option(STRING, (Text::IdName, Text::IdAbout), true)]),
        }
    }
}

/// Discord's numbers for kinds of options.
const USER: u8 = 6;
const STRING: u8 = 3;

fn option(kind: u8, texts: (Text, Text), required: bool) -> Value {
    let mut option = named(texts);
    option.insert("type".to_owned(), kind.into());
    option.insert("required".to_owned(), required.into());
    Value::Object(option)
}

fn named((name, about): (Text, Text)) -> Map<String, Value> {
    let translated = |text: Text| -> Value {
        let all = Language::LOCALES.map(|(locale, language)| (locale.to_owned(), text.read(language).into()));
        Value::Object(all.into_iter().collect())
    };
    let fields = [
        ("name", name.read(Language::English).into()),
        ("name_localizations", translated(name)),
        ("description", about.read(Language::English).into()),
        ("description_localizations", translated(about)),
    ];
    fields
        .map(|(field, value)| (field.to_owned(), value))
        .into_iter()
        .collect()
}

/// All commands as Discord takes them, to be put in the place of those that a Discord server has.
pub fn definitions() -> Value {
    let commands = Command::ALL.map(|command| {
        let mut definition = named(command.texts());
        definition.insert("type".to_owned(), 1.into());
        definition.insert("options".to_owned(), command.options());
        Value::Object(definition)
    });
    Value::Array(commands.into())
}

/// Differs from that of every version whose commands differ.
pub fn definitions_hash() -> String {
    let digest = Sha256::digest(definitions().to_string());
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Discord's rule for names: 1 to 32 letters, digits, `-`, `_` or `'`, in lower case.
    fn assert_name(name: &str) {
        let is_fine = |c: char| (c.is_alphanumeric() && !c.is_uppercase()) || "-_'".contains(c);
        assert!(
            (1..=32).contains(&name.chars().count()) && name.chars().all(is_fine),
            "{name}"
        );
    }

    #[test]
    fn discord_takes_every_name_and_description() {
        let all = definitions();
        let mut parts: Vec<&Value> = all.as_array().unwrap().iter().collect();
        assert_eq!(parts.len(), 7);
        let options: Vec<&Value> = parts
            .iter()
            .flat_map(|one| one["options"].as_array().unwrap())
            .collect();
        parts.extend(options);
        for part in parts {
            assert_name(part["name"].as_str().unwrap());
            assert!((1..=100).contains(&part["description"].as_str().unwrap().chars().count()));
            let names = part["name_localizations"].as_object().unwrap();
            assert_eq!(names.len(), 7);
            names
                .values()
                .for_each(|name| assert_name(name.as_str().unwrap()));
            for about in part["description_localizations"].as_object().unwrap().values() {
                assert!(
                    (1..=100).contains(&about.as_str().unwrap().chars().count()),
                    "{about}"
                );
            }
        }
    }

    #[test]
    fn no_two_commands_share_a_name_in_a_language() {
        let all = definitions();
        for (locale, _) in Language::LOCALES {
            let names = all
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["name_localizations"][locale].to_string());
            assert_eq!(
                names.collect::<std::collections::BTreeSet<_>>().len(),
                7,
                "{locale}"
            );
        }
    }

    #[test]
    fn a_command_is_known_by_its_english_name() {
        for command in Command::ALL {
            assert_eq!(Command::parse(command.name()), Some(command));
        }
        assert_eq!(Command::parse("ban"), None);
        assert_eq!(definitions_hash(), definitions_hash());
    }
}
