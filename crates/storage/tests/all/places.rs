//! The databases that tests are given.

use storage::migrate::MigrateError;
use storage::settings;
use storage::testing::{Engine, Place, TestDb};
use storage::{Db, DbError, NoOrg, OpenError, Tx, Work, both_databases};

struct Put(&'static str);

impl Work for Put {
    type For = NoOrg;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "put";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), DbError> {
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

both_databases! {
    async fn a_store_beside_the_owner_reads_and_never_writes(engine) {
        let test = TestDb::open(engine).await;
        test.db.write(Put("seen")).await.unwrap();
        let beside = Db::open_beside(test.options()).await.unwrap();
        assert_eq!(settings::find(&beside, "a").await.unwrap().as_deref(), Some("seen"));
        assert_eq!(storage::doctor::examine(&beside).await.unwrap(), Vec::<String>::new());
        if engine == Engine::Sqlite {
            let error = beside.write(Put("other")).await.unwrap_err();
            assert!(matches!(error, DbError::Unavailable(_)), "{error:?}");
        }
        test.db.write(Put("later")).await.unwrap();
        assert_eq!(settings::find(&beside, "a").await.unwrap().as_deref(), Some("later"));
        beside.close().await;
        drop(beside);
        test.finish().await;
    }

    async fn a_store_beside_nobody_is_not_made(engine) {
        let place = Place::make(engine).await;
        let error = Db::open_beside(place.options()).await.err().unwrap();
        match engine {
            Engine::Sqlite => assert!(matches!(error, OpenError::NoDatabase { .. }), "{error:?}"),
            Engine::Postgres => assert!(matches!(error, OpenError::Migrate(MigrateError::TooOld { .. })), "{error:?}"),
        }
        if let Some(path) = place.url_or_path().strip_prefix("sqlite:") {
            assert!(!std::path::Path::new(path).exists(), "looking must not create anything");
            std::fs::write(path, "").unwrap();
            let error = Db::open_beside(place.options()).await.err().unwrap();
            assert!(matches!(error, OpenError::Migrate(MigrateError::TooOld { found: 0, .. })), "{error:?}");
        }
    }
}
