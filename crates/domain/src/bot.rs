//! Bots of the platform: who they are, and the secret that proves it.

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::digest::{HexDigest, is_lower_hex, write_hex};
use crate::key::{BOT_SECRET_HEX, BOT_SECRET_MARK};
use crate::platform_id::DiscordId;
use crate::random::{Random, bytes};
use crate::text::ascii;
use crate::words::words;

words! {
    /// How far the process of a bot is.
    pub enum BotState {
        Connecting = "connecting",
        Online = "online",
        /// Paused, or not to be tried again before somebody does something about it.
        Stopped = "stopped",
    }
}

words! {
    /// Why a bot cannot be online.
    pub enum BotFailure {
        TokenRejected = "token_rejected",
        IntentsMissing = "intents_missing",
        IdentifyBudget = "identify_budget",
        /// It cannot reach Discord.
        Unreachable = "unreachable",
        /// It is in more Discord servers than one connection can serve.
        ShardingRequired = "sharding_required",
        /// Discord ended its connection for good, for another reason.
        Refused = "refused",
        /// A Guild's own bot that nobody has added to its Discord server.
        NotInGuild = "not_in_guild",
    }
}

/// Stored hashes depend on this text; changing it locks every bot out.
const HASH_LABEL: &str = "symbolon bot secret v1";

/// Who a bot is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BotId {
    /// The one that all Guilds share.
    Platform,
    /// A Guild's own, by its account on Discord.
    Dedicated(DiscordId),
}

impl BotId {
    /// `platform`, or a Discord id.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "platform" {
            return Some(BotId::Platform);
        }
        DiscordId::parse(text).ok().map(BotId::Dedicated)
    }

    pub fn as_str(&self) -> &str {
        match self {
            BotId::Platform => "platform",
            BotId::Dedicated(id) => id.as_str(),
        }
    }
}

impl AsRef<BotId> for BotId {
    fn as_ref(&self) -> &BotId {
        self
    }
}

/// The secret of a bot in memory: wiped on drop, cannot be cloned, printed or serialized.
pub struct BotSecret(Zeroizing<String>);

impl BotSecret {
    /// A new one with 256 random bits.
    pub fn generate(random: &dyn Random) -> Self {
        let secret = Zeroizing::new(bytes::<{ BOT_SECRET_HEX / 2 }>(random));
        let mut hex = Zeroizing::new([0; BOT_SECRET_HEX]);
        write_hex(&*secret, &mut *hex);
        Self(Zeroizing::new([BOT_SECRET_MARK, ascii(&*hex)].concat()))
    }

    /// The secret text. Only for handing it to whoever runs the bot, or sealing it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Accepts `sbot_` with 64 lower-case hex characters and nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix(BOT_SECRET_MARK)?;
        let is_whole = hex.len() == BOT_SECRET_HEX && hex.as_bytes().iter().all(is_lower_hex);
        is_whole.then(|| Self(Zeroizing::new(text.to_owned())))
    }

    /// What it is found by.
    pub fn hash(&self) -> BotSecretHash {
        BotSecretHash(HexDigest::labelled(HASH_LABEL, self.0.as_bytes()))
    }
}

/// What the secrets of bots are found by: 64 hex characters of a labelled SHA-256. Comparing two takes the same time
/// wherever they differ.
pub struct BotSecretHash(HexDigest);

impl BotSecretHash {
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl PartialEq for BotSecretHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

impl Eq for BotSecretHash {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_but_the_exact_form_of_a_secret_is_refused() {
        let good = format!("sbot_{}", "0f".repeat(32));
        assert!(BotSecret::parse(&good).is_some());
        for wrong in [
            "",
            "sbot_",
            &good[..good.len() - 1],
            &format!("{good}0"),
            &format!(" {good}"),
            &good.to_uppercase(),
            &good.replace('f', "g"),
            &good.replace("sbot", "svc_live"),
        ] {
            assert!(BotSecret::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_new_secret_has_the_form_of_one_and_is_like_no_other() {
        let random = crate::random::SeededRandom::new(1);
        let (one, other) = (BotSecret::generate(&random), BotSecret::generate(&random));
        assert!(BotSecret::parse(one.expose()).is_some_and(|read| read.hash() == one.hash()));
        assert!(one.hash() != other.hash());
    }

    #[test]
    fn the_stored_hash_of_a_secret_never_changes_and_tells_secrets_apart() {
        let hash =
            |digit: &str| BotSecret::parse(&["sbot_", &digit.repeat(64)].concat()).map(|one| one.hash());
        assert!(hash("0") == hash("0") && hash("0") != hash("1"));
        let text = hash("0").map(|hash| hash.as_str().to_owned());
        assert_eq!(
            text.as_deref(),
            Some("31409e856beacd43e75d47b41047664ec9e2637c1f8b863d991424cca584f949")
        );
    }

    #[test]
    fn a_bot_is_the_platforms_or_has_a_discord_id() {
        assert_eq!(BotId::parse("platform"), Some(BotId::Platform));
        let id = "900000000000000001";
        assert_eq!(BotId::parse(id), DiscordId::parse(id).ok().map(BotId::Dedicated));
        for wrong in ["", "Platform", " platform", "9", "x"] {
            assert_eq!(BotId::parse(wrong), None, "{wrong}");
        }
    }
}
