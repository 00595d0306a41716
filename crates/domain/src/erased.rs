//! What remains of an account that was erased: a keyed digest. Whoever comes back with the account is known by it; from the
//! digest alone nobody learns whose it was.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::platform_id::{DiscordId, EitherId, SteamId};
use crate::random::{Random, bytes};

/// What a digest begins with where an id would stand.
pub const MARK: &str = "x:";

const KEY_BYTES: usize = 32;

/// Whether an id as it is stored is that of an erased account.
pub fn is_erased(id: &str) -> bool {
    id.starts_with(MARK)
}

/// The key of all digests of an installation. It is never replaced: with another one nobody would be known again.
pub struct EraseKey(Zeroizing<[u8; KEY_BYTES]>);

impl EraseKey {
    pub fn generate(random: &dyn Random) -> Self {
        Self(Zeroizing::new(bytes(random)))
    }

    /// Nothing unless it has the length of a key.
    pub fn read(stored: &[u8]) -> Option<Self> {
        let key: [u8; KEY_BYTES] = stored.try_into().ok()?;
        Some(Self(Zeroizing::new(key)))
    }

    /// To be sealed and stored.
    pub fn expose(&self) -> &[u8] {
        &*self.0
    }

    /// The digest that stands for an account.
    pub fn tombstone(&self, id: &EitherId) -> Tombstone {
        let platform = match id {
            EitherId::Discord(_) => "discord",
            EitherId::Steam(_) => "steam",
        };
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.expose()) else {
            // A key of this kind may have any length.
            std::process::abort();
        };
        for part in [platform, ":", id.as_str()] {
            mac.update(part.as_bytes());
        }
        let digest = mac.finalize().into_bytes();
        Tombstone([MARK, &URL_SAFE_NO_PAD.encode(digest)].concat())
    }
}

impl fmt::Debug for EraseKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("EraseKey(…)")
    }
}

/// What stands in the place of an erased id. It is shown to nobody.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tombstone(String);

impl Tombstone {
    /// For the database only.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Tombstone {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Tombstone(…)")
    }
}

/// Both sides of a link, as they would stand there after an erasure.
#[derive(Debug, Clone)]
pub struct Tombstones {
    pub discord: Tombstone,
    pub steam: Tombstone,
}

impl Tombstones {
    pub fn of(key: &EraseKey, discord: &DiscordId, steam: &SteamId) -> Self {
        Self {
            discord: key.tombstone(&EitherId::Discord(discord.clone())),
            steam: key.tombstone(&EitherId::Steam(steam.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SystemRandom;

    #[test]
    fn an_account_is_known_again_by_the_same_key_and_by_no_other() {
        let key = EraseKey::generate(&SystemRandom);
        let again = EraseKey::read(key.expose()).unwrap();
        let other = EraseKey::generate(&SystemRandom);
        let id = EitherId::Discord(DiscordId::parse("100000000000000001").unwrap());
        assert_eq!(key.tombstone(&id), again.tombstone(&id));
        assert_ne!(key.tombstone(&id), other.tombstone(&id));
        assert!(EraseKey::read(&[0; 31]).is_none());
    }

    #[test]
    fn a_tombstone_is_no_id_and_tells_neither_id_nor_key() {
        let key = EraseKey::generate(&SystemRandom);
        let id = EitherId::Steam(SteamId::parse("76561198000000001").unwrap());
        let tombstone = key.tombstone(&id);
        assert!(is_erased(tombstone.as_str()) && !is_erased(id.as_str()));
        assert_eq!(tombstone.as_str().len(), MARK.len() + 43);
        assert!(EitherId::parse(tombstone.as_str()).is_err());
        assert!(!format!("{key:?} {tombstone:?}").contains(&tombstone.as_str()[2..]));
    }

    #[test]
    fn accounts_of_two_platforms_never_meet() {
        let key = EraseKey::generate(&SystemRandom);
        let discord = EitherId::Discord(DiscordId::parse("100000000000000001").unwrap());
        let steam = EitherId::Steam(SteamId::parse("76561198000000001").unwrap());
        assert_ne!(key.tombstone(&discord), key.tombstone(&steam));
    }
}
