//! Where messages of webhooks go, and where they never do.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use platform::webhooks::{LookUp, Message, NotTaken, RefusedUrl, Webhooks};

use crate::peer::{Peer, Say};

/// A name that nobody on the internet has.
const NAME: &str = "hook.example.invalid";

fn message() -> Message {
    Message {
        id: "created_lnk_1".to_owned(),
        at_s: 1_767_225_600,
        signatures: "v1,AAAA".to_owned(),
        body: r#"{"type":"link.created"}"#.to_owned(),
    }
}

async fn taking() -> Peer {
    Peer::start(|_| Say::Text(204, String::new())).await
}

fn address_of(peer: &Peer) -> SocketAddr {
    peer.base.strip_prefix("http://").unwrap().parse().unwrap()
}

/// Answers questions for names one after the other, and counts them. The last answer is given from then on.
fn answering(answers: Vec<Vec<SocketAddr>>) -> (LookUp, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let look_up = move |_: String, _: u16| {
        let number = counted.fetch_add(1, Ordering::Relaxed);
        let answer = answers.get(number).or(answers.last()).cloned();
        let answer = answer.ok_or(io::Error::from(io::ErrorKind::NotFound));
        Box::pin(std::future::ready(answer)) as platform::webhooks::Found
    };
    (Arc::new(look_up), asked)
}

fn at(addresses: &[&str], port: u16) -> Vec<SocketAddr> {
    let address = |text: &&str| SocketAddr::new(text.parse().unwrap(), port);
    addresses.iter().map(address).collect()
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_the_call_goes_where_that_led() {
    let peer = taking().await;
    let port = address_of(&peer).port();
    // What the name stands for after the first look has nobody listening.
    let answers = vec![vec![address_of(&peer)], at(&["127.0.0.2"], port)];
    let (look_up, asked) = answering(answers);
    let webhooks = Webhooks::asking(true, look_up).unwrap();
    let url = format!("http://{NAME}:{port}/hook?token=1");
    assert_eq!(webhooks.send(&url, message()).await, Ok(()));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    let calls = peer.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(
        (calls[0].uri.path(), calls[0].body.as_str()),
        ("/hook", message().body.as_str())
    );
    // The next message looks again, and no connection of the one before is used.
    assert_eq!(webhooks.send(&url, message()).await, Err(NotTaken::Unreachable));
    assert_eq!((asked.load(Ordering::Relaxed), peer.calls().len()), (2, 0));
}

#[tokio::test]
async fn nothing_is_sent_to_an_address_that_is_not_public_whenever_the_name_gets_it() {
    let peer = taking().await;
    let port = address_of(&peer).port();
    let url = format!("https://{NAME}:{port}/hook");
    for addresses in [
        vec!["127.0.0.1"],
        vec!["93.184.215.14", "127.0.0.1"],
        vec!["::1"],
        vec!["::ffff:127.0.0.1"],
        vec!["64:ff9b::7f00:1"],
        vec!["10.0.0.1"],
        vec!["169.254.169.254"],
        vec!["fd00::1", "2606:4700:4700::1111"],
    ] {
        let (look_up, asked) = answering(vec![at(&addresses, port)]);
        let webhooks = Webhooks::asking(false, look_up).unwrap();
        for attempt in 1..=2 {
            let sent = webhooks.send(&url, message()).await;
            assert_eq!(sent, Err(NotTaken::Forbidden), "{addresses:?}");
            assert_eq!(asked.load(Ordering::Relaxed), attempt);
        }
    }
    let (look_up, asked) = answering(Vec::new());
    let webhooks = Webhooks::asking(false, look_up).unwrap();
    assert_eq!(webhooks.send(&url, message()).await, Err(NotTaken::Unreachable));
    for literal in [
        format!("https://127.0.0.1:{port}"),
        format!("https://[::1]:{port}"),
    ] {
        assert_eq!(webhooks.send(&literal, message()).await, Err(NotTaken::Forbidden));
    }
    assert_eq!(asked.load(Ordering::Relaxed), 1, "an address is no name");
    assert!(peer.calls().is_empty());
}

#[tokio::test]
async fn a_redirection_is_not_followed_and_a_receiver_can_say_that_it_is_gone() {
    let webhooks = Webhooks::new(true).unwrap();
    let target = taking().await;
    let leading = Peer::start(|_| Say::Text(200, String::new())).await;
    let to = format!("{}/other", target.base);
    leading.now(move |_| Say::Redirect(to.clone()));
    let sent = webhooks.send(&leading.base, message()).await;
    assert!(matches!(sent, Err(NotTaken::Status(300..400))), "{sent:?}");
    assert!(target.calls().is_empty());
    for (status, expected) in [
        (200, Ok(())),
        (299, Ok(())),
        (400, Err(NotTaken::Status(400))),
        (410, Err(NotTaken::Gone)),
        (500, Err(NotTaken::Status(500))),
    ] {
        // However long an answer is, it is not read.
        leading.now(move |_| Say::Text(status, "x".repeat(4_000_000)));
        assert_eq!(webhooks.send(&leading.base, message()).await, expected);
    }
}

#[test]
fn only_urls_that_can_be_sent_to_are_taken() {
    let (strict, lax) = (Webhooks::new(false).unwrap(), Webhooks::new(true).unwrap());
    for good in [
        "https://example.com/hook",
        "https://example.com:443/hook?x=1",
        "https://example.com:8443",
        "https://1.1.1.1/",
        "https://[2606:4700:4700::1111]/",
    ] {
        assert_eq!(strict.check(good), Ok(()), "{good}");
    }
    for (bad, why) in [
        ("", RefusedUrl::Form),
        ("example.com", RefusedUrl::Form),
        ("https://", RefusedUrl::Form),
        ("http://example.com/", RefusedUrl::Scheme),
        ("ftp://example.com/", RefusedUrl::Scheme),
        ("file:///etc/passwd", RefusedUrl::Scheme),
        ("https://user@example.com/", RefusedUrl::Extra),
        ("https://user:word@example.com/", RefusedUrl::Extra),
        ("https://example.com/#part", RefusedUrl::Extra),
        ("https://example.com:22/", RefusedUrl::Port),
        ("https://example.com:80/", RefusedUrl::Port),
        ("https://example.com:1023/", RefusedUrl::Port),
        ("https://127.0.0.1/", RefusedUrl::Address),
        ("https://2130706433/", RefusedUrl::Address),
        ("https://0x7f.1/", RefusedUrl::Address),
        ("https://[::ffff:10.0.0.1]/", RefusedUrl::Address),
        ("https://169.254.169.254/latest", RefusedUrl::Address),
    ] {
        assert_eq!(strict.check(bad), Err(why), "{bad}");
    }
    let long = format!("https://example.com/{}", "x".repeat(2_000));
    assert_eq!(strict.check(&long), Err(RefusedUrl::Form));
    for good in [
        "http://127.0.0.1:80/",
        "http://10.0.0.1:9000/hook",
        "https://[::1]:22/",
    ] {
        assert_eq!(lax.check(good), Ok(()), "{good}");
    }
    assert_eq!(lax.check("ftp://127.0.0.1/"), Err(RefusedUrl::Scheme));
}
