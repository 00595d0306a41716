//! A browser without a screen, for a product that runs in a process of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// What came back.
pub struct Reply {
    pub status: u16,
    head: String,
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    fn headers<'a>(&'a self, wanted: &'a str) -> impl Iterator<Item = &'a str> {
        let pairs = self.head.lines().filter_map(|line| line.split_once(':'));
        pairs
            .filter(move |(name, _)| name.eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value.trim())
    }
}

/// Longer than a service takes for an answer that it gives at all.
const PATIENCE: Duration = Duration::from_secs(60);

/// One request on a connection of its own; nothing if nobody answers.
pub async fn send(method: &str, url: &str, headers: &[(&str, &str)], body: &str) -> Option<Reply> {
    let asked = timeout(PATIENCE, ask(method, url, headers, body));
    asked.await.ok().flatten()
}

async fn ask(method: &str, url: &str, headers: &[(&str, &str)], body: &str) -> Option<Reply> {
    let (host, path) = url.strip_prefix("http://")?.split_once('/')?;
    let mut stream = TcpStream::connect(host).await.ok()?;
    let mut request = format!("{method} /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some(Reply {
        status: head.split(' ').nth(1)?.parse().ok()?,
        head: head.to_owned(),
        body: body.to_owned(),
    })
}

/// A control route; the body is JSON.
pub async fn control(method: &str, url: &str, body: &str) -> Reply {
    let headers = [("content-type", "application/json")];
    send(method, url, &headers, body).await.expect("an answer")
}

/// Keeps the cookies of the product and goes where it is sent.
#[derive(Clone)]
pub struct Browser {
    base: String,
    cookies: BTreeMap<String, String>,
}

impl Browser {
    pub fn new(base: &str) -> Browser {
        Browser {
            base: base.to_owned(),
            cookies: BTreeMap::new(),
        }
    }

    pub async fn get(&mut self, path: &str) -> Reply {
        self.ask("GET", &format!("{}{path}", self.base), "").await
    }

    /// Presses the button of a form on one of our pages.
    pub async fn press(&mut self, page: &str, action: &str) -> Reply {
        let shown = self.get(page).await;
        let (_, rest) = shown.body.split_once("name=\"form\" value=\"").expect("a form");
        let (token, _) = rest.split_once('"').expect("a token");
        let reply = self
            .ask(
                "POST",
                &format!("{}{page}/{action}", self.base),
                &format!("form={token}"),
            )
            .await;
        self.follow(reply, "").await
    }

    /// Leaves for a sign-in page, is this person there, and comes back.
    pub async fn sign_in(&mut self, start: &str, person: &str) -> Reply {
        let reply = self.get(start).await;
        self.follow(reply, person).await
    }

    /// The address that a sign-in page sends back to.
    pub async fn answer_to(&mut self, start: &str, person: &str) -> String {
        let begun = self.get(start).await;
        let out = begun.headers("location").next().expect("a way out").to_owned();
        let answered = self.ask("GET", &format!("{out}&as={person}"), "").await;
        let back = answered.headers("location").next().expect("a way back");
        back.strip_prefix(&self.base).expect("our own address").to_owned()
    }

    async fn follow(&mut self, mut reply: Reply, person: &str) -> Reply {
        for _ in 0..5 {
            let Some(place) = reply.headers("location").next().map(str::to_owned) else {
                return reply;
            };
            let url = if place.starts_with('/') {
                format!("{}{place}", self.base)
            } else if place.starts_with(&self.base) {
                place
            } else {
                format!("{place}&as={person}")
            };
            reply = self.ask("GET", &url, "").await;
        }
        panic!("sent from place to place");
    }

    async fn ask(&mut self, method: &str, url: &str, body: &str) -> Reply {
        let ours = url.starts_with(&self.base);
        let pairs: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let (cookies, base) = (pairs.join("; "), self.base.clone());
        let mut headers = vec![("content-type", "application/x-www-form-urlencoded")];
        if ours {
            headers.extend([("cookie", cookies.as_str()), ("cf-ipcountry", "SE")]);
        }
        if method == "POST" {
            headers.extend([("origin", base.as_str()), ("sec-fetch-site", "same-origin")]);
        }
        let reply = send(method, url, &headers, body).await.expect("an answer");
        for set in reply.headers("set-cookie").filter(|_| ours) {
            let (name, value) = set
                .split(';')
                .next()
                .and_then(|pair| pair.split_once('='))
                .expect("a cookie");
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        reply
    }
}
