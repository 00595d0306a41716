//! The configuration file of the plugin for game servers.

use serde::Serialize;

use crate::digest::HexDigest;

/// What the plugin says of a file that was written by hand. Plugins of others say nothing.
pub const NO_STAMP: &str = "none";
const STAMP_CHARS: usize = 12;
const STAMP_LABEL: &str = "symbolon plugin settings v1";

/// `Symbolon.json`, in the order and with the names that the plugin reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PluginConfig {
    /// Where the plugin calls.
    #[serde(rename = "Service address")]
    pub address: String,
    /// Left empty: whoever may see the key fills it in.
    #[serde(rename = "Server key")]
    pub key: String,
    /// Where players link.
    #[serde(rename = "Link page")]
    pub link_page: String,
    /// For everybody who is linked.
    #[serde(rename = "Group for linked players")]
    pub linked_group: String,
    /// For those who boost the Discord server.
    #[serde(rename = "Group for Discord boosters")]
    pub booster_group: String,
    /// For members of the Guild's Steam group.
    #[serde(rename = "Group for members of the Steam group")]
    pub steam_members_group: String,
    /// How often the plugin asks.
    #[serde(rename = "Seconds between checks")]
    pub poll_seconds: i64,
    /// What the plan allows.
    #[serde(rename = "Players per request")]
    pub players_per_request: u32,
    /// Stands for the settings that the file was made from.
    #[serde(rename = "Settings stamp")]
    pub stamp: String,
}

impl PluginConfig {
    /// The same with its stamp. Two files with the same stamp were made from the same settings. Neither the key nor what
    /// the plan allows is a setting.
    pub fn stamped(mut self) -> Self {
        let settings = [
            &self.address,
            &self.link_page,
            &self.linked_group,
            &self.booster_group,
            &self.steam_members_group,
            &self.poll_seconds.to_string(),
        ];
        // None of them holds a line break.
        let settings = settings.map(String::as_str).join("\n");
        let digest = HexDigest::labelled(STAMP_LABEL, settings.as_bytes());
        self.stamp = digest.as_str()[..STAMP_CHARS].to_owned();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> PluginConfig {
        PluginConfig {
            address: "https://symbolon.example".to_owned(),
            key: String::new(),
            link_page: "https://symbolon.example/link/north".to_owned(),
            linked_group: "linked".to_owned(),
            booster_group: "booster".to_owned(),
            steam_members_group: "steamgroup".to_owned(),
            poll_seconds: 60,
            players_per_request: 500,
            stamp: String::new(),
        }
    }

    #[test]
    fn a_stamp_stands_for_the_settings_and_for_nothing_else() {
        let stamp = config().stamped().stamp;
        assert_eq!(stamp, "c25788df3492");
        let changes: [fn(&mut PluginConfig); 6] = [
            |config| config.address.push('x'),
            |config| config.link_page.push('x'),
            |config| config.linked_group.push('x'),
            |config| config.booster_group.push('x'),
            |config| config.steam_members_group.push('x'),
            |config| config.poll_seconds += 1,
        ];
        for change in changes {
            let mut other = config();
            change(&mut other);
            assert_ne!(other.stamped().stamp, stamp);
        }
        let mut same = config();
        (same.key, same.players_per_request, same.stamp) = ("key".to_owned(), 2_000, "old".to_owned());
        assert_eq!(same.stamped().stamp, stamp);
    }
}
