//! A bot is run by one node at a time.

use app::bots::leases::{self, Lease};
use app::{App, AppError};
use domain::bot::BotId;
use serde_json::json;
use testkit::{TestApp, both_databases};

async fn take(app: &App, owner: &str) -> Result<Option<Lease>, AppError> {
    leases::take(app, BotId::Platform, owner.to_owned()).await
}

both_databases! {
    async fn of_two_nodes_one_runs_the_bot_until_it_lets_go_or_is_gone(engine) {
        let test = TestApp::start(engine).await;
        test.platform_bot().await;
        let second = App::start(test.parts()).await.unwrap();
        let one = take(&test.app, "one").await.unwrap().unwrap();
        assert_eq!(take(&second, "two").await.unwrap(), None);
        for _ in 0..5 {
            test.clock.advance_ms(5_000);
            assert!(leases::renew(&test.app, &one).await.unwrap());
            assert_eq!(take(&second, "two").await.unwrap(), None);
        }
        assert!(leases::release(&test.app, &one).await.unwrap());
        let two = take(&second, "two").await.unwrap().unwrap();
        assert!(!leases::renew(&test.app, &one).await.unwrap(), "it let go");
        // The second node dies.
        test.clock.advance_ms(15_000);
        let three = take(&test.app, "three").await.unwrap().unwrap();
        assert!(three.fence > two.fence);
        assert!(!leases::renew(&second, &two).await.unwrap() && !leases::release(&second, &two).await.unwrap());
        assert!(leases::renew(&test.app, &three).await.unwrap());
        drop(second);
        test.finish().await;
    }

    async fn the_end_of_ones_own_process_is_not_that_of_anothers(engine) {
        let test = TestApp::start(engine).await;
        let bot = test.platform_bot().await;
        let say = async |instance: &str| {
            let told = json!({ "instance": instance, "state": "online" }).to_string();
            bot.post("/bot/session", &told).await.status.as_u16()
        };
        let is_sqlite = test.app.db_engine() == "sqlite";
        let (own, elsewhere) = ("00000000000000aa", "00000000000000bb");
        let lease = take(&test.app, own).await.unwrap().unwrap();
        assert_eq!(say(elsewhere).await, 200);
        assert!(!leases::note_end(&test.app, &lease).await.unwrap());
        leases::free_left(&test.app, BotId::Platform).await.unwrap();
        assert_eq!((say(own).await, say(elsewhere).await), (409, 200));
        // The process of the node itself has ended when the node says so, or is gone.
        test.clock.advance_ms(15_000);
        let lease = take(&test.app, own).await.unwrap().unwrap();
        assert_eq!((say(own).await, say(elsewhere).await), (200, 409));
        assert!(leases::note_end(&test.app, &lease).await.unwrap());
        assert_eq!(say(elsewhere).await, 200);
        test.clock.advance_ms(15_000);
        assert_eq!(say(own).await, 200);
        leases::free_left(&test.app, BotId::Platform).await.unwrap();
        assert_eq!(say(elsewhere).await, if is_sqlite { 200 } else { 409 });
        test.finish().await;
    }

    async fn both_nodes_at_once_do_not_both_get_it(engine) {
        let test = TestApp::start(engine).await;
        test.platform_bot().await;
        let second = App::start(test.parts()).await.unwrap();
        for round in 0..20 {
            let (one, two) = tokio::join!(
                leases::take(&test.app, BotId::Platform, format!("one-{round}")),
                leases::take(&second, BotId::Platform, format!("two-{round}")),
            );
            let taken = [one.unwrap(), two.unwrap()];
            assert_eq!(taken.iter().flatten().count(), 1, "{taken:?}");
            test.clock.advance_ms(15_000);
        }
        drop(second);
        test.finish().await;
    }

    async fn a_start_on_an_embedded_database_need_not_wait_for_the_lease_of_a_dead_process(engine) {
        let test = TestApp::start(engine).await;
        test.platform_bot().await;
        leases::take(&test.app, BotId::Platform, "dead".to_owned()).await.unwrap().unwrap();
        leases::free_left(&test.app, BotId::Platform).await.unwrap();
        let taken = leases::take(&test.app, BotId::Platform, "new".to_owned()).await.unwrap();
        assert_eq!(taken.is_some(), test.app.db_engine() == "sqlite", "other nodes may hold it on a server");
        test.finish().await;
    }
}
