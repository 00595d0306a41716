//! The commands that a bot offers in a guild.

use reqwest::Method;
use serde::de::IgnoredAny;

use super::{Asking, NotDone, Rest, found};

/// What the log calls it.
const COMMANDS_ROUTE: &str = "PUT /applications/{application}/guilds/{guild}/commands";

impl Rest {
    /// Puts these commands in the place of all that the bot offers in the guild. `commands` is a list as Discord takes it.
    pub async fn set_commands(
        &self,
        asking: Asking<'_>,
        commands: &serde_json::Value,
    ) -> Result<(), NotDone> {
        let own = self.own_id(asking).await?;
        let segments = [
            "applications",
            own.as_str(),
            "guilds",
            asking.guild.as_str(),
            "commands",
        ];
        let request = self.sending(Method::PUT, &segments, commands.to_string());
        let set = self.ask(asking.on(COMMANDS_ROUTE), request, found::<Vec<IgnoredAny>>);
        set.await.map(|_| ())
    }
}
