//! Which address a call counts for, behind proxies and without.

use std::sync::Arc;

use testkit::{Client, TestApp, both_databases};
use web::Settings;

use super::support::{limit, stranger};

const COUNT: &str = "/api?action=count";

/// Every address the tests name, each in a network of its own, and everybody whose address cannot be read.
const ADDRESSES: [&str; 8] = [
    "203.0.113.7",
    "198.51.100.1",
    "192.0.2.1",
    "2001:db8:1:1::5",
    "2001:db8:9:9::1",
    "10.9.9.9",
    "10.0.0.1",
    UNREADABLE,
];
const UNREADABLE: &str = "unreadable";

fn behind_proxies(settings: &mut Settings) {
    let networks = ["10.0.0.0/8", "127.0.0.0/8", "fd00::/8"];
    settings.trusted_proxies = Arc::from(networks.map(|network| network.parse().expect("a network")));
}

/// A caller that comes from `peer` and says it was forwarded for these.
fn forwarded(test: &TestApp, peer: &str, lines: &[&[u8]]) -> Client {
    let caller = test.plugin(&stranger(1)).from(peer);
    lines.iter().fold(caller, |caller, line| {
        caller.header_bytes("x-forwarded-for", line)
    })
}

/// Whether the network of `address` has its one unknown key still to come.
async fn is_fresh(test: &TestApp, address: &str) -> bool {
    let caller = if address == UNREADABLE {
        forwarded(test, "10.0.0.1", &[b"nobody"])
    } else {
        test.plugin(&stranger(2)).from(address)
    };
    caller.get(COUNT).await.status == 401
}

both_databases! {
    async fn a_call_counts_for_the_client_that_a_trusted_proxy_names_and_for_no_other(engine) {
        let test = TestApp::start_with(engine, |limits| limits.unknown_keys = limit(1, 1), behind_proxies).await;
        let stranger_itself = "203.0.113.7";
        let cases: &[(&str, &[&str], &str)] = &[
            // A peer that nobody trusts counts itself, whatever it claims.
            (stranger_itself, &["198.51.100.1"], stranger_itself),
            (stranger_itself, &["10.0.0.1"], stranger_itself),
            (stranger_itself, &[], stranger_itself),
            ("2001:db8:9:9::1", &["198.51.100.1"], "2001:db8:9:9::1"),
            // A trusted one names the client.
            ("10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("::ffff:10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["2001:db8:1:1::5"], "2001:db8:1:1::5"),
            ("fd00::1", &["2001:db8:1:1::5"], "2001:db8:1:1::5"),
            ("10.0.0.1", &["::ffff:198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            // What stands left of the first stranger is a claim of that stranger.
            ("10.0.0.1", &["192.0.2.1, 198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["192.0.2.1, 198.51.100.1, 10.0.0.2"], "198.51.100.1"),
            ("10.0.0.1", &["192.0.2.1", "198.51.100.1", "fd00::2,10.0.0.2"], "198.51.100.1"),
            ("10.0.0.1", &["nonsense, 198.51.100.1"], "198.51.100.1"),
            // Without a stranger the leftmost is the client.
            ("10.0.0.1", &["10.9.9.9, 10.8.8.8"], "10.9.9.9"),
            // Ports and brackets are read.
            ("10.0.0.1", &["198.51.100.1:4711"], "198.51.100.1"),
            ("10.0.0.1", &["[2001:db8:1:1::5]"], "2001:db8:1:1::5"),
            ("10.0.0.1", &["[2001:db8:1:1::5]:443, 10.0.0.2:80"], "2001:db8:1:1::5"),
            // What cannot be read counts together, and never for the proxy.
            ("10.0.0.1", &["nonsense"], UNREADABLE),
            ("10.0.0.1", &[""], UNREADABLE),
            ("10.0.0.1", &["198.51.100.1,"], UNREADABLE),
            ("10.0.0.1", &["198.51.100.1, unknown"], UNREADABLE),
        ];
        let text = cases.iter().map(|(peer, hops, counted)| {
            let lines: Vec<&[u8]> = hops.iter().map(|hop| hop.as_bytes()).collect();
            (*peer, lines, *counted)
        });
        let bytes: [(&str, Vec<&[u8]>, &str); 4] = [
            // Nor does a byte that is no text hide the client who sent it.
            ("10.0.0.1", vec![b"\xe9, 198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", vec![b"\xff\x80", b"198.51.100.1, 10.0.0.2"], "198.51.100.1"),
            ("10.0.0.1", vec![b"198.51.100.1\xe9"], UNREADABLE),
            ("10.0.0.1", vec![b"\xff, 10.0.0.2"], UNREADABLE),
        ];
        for (peer, lines, counted) in text.chain(bytes) {
            let reply = forwarded(&test, peer, &lines).get(COUNT).await;
            assert_eq!(reply.status, 401, "{peer} {lines:?}");
            for address in ADDRESSES {
                assert_eq!(is_fresh(&test, address).await, address != counted, "{peer} {lines:?}: {address}");
            }
            test.clock.advance_ms(60_000);
        }
        test.finish().await;
    }

    async fn other_headers_that_name_an_address_are_not_believed(engine) {
        let test = TestApp::start_with(engine, |limits| limits.unknown_keys = limit(1, 1), behind_proxies).await;
        for name in ["x-real-ip", "forwarded", "cf-connecting-ip", "true-client-ip", "x-client-ip"] {
            let caller = test.plugin(&stranger(1)).from("10.0.0.1").header(name, "198.51.100.1");
            caller.get(COUNT).await;
        }
        assert!(is_fresh(&test, "198.51.100.1").await);
        assert!(!is_fresh(&test, "10.0.0.1").await);
        test.finish().await;
    }
}
