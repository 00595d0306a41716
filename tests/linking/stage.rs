//! A Guild, both providers, and browsers that keep their cookies.

use std::collections::BTreeMap;

use domain::flow::JoinMode;
use domain::plan::Tier;
use domain::platform_id::{DiscordId, SteamId};
use emulator::{Discord, Steam};
use http::Method;
use testkit::{Client, Engine, Reply, Tenant, TestApp, discord, steam};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub const GROUP: u32 = 4_242;

pub struct Stage {
    pub test: TestApp,
    pub tenant: Tenant,
    pub discord: Discord,
    pub steam: Steam,
}

impl Stage {
    /// Players 1 to 40 exist on both platforms; the Guild asks for nothing but both accounts.
    pub async fn set(engine: Engine) -> Stage {
        Stage::with_tier(engine, Tier::Standard).await
    }

    pub async fn with_tier(engine: Engine, tier: Tier) -> Stage {
        Stage::with_settings(engine, tier, |_| {}).await
    }

    /// With a proxy at 10.0.0.1 that tells the country.
    pub async fn behind_proxy(engine: Engine) -> Stage {
        let change = |settings: &mut web::Settings| {
            settings.trusted_proxies = std::sync::Arc::from(["10.0.0.0/8".parse().expect("a network")]);
            settings.country_header = Some(http::HeaderName::from_static("cf-ipcountry"));
        };
        Stage::with_settings(engine, Tier::Standard, change).await
    }

    async fn with_settings(engine: Engine, tier: Tier, change: impl FnOnce(&mut web::Settings)) -> Stage {
        let (test, discord_side, steam_side) = TestApp::start_with_platforms(engine, change).await;
        let tenant = test.tenant(1, tier).await;
        for number in 1..=40 {
            testkit::add_player(&discord_side, &steam_side, number);
        }
        testkit::add_guild(&discord_side, &tenant.discord_guild, "Guild 1");
        Stage {
            test,
            tenant,
            discord: discord_side,
            steam: steam_side,
        }
    }

    /// Asks for the Steam group, and for being in the Discord server.
    pub async fn demand(&self, join_mode: JoinMode, group: bool) {
        let sets = format!(
            "UPDATE guilds SET join_mode = '{}', steam_group = {}, steam_group_id = {} WHERE id = '{}'",
            join_mode.as_str(),
            if group { "'4242'" } else { "NULL" },
            if group { "4242" } else { "NULL" },
            self.tenant.guild
        );
        self.test.db.damage(&sets).await;
    }

    /// Rows of a table, with a condition if one follows its name.
    pub async fn count(&self, from: &str) -> i64 {
        self.test.db.count(from).await
    }

    /// Links that ended with this cause.
    pub async fn ended(&self, cause: &str) -> i64 {
        self.count(&format!("links WHERE end_cause = '{cause}'")).await
    }

    /// Everything that is stored, as text.
    pub async fn dump(&self) -> String {
        let db = &self.test.db.db;
        crate::secrecy::rows::Rows::of(db).await.all(db).await.join("\n")
    }

    pub fn browser(&self) -> Browser {
        Browser {
            client: self.test.client(),
            cookies: BTreeMap::new(),
            slug: "guild-1".to_owned(),
        }
    }

    pub async fn linked_steam(&self, player: &DiscordId) -> Option<String> {
        let key = self.test.bot_key(&self.tenant).await;
        let reply = self
            .test
            .plugin(&key)
            .get(&format!("/api?action=findByDiscord&id={player}"))
            .await;
        (reply.status == 200).then(|| reply.json().as_str().unwrap().to_owned())
    }

    /// A browser in which player `number` has signed in with both accounts.
    pub async fn signed_in(&self, number: u64) -> Browser {
        let mut browser = self.browser();
        browser.sign_in_discord("link", &discord(number)).await;
        browser.sign_in_steam("link", &steam(number)).await;
        browser
    }

    pub async fn finish(self) {
        self.test.finish().await;
    }
}

/// Keeps cookies and follows what it is told, one step at a time.
pub struct Browser {
    pub client: Client,
    pub cookies: BTreeMap<String, String>,
    /// The Guild whose pages it visits.
    pub slug: String,
}

impl Browser {
    /// The same browser on the pages of another Guild.
    pub fn on(mut self, slug: &str) -> Self {
        self.slug = slug.to_owned();
        self
    }

    pub async fn get(&mut self, uri: &str) -> Reply {
        self.send(Method::GET, uri, "").await
    }

    /// Sends a form of one of our own pages.
    pub async fn press(&mut self, path: &str) -> Reply {
        let purpose = if path.starts_with("/unlink") {
            "unlink"
        } else {
            "link"
        };
        let page = self.get(&format!("/{purpose}/{}", self.slug)).await;
        let text = page.text().to_owned();
        let form = form_token(&text).expect("a form on the page");
        self.post(path, &form).await
    }

    /// A caller and a body that press buttons of this browser's page, as often as one wants at the same time.
    pub async fn ready(&mut self) -> (Client, String) {
        let form = form_token(&self.page().await).expect("a form on the page");
        let cookie = format!("symbolon-flow={}", self.cookies["symbolon-flow"]);
        let client = self
            .client
            .clone()
            .header("cookie", &cookie)
            .header("content-type", "application/x-www-form-urlencoded")
            .header("sec-fetch-site", "same-origin");
        (client, format!("form={form}"))
    }

    pub async fn post(&mut self, path: &str, form: &str) -> Reply {
        self.send(Method::POST, path, &format!("form={form}")).await
    }

    async fn send(&mut self, method: Method, uri: &str, body: &str) -> Reply {
        let mut client = self.client.clone();
        if !self.cookies.is_empty() {
            let pairs: Vec<String> = self
                .cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            client = client.header("cookie", &pairs.join("; "));
        }
        if method == Method::POST {
            client = client
                .header("content-type", "application/x-www-form-urlencoded")
                .header("sec-fetch-site", "same-origin")
                .header("origin", "http://127.0.0.1:8080");
        }
        let reply = client.send(method, uri, body.to_owned().into()).await;
        for set in reply.headers.get_all("set-cookie") {
            let pair = set.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        reply
    }

    /// Begins a sign-in and returns where the provider would be asked.
    pub async fn begin(&mut self, provider: &str, purpose: &str) -> String {
        let reply = self
            .get(&format!("/auth/{provider}/{purpose}?guild={}", self.slug))
            .await;
        assert_eq!(reply.status, 303, "{}", reply.text());
        reply.header("location").unwrap().to_owned()
    }

    /// The way out to Discord as this person, and the address it sends back to.
    pub async fn answer_of_discord(&mut self, purpose: &str, person: &DiscordId) -> String {
        let out = self.begin("discord", purpose).await;
        own_path(&visit(&format!("{out}&as={person}")).await)
    }

    pub async fn answer_of_steam(&mut self, purpose: &str, person: &SteamId) -> String {
        let out = self.begin("steam", purpose).await;
        own_path(&visit(&format!("{out}&as={person}")).await)
    }

    pub async fn sign_in_discord(&mut self, purpose: &str, person: &DiscordId) -> Reply {
        let back = self.answer_of_discord(purpose, person).await;
        let reply = self.get(&back).await;
        assert_eq!(reply.status, 303, "{}", reply.text());
        reply
    }

    pub async fn sign_in_steam(&mut self, purpose: &str, person: &SteamId) -> Reply {
        let back = self.answer_of_steam(purpose, person).await;
        let reply = self.get(&back).await;
        assert_eq!(reply.status, 303, "{}", reply.text());
        reply
    }

    /// What the link page says now.
    pub async fn page(&mut self) -> String {
        let reply = self.get(&format!("/link/{}", self.slug)).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.text().to_owned()
    }
}

pub fn form_token(page: &str) -> Option<String> {
    let (_, rest) = page.split_once("name=\"form\" value=\"")?;
    rest.split_once('"').map(|(token, _)| token.to_owned())
}

/// Path and query of an address of ours.
pub fn own_path(address: &str) -> String {
    let rest = address
        .strip_prefix("http://127.0.0.1:8080")
        .expect("an address of ours");
    rest.to_owned()
}

/// Asks a server on this machine and returns where it sends the browser.
pub async fn visit(url: &str) -> String {
    let rest = url.strip_prefix("http://").expect("plain http");
    let (host, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).await.expect("a server");
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("a request is sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    let head = answer.split("\r\n\r\n").next().unwrap_or_default();
    let location = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("location")
            .then(|| value.trim().to_owned())
    });
    location.unwrap_or_else(|| panic!("{url} sends nobody anywhere: {answer}"))
}
