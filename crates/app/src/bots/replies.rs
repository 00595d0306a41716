//! Answers as Discord shows them. Only whoever asked sees one, and nobody is pinged by it.

use domain::log_message::escaped;
use serde_json::{Value, json};
use storage::linking::lookups::LinkedPlayer;

use super::commands::VERIFY_BUTTON;
use super::texts::{Language, Text};

/// What somebody is told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    /// A text; may be empty where an embed says it.
    pub content: String,
    /// As Discord takes them.
    pub embeds: Vec<Value>,
    /// As Discord takes them.
    pub components: Vec<Value>,
}

impl Reply {
    pub(super) fn text(language: Language, text: Text) -> Self {
        Self {
            content: text.read(language).to_owned(),
            ..Self::default()
        }
    }

    /// The same with something in the place of a word in braces.
    pub(super) fn filled(language: Language, text: Text, place: &str, value: &str) -> Self {
        Self {
            content: text.read(language).replace(place, value),
            ..Self::default()
        }
    }

    /// With a button that opens the link page.
    pub(super) fn with_page(mut self, language: Language, url: &str) -> Self {
        let button = json!({ "type": 2, "style": 5, "label": Text::OpenPage.read(language), "url": url });
        self.components.push(json!({ "type": 1, "components": [button] }));
        self
    }

    /// What is known of a linked player, for staff.
    pub(super) fn player(language: Language, player: &LinkedPlayer) -> Self {
        let discord = format!(
            "{}{}\n{}",
            mention(player.discord_id.as_str()),
            player
                .discord_name
                .as_deref()
                .map_or_else(String::new, |name| format!(" {}", escaped(name))),
            player.discord_id,
        );
        let field = |name: &str, value: String| json!({ "name": name, "value": value, "inline": true });
        let embed = json!({ "fields": [
            field("Discord", discord),
            field("Steam", steam(player)),
            field(Text::LinkedSince.read(language), since(player)),
        ] });
        Self {
            embeds: vec![embed],
            ..Self::default()
        }
    }

    /// Whether the person who asks is linked.
    pub(super) fn status(language: Language, player: Option<&LinkedPlayer>) -> Self {
        let Some(player) = player else {
            return Self::text(language, Text::NotLinked);
        };
        let text = Text::Linked.read(language).replace("{since}", &since(player));
        Self {
            content: text.replace("{steam}", &steam(player)),
            ..Self::default()
        }
    }
}

/// The message with the button, for everybody in a channel.
pub(super) fn panel(language: Language, guild_name: &str) -> Value {
    let button =
        json!({ "type": 2, "style": 3, "label": Text::Verify.read(language), "custom_id": VERIFY_BUTTON });
    json!({
        "embeds": [{
            "title": Text::PanelTitle.read(language),
            "description": format!("**{}**\n{}", escaped(guild_name), Text::PanelBody.read(language)),
        }],
        "components": [{ "type": 1, "components": [button] }],
    })
}

/// Shows who it is in the reader's own words; the bot sends it so that nobody is pinged.
pub(super) fn mention(discord_id: &str) -> String {
    format!("<@{discord_id}>")
}

fn steam(player: &LinkedPlayer) -> String {
    match &player.steam_name {
        Some(name) => format!("{} ({})", escaped(name), player.steam_id),
        None => player.steam_id.to_string(),
    }
}

/// A time that Discord writes in the reader's own language.
fn since(player: &LinkedPlayer) -> String {
    format!("<t:{}:D>", player.linked_at_ms.div_euclid(1000))
}
