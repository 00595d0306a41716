//! Which address a request really comes from, and the network it is counted under.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use ipnet::IpNet;

/// Where a request comes from, as far as it can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientAddress {
    Known(IpAddr),
    /// A trusted proxy named a client that is no address. All of these are one client: limits count them together, and
    /// whatever blocks everybody blocks them.
    Unreadable,
}

impl ClientAddress {
    pub fn known(self) -> Option<IpAddr> {
        match self {
            Self::Known(address) => Some(address),
            Self::Unreadable => None,
        }
    }
}

/// The address of the client: the peer, unless the peer is a trusted proxy that names someone else.
///
/// `forwarded_for` are the lines of `X-Forwarded-For` in the order received, as bytes: what a stranger wrote to the left
/// of the hop that counts may be anything. They are walked from the right and only as far as needed. The first hop that
/// is not trusted is the client, readable or not. When every hop is trusted, the leftmost is the client. IPv4 inside
/// IPv6 comes back as IPv4.
pub fn client_address<'a>(
    peer: IpAddr,
    trusted: &[IpNet],
    forwarded_for: impl DoubleEndedIterator<Item = &'a [u8]>,
) -> ClientAddress {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
    let mut client = peer.to_canonical();
    if !is_trusted(&client) {
        return ClientAddress::Known(client);
    }
    for hop in forwarded_for
        .rev()
        .flat_map(|line| line.rsplit(|byte| *byte == b','))
    {
        let Some(address) = read_hop(hop) else {
            return ClientAddress::Unreadable;
        };
        client = address;
        if !is_trusted(&client) {
            break;
        }
    }
    ClientAddress::Known(client)
}

/// An address, with a port or brackets or without.
fn read_hop(hop: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(hop).ok()?.trim_matches([' ', '\t']);
    let plain = text.parse::<IpAddr>().ok();
    let in_brackets = || {
        let inner = text.strip_prefix('[')?.strip_suffix(']')?;
        inner.parse::<Ipv6Addr>().ok().map(IpAddr::V6)
    };
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let address = plain.or_else(in_brackets).or_else(with_port)?;
    Some(address.to_canonical())
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
    /// Everybody whose address cannot be read.
    Unreadable,
}

impl ClientNetwork {
    /// As narrow as one household: a single IPv4 address, /64 for IPv6.
    pub fn exact(client: ClientAddress) -> Self {
        match client {
            ClientAddress::Known(address) => match address.to_canonical() {
                IpAddr::V4(v4) => Self(Network::V4Exact(v4.octets())),
                IpAddr::V6(v6) => Self::of_v6(v6),
            },
            ClientAddress::Unreadable => Self(Network::Unreadable),
        }
    }

    /// IPv4 inside IPv6 counts as IPv4.
    pub fn of(client: ClientAddress) -> Self {
        match client {
            ClientAddress::Known(address) => match address.to_canonical() {
                IpAddr::V4(v4) => {
                    let [a, b, c, _] = v4.octets();
                    Self(Network::V4([a, b, c]))
                }
                IpAddr::V6(v6) => Self::of_v6(v6),
            },
            ClientAddress::Unreadable => Self(Network::Unreadable),
        }
    }

    fn of_v6(address: Ipv6Addr) -> Self {
        let [a, b, c, d, ..] = address.segments();
        Self(Network::V6([a, b, c, d]))
    }
}

impl fmt::Debug for ClientNetwork {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.0 {
            Network::V4(_) | Network::V4Exact(_) => "ClientNetwork(v4)",
            Network::V6(_) => "ClientNetwork(v6)",
            Network::Unreadable => "ClientNetwork(unreadable)",
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TRUSTED: [&str; 3] = ["10.0.0.0/8", "::1/128", "fd00::/8"];

    fn known(text: &str) -> ClientAddress {
        ClientAddress::Known(text.parse().unwrap())
    }

    fn walk(peer: &str, lines: &[&[u8]]) -> ClientAddress {
        let trusted = TRUSTED.map(|net| net.parse().unwrap());
        client_address(peer.parse().unwrap(), &trusted, lines.iter().copied())
    }

    fn resolve(peer: &str, lines: &[&str]) -> String {
        let lines: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
        match walk(peer, &lines) {
            ClientAddress::Known(address) => address.to_string(),
            ClientAddress::Unreadable => "unreadable".to_owned(),
        }
    }

    #[test]
    fn a_stranger_cannot_claim_another_address() {
        assert_eq!(resolve("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(resolve("203.0.113.9", &["nonsense"]), "203.0.113.9");
    }

    #[test]
    fn a_trusted_proxy_names_the_client() {
        assert_eq!(resolve("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(resolve("::1", &["2001:db8::7"]), "2001:db8::7");
        assert_eq!(resolve("10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn what_stands_left_of_the_first_stranger_is_ignored() {
        for lines in [
            &["1.1.1.1, 198.51.100.1, 10.0.0.2"][..],
            &["1.1.1.1", "198.51.100.1", "10.0.0.2"],
            &["nonsense, 198.51.100.1"],
            &[",,, 198.51.100.1"],
        ] {
            assert_eq!(resolve("10.0.0.1", lines), "198.51.100.1", "{lines:?}");
        }
        let spoofed: [&[u8]; 2] = [b"\xff\x80\0, 1.1.1.1", b"\xe9, 198.51.100.1"];
        assert_eq!(walk("10.0.0.1", &spoofed), known("198.51.100.1"));
    }

    #[test]
    fn ports_and_brackets_are_read() {
        for (hop, client) in [
            ("198.51.100.1:4711", "198.51.100.1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("[::ffff:198.51.100.1]:443", "198.51.100.1"),
            ("\t198.51.100.1 , 10.0.0.2:80\t", "198.51.100.1"),
        ] {
            assert_eq!(resolve("10.0.0.1", &[hop]), client, "{hop}");
        }
    }

    #[test]
    fn a_client_that_cannot_be_read_is_never_the_proxy() {
        for wrong in [
            "",
            "nonsense",
            "198.51.100.1,",
            "198.51.100.1, unknown",
            "unknown, 10.0.0.2",
            "198.51.100.1 1.1.1.1",
            "198.51.100.1:",
            "198.51.100.1:65536",
            "[198.51.100.1]",
            "[2001:db8::1",
            "2001:db8::1]",
            "010.1.1.1",
            "_hidden",
        ] {
            assert_eq!(resolve("10.0.0.1", &[wrong]), "unreadable", "{wrong}");
        }
        for wrong in [&b"198.51.100.1\xe9"[..], b"\xff", b"198.51.100.1\0"] {
            assert_eq!(walk("10.0.0.1", &[wrong]), ClientAddress::Unreadable);
            assert_eq!(walk("10.0.0.1", &[wrong, b"10.0.0.2"]), ClientAddress::Unreadable);
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
        let same = |a, b| ClientNetwork::of(known(a)) == ClientNetwork::of(known(b));
        assert!(same("192.0.2.1", "192.0.2.255"));
        assert!(!same("192.0.2.1", "192.0.3.1"));
        assert!(same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"));
        assert!(!same("2001:db8:1:2::1", "2001:db8:1:3::1"));
        assert!(same("::ffff:192.0.2.7", "192.0.2.8"));
    }

    #[test]
    fn printing_a_network_tells_no_address() {
        assert_eq!(
            format!("{:?}", ClientNetwork::of(known("192.0.2.1"))),
            "ClientNetwork(v4)"
        );
    }

    /// A hop with what it stands for: an address, trusted or not, or nothing that can be read.
    fn hop() -> impl Strategy<Value = (Vec<u8>, Option<IpAddr>)> {
        let spelled = |address: IpAddr, form: u8, port: u16| match (form, address) {
            (0, _) => address.to_string(),
            (1, IpAddr::V4(_)) => format!("{address}:{port}"),
            (1, IpAddr::V6(_)) => format!("[{address}]:{port}"),
            (_, IpAddr::V4(_)) => format!(" {address}\t"),
            (_, IpAddr::V6(_)) => format!("[{address}]"),
        };
        let inside = any::<[u8; 3]>().prop_map(|[a, b, c]| IpAddr::from([10, a, b, c]));
        let address = prop_oneof![inside, any::<IpAddr>()];
        let readable = (address, 0_u8..3, any::<u16>()).prop_map(move |(address, form, port)| {
            (
                spelled(address, form, port).into_bytes(),
                Some(address.to_canonical()),
            )
        });
        let byte = any::<u8>().prop_filter("the separator", |byte| *byte != b',');
        let bytes = prop::collection::vec(byte, 0..12);
        let unreadable = bytes
            .prop_filter("no address", |bytes| read_hop(bytes).is_none())
            .prop_map(|bytes| (bytes, None));
        prop_oneof![3 => readable, 1 => unreadable]
    }

    proptest! {
        #[test]
        fn without_trusted_proxies_headers_mean_nothing(peer: std::net::Ipv4Addr, line: Vec<u8>) {
            let found = client_address(peer.into(), &[], std::iter::once(line.as_slice()));
            prop_assert_eq!(found, ClientAddress::Known(peer.into()));
        }

        /// The rule once more, as a sentence: drop trusted hops from the right; what is then rightmost is the client.
        #[test]
        fn the_walk_agrees_with_its_rule(hops in prop::collection::vec(hop(), 0..6), cuts: [bool; 5]) {
            let trusted = TRUSTED.map(|net| net.parse::<IpNet>().unwrap());
            let is_trusted = |hop: &Option<IpAddr>| hop.is_some_and(|ip| trusted.iter().any(|net| net.contains(&ip)));
            let mut meant: Vec<Option<IpAddr>> = vec![];
            meant.extend(hops.iter().map(|(_, meaning)| *meaning));
            while meant.len() > 1 && meant.last().is_some_and(is_trusted) {
                meant.pop();
            }
            let peer: IpAddr = "10.0.0.1".parse().unwrap();
            let expected = match meant.last() {
                None => ClientAddress::Known(peer),
                Some(None) => ClientAddress::Unreadable,
                Some(Some(address)) => ClientAddress::Known(*address),
            };
            let mut lines: Vec<Vec<u8>> = vec![];
            for (index, (bytes, _)) in hops.iter().enumerate() {
                match lines.last_mut() {
                    Some(line) if cuts[index - 1] => {
                        line.push(b',');
                        line.extend(bytes);
                    }
                    Some(_) | None => lines.push(bytes.clone()),
                }
            }
            let found = client_address(peer, &trusted, lines.iter().map(Vec::as_slice));
            prop_assert_eq!(found, expected, "{:?}", lines);
        }
    }
}
