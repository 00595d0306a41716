//! Our own ids: a prefix that names the kind, then a ULID, so that ids sort by age and cannot be mixed up.

use ulid::Ulid;

use crate::random::{Random, bytes};
use crate::text::{InlineText, text_traits};

const ULID_CHARS: usize = 26;
const ID_CHARS: usize = 4 + ULID_CHARS;
/// The largest time a ULID can hold.
const MAX_ULID_MS: u64 = (1 << 48) - 1;

/// Why a text is not an id. The texts are fit for people and never repeat the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    #[error("this ID must start with \"{expected}\"")]
    Prefix { expected: &'static str },
    #[error("\"{expected}\" must be followed by 26 characters out of 0-9 and A-Z without I, L, O and U")]
    Form { expected: &'static str },
    #[error("a Discord ID is a number of 17 to 20 digits without leading zero, sign or spaces")]
    Discord,
    #[error("this is a SteamID64; a Discord ID is expected here")]
    SteamInsteadOfDiscord,
    #[error("a SteamID64 is a number of 17 digits from 76561197960265728 to 76561202255233023")]
    Steam,
    #[error("expected a Discord ID (17 to 20 digits) or a SteamID64 (17 digits)")]
    Neither,
}

macro_rules! own_ids {
    ($($(#[$meta:meta])* $name:ident $prefix:literal,)+) => {$(
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(InlineText<ID_CHARS>);

        impl $name {
            /// What every id of this kind begins with.
            pub const PREFIX: &'static str = $prefix;

            /// A new id. Ids made in a later millisecond sort after this one.
            pub fn generate(now_ms: i64, random: &dyn Random) -> Self {
                Self(generate(Self::PREFIX, now_ms, random))
            }

            /// Accepts exactly what `as_str` gives back; lower case and other spellings are refused.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                parse(Self::PREFIX, text).map(Self)
            }

            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        text_traits!($name, concat!("an id beginning with ", $prefix));
    )+};
}

own_ids! {
    /// An organisation, the tenant.
    OrgId "org_",
    /// A Discord community of an organisation.
    GuildId "gld_",
    /// A game server of a guild.
    ServerId "srv_",
    /// An API key.
    KeyId "key_",
    /// A link between a Discord and a Steam account.
    LinkId "lnk_",
    /// An invitation to a team.
    InviteId "inv_",
    /// A dashboard account.
    AccountId "usr_",
    /// A dedicated bot.
    BotId "bot_",
    /// An account or a network that cannot sign in.
    BlockId "blk_",
    /// A rule that ties a group of a Server to a role.
    MappingId "map_",
    /// A purchase that somebody began.
    CheckoutId "chk_",
    /// Who pays for an organisation.
    PayerId "pay_",
    /// A file of an older system that is taken over.
    ImportId "imp_",
    /// Something that operators tell people.
    AnnouncementId "ann_",
    /// A code for new Orgs; the code itself is a secret.
    RegistrationId "reg_",
    /// Where an organisation's changes are sent.
    WebhookId "whk_",
    /// What signs them; the secret itself is not part of it.
    SigningSecretId "whs_",
}

fn generate(prefix: &str, now_ms: i64, random: &dyn Random) -> InlineText<ID_CHARS> {
    let time_ms = u64::try_from(now_ms).unwrap_or(0).min(MAX_ULID_MS);
    let mut entropy = [0; 16];
    entropy[6..].copy_from_slice(&bytes::<10>(random));
    let ulid = Ulid::from_parts(time_ms, u128::from_be_bytes(entropy));
    InlineText::joined(prefix, ulid.array_to_str(&mut [0; ULID_CHARS]))
}

fn parse(prefix: &'static str, text: &str) -> Result<InlineText<ID_CHARS>, IdError> {
    let form = IdError::Form { expected: prefix };
    let body = text
        .strip_prefix(prefix)
        .ok_or(IdError::Prefix { expected: prefix })?;
    let ulid = Ulid::from_string(body).map_err(|_| form)?;
    // The decoder also takes lower case, look-alike letters and numbers beyond 128 bits; only one spelling may pass.
    if ulid.array_to_str(&mut [0; ULID_CHARS]) != body {
        return Err(form);
    }
    InlineText::new(text).ok_or(form)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::SeededRandom;

    const SAMPLE: &str = "org_01ARZ3NDEKTSV4RRFFQ69G5FAV";

    #[test]
    fn an_id_of_another_kind_is_refused() {
        let error = GuildId::parse(SAMPLE).unwrap_err();
        assert_eq!(error, IdError::Prefix { expected: "gld_" });
        assert!(OrgId::parse(SAMPLE).is_ok());
    }

    #[test]
    fn only_the_canonical_spelling_is_accepted() {
        for wrong in [
            "",
            "org_",
            "org_01ARZ3NDEKTSV4RRFFQ69G5FA",
            "org_01ARZ3NDEKTSV4RRFFQ69G5FAVV",
            "org_01arz3ndektsv4rrffq69g5fav",
            "org_81ARZ3NDEKTSV4RRFFQ69G5FAV",
            "org_O1ARZ3NDEKTSV4RRFFQ69G5FAV",
            "org_01ARZ3NDEKTSV4RRFFQ69G5FAU",
            " org_01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "org_01ARZ3NDEKTSV4RRFFQ69G5FÄ",
            "ORG_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        ] {
            assert!(OrgId::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ids_travel_through_json_as_checked_strings() {
        let id = OrgId::parse(SAMPLE).unwrap();
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(json, format!("\"{SAMPLE}\""));
        assert_eq!(serde_json::from_str::<OrgId>(&json).unwrap(), id);
        assert!(serde_json::from_str::<ServerId>(&json).is_err());
        assert!(serde_json::from_str::<OrgId>("7").is_err());
    }

    #[test]
    fn times_outside_the_range_still_give_valid_ids() {
        let random = SeededRandom::new(3);
        for now_ms in [i64::MIN, -1, 0, i64::MAX] {
            let id = KeyId::generate(now_ms, &random);
            assert!(KeyId::parse(id.as_str()).is_ok());
        }
    }

    proptest! {
        #[test]
        fn every_generated_id_reads_back(now_ms in 0..1_i64 << 47, seed: u64) {
            let id = LinkId::generate(now_ms, &SeededRandom::new(seed));
            prop_assert_eq!(id.as_str().len(), 30);
            prop_assert_eq!(LinkId::parse(id.as_str()), Ok(id));
        }

        #[test]
        fn ids_sort_by_age(early in 0..1_i64 << 46, later in 1..1_i64 << 46, seed: u64) {
            let random = SeededRandom::new(seed);
            let first = LinkId::generate(early, &random);
            let second = LinkId::generate(early + later, &random);
            prop_assert!(first < second);
            prop_assert!(first.as_str() < second.as_str());
        }

        #[test]
        fn whatever_is_accepted_is_kept_as_it_was(text in "(org_)?[0-9A-Za-z]{24,28}") {
            if let Ok(id) = OrgId::parse(&text) {
                prop_assert_eq!(id.as_str(), text);
            }
        }
    }
}
