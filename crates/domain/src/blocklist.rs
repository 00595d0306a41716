//! Who may not sign in: accounts of both platforms and networks, as one kind of text that is looked up exactly.

use std::net::IpAddr;

use ipnet::IpNet;

use crate::erased::EraseKey;
use crate::network::ClientAddress;
use crate::platform_id::{DiscordId, EitherId, SteamId};

/// One entry, in the spelling that is stored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockEntry(String);

/// The text is no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    #[error("a network is written like 203.0.113.0/24 or 2001:db8::/32")]
    Form,
    #[error("that is most of the internet; give at least /8 (IPv4) or /16 (IPv6), or /0 to mean everybody")]
    TooWide,
}

impl BlockEntry {
    pub fn discord(id: &DiscordId) -> Self {
        Self(["discord:", id.as_str()].concat())
    }

    pub fn steam(id: &SteamId) -> Self {
        Self(["steam:", id.as_str()].concat())
    }

    /// Both entries that an account may stand in: as it is, and as what remains of it after it was erased.
    pub fn both_of(id: &EitherId, key: &EraseKey) -> [Self; 2] {
        let tombstone = key.tombstone(id);
        let (plain, kind) = match id {
            EitherId::Discord(id) => (Self::discord(id), "discord:"),
            EitherId::Steam(id) => (Self::steam(id), "steam:"),
        };
        [plain, Self([kind, tombstone.as_str()].concat())]
    }

    /// Accepts an address or a network; bits behind the prefix are cut off.
    pub fn network(text: &str) -> Result<Self, NetworkError> {
        let text = text.trim();
        let network = text
            .parse::<IpNet>()
            .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
            .map_err(|_| NetworkError::Form)?
            .trunc();
        if network.prefix_len() != 0 && network.prefix_len() < widest(network.addr()) {
            return Err(NetworkError::TooWide);
        }
        Ok(Self::of_network(network))
    }

    /// Every network that a client is in, from its own address to everybody. One whose address cannot be read is in
    /// none but those of everybody.
    pub fn networks_of(client: ClientAddress) -> Vec<Self> {
        let Some(address) = client.known() else {
            let everybody = [IpAddr::from([0; 4]), IpAddr::from([0; 16])];
            let whole = everybody.into_iter().filter_map(|zero| IpNet::new(zero, 0).ok());
            return whole.map(Self::of_network).collect();
        };
        let narrowest = IpNet::from(address).max_prefix_len();
        std::iter::once(0)
            .chain(widest(address)..=narrowest)
            .filter_map(|length| IpNet::new(address, length).ok())
            .map(|network| Self::of_network(network.trunc()))
            .collect()
    }

    /// One that was stored.
    pub fn read(stored: &str) -> Self {
        Self(stored.to_owned())
    }

    /// Whether it is what remains of an erased account.
    pub fn is_of_erased(&self) -> bool {
        self.0
            .split_once(':')
            .is_some_and(|(_, rest)| rest.starts_with("x:"))
    }

    fn of_network(network: IpNet) -> Self {
        Self(format!("network:{network}"))
    }

    /// The account that it stands for; none of a network.
    pub fn account(&self) -> Option<EitherId> {
        let (kind, id) = self.0.split_once(':')?;
        match kind {
            "discord" => DiscordId::parse(id).ok().map(EitherId::Discord),
            "steam" => SteamId::parse(id).ok().map(EitherId::Steam),
            _ => None,
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The shortest prefix that is still somebody's network, and no slip of the hand.
const fn widest(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 8,
        IpAddr::V6(_) => 16,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_entry_tells_the_account_that_it_stands_for() {
        let discord = DiscordId::parse("100000000000000001").unwrap();
        let steam = SteamId::parse("76561197960265729").unwrap();
        assert_eq!(
            BlockEntry::discord(&discord).account(),
            Some(EitherId::Discord(discord))
        );
        assert_eq!(BlockEntry::steam(&steam).account(), Some(EitherId::Steam(steam)));
        assert_eq!(BlockEntry::network("2001:db8::/32").unwrap().account(), None);
    }

    #[test]
    fn a_network_has_one_spelling() {
        for (text, stored) in [
            ("203.0.113.77/24", "network:203.0.113.0/24"),
            (" 203.0.113.77 ", "network:203.0.113.77/32"),
            ("2001:DB8:0::1/32", "network:2001:db8::/32"),
        ] {
            assert_eq!(BlockEntry::network(text).unwrap().as_str(), stored);
        }
        assert_eq!(BlockEntry::network("0.0.0.0/1"), Err(NetworkError::TooWide));
        assert_eq!(BlockEntry::network("::/8"), Err(NetworkError::TooWide));
        for text in ["", "x", "203.0.113.0/33", "203.0.113"] {
            assert_eq!(BlockEntry::network(text), Err(NetworkError::Form), "{text}");
        }
    }

    #[test]
    fn who_cannot_be_read_is_in_the_networks_of_everybody_and_in_no_other() {
        let everybody = ["0.0.0.0/0", "::/0"].map(|text| BlockEntry::network(text).unwrap());
        assert_eq!(BlockEntry::networks_of(ClientAddress::Unreadable), everybody);
        for (address, whole) in [("203.0.113.7", &everybody[0]), ("2001:db8::1", &everybody[1])] {
            let client = ClientAddress::Known(address.parse().unwrap());
            assert!(BlockEntry::networks_of(client).contains(whole));
        }
    }

    #[test]
    fn kinds_never_meet() {
        let discord = BlockEntry::discord(&DiscordId::parse("200000000000000001").unwrap());
        let steam = BlockEntry::steam(&SteamId::parse("76561198000000001").unwrap());
        assert_eq!(discord.as_str(), "discord:200000000000000001");
        assert_eq!(steam.as_str(), "steam:76561198000000001");
    }

    proptest! {
        #[test]
        fn an_address_is_found_in_every_network_around_it(address: [u8; 4], length in 8_u8..=32) {
            let address = IpAddr::from(address);
            let blocked = BlockEntry::network(&format!("{address}/{length}")).unwrap();
            prop_assert!(BlockEntry::networks_of(ClientAddress::Known(address)).contains(&blocked));
        }

        #[test]
        fn an_address_outside_is_not_found(address: u32, length in 8_u8..=32) {
            let inside = IpAddr::from(std::net::Ipv4Addr::from(address));
            let outside = IpAddr::from(std::net::Ipv4Addr::from(address ^ (1 << (32 - u32::from(length)))));
            let blocked = BlockEntry::network(&format!("{inside}/{length}")).unwrap();
            prop_assert!(!BlockEntry::networks_of(ClientAddress::Known(outside)).contains(&blocked));
        }

        #[test]
        fn sixth_version_addresses_are_found_too(address: [u16; 8], length in 16_u8..=128) {
            let address = IpAddr::from(address);
            let blocked = BlockEntry::network(&format!("{address}/{length}")).unwrap();
            prop_assert!(BlockEntry::networks_of(ClientAddress::Known(address)).contains(&blocked));
        }
    }
}
