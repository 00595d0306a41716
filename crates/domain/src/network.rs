//! Which address a request really comes from, and the network it is counted under.

use std::fmt;
use std::net::IpAddr;

use ipnet::IpNet;

/// The address of the client: the peer, unless the peer is a trusted proxy that names someone else.
///
/// `forwarded_for` are the `X-Forwarded-For` values in the order received. They are read from the right, skipping
/// trusted hops; an entry that is no address makes the whole header worthless, so the peer counts. When every hop is
/// trusted, the leftmost is the client. IPv4 inside IPv6 comes back as IPv4.
pub fn client_ip<'a>(
    peer: IpAddr,
    trusted: &[IpNet],
    forwarded_for: impl DoubleEndedIterator<Item = &'a str>,
) -> IpAddr {
    let peer = peer.to_canonical();
    let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
    if !is_trusted(&peer) {
        return peer;
    }
    let mut client = peer;
    for entry in forwarded_for.rev().flat_map(|value| value.rsplit(',')) {
        let Ok(address) = entry.trim().parse::<IpAddr>() else {
            return peer;
        };
        client = address.to_canonical();
        if !is_trusted(&client) {
            return client;
        }
    }
    client
}

/// The network that abuse is counted under: /24 for IPv4, /64 for IPv6. Printing it shows only the family.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientNetwork(Network);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Network {
    V4([u8; 3]),
    /// Where neighbours are told apart.
    V4Exact([u8; 4]),
    V6([u16; 4]),
}

impl ClientNetwork {
    /// As narrow as one household: a single IPv4 address, /64 for IPv6.
    pub fn exact(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(v4) => Self(Network::V4Exact(v4.octets())),
            IpAddr::V6(_) => Self::of(address),
        }
    }

    /// IPv4 inside IPv6 counts as IPv4.
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(v4) => {
                let [a, b, c, _] = v4.octets();
                Network::V4([a, b, c])
            }
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                Network::V6([a, b, c, d])
            }
        })
    }
}

impl fmt::Debug for ClientNetwork {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.0 {
            Network::V4(_) | Network::V4Exact(_) => "ClientNetwork(v4)",
            Network::V6(_) => "ClientNetwork(v6)",
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn resolve(peer: &str, forwarded_for: &[&str]) -> String {
        let trusted = ["10.0.0.0/8", "::1/128", "fd00::/8"].map(|net| net.parse().unwrap());
        client_ip(ip(peer), &trusted, forwarded_for.iter().copied()).to_string()
    }

    #[test]
    fn a_stranger_cannot_claim_another_address() {
        assert_eq!(resolve("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
    }

    #[test]
    fn a_trusted_proxy_names_the_client() {
        assert_eq!(resolve("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(resolve("::1", &["2001:db8::7"]), "2001:db8::7");
        assert_eq!(resolve("10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn what_stands_left_of_the_first_stranger_is_ignored() {
        assert_eq!(
            resolve("10.0.0.1", &["1.1.1.1, 198.51.100.1, 10.0.0.2"]),
            "198.51.100.1"
        );
        assert_eq!(
            resolve("10.0.0.1", &["1.1.1.1", "198.51.100.1", "10.0.0.2"]),
            "198.51.100.1"
        );
        assert_eq!(resolve("10.0.0.1", &["nonsense, 198.51.100.1"]), "198.51.100.1");
    }

    #[test]
    fn a_malformed_entry_makes_the_peer_count() {
        for wrong in [
            "",
            "nonsense",
            "198.51.100.1,",
            "unknown, 10.0.0.2",
            "1.2.3.4:80",
            "[::1]",
            "010.1.1.1",
        ] {
            assert_eq!(resolve("10.0.0.1", &[wrong]), "10.0.0.1", "{wrong}");
        }
    }

    #[test]
    fn when_all_hops_are_trusted_the_leftmost_is_the_client() {
        assert_eq!(
            resolve("10.0.0.1", &["10.9.9.9, fd00::5", "10.0.0.2"]),
            "10.9.9.9"
        );
    }

    #[test]
    fn ipv4_inside_ipv6_is_ipv4() {
        assert_eq!(resolve("::ffff:203.0.113.9", &[]), "203.0.113.9");
        assert_eq!(
            resolve("::ffff:10.0.0.1", &["::ffff:198.51.100.1"]),
            "198.51.100.1"
        );
    }

    #[test]
    fn neighbours_share_a_network_and_strangers_do_not() {
        let same = |a, b| ClientNetwork::of(ip(a)) == ClientNetwork::of(ip(b));
        assert!(same("192.0.2.1", "192.0.2.255"));
        assert!(!same("192.0.2.1", "192.0.3.1"));
        assert!(same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"));
        assert!(!same("2001:db8:1:2::1", "2001:db8:1:3::1"));
        assert!(same("::ffff:192.0.2.7", "192.0.2.8"));
    }

    #[test]
    fn printing_a_network_tells_no_address() {
        assert_eq!(
            format!("{:?}", ClientNetwork::of(ip("192.0.2.1"))),
            "ClientNetwork(v4)"
        );
    }

    proptest! {
        #[test]
        fn without_trusted_proxies_headers_mean_nothing(peer: std::net::Ipv4Addr, header in ".{0,40}") {
            let found = client_ip(peer.into(), &[], std::iter::once(header.as_str()));
            prop_assert_eq!(found, IpAddr::from(peer));
        }

        #[test]
        fn splitting_the_header_into_lines_changes_nothing(hops in prop::collection::vec(any::<IpAddr>(), 1..6)) {
            let texts: Vec<_> = hops.iter().map(ToString::to_string).collect();
            let joined = texts.join(", ");
            let lines: Vec<_> = texts.iter().map(String::as_str).collect();
            prop_assert_eq!(resolve("10.0.0.1", &[&joined]), resolve("10.0.0.1", &lines));
        }
    }
}
