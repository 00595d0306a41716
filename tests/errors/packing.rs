//! Which answers are packed on their way.

use domain::plan::Tier;
use http::Method;
use testkit::{Client, Reply, TestApp, both_databases, discord, steam};
use web::layers::Surface;

use crate::authorization::examples::{Target, example, prefixes};
use crate::linking::stage::{Stage, form_token};

fn taking(client: &Client) -> Client {
    client.clone().header("accept-encoding", "gzip, br")
}

fn encoding(reply: &Reply) -> Option<&str> {
    reply.header("content-encoding")
}

/// Which surfaces pack what is read there, written down a second time.
fn packs(surface: Surface) -> bool {
    !matches!(
        surface,
        Surface::Plugin | Surface::Entrance | Surface::Bot | Surface::Webhook
    )
}

both_databases! {
    async fn what_is_read_is_packed_from_a_kilobyte_on_for_those_who_take_it_so(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let mut seen = 0;
        for route in web::table().into_iter().filter(|route| route.method == Method::GET) {
            for prefix in prefixes(&route) {
                let owner = test.person(&test.session(&tenant.owner).await);
                let call = example(&route, &Target::from(&tenant)).below(prefix);
                let plain = call.send(&owner).await;
                // Files of the dashboard were packed before, and this list holds the codes of invites.
                if plain.status != 200 || route.path.starts_with("/app") || route.path.ends_with("/invites") {
                    continue;
                }
                let packed = call.send(&taking(&owner)).await;
                let is_long = plain.body.len() >= 1024;
                // An export is made while it is read.
                let is_whole = !route.path.ends_with("/export");
                let expected = (is_long && is_whole && packs(route.surface)).then_some("gzip");
                assert_eq!(encoding(&packed), expected, "{} with {} bytes", call.uri, plain.body.len());
                assert_eq!(encoding(&plain), None, "{}", call.uri);
                if expected.is_some() {
                    assert!(packed.body.len() < plain.body.len(), "{}", call.uri);
                    assert_eq!((packed.header("vary"), plain.header("vary")), (Some("accept-encoding"), Some("accept-encoding")), "{}", call.uri);
                    seen += 1;
                }
            }
        }
        assert!(seen > 10, "{seen} were long enough");
        test.finish().await;
    }

    async fn answers_with_a_secret_are_never_packed(engine) {
        let stage = Stage::set(engine).await;
        let (test, tenant) = (&stage.test, &stage.tenant);
        let owner = taking(&test.person(&test.session(&tenant.owner).await));
        let invites = format!("/orgs/{}/invites", tenant.org);
        for _ in 0..8 {
            let body = r#"{"role":"staff","permissions":[],"expires":"7d"}"#;
            let made = owner.send(Method::POST, &invites, body.into()).await;
            assert_eq!((made.status.as_u16(), encoding(&made)), (201, None));
        }
        let listed = owner.get(&invites).await;
        assert!(listed.body.len() > 1024 && listed.text().contains("/invite/"), "codes stand beside notes");
        assert_eq!(encoding(&listed), None);
        let mut stranger = stage.browser();
        stranger.client = taking(&stranger.client);
        assert_eq!(encoding(&stranger.get("/link/guild-1").await), Some("gzip"), "nothing of theirs is in it");
        let mut browser = stage.browser();
        browser.client = taking(&browser.client);
        browser.sign_in_discord("link", &discord(1)).await;
        browser.sign_in_steam("link", &steam(1)).await;
        let page = browser.get("/link/guild-1").await;
        assert!(form_token(page.text()).is_some() && page.body.len() > 1024);
        assert_eq!(encoding(&page), None, "a form has the browser's token in it");
        stage.finish().await;
    }

    async fn plugin_calls_are_answered_as_ever(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        for player in 1..=40 {
            tenant.link(&test.app, player).await;
        }
        let key = test.bot_key(&tenant).await;
        let plugin = test.plugin(&key);
        let (plain, asked) = (plugin.get("/api?action=listAllLinked").await, taking(&plugin).get("/api?action=listAllLinked").await);
        assert_eq!(plain.status, 200, "{}", plain.text());
        assert!(plain.body.len() > 1024);
        assert_eq!((encoding(&asked), asked.header("vary"), &asked.body), (None, None, &plain.body));
        test.finish().await;
    }
}
