//! What is told to the systems of others over HTTP: the events, how they are signed, and when a message that failed is
//! tried again. Headers and signatures are those of Standard Webhooks.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::erased::is_erased;
use crate::id::{GuildId, LinkId, OrgId};
use crate::log_message::utc;
use crate::random::{Random, bytes};
use crate::words::words;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// After each failure but the last: a bit more than three days in all.
const PAUSES_MS: [i64; 9] = [
    MINUTE_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
    24 * HOUR_MS,
];
/// A message that has waited for so long is given up, however often it was tried.
pub const LIFETIME_MS: i64 = 5 * 24 * HOUR_MS;
/// How long messages are signed with the secret before, too, after a rotation.
pub const ROLLING_MS: i64 = 24 * HOUR_MS;
/// Receivers that an Org can have. There are more workers than that, so one Org never keeps all of them waiting.
pub const MOST_ENDPOINTS: usize = 3;

/// What a secret begins with when it is shown.
const SECRET_MARK: &str = "whsec_";
const SECRET_BYTES: usize = 32;

words! {
    /// What a message is about.
    pub enum WebhookEvent {
        LinkCreated = "link.created",
        LinkEnded = "link.ended",
    }
}

/// When a message is tried again that has failed so often, a fifth sooner or later as the dice fall; none when it is
/// given up.
pub fn pause_ms(failures: i64, dice: u8) -> Option<i64> {
    let index = usize::try_from(failures.checked_sub(1)?).ok()?;
    let pause = *PAUSES_MS.get(index)?;
    Some(pause - pause / 5 + pause * 2 / 5 * i64::from(dice) / 255)
}

/// A change of a link, as its row tells it now.
#[derive(Clone, Debug)]
pub struct LinkNews {
    pub event: WebhookEvent,
    pub at_ms: i64,
    pub guild: GuildId,
    pub link: LinkId,
    /// As stored: somebody who was erased has a digest there, which is sent to nobody.
    pub discord_id: String,
    pub steam_id: String,
    /// Of its end, if it has ended by now.
    pub cause: Option<String>,
}

impl LinkNews {
    /// The same for every attempt, so that a receiver can tell a message that it has seen.
    pub fn message_id(&self) -> String {
        let event = match self.event {
            WebhookEvent::LinkCreated => "created_",
            WebhookEvent::LinkEnded => "ended_",
        };
        [event, self.link.as_str()].concat()
    }

    /// What is sent and signed.
    pub fn body(&self, org: &OrgId) -> String {
        // The other side would tell who they were.
        let names_nobody = is_erased(&self.discord_id) || is_erased(&self.steam_id);
        let shown = |id: &str| (!names_nobody).then(|| id.to_owned());
        let mut data = json!({
            "org": org.as_str(),
            "guild": self.guild.as_str(),
            "link": self.link.as_str(),
            "discord_id": shown(&self.discord_id),
            "steam_id": shown(&self.steam_id),
        });
        if self.event == WebhookEvent::LinkEnded {
            data["cause"] = Value::from(self.cause.clone());
        }
        json!({ "type": self.event.as_str(), "timestamp": utc(self.at_ms), "data": data }).to_string()
    }
}

/// Signs the messages to one receiver: wiped on drop, cannot be cloned, printed or serialized by accident.
pub struct SigningSecret(Zeroizing<[u8; SECRET_BYTES]>);

impl SigningSecret {
    /// A new one with 256 random bits.
    pub fn generate(random: &dyn Random) -> Self {
        Self(Zeroizing::new(bytes(random)))
    }

    /// Nothing unless it has the length of a secret.
    pub fn read(stored: &[u8]) -> Option<Self> {
        let secret: [u8; SECRET_BYTES] = stored.try_into().ok()?;
        Some(Self(Zeroizing::new(secret)))
    }

    /// To be sealed and stored.
    pub fn expose(&self) -> &[u8] {
        &*self.0
    }

    /// As whoever receives the messages is given it.
    pub fn text(&self) -> Zeroizing<String> {
        let encoded = Zeroizing::new(STANDARD.encode(self.expose()));
        Zeroizing::new([SECRET_MARK, encoded.as_str()].concat())
    }

    fn sign(&self, id: &str, at_s: i64, body: &str) -> String {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.expose()) else {
            // A key of this kind may have any length.
            std::process::abort();
        };
        for part in [id, ".", &at_s.to_string(), ".", body] {
            mac.update(part.as_bytes());
        }
        ["v1,", &STANDARD.encode(mac.finalize().into_bytes())].concat()
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SigningSecret(…)")
    }
}

/// The header that proves who sent a message: one signature for each secret, with a space between them.
pub fn signatures(secrets: &[SigningSecret], id: &str, at_s: i64, body: &str) -> String {
    let signed: Vec<String> = secrets.iter().map(|secret| secret.sign(id, at_s, body)).collect();
    signed.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SystemRandom;

    fn news(event: WebhookEvent, discord_id: &str) -> LinkNews {
        LinkNews {
            event,
            at_ms: 1_767_225_600_000,
            guild: GuildId::parse("gld_01ARZ3NDEKTSV4RRFFQ69G5FAV").unwrap(),
            link: LinkId::parse("lnk_01ARZ3NDEKTSV4RRFFQ69G5FAV").unwrap(),
            discord_id: discord_id.to_owned(),
            steam_id: "76561198000000001".to_owned(),
            cause: Some("user".to_owned()),
        }
    }

    fn sent(news: &LinkNews) -> Value {
        let org = OrgId::parse("org_01ARZ3NDEKTSV4RRFFQ69G5FAV").unwrap();
        serde_json::from_str(&news.body(&org)).unwrap()
    }

    #[test]
    fn a_message_names_the_link_and_its_accounts_and_nothing_of_what_was_erased() {
        let created = sent(&news(WebhookEvent::LinkCreated, "700000000000000001"));
        let expected = json!({
            "type": "link.created",
            "timestamp": "2026-01-01T00:00:00Z",
            "data": {
                "org": "org_01ARZ3NDEKTSV4RRFFQ69G5FAV",
                "guild": "gld_01ARZ3NDEKTSV4RRFFQ69G5FAV",
                "link": "lnk_01ARZ3NDEKTSV4RRFFQ69G5FAV",
                "discord_id": "700000000000000001",
                "steam_id": "76561198000000001",
            },
        });
        assert_eq!(created, expected);
        let erased = sent(&news(WebhookEvent::LinkEnded, "x:AbC"));
        assert_eq!(erased["data"]["discord_id"], Value::Null);
        assert_eq!(
            erased["data"]["steam_id"],
            Value::Null,
            "it would tell who they were"
        );
        assert_eq!(erased["data"]["cause"], "user");
    }

    #[test]
    fn each_event_of_a_link_is_one_message() {
        let ids = WebhookEvent::ALL
            .iter()
            .map(|event| news(*event, "1").message_id());
        let ids: std::collections::BTreeSet<String> = ids.collect();
        assert_eq!(ids.len(), WebhookEvent::ALL.len());
        assert!(
            ids.iter().all(|id| !id.contains('.')),
            "it is signed with a full stop behind it"
        );
    }

    /// Computed with Python's hmac module.
    #[test]
    fn signatures_are_those_of_standard_webhooks() {
        let secret = SigningSecret::read(&[7; 32]).unwrap();
        assert_eq!(
            *secret.text(),
            "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
        );
        let both = [secret, SigningSecret::read(&[9; 32]).unwrap()];
        assert_eq!(
            signatures(&both, "msg_1", 1_767_225_600, r#"{"a":1}"#),
            "v1,InKgWa3uGcdsOs9vvs9XqxynNd87af80ZivSGOTQyMw= v1,9+AU+TbYKZtVvJzf/S4M3vSrFnrW8nuBgPBJWeP8bLo="
        );
    }

    #[test]
    fn nothing_prints_a_secret() {
        let secret = SigningSecret::generate(&SystemRandom);
        assert_eq!(format!("{secret:?}"), "SigningSecret(…)");
        assert!(SigningSecret::read(&secret.expose()[1..]).is_none());
    }

    #[test]
    fn a_message_is_tried_for_three_days_with_growing_pauses() {
        let pauses: Vec<i64> = (1..).map_while(|failures| pause_ms(failures, 127)).collect();
        assert_eq!(pauses.len(), PAUSES_MS.len());
        assert!(pauses.is_sorted());
        let all: i64 = pauses.iter().sum();
        assert!(all > 72 * HOUR_MS && all < LIFETIME_MS, "{all}");
        assert_eq!(pause_ms(1, 0), Some(48_000));
        assert_eq!(pause_ms(1, 255), Some(72_000));
        for wrong in [0, -1, i64::MIN, i64::MAX] {
            assert_eq!(pause_ms(wrong, 0), None);
        }
    }
}
