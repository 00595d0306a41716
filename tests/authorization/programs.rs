//! Kinds of routes for programs, tried on routes that only these tests have.

use app::error::PluginError;
use app::{App, AppError, instance};
use axum::body::Body;
use domain::audit::Actor;
use domain::bot::{BotId, BotSecret, BotSecretHash};
use domain::plan::Tier;
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, Method};
use sha2::Sha256;
use testkit::{Client, TestApp, both_databases};
use web::extract::{Bot, BotRegister, Shown, Signature, Signed};
use web::layers::Surface;
use web::routes::{Access, Answer, Done, RouteSpec, RouteTable, Routes};
use web::{Edge, WebState};

use super::callers::{EVERYONE, Outcome, outcome};
use crate::plugin::logs::Log;
use crate::secrecy::rows::{Rows, is_of};

pub const SECRETS: [&[u8]; 2] = [b"the old secret", b"the new secret"];
/// Bytes that are neither JSON nor text, and a NUL in the way of JSON.
pub const SENT: &[u8] = b"{ \"b\":1,  \"a\": \"needle \\u0000\"}\xff\n";

/// Signs like services that put the time in front: `t=<seconds>` and any number of `v=<hex>`.
struct Timed;

impl Signature for Timed {
    fn shown(headers: &HeaderMap) -> Option<Shown> {
        let text = headers.get("x-signature")?.to_str().ok()?;
        let fields = || text.split(',').filter_map(|field| field.split_once('='));
        let (_, time) = fields().find(|(name, _)| *name == "t")?;
        let codes = fields().filter(|(name, _)| *name == "v");
        Some(Shown {
            at_s: time.parse().ok()?,
            before_body: format!("{time}.").into_bytes(),
            codes: codes.filter_map(|(_, hex)| unhex(hex)).collect(),
        })
    }

    fn secrets(_: &WebState) -> Vec<&[u8]> {
        SECRETS.to_vec()
    }
}

/// A service whose secret was never set.
struct NotSetUp;

impl Signature for NotSetUp {
    fn shown(headers: &HeaderMap) -> Option<Shown> {
        Timed::shown(headers)
    }

    fn secrets(_: &WebState) -> Vec<&[u8]> {
        vec![b""]
    }
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let bytes: Result<Vec<u8>, _> = (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(text.get(at..at + 2).unwrap_or("x"), 16))
        .collect();
    bytes.ok()?.try_into().ok()
}

fn code(secret: &[u8], at_s: i64, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("a key of any length");
    mac.update(format!("{at_s}.").as_bytes());
    mac.update(body);
    let bytes = mac.finalize().into_bytes();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn signed(secret: &[u8], at_s: i64, body: &[u8]) -> String {
    format!("t={at_s},v={}", code(secret, at_s, body))
}

/// Fails on what is not what was sent, byte for byte.
async fn told<S>(_: App, signed: Signed<S>) -> Answer<Done> {
    assert_eq!(signed.body(), SENT);
    Ok(Done)
}

/// Fails itself, after the signature was found to fit.
async fn failing(_: App, _: Signed<Timed>) -> Answer<Done> {
    Err(AppError::internal("a bug of ours").into())
}

struct OneBot;

pub const PLATFORM: &str = "sbot_0000000000000000000000000000000000000000000000000000000000000000";
pub const DEDICATED: &str = "sbot_1111111111111111111111111111111111111111111111111111111111111111";
pub const DEDICATED_ID: &str = "900000000000000001";

impl BotRegister for OneBot {
    type Record = BotId;

    async fn holder(_: &App, secret: &BotSecretHash) -> Result<Option<BotId>, AppError> {
        let recorded = [(PLATFORM, "platform"), (DEDICATED, DEDICATED_ID)];
        let of = |text: &str| BotSecret::parse(text).map(|one| one.hash());
        let found = recorded
            .iter()
            .find(|(text, _)| of(text).as_ref() == Some(secret));
        Ok(found.and_then(|(_, id)| BotId::parse(id)))
    }

    fn mismatch() -> AppError {
        PluginError::ScopeMismatch {
            parameter: "X-Bot-Id",
        }
        .into()
    }
}

async fn asked(_: App, bot: Bot<OneBot>, (): ()) -> Answer<Done> {
    assert_eq!(Some(bot.id()), BotId::parse(DEDICATED_ID).as_ref());
    Ok(Done)
}

async fn asked_by_any(_: App, _: Bot<OneBot>, (): ()) -> Answer<Done> {
    Ok(Done)
}

fn routes() -> Routes {
    Routes::new()
        .webhook("/told", "Be told", told::<Timed>)
        .webhook("/not-set-up", "Be told nothing", told::<NotSetUp>)
        .webhook("/failing", "Fail", failing)
        .bot(Method::GET, "/bot/any", "Ask, whoever it is", asked_by_any)
        .bot(Method::GET, "/bot/guilds", "Ask", asked)
        .bot(Method::POST, "/bot/guilds", "Ask by a form", asked)
}

/// The routes of these tests.
pub fn table() -> Vec<RouteSpec> {
    routes().finish().1
}

/// A service with routes of these kinds and nothing else.
pub fn service(test: &TestApp) -> (Client, &'static RouteTable) {
    let (router, table) = routes().finish();
    let routes: &'static RouteTable = Box::leak(Box::new(RouteTable::new(table)));
    let state = WebState {
        routes,
        ..test.state.clone()
    };
    let edge = Edge::new(web::router::complete(router, &state), state);
    (test.client_of(edge), routes)
}

pub async fn tell(client: &Client, path: &str, signature: &str, body: &[u8]) -> testkit::Reply {
    let sender = client.clone().header("x-signature", signature);
    sender.send(Method::POST, path, Body::from(body.to_vec())).await
}

async fn refused(client: &Client, signature: &str, body: &[u8], why: &str) {
    let reply = tell(client, "/told", signature, body).await;
    let told = (reply.status.as_u16(), reply.code());
    assert_eq!(told, (400, "INVALID_PARAMETER".to_owned()), "{why}");
    assert_eq!(reply.json()["parameter"], "signature", "{why}");
}

both_databases! {
    async fn a_webhook_takes_what_is_signed_byte_for_byte_and_nothing_else(engine) {
        let test = TestApp::start(engine).await;
        let (client, table) = service(&test);
        let route = &table.routes()[0];
        assert_eq!((route.surface, route.access, route.mirrored), (Surface::Webhook, Access::Sender, false));
        let now_s = test.app.now_ms() / 1000;
        let good = signed(SECRETS[1], now_s, SENT);
        // From another site and of any type: neither counts where nobody has a session.
        let elsewhere = client.clone().header("content-type", "text/plain").header("sec-fetch-site", "cross-site").header("origin", "https://evil.example");
        assert_eq!(tell(&elsewhere, "/told", &good, SENT).await.status, 204);
        // While a secret is replaced, either side may be ahead.
        assert_eq!(tell(&client, "/told", &signed(SECRETS[0], now_s, SENT), SENT).await.status, 204);
        let both = format!("{},v={}", signed(b"another", now_s, SENT), code(SECRETS[1], now_s, SENT));
        assert_eq!(tell(&client, "/told", &both, SENT).await.status, 204);
        for (at_s, why) in [(now_s - 300, "old"), (now_s + 300, "early")] {
            assert_eq!(tell(&client, "/told", &signed(SECRETS[1], at_s, SENT), SENT).await.status, 204, "{why}");
        }
        for (at_s, why) in [(now_s - 301, "too old"), (now_s + 301, "too early"), (i64::MIN, "never"), (i64::MAX, "ever")] {
            refused(&client, &signed(SECRETS[1], at_s, SENT), SENT, why).await;
        }
        refused(&client, "", SENT, "nothing").await;
        refused(&client, &format!("t={now_s}"), SENT, "no code").await;
        refused(&client, &signed(b"another", now_s, SENT), SENT, "another's secret").await;
        refused(&client, &signed(b"", now_s, SENT), SENT, "no secret").await;
        refused(&client, &good, &SENT[1..], "less").await;
        refused(&client, &good, &[SENT, b" "].concat(), "more").await;
        refused(&client, &good.replace(&now_s.to_string(), &(now_s + 1).to_string()), SENT, "another time").await;
        let open = tell(&client, "/not-set-up", &signed(b"", now_s, SENT), SENT).await;
        assert_eq!(open.status, 400, "where no secret is set, anybody could sign");
        assert_eq!(tell(&client, "/api/told", &good, SENT).await.status, 404);
        instance::set_maintenance(&test.app, true, None, Actor::Operator).await.unwrap();
        assert_eq!(tell(&client, "/told", &good, SENT).await.status, 204);
        test.finish().await;
    }

    async fn a_webhook_stores_and_logs_nothing_of_what_it_refuses(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let session = format!("symbolon={}", test.session(&tenant.owner).await);
        let (client, _) = service(&test);
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        let log = Log::default();
        let listening = log.listen();
        let now_s = test.app.now_ms() / 1000;
        let good = signed(SECRETS[1], now_s, SENT);
        // A session proves nothing here.
        refused(&client.clone().header("cookie", &session), "", SENT, "a session").await;
        refused(&client, &signed(b"another", now_s, SENT), SENT, "another's secret").await;
        let limit = Surface::Webhook.body_limit_bytes();
        assert_eq!(limit, 256 * 1024);
        let long = SENT.repeat(limit / SENT.len() + 1);
        let reply = tell(&client, "/told", &signed(SECRETS[1], now_s, &long), &long).await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (413, "PAYLOAD_TOO_LARGE"));
        test.settle().await;
        app::background::flush_errors(&test.app).await.unwrap();
        assert_eq!(before, rows.all(&test.db.db).await);
        // What is ours to repair is noted, without what was sent.
        let failed = tell(&client, "/failing", &good, SENT).await;
        assert_eq!((failed.status.as_u16(), failed.code().as_str()), (500, "INTERNAL"));
        app::background::flush_errors(&test.app).await.unwrap();
        drop(listening);
        let noted: Vec<String> = rows.all(&test.db.db).await.into_iter().filter(|line| is_of(line, "error_log")).collect();
        assert!(noted.len() == 1 && noted[0].contains("a bug of ours"), "{noted:?}");
        let said = log.text();
        assert!(said.contains("/failing") && said.contains("request refused"), "{said}");
        for text in noted.iter().chain([&said]) {
            assert!(!text.contains("needle") && !text.contains(&code(SECRETS[1], now_s, SENT)), "{text}");
        }
        test.finish().await;
    }

    async fn a_bots_route_takes_the_secret_of_a_bot_under_its_own_name_and_nothing_else(engine) {
        let test = TestApp::start_with(engine, |_| {}, |settings| settings.require_tls = true).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let (client, table) = service(&test);
        let route = table.routes().last().unwrap();
        assert_eq!((route.surface, route.access, route.mirrored), (Surface::Bot, Access::Bot, false));
        for who in EVERYONE {
            assert_eq!(outcome(route, 204, who), Outcome::Refused(401, "UNAUTHORIZED"), "{who:?} is no bot");
        }
        let far = client.clone();
        let client = client.from("127.0.0.1");
        let with = |secret: &str| client.clone().header("authorization", &format!("Bearer {secret}"));
        let good = with(DEDICATED).header("x-bot-id", DEDICATED_ID);
        assert_eq!(good.get("/bot/guilds").await.status, 204);
        assert_eq!(good.get("/api/bot/guilds").await.status, 404);
        // No session, so no other site's page can lend one.
        let elsewhere = good.clone().header("sec-fetch-site", "cross-site").header("origin", "https://evil.example");
        assert_eq!(elsewhere.send(Method::POST, "/bot/guilds", Body::empty()).await.status, 204);
        let far = far.header("authorization", &format!("Bearer {DEDICATED}")).header("x-bot-id", DEDICATED_ID);
        assert_eq!(far.get("/bot/guilds").await.code(), "TLS_REQUIRED");
        let session = format!("symbolon={}", test.session(&tenant.owner).await);
        let bot_key = test.bot_key(&tenant).await;
        let unknown = DEDICATED.replace('1', "2");
        for (why, caller, told) in [
            ("nothing", client.clone(), (401, "UNAUTHORIZED")),
            ("a session", client.clone().header("cookie", &session), (401, "UNAUTHORIZED")),
            ("a key of the plugin API", with(&bot_key), (401, "UNAUTHORIZED")),
            ("the place of such a key", client.clone().header("x-api-key", DEDICATED), (401, "UNAUTHORIZED")),
            ("an unknown secret", with(&unknown), (401, "UNAUTHORIZED")),
            ("two secrets", with(DEDICATED).header("authorization", &format!("Bearer {DEDICATED}")), (401, "UNAUTHORIZED")),
            ("no name", with(DEDICATED), (400, "INVALID_PARAMETER")),
            ("two names", with(DEDICATED).header("x-bot-id", DEDICATED_ID).header("x-bot-id", DEDICATED_ID), (400, "INVALID_PARAMETER")),
            ("no name of a bot", with(DEDICATED).header("x-bot-id", "me"), (400, "INVALID_PARAMETER")),
            ("another's name", with(DEDICATED).header("x-bot-id", "platform"), (403, "SCOPE_MISMATCH")),
            ("another's secret", with(PLATFORM).header("x-bot-id", DEDICATED_ID), (403, "SCOPE_MISMATCH")),
        ] {
            let refused = caller.get("/bot/guilds").await;
            assert_eq!((refused.status.as_u16(), refused.code().as_str()), told, "{why}");
        }
        let in_address = client.get(&format!("/bot/guilds?secret={DEDICATED}")).await;
        assert_eq!(in_address.status, 401);
        instance::set_maintenance(&test.app, true, None, Actor::Operator).await.unwrap();
        assert_eq!(good.get("/bot/guilds").await.status, 204);
        test.finish().await;
    }
}
