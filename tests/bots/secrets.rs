//! The secret of a bot opens the routes of bots, under its own name, until it is replaced.

use app::bots::register;
use app::{App, master_keys};
use domain::audit::Actor;
use domain::bot::BotId;
use domain::plan::Tier;
use http::Method;
use testkit::{TestApp, bot_with, both_databases, discord};
use web::WebState;
use web::routes::Access;

use crate::secrecy::rows::texts;
use crate::secrecy::search::everything_stored;

both_databases! {
    async fn every_route_of_bots_takes_a_secret_under_its_own_name_only(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        test.platform_bot().await;
        test.dedicated_bot(&tenant, &discord(77)).await;
        let secret = register::secret(&test.app, &BotId::Platform).await.unwrap();
        let dedicated = register::secret(&test.app, &BotId::Dedicated(discord(77))).await.unwrap();
        let (secret, dedicated) = (secret.expose(), dedicated.expose());
        let other = secret.replace(|digit: char| digit.is_ascii_digit(), "0");
        let routes: Vec<_> = web::table().into_iter().filter(|route| route.access == Access::Bot).collect();
        assert!(routes.len() >= 4);
        for route in routes {
            let body = if route.method == Method::GET { "" } else { "{}" };
            let call = |client: testkit::Client| {
                let method = route.method.clone();
                async move {
                    let reply = client.send(method, route.path, axum::body::Body::from(body)).await;
                    (reply.status.as_u16(), reply.code())
                }
            };
            let told = |status: u16, code: &str| (status, code.to_owned());
            assert_eq!(call(test.client()).await, told(401, "UNAUTHORIZED"), "{}", route.path);
            assert_eq!(call(bot_with(test.client(), "platform", &other)).await, told(401, "UNAUTHORIZED"));
            let nameless = test.client().header("authorization", &format!("Bearer {secret}"));
            assert_eq!(call(nameless).await, told(400, "INVALID_PARAMETER"));
            let anothers = discord(77);
            assert_eq!(call(bot_with(test.client(), anothers.as_str(), secret)).await, told(403, "BOT_MISMATCH"));
            assert_eq!(call(bot_with(test.client(), "platform", dedicated)).await, told(403, "BOT_MISMATCH"));
        }
        test.finish().await;
    }

    async fn a_replaced_secret_stops_at_once_on_every_node(engine) {
        let test = TestApp::start(engine).await;
        let old = test.platform_bot().await;
        let second = App::start(test.parts()).await.unwrap();
        let node = test.client_of(web::service(WebState::new(second.clone(), (*test.state.settings).clone())));
        assert_eq!(old.get("/bot/guilds").await.status, 200);
        let secret = register::rotate(&second, BotId::Platform, Actor::Operator).await.unwrap();
        assert_eq!(old.get("/bot/guilds").await.status, 401);
        for client in [test.client(), node] {
            assert_eq!(bot_with(client, "platform", secret.expose()).get("/bot/guilds").await.status, 200);
        }
        // A start does not make another.
        register::ensure_platform(&test.app).await.unwrap();
        let kept = register::secret(&test.app, &BotId::Platform).await.unwrap();
        assert_eq!(kept.expose(), secret.expose());
        drop(second);
        test.finish().await;
    }

    async fn looking_at_a_secret_and_replacing_it_is_noted_without_it(engine) {
        let test = TestApp::start(engine).await;
        let shown = register::show(&test.app, BotId::Platform, Actor::Operator).await.unwrap();
        let rotated = register::rotate(&test.app, BotId::Platform, Actor::Operator).await.unwrap();
        let noted = texts(&test.db.db, "SELECT action || ' ' || target FROM audit WHERE action LIKE 'bot_secret.%' ORDER BY seq").await;
        assert_eq!(noted, ["bot_secret.shown platform", "bot_secret.rotated platform"]);
        let unknown = BotId::Dedicated(discord(5));
        assert_eq!(register::show(&test.app, unknown, Actor::Operator).await.err().unwrap().code(), "NOT_FOUND");
        let stored = everything_stored(&test, engine).await;
        for secret in [&shown, &rotated] {
            let text = &secret.expose().as_bytes()[5..];
            assert!(!stored.windows(text.len()).any(|part| part == text), "a secret is stored in clear");
        }
        test.finish().await;
    }

    async fn a_secret_opens_after_a_rotation_of_the_master_key_and_keeps_its_key(engine) {
        let test = TestApp::start(engine).await;
        let bot = test.platform_bot().await;
        test.app.vault.add_key(&*test.app.random).unwrap();
        assert!(master_keys::remove(&test.app, "k1").await.is_err(), "the secret needs it");
        let rotation = master_keys::rotate(&test.app).await.unwrap();
        assert_eq!(rotation.resealed, 1);
        master_keys::remove(&test.app, "k1").await.unwrap();
        register::secret(&test.app, &BotId::Platform).await.unwrap();
        assert_eq!(bot.get("/bot/guilds").await.status, 200);
        test.finish().await;
    }
}
