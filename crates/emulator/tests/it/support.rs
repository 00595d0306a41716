//! A small HTTP client, and the emulators on a clock that the test moves.

use std::io::{Error, Result};
use std::sync::Arc;

use domain::clock::TestClock;
use domain::platform_id::SteamId;
use emulator::steam::Account;
use emulator::{Setup, Steam};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// 1 January 2026.
pub const START_MS: i64 = 1_767_225_600_000;

pub struct SteamTest {
    pub steam: Steam,
    pub clock: Arc<TestClock>,
}

pub async fn steam() -> SteamTest {
    let clock = Arc::new(TestClock::new(START_MS));
    let setup = Setup::new(Arc::clone(&clock) as _).seeded(7);
    let steam = Steam::start(setup).await.expect("Steam starts");
    steam.set_account(&ada(), Account::named("Ada"));
    SteamTest { steam, clock }
}

pub fn ada() -> SteamId {
    SteamId::parse("76561197960300001").expect("a Steam id")
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("a text")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

pub async fn get(url: &str) -> Reply {
    send("GET", url, &[], "").await.expect("an answer")
}

pub async fn post_form(url: &str, form: &str) -> Reply {
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    send("POST", url, &headers, form).await.expect("an answer")
}

pub async fn send_json(method: &str, url: &str, body: &Value) -> Reply {
    let headers = [("content-type", "application/json")];
    send(method, url, &headers, &body.to_string())
        .await
        .expect("an answer")
}

/// One request on a connection of its own; an error when the connection ends without an answer.
pub async fn send(method: &str, url: &str, headers: &[(&str, &str)], body: &str) -> Result<Reply> {
    let rest = url
        .strip_prefix("http://")
        .ok_or_else(|| Error::other("not http"))?;
    let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let mut head = format!(
        "{method} {} HTTP/1.1\r\nconnection: close\r\n",
        if path.is_empty() { "/" } else { path }
    );
    if !headers.iter().any(|(name, _)| *name == "host") {
        head.push_str(&format!("host: {host}\r\n"));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    let mut stream = TcpStream::connect(host).await?;
    stream.write_all(head.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    parse(&answer).ok_or_else(|| Error::other("no answer"))
}

fn parse(answer: &[u8]) -> Option<Reply> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines.filter_map(|line| line.split_once(": "));
    Some(Reply {
        status,
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        body: answer[end + 4..].to_vec(),
    })
}

/// Name and value of each query field of an address.
pub fn query(url: &str) -> Vec<(String, String)> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

pub fn encode(fields: &[(String, String)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish()
}
