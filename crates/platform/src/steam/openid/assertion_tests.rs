use std::sync::Arc;

use domain::clock::TestClock;
use proptest::prelude::*;

use super::super::OpenId;
use super::*;

/// 1 January 2026, 00:00 UTC.
const NOW: i64 = 1_767_225_600_000;
const ID: &str = "https://steamcommunity.com/openid/id/76561197960265729";

fn return_to() -> ReturnTo {
    ReturnTo("https://link.example/auth/steam/callback?flow=f+1%26".to_owned())
}

/// A sign-in as Steam sends it back, by field.
fn good() -> Vec<(String, String)> {
    let fields = [
        ("flow", "f 1&"),
        ("openid.ns", NS),
        ("openid.mode", "id_res"),
        ("openid.op_endpoint", OP_ENDPOINT),
        ("openid.claimed_id", ID),
        ("openid.identity", ID),
        (
            "openid.return_to",
            "https://link.example/auth/steam/callback?flow=f+1%26",
        ),
        ("openid.response_nonce", "2026-01-01T00:00:00Zq+/7=="),
        ("openid.assoc_handle", "1234567890"),
        (
            "openid.signed",
            "signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle",
        ),
        ("openid.sig", "W0u5DRbtHE1GG0ZKXjerUZDUGmc="),
    ];
    fields
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

fn query(fields: &[(String, String)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(fields);
    query.finish()
}

fn parse(fields: &[(String, String)]) -> Result<Assertion, Forged> {
    Assertion::parse(&query(fields), &return_to(), NOW)
}

/// The good sign-in with some fields changed.
fn with(changes: &[(&str, &str)]) -> Result<Assertion, Forged> {
    let mut fields = good();
    for (name, value) in changes {
        let full = [PREFIX, name].concat();
        let field = fields.iter_mut().find(|(known, _)| *known == full).unwrap();
        field.1 = (*value).to_owned();
    }
    parse(&fields)
}

#[track_caller]
fn refused(changes: &[(&str, &str)], cause: Forged) {
    assert_eq!(with(changes).err(), Some(cause), "{changes:?}");
}

#[test]
fn steams_own_answer_is_accepted_and_sent_back_whole() {
    let assertion = parse(&good()).unwrap();
    assert_eq!(assertion.claimed_id().as_str(), "76561197960265729");
    let sent: Vec<(String, String)> = form_urlencoded::parse(assertion.check_body().as_bytes())
        .into_owned()
        .collect();
    let mut expected = good();
    expected.remove(0);
    expected[1].1 = "check_authentication".to_owned();
    assert_eq!(sent, expected);
    let confirmed = assertion.confirmed();
    assert_eq!(confirmed.nonce.as_str(), "2026-01-01T00:00:00Zq+/7==");
}

#[test]
fn the_order_of_fields_does_not_matter() {
    let mut fields = good();
    fields.reverse();
    assert!(parse(&fields).is_ok());
}

#[test]
fn every_field_is_needed_once() {
    for position in 1..good().len() {
        let mut fields = good();
        let (name, value) = fields.remove(position);
        assert_eq!(parse(&fields).err(), Some(Forged::Fields), "{name} is missing");
        for again in [value.as_str(), "x", ""] {
            let mut fields = good();
            fields.push((name.clone(), again.to_owned()));
            assert_eq!(parse(&fields).err(), Some(Forged::Fields), "{name} twice");
            fields.rotate_right(1);
            assert_eq!(parse(&fields).err(), Some(Forged::Fields), "{name} twice");
        }
        let mut fields = good();
        fields[position].1.clear();
        assert_eq!(parse(&fields).err(), Some(Forged::Fields), "{name} is empty");
        let mut fields = good();
        fields[position].0 = [&name, "[]"].concat();
        assert_eq!(parse(&fields).err(), Some(Forged::Fields), "{name} is a list");
    }
}

#[test]
fn unknown_fields_are_refused() {
    for (name, cause) in [
        ("openid.invalidate_handle", Forged::Fields),
        ("openid.ns.sreg", Forged::Fields),
        ("openid.", Forged::Fields),
        ("openid.Mode", Forged::Fields),
        ("OpenID.mode", Forged::ReturnTo),
        ("openid_mode", Forged::ReturnTo),
        ("flow", Forged::ReturnTo),
        ("next", Forged::ReturnTo),
        ("", Forged::ReturnTo),
    ] {
        let mut fields = good();
        fields.push((name.to_owned(), "x".to_owned()));
        assert_eq!(parse(&fields).err(), Some(cause), "{name}");
    }
}

#[test]
fn values_that_cannot_be_sent_on_unchanged_are_refused() {
    for value in ["a b", "a\nb", "a\u{0}b", "\u{e4}", "\u{fffd}"] {
        refused(&[("sig", value)], Forged::Fields);
    }
    // Bytes that are no text at all.
    let broken = query(&good()).replace("1234567890", "%ff%fe");
    assert_eq!(
        Assertion::parse(&broken, &return_to(), NOW).err(),
        Some(Forged::Fields)
    );
}

#[test]
fn only_steam_is_a_provider() {
    for changes in [
        [("ns", "http://specs.openid.net/auth/2.0/")],
        [("ns", "http://openid.net/signon/1.1")],
        [("mode", "cancel")],
        [("mode", "setup_needed")],
        [("mode", "check_authentication")],
        [("mode", "ID_RES")],
        [("op_endpoint", "http://steamcommunity.com/openid/login")],
        [("op_endpoint", "https://steamcommunity.com/openid/login/")],
        [("op_endpoint", "https://steamcommunity.com/openid/login?")],
        [("op_endpoint", "https://steamcommunity.com:443/openid/login")],
        [("op_endpoint", "https://STEAMCOMMUNITY.com/openid/login")],
        [("op_endpoint", "https://evil.example/openid/login")],
    ] {
        refused(&changes, Forged::Provider);
    }
}

#[test]
fn only_a_person_on_steam_is_an_identity() {
    for id in [
        "http://steamcommunity.com/openid/id/76561197960265729",
        "https://staemcommunity.com/openid/id/76561197960265729",
        "https://steamcommunity.com.evil.example/openid/id/76561197960265729",
        "https://steamcommunity.com@evil.example/openid/id/76561197960265729",
        "https://evil.example/https://steamcommunity.com/openid/id/76561197960265729",
        "https://user@steamcommunity.com/openid/id/76561197960265729",
        "https://steamcommunity.com:443/openid/id/76561197960265729",
        "https://steamcommunity.com/openid/id/76561197960265729/",
        "https://steamcommunity.com/openid/id/76561197960265729?x",
        "https://steamcommunity.com/openid/id/76561197960265729#x",
        "https://steamcommunity.com/openid/id/x/76561197960265729",
        "https://steamcommunity.com/openid/id//76561197960265729",
        "https://steamcommunity.com/openid/id/",
        "https://steamcommunity.com/openid/id/7656119796026572",
        "https://steamcommunity.com/openid/id/076561197960265729",
        "https://steamcommunity.com/openid/id/+6561197960265729",
        "https://steamcommunity.com/openid/id/76561197960265727",
        "https://steamcommunity.com/openid/id/76561202255233024",
        // A group and a game server.
        "https://steamcommunity.com/openid/id/103582791429521412",
        "https://steamcommunity.com/openid/id/90071992547409921",
        "76561197960265729",
    ] {
        refused(&[("claimed_id", id), ("identity", id)], Forged::Identity);
    }
    // Letters of other alphabets and line ends are no plain text in the first place.
    for id in [
        "https://ste\u{0430}mcommunity.com/openid/id/76561197960265729",
        "https://steamcommunity.com/openid/id/７6561197960265729",
        "https://steamcommunity.com/openid/id/76561197960265729\n",
        "\nhttps://steamcommunity.com/openid/id/76561197960265729",
    ] {
        refused(&[("claimed_id", id), ("identity", id)], Forged::Fields);
    }
    let other = "https://steamcommunity.com/openid/id/76561197960265730";
    refused(&[("identity", other)], Forged::Identity);
    refused(&[("claimed_id", other)], Forged::Identity);
    for edge in [
        "76561197960265728",
        "76561199999999999",
        "76561200000000000",
        "76561202255233023",
    ] {
        let id = [CLAIMED_ID_PREFIX, edge].concat();
        let accepted = with(&[("claimed_id", &id), ("identity", &id)]).unwrap();
        assert_eq!(accepted.claimed_id().as_str(), edge);
    }
}

#[test]
fn the_signature_covers_everything_that_is_read() {
    for missing in SIGNED {
        let rest: Vec<&str> = SIGNED.into_iter().filter(|name| *name != missing).collect();
        refused(&[("signed", &rest.join(","))], Forged::Signed);
        refused(
            &[("signed", &format!("{},openid.{missing}", rest.join(",")))],
            Forged::Signed,
        );
    }
    let all = SIGNED.join(",");
    for wrong in [
        format!("{all},"),
        format!(",{all}"),
        format!("{all},op_endpoint"),
        format!("{all},other"),
        all.replace(',', ";"),
        all.to_uppercase(),
    ] {
        refused(&[("signed", &wrong)], Forged::Signed);
    }
    assert!(with(&[("signed", &all)]).is_ok());
    assert!(with(&[("signed", &format!("{all},ns,mode,signed"))]).is_ok());
}

#[test]
fn it_was_made_for_this_address_and_this_flow() {
    for other in [
        "https://link.example/auth/steam/callback?flow=f+2",
        "https://link.example/auth/steam/callback?flow=f%201%26",
        "https://link.example/auth/steam/callback",
        "https://link.example/auth/discord/callback?flow=f+1%26",
        "https://link.example/auth/steam/callback?flow=f+1%26&x=1",
        "http://link.example/auth/steam/callback?flow=f+1%26",
        "https://evil.example/auth/steam/callback?flow=f+1%26",
        "https://link.example.evil.example/auth/steam/callback?flow=f+1%26",
    ] {
        refused(&[("return_to", other)], Forged::ReturnTo);
    }
    // The browser came to another flow's callback than the assertion names.
    let mut fields = good();
    fields[0].1 = "f 2".to_owned();
    assert_eq!(parse(&fields).err(), Some(Forged::ReturnTo));
    fields.remove(0);
    assert_eq!(parse(&fields).err(), Some(Forged::ReturnTo));
}

#[test]
fn it_was_made_just_now() {
    for stale in [
        "2025-12-31T23:54:59Zx",
        "2026-01-01T00:05:01Zx",
        "2016-01-01T00:00:00Zx",
        "2026-01-01T00:00:00+00:00",
        "x",
    ] {
        refused(&[("response_nonce", stale)], Forged::Nonce);
    }
    assert!(with(&[("response_nonce", "2025-12-31T23:55:00Z")]).is_ok());
    assert!(with(&[("response_nonce", "2026-01-01T00:05:00Z")]).is_ok());
}

#[test]
fn a_huge_query_is_not_read() {
    let huge = format!("{}&x={}", query(&good()), "x".repeat(QUERY_MAX_BYTES));
    assert_eq!(
        Assertion::parse(&huge, &return_to(), NOW).err(),
        Some(Forged::TooLong)
    );
}

#[test]
fn people_are_sent_to_the_configured_address_and_back_to_ours() {
    let clock = || Arc::new(TestClock::new(NOW));
    let steam = OpenId::new("http://127.0.0.1:9/openid/login", "https://link.example", clock()).unwrap();
    assert_eq!(steam.return_to("/auth/steam/callback", "f 1&"), return_to());
    let url = steam.sign_in_url(&return_to());
    let (address, query) = url.split_once('?').unwrap();
    assert_eq!(address, "http://127.0.0.1:9/openid/login");
    let fields: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let expected = [
        ("openid.ns", NS),
        ("openid.mode", "checkid_setup"),
        (
            "openid.return_to",
            "https://link.example/auth/steam/callback?flow=f+1%26",
        ),
        ("openid.realm", "https://link.example"),
        (
            "openid.identity",
            "http://specs.openid.net/auth/2.0/identifier_select",
        ),
        (
            "openid.claimed_id",
            "http://specs.openid.net/auth/2.0/identifier_select",
        ),
    ];
    assert_eq!(
        fields,
        expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
    assert!(OpenId::new(OP_ENDPOINT, "http://127.0.0.1:8080", clock()).is_ok());
    assert!(OpenId::new(OP_ENDPOINT, "http://link.example", clock()).is_err());
}

proptest! {
    #[test]
    fn one_changed_byte_of_what_is_read_is_noticed_or_stays_the_same_person(at in 0..2_000_usize, byte in 0x20..0x7f_u8) {
        let mut text = query(&good()).into_bytes();
        let at = at % text.len();
        text[at] = byte;
        let text = String::from_utf8(text).unwrap();
        // Signature, handle, nonce suffix and order of signed names are Steam's to judge.
        if let Ok(assertion) = Assertion::parse(&text, &return_to(), NOW) {
            prop_assert_eq!(assertion.claimed_id().as_str(), "76561197960265729");
        }
    }

    #[test]
    fn no_query_panics(query in ".{0,300}") {
        let _ = Assertion::parse(&query, &return_to(), NOW);
    }
}
