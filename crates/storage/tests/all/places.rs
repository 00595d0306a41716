//! The databases that tests are given.

use storage::settings;
use storage::testing::{Engine, TestDb};
use storage::{DbError, Tx, Work, both_databases};

struct Put(&'static str);

impl Work for Put {
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "put";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), DbError> {
        settings::put(tx, "a", self.0, 1).await
    }
}

both_databases! {
    async fn each_test_has_a_database_of_its_own(engine) {
        let (one, two) = (TestDb::open(engine).await, TestDb::open(engine).await);
        one.db.write(Put("x")).await.unwrap();
        assert_eq!(settings::find(&one.db, "a").await.unwrap().as_deref(), Some("x"));
        assert_eq!(settings::find(&two.db, "a").await.unwrap(), None);
        one.finish().await;
        two.finish().await;
    }

    async fn what_was_written_is_there_after_a_restart(engine) {
        let test = TestDb::open(engine).await;
        test.db.write(Put("kept")).await.unwrap();
        let test = test.restart().await;
        assert_eq!(settings::find(&test.db, "a").await.unwrap().as_deref(), Some("kept"));
        let directory = test.directory().to_owned();
        assert_eq!(test.url_or_path().starts_with("sqlite:/"), engine == Engine::Sqlite);
        test.finish().await;
        assert!(!directory.exists());
    }
}
