//! Who may not sign in: accounts of both platforms and networks, as one kind of text that is looked up exactly.

use std::net::IpAddr;

use ipnet::IpNet;

use crate::platform_id::{DiscordId, SteamId};

/// One entry, in the spelling that is stored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockEntry(String);

/// The text is no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    #[error("a network is written like 203.0.113.0/24 or 2001:db8::/32")]
    Form,
    #[error("that is most of the internet; give at least /8 (IPv4) or /16 (IPv6)")]
    TooWide,
}

impl BlockEntry {
    pub fn discord(id: &DiscordId) -> Self {
        Self(["discord:", id.as_str()].concat())
    }

    pub fn steam(id: &SteamId) -> Self {
        Self(["steam:", id.as_str()].concat())
    }

    /// Accepts an address or a network; bits behind the prefix are cut off.
    pub fn network(text: &str) -> Result<Self, NetworkError> {
        let text = text.trim();
        let network = text
            .parse::<IpNet>()
            .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
            .map_err(|_| NetworkError::Form)?
            .trunc();
        let least = match network {
            IpNet::V4(_) => 8,
            IpNet::V6(_) => 16,
        };
        if network.prefix_len() < least {
            return Err(NetworkError::TooWide);
        }
        Ok(Self::of_network(network))
    }

    /// Every network that an address is in, from itself to the widest that can be blocked.
    pub fn networks_of(address: IpAddr) -> Vec<Self> {
        let widest = match address {
            IpAddr::V4(_) => 8,
            IpAddr::V6(_) => 16,
        };
        let whole = IpNet::from(address);
        (widest..=whole.max_prefix_len())
            .filter_map(|length| IpNet::new(address, length).ok())
            .map(|network| Self::of_network(network.trunc()))
            .collect()
    }

    fn of_network(network: IpNet) -> Self {
        Self(format!("network:{network}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_network_has_one_spelling() {
        for (text, stored) in [
            ("203.0.113.77/24", "network:203.0.113.0/24"),
            (" 203.0.113.77 ", "network:203.0.113.77/32"),
            ("2001:DB8:0::1/32", "network:2001:db8::/32"),
        ] {
            assert_eq!(BlockEntry::network(text).unwrap().as_str(), stored);
        }
        assert_eq!(BlockEntry::network("0.0.0.0/0"), Err(NetworkError::TooWide));
        assert_eq!(BlockEntry::network("::/8"), Err(NetworkError::TooWide));
        for text in ["", "x", "203.0.113.0/33", "203.0.113"] {
            assert_eq!(BlockEntry::network(text), Err(NetworkError::Form), "{text}");
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
            prop_assert!(BlockEntry::networks_of(address).contains(&blocked));
        }

        #[test]
        fn an_address_outside_is_not_found(address: u32, length in 8_u8..=32) {
            let inside = IpAddr::from(std::net::Ipv4Addr::from(address));
            let outside = IpAddr::from(std::net::Ipv4Addr::from(address ^ (1 << (32 - u32::from(length)))));
            let blocked = BlockEntry::network(&format!("{inside}/{length}")).unwrap();
            prop_assert!(!BlockEntry::networks_of(outside).contains(&blocked));
        }

        #[test]
        fn sixth_version_addresses_are_found_too(address: [u16; 8], length in 16_u8..=128) {
            let address = IpAddr::from(address);
            let blocked = BlockEntry::network(&format!("{address}/{length}")).unwrap();
            prop_assert!(BlockEntry::networks_of(address).contains(&blocked));
        }
    }
}
