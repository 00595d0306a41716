//! Messages in a channel.

use domain::pacing::Urgency;
use domain::platform_id::DiscordId;
use reqwest::Method;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::{Asking, NotDone, Rest, found};
use crate::question::Question;

/// What the log calls the questions.
const POST_ROUTE: &str = "POST /channels/{channel}/messages";
pub const CHANNEL_ROUTE: &str = "GET /channels/{channel}";

#[derive(Deserialize)]
struct OfGuild {
    guild_id: Option<String>,
}

/// The same for what operators are told, which is no Guild's business.
const ALERT_ROUTE: &str = "POST /channels/{channel}/messages (alert)";

impl Rest {
    /// Posts an alert to a channel of the operators', once for each nonce within some minutes.
    pub async fn post_alert(
        &self,
        channel: &DiscordId,
        mut message: Value,
        nonce: i64,
    ) -> Result<(), NotDone> {
        message["nonce"] = nonce.to_string().into();
        message["enforce_nonce"] = true.into();
        let question = Question::on(ALERT_ROUTE).as_urgent_as(Urgency::Background);
        let segments = ["channels", channel.as_str(), "messages"];
        let request = self.sending(Method::POST, &segments, message.to_string());
        self.ask(question, request, found::<IgnoredAny>).await.map(|_| ())
    }

    /// Posts a message, once for each nonce within some minutes. Nobody is pinged, whatever it says.
    pub async fn post(
        &self,
        asking: Asking<'_>,
        channel: &DiscordId,
        mut message: Value,
        nonce: i64,
    ) -> Result<(), NotDone> {
        message["nonce"] = nonce.to_string().into();
        message["enforce_nonce"] = true.into();
        message["allowed_mentions"] = json!({ "parse": [] });
        let question = asking.on(POST_ROUTE).within(channel);
        let segments = ["channels", channel.as_str(), "messages"];
        let request = self.sending(Method::POST, &segments, message.to_string());
        self.ask(question, request, found::<IgnoredAny>).await.map(|_| ())
    }

    /// Whether a channel is one of the guild it is asked for.
    pub async fn is_channel_of(&self, asking: Asking<'_>, channel: &DiscordId) -> Result<bool, NotDone> {
        let question = asking.on(CHANNEL_ROUTE).within(channel);
        let request = self.at(Method::GET, &["channels", channel.as_str()]);
        let found = self.ask(question, request, found::<OfGuild>).await?;
        Ok(found.guild_id.as_deref() == Some(asking.guild.as_str()))
    }
}
