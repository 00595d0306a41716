//! Signing in through Steam, and asking whether somebody did.

use emulator::Steam;
use emulator::steam::Check;

use crate::support::{ada, encode, get, post_form, query, send, steam};

const RETURN_TO: &str = "http://127.0.0.1:8080/auth/steam/callback?flow=abc";
const FIELDS: [&str; 10] = [
    "openid.ns",
    "openid.mode",
    "openid.op_endpoint",
    "openid.claimed_id",
    "openid.identity",
    "openid.return_to",
    "openid.response_nonce",
    "openid.assoc_handle",
    "openid.signed",
    "openid.sig",
];

fn request(steam: &Steam, more: &[(&str, &str)]) -> String {
    let select = "http://specs.openid.net/auth/2.0/identifier_select";
    let mut fields = vec![
        ("openid.ns", "http://specs.openid.net/auth/2.0"),
        ("openid.mode", "checkid_setup"),
        ("openid.claimed_id", select),
        ("openid.identity", select),
        ("openid.return_to", RETURN_TO),
        ("openid.realm", "http://127.0.0.1:8080"),
    ];
    fields.retain(|(name, _)| !more.iter().any(|(other, _)| other == name));
    fields.extend(more);
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    format!("{}?{}", steam.openid_url(), encode(&fields))
}

/// The fields of an assertion as the relying party sends them back.
fn question(callback: &str) -> Vec<(String, String)> {
    let mut fields = query(callback);
    fields.retain(|(name, _)| name.starts_with("openid."));
    for (name, value) in &mut fields {
        if name == "openid.mode" {
            *value = "check_authentication".to_owned();
        }
    }
    fields
}

async fn check(steam: &Steam, fields: &[(String, String)]) -> String {
    let reply = post_form(&steam.openid_url(), &encode(fields)).await;
    assert_eq!(reply.status, 200);
    reply.text().to_owned()
}

const VALID: &str = "ns:http://specs.openid.net/auth/2.0\nis_valid:true\n";
const INVALID: &str = "ns:http://specs.openid.net/auth/2.0\nis_valid:false\n";

#[tokio::test]
async fn a_person_in_the_address_signs_in_at_once() {
    let test = steam().await;
    let reply = get(&request(&test.steam, &[("as", ada().as_str())])).await;
    assert_eq!(reply.status, 302);
    let location = reply.header("location").unwrap();
    assert!(
        location.starts_with(&format!("{RETURN_TO}&openid.ns=")),
        "{location}"
    );
    let fields = query(location);
    let names: Vec<&str> = fields.iter().skip(1).map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, FIELDS);
    let value = |name: &str| {
        fields
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.as_str())
            .unwrap()
    };
    assert_eq!(
        value("openid.op_endpoint"),
        "https://steamcommunity.com/openid/login"
    );
    assert_eq!(
        value("openid.claimed_id"),
        "https://steamcommunity.com/openid/id/76561197960300001"
    );
    assert_eq!(value("openid.identity"), value("openid.claimed_id"));
    assert_eq!(value("openid.return_to"), RETURN_TO);
    assert!(value("openid.response_nonce").starts_with("2026-01-01T00:00:00Z"));
    assert_eq!(value("openid.sig").len(), 28);
    assert_eq!(check(&test.steam, &question(location)).await, VALID);
}

#[tokio::test]
async fn a_person_in_the_cookie_signs_in_at_once() {
    let test = steam().await;
    let cookie = format!("other=1; sandbox_as=700000000000000001.{}", ada());
    let reply = send("GET", &request(&test.steam, &[]), &[("cookie", &cookie)], "")
        .await
        .unwrap();
    assert_eq!(reply.status, 302);
}

#[tokio::test]
async fn somebody_without_a_name_is_asked_who_to_be() {
    let test = steam().await;
    let reply = get(&request(
        &test.steam,
        &[("openid.realm", "http://127.0.0.1:8080/")],
    ))
    .await;
    assert_eq!(reply.status, 200);
    let page = reply.text();
    assert!(page.contains("Sandbox. This is not Steam"), "{page}");
    assert!(
        page.contains("<button name=\"as\" value=\"76561197960300001\"><b>Ada</b>"),
        "{page}"
    );
    assert!(
        page.contains(
            "name=\"openid.return_to\" value=\"http://127.0.0.1:8080/auth/steam/callback?flow=abc\""
        )
    );
}

#[tokio::test]
async fn somebody_who_is_nobody_is_told_so() {
    let test = steam().await;
    let reply = get(&request(&test.steam, &[("as", "76561197960399999")])).await;
    assert_eq!(reply.status, 404);
    assert_eq!(reply.header("location"), None);
}

#[tokio::test]
async fn cancelling_returns_without_an_identity() {
    let test = steam().await;
    let reply = get(&request(&test.steam, &[("as", "cancel")])).await;
    let fields = query(reply.header("location").unwrap());
    assert!(fields.contains(&("openid.mode".to_owned(), "cancel".to_owned())));
    assert!(!fields.iter().any(|(name, _)| name == "openid.claimed_id"));
}

#[tokio::test]
async fn requests_that_steam_would_refuse_are_refused() {
    let test = steam().await;
    for wrong in [
        ("openid.ns", "http://openid.net/signon/1.1"),
        ("openid.mode", "id_res"),
        (
            "openid.identity",
            "https://steamcommunity.com/openid/id/76561197960300001",
        ),
        ("openid.return_to", "http://evil.example/"),
        ("openid.realm", "http://127.0.0.1:9090"),
    ] {
        let reply = get(&request(&test.steam, &[wrong, ("as", ada().as_str())])).await;
        assert_eq!(reply.status, 400, "{wrong:?}");
        assert_eq!(reply.header("location"), None);
    }
}

#[tokio::test]
async fn an_assertion_is_confirmed_once() {
    let test = steam().await;
    let fields = question(&test.steam.sign_in(&ada(), RETURN_TO));
    assert_eq!(check(&test.steam, &fields).await, VALID);
    assert_eq!(check(&test.steam, &fields).await, INVALID);
}

#[tokio::test]
async fn an_assertion_with_a_field_missing_changed_or_twice_is_not_confirmed() {
    let test = steam().await;
    let fields = question(&test.steam.sign_in(&ada(), RETURN_TO));
    for index in 0..fields.len() {
        let name = fields[index].0.as_str();
        if name == "openid.mode" {
            continue;
        }
        let (mut missing, mut changed, mut twice) = (fields.clone(), fields.clone(), fields.clone());
        missing.remove(index);
        changed[index].1.push('x');
        twice.push(fields[index].clone());
        for wrong in [missing, changed, twice] {
            assert_eq!(check(&test.steam, &wrong).await, INVALID, "{name}");
        }
    }
    let mut more = fields.clone();
    more.push(("openid.extra".to_owned(), "1".to_owned()));
    assert_eq!(check(&test.steam, &more).await, INVALID);
    assert_eq!(check(&test.steam, &fields).await, VALID);
}

#[tokio::test]
async fn an_old_assertion_is_not_confirmed() {
    let test = steam().await;
    let fields = question(&test.steam.sign_in(&ada(), RETURN_TO));
    test.clock.advance_ms(11 * 60_000);
    assert_eq!(check(&test.steam, &fields).await, INVALID);
}

#[tokio::test]
async fn a_lying_steam_confirms_anything_and_a_stubborn_one_nothing() {
    let test = steam().await;
    let invented = [("openid.mode".to_owned(), "check_authentication".to_owned())];
    test.steam.set_check(Check::AlwaysValid);
    assert_eq!(check(&test.steam, &invented).await, VALID);
    test.steam.set_check(Check::AlwaysInvalid);
    assert_eq!(
        check(&test.steam, &question(&test.steam.sign_in(&ada(), RETURN_TO))).await,
        INVALID
    );
}

#[tokio::test]
async fn there_are_no_associations() {
    let test = steam().await;
    let reply = post_form(&test.steam.openid_url(), "openid.mode=associate").await;
    assert_eq!(reply.status, 400);
    assert!(
        reply
            .text()
            .starts_with("ns:http://specs.openid.net/auth/2.0\nerror:")
    );
}

#[tokio::test]
async fn discovery_names_the_provider_by_its_real_address() {
    let test = steam().await;
    let base = test.steam.community_url();
    for (path, kind) in [("/openid", "server"), ("/openid/id/76561197960300001", "signon")] {
        let reply = get(&format!("{base}{path}")).await;
        assert_eq!(
            reply.header("content-type"),
            Some("application/xrds+xml;charset=utf-8")
        );
        assert!(
            reply
                .text()
                .contains(&format!("<Type>http://specs.openid.net/auth/2.0/{kind}</Type>"))
        );
        assert!(
            reply
                .text()
                .contains("<URI>https://steamcommunity.com/openid/login</URI>")
        );
    }
    assert_eq!(get(&format!("{base}/openid/id/1")).await.status, 404);
}
