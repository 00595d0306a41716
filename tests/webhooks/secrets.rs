//! What signs messages: who sees it, how it is replaced, and that it is nowhere in clear.

use app::master_keys;
use app::webhooks::manage;
use testkit::both_databases;

use super::stage::{HOUR_MS, Stage, is_conflict};
use crate::secrecy::search::{Log, Secrets, everything_copied, everything_stored};

both_databases! {
    async fn after_a_rotation_messages_have_two_signatures_for_a_day(engine) {
        let stage = Stage::set(engine).await;
        let (app, old) = (&stage.test.app, &stage.secret);
        let new = manage::rotate(app, &stage.webhook, false).await.unwrap();
        assert_ne!(new.as_str(), old.as_str());
        assert!(is_conflict(&manage::rotate(app, &stage.webhook, false).await), "one at a time");
        stage.link(1).await;
        stage.test.drain_jobs().await;
        let sent = stage.sink.take_one();
        assert_eq!(sent.signatures.len(), 2);
        assert!(sent.is_signed_with(old) && sent.is_signed_with(&new));
        stage.pass(24 * HOUR_MS).await;
        stage.link(2).await;
        stage.test.drain_jobs().await;
        let sent = stage.sink.take_one();
        assert_eq!((sent.signatures.len(), stage.count("webhook_secrets").await), (1, 1));
        assert!(sent.is_signed_with(&new) && !sent.is_signed_with(old));
        stage.finish().await;
    }

    async fn a_secret_that_leaked_is_replaced_at_once(engine) {
        let stage = Stage::set(engine).await;
        let app = &stage.test.app;
        let second = manage::rotate(app, &stage.webhook, false).await.unwrap();
        let third = manage::rotate(app, &stage.webhook, true).await.unwrap();
        stage.link(1).await;
        stage.test.drain_jobs().await;
        let sent = stage.sink.take_one();
        assert!(sent.is_signed_with(&third) && !sent.is_signed_with(&second) && !sent.is_signed_with(&stage.secret));
        assert_eq!(sent.signatures.len(), 1);
        stage.finish().await;
    }

    async fn no_secret_is_stored_copied_or_logged_in_clear(engine) {
        let log = Log::capture();
        let stage = Stage::set(engine).await;
        let new = manage::rotate(&stage.test.app, &stage.webhook, false).await.unwrap();
        stage.link(1).await;
        stage.test.drain_jobs().await;
        assert_eq!(stage.sink.take_one().signatures.len(), 2);
        let mut secrets = Secrets::default();
        for secret in [&stage.secret, &*new] {
            secrets.word("the secret of a webhook", secret.strip_prefix("whsec_").unwrap());
        }
        secrets.assert_absent("what is stored", &everything_stored(&stage.test, engine).await);
        secrets.assert_absent("a backup or a dump", &everything_copied(&stage.test, engine).await);
        secrets.assert_absent("the log", log.text().as_bytes());
        stage.finish().await;
    }

    async fn secrets_open_after_the_master_key_was_replaced(engine) {
        let stage = Stage::set(engine).await;
        let app = &stage.test.app;
        let new = manage::rotate(app, &stage.webhook, false).await.unwrap();
        app.vault.add_key(&*app.random).unwrap();
        assert!(master_keys::remove(app, "k1").await.is_err(), "it is needed");
        master_keys::rotate(app).await.unwrap();
        master_keys::remove(app, "k1").await.unwrap();
        stage.link(1).await;
        stage.test.drain_jobs().await;
        let sent = stage.sink.take_one();
        assert!(sent.is_signed_with(&stage.secret) && sent.is_signed_with(&new));
        stage.finish().await;
    }
}
