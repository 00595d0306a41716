//! kill -9 between the steps of a link flow, and in the middle of the last one: it goes on where it was.

use std::collections::BTreeMap;

use testkit::{Node, both_databases, discord, rounds, start_platforms, steam};

use super::race::report;
use super::site::Site;
use crate::linking::stage::{form_token, own_path, visit};

const PAGE: &str = "/link/guild-1";
const VERIFY: &str = "/link/guild-1/verify";

/// Where the node dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Crash {
    AfterDiscord,
    OnTheWayToSteam,
    BeforeTheButton,
    AtTheButton,
    AfterTheButton,
}

const CRASHES: [Crash; 5] = [
    Crash::AfterDiscord,
    Crash::OnTheWayToSteam,
    Crash::BeforeTheButton,
    Crash::AtTheButton,
    Crash::AfterTheButton,
];

/// A browser that outlives the nodes it talks to.
#[derive(Default)]
pub struct Visitor {
    cookies: BTreeMap<String, String>,
}

impl Visitor {
    /// Where the answer sends the browser, or else the page.
    pub async fn send(
        &mut self,
        node: &Node,
        method: &str,
        path: &str,
        body: &str,
    ) -> std::io::Result<String> {
        let pairs: Vec<String> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let headers = [
            ("cookie", pairs.join("; ")),
            ("content-type", "application/x-www-form-urlencoded".to_owned()),
            ("sec-fetch-site", "same-origin".to_owned()),
        ];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        let (status, head, page) = node.exchange(method, path, &headers, body).await?;
        assert!([200, 303].contains(&status), "{path}: {status} {page}");
        let named = |wanted: &str| {
            let lines = head.lines().filter_map(|line| line.split_once(": "));
            lines
                .filter(move |(name, _)| name.eq_ignore_ascii_case(wanted))
                .map(|(_, value)| value.to_owned())
                .collect::<Vec<_>>()
        };
        for set in named("set-cookie") {
            let (name, value) = set.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        Ok(named("location").pop().unwrap_or(page))
    }

    async fn get(&mut self, node: &Node, path: &str) -> String {
        self.send(node, "GET", path, "").await.expect("an answer")
    }

    /// The way to a provider and the address it sends back to.
    pub async fn leave(&mut self, node: &Node, provider: &str, person: &str) -> std::io::Result<String> {
        let start = format!("/auth/{provider}/link?guild=guild-1");
        let out = self.send(node, "GET", &start, "").await?;
        Ok(own_path(&visit(&format!("{out}&as={person}")).await))
    }

    /// What the button sends, if the page has one.
    pub async fn form(&mut self, node: &Node) -> std::io::Result<Option<String>> {
        let page = self.send(node, "GET", PAGE, "").await?;
        Ok(form_token(&page).map(|token| format!("form={token}")))
    }

    pub async fn press(&mut self, node: &Node, form: &str) -> std::io::Result<String> {
        self.send(node, "POST", VERIFY, form).await
    }
}

both_databases! {
    async fn a_link_flow_survives_kill_nine_at_every_step_and_is_never_half_done(engine) {
        let site = Site::seed(engine, 1, 0).await;
        let (discord_side, steam_side, settings) = start_platforms().await;
        let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let count = rounds(1, 10);
        let mut node = site.node_with(&settings).await;
        let mut player = 0;
        for crash in CRASHES.iter().cycle().take(CRASHES.len() * count) {
            player += 1;
            testkit::add_player(&discord_side, &steam_side, player);
            let (person, account) = (discord(player), steam(player));
            let linked = format!("links WHERE steam_id = '{account}' AND discord_id = '{person}' AND ended_at IS NULL");
            let mut visitor = Visitor::default();
            let back = visitor.leave(&node, "discord", person.as_str()).await.expect("an answer");
            assert_eq!(visitor.get(&node, &back).await, PAGE);
            if *crash == Crash::AfterDiscord {
                node = restarted(node, &site, &settings).await;
            }
            let back = visitor.leave(&node, "steam", account.as_str()).await.expect("an answer");
            if *crash == Crash::OnTheWayToSteam {
                node = restarted(node, &site, &settings).await;
            }
            assert_eq!(visitor.get(&node, &back).await, PAGE, "{crash:?}");
            let form = visitor.form(&node).await.expect("an answer").expect("a form");
            if *crash == Crash::BeforeTheButton {
                node = restarted(node, &site, &settings).await;
            }
            assert_eq!(site.db.count(&linked).await, 0, "{crash:?}: nobody confirmed anything");
            if *crash == Crash::AtTheButton {
                // The answer may be lost, the link may be there or not; the page knows which.
                let pressed = visitor.press(&node, &form);
                let killed = async { Some(std::process::Command::new("kill").args(["-9", &node.pid().to_string()]).status()) };
                let (_, killed) = tokio::join!(pressed, killed);
                assert!(killed.is_some_and(|sent| sent.is_ok_and(|status| status.success())));
                node = restarted(node, &site, &settings).await;
            }
            visitor.press(&node, &form).await.expect("an answer");
            if *crash == Crash::AfterTheButton {
                node = restarted(node, &site, &settings).await;
            }
            assert!(visitor.get(&node, PAGE).await.contains("You’re linked"), "{crash:?}");
            assert_eq!(site.db.count(&linked).await, 1, "{crash:?}");
            assert_eq!(site.db.count(&format!("links WHERE steam_id = '{account}'")).await, 1, "{crash:?}");
        }
        assert!(node.stop().await, "a clean stop after the last crash");
        report(engine, &format!("kill -9 in link flows: {player} flows, all linked once"));
        site.finish().await;
    }
}

async fn restarted(node: Node, site: &Site, settings: &[(&str, &str)]) -> Node {
    node.kill();
    site.doctor();
    site.node_with(settings).await
}
