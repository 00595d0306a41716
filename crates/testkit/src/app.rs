//! An application inside the test's own process.

use std::sync::Arc;
use std::time::Duration;

use app::memories::gate::Limits;
use app::{App, Parts, Platforms, work};
use domain::clock::{SharedClock, TestClock};
use domain::job::LaneKind;
use domain::plan::{RateLimit, Tier};
use domain::random::SeededRandom;
use domain::trust::Thresholds;
use platform::blobs::Blobs;
use storage::testing::{Engine, TestDb};
use web::Edge;
use web::{Settings, WebState};

use crate::http::Client;
use crate::platforms::closed_shop;

/// When every test begins: 1 January 2026.
pub const START_MS: i64 = 1_767_225_600_000;

pub(crate) const PUBLIC_URL: &str = "http://127.0.0.1:8080";

pub struct TestApp {
    pub app: App,
    pub clock: Arc<TestClock>,
    pub db: TestDb,
    pub state: WebState,
    service: Edge,
}

impl TestApp {
    pub async fn start(engine: Engine) -> TestApp {
        TestApp::start_with(engine, |_| {}, |_| {}).await
    }

    /// With other limits or settings than the defaults.
    pub async fn start_with(
        engine: Engine,
        limits: impl FnOnce(&mut Limits),
        settings: impl FnOnce(&mut Settings),
    ) -> TestApp {
        TestApp::start_among(engine, limits, settings, |clock| Platforms {
            stripe: Some(closed_shop(clock)),
            ..Platforms::default()
        })
        .await
    }

    /// With clients for other systems, which live by the test's clock.
    pub async fn start_among(
        engine: Engine,
        change_limits: impl FnOnce(&mut Limits),
        change: impl FnOnce(&mut Settings),
        platforms: impl FnOnce(SharedClock) -> Platforms,
    ) -> TestApp {
        let clock = Arc::new(TestClock::new(START_MS));
        TestApp::start_at(engine, clock, change_limits, change, platforms).await
    }

    /// With a clock that others have too.
    pub(crate) async fn start_at(
        engine: Engine,
        clock: Arc<TestClock>,
        change_limits: impl FnOnce(&mut Limits),
        change: impl FnOnce(&mut Settings),
        platforms: impl FnOnce(SharedClock) -> Platforms,
    ) -> TestApp {
        let db = TestDb::open(engine).await;
        let mut limits = default_limits();
        change_limits(&mut limits);
        let mut platforms = platforms(Arc::clone(&clock) as SharedClock);
        platforms.blobs = Some(Blobs::folder(db.directory().join("blobs")));
        let parts = Parts {
            db: db.db.clone(),
            clock: Arc::clone(&clock) as SharedClock,
            random: Arc::new(SeededRandom::new(7)),
            master_key_file: db.directory().join("master.keys"),
            limits,
            platforms,
            operators: Vec::new(),
            public_url: PUBLIC_URL.to_owned(),
            retention: app::retention::Retention::default(),
            thresholds: Thresholds::default(),
            plans: domain::plan::Plans::default(),
        };
        let app = App::start(parts).await.expect("the application starts");
        app::billing::plans::note(&app)
            .await
            .expect("how plans come about");
        let mut settings = Settings {
            public_url: PUBLIC_URL.to_owned(),
            trusted_proxies: Arc::from([]),
            require_tls: false,
            own_ip: None,
            country_header: None,
            request_timeout: Duration::from_secs(30),
        };
        change(&mut settings);
        let state = WebState::new(app.clone(), settings);
        TestApp {
            app,
            clock,
            db,
            service: web::service(state.clone()),
            state,
        }
    }

    /// A caller with nothing to show.
    pub fn client(&self) -> Client {
        Client::new(self.service.clone())
    }

    /// A caller of another service than this application's own, such as a second node's.
    pub fn client_of(&self, service: Edge) -> Client {
        Client::new(service)
    }

    /// What another node on the same database and master keys is started with.
    pub fn parts(&self) -> Parts {
        Parts {
            db: self.db.db.clone(),
            clock: Arc::clone(&self.clock) as SharedClock,
            random: Arc::new(SeededRandom::new(8)),
            master_key_file: self.app.vault.path().to_owned(),
            limits: default_limits(),
            platforms: Platforms::default(),
            operators: Vec::new(),
            public_url: PUBLIC_URL.to_owned(),
            retention: app::retention::Retention::default(),
            thresholds: Thresholds::default(),
            plans: domain::plan::Plans::default(),
        }
    }

    /// A caller with an API key in the recommended place.
    pub fn plugin(&self, key: &str) -> Client {
        self.client().header("x-api-key", key)
    }

    /// A browser with a session cookie.
    pub fn person(&self, session: &str) -> Client {
        let cookie = format!("{}={session}", self.state.settings.session_cookie());
        self.client()
            .header("cookie", &cookie)
            .header("content-type", "application/json")
    }

    /// Waits for what requests left to the background.
    pub async fn settle(&self) {
        self.app.tasks.finish(Duration::from_secs(60)).await;
        let noted = self.app.memories.refusals.flush(&self.app.db, i64::MAX).await;
        noted.expect("refusals are written down");
    }

    /// Does the jobs that somebody does, as the service would by itself.
    pub async fn drain_jobs(&self) {
        work::drain(&self.app).await.expect("jobs are done");
    }

    /// Every flow ends here: the jobs it left can be done, and all invariants hold after that.
    pub async fn finish(self) {
        self.settle().await;
        self.drain_jobs().await;
        // What is done on Discord may rest, because the test's Discord wants it so.
        let left = format!("job_lanes WHERE kind = '{}'", LaneKind::Guild);
        assert_eq!(self.db.count(&left).await, 0, "work is left undone");
        let findings = storage::doctor::examine(&self.db.db)
            .await
            .expect("the invariants can be checked");
        assert!(findings.is_empty(), "broken invariants: {findings:#?}");
        let TestApp {
            app,
            db,
            state,
            service,
            ..
        } = self;
        drop((app, state, service));
        db.finish().await;
    }
}

pub(crate) fn default_limits() -> Limits {
    let plain = |per_minute, burst| RateLimit {
        per_minute,
        burst,
        bulk_ids: 1,
    };
    Limits {
        free: Tier::Free.default_rate_limit(),
        standard: Tier::Standard.default_rate_limit(),
        pro: Tier::Pro.default_rate_limit(),
        unknown_keys: plain(30, 30),
        dashboard: plain(1200, 100),
        link_starts: plain(30, 30),
        link_steps: plain(60, 60),
    }
}
