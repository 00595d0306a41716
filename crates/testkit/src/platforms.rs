//! Applications that talk to emulated platforms.

use std::sync::Arc;

use app::Platforms;
use domain::clock::SystemClock;
use emulator::{Setup, Steam};
use platform::steam::WebApi;
use storage::testing::Engine;

use crate::app::TestApp;

/// The key that test applications send to Steam's Web API. No log, row or answer may hold it.
pub const STEAM_KEY: &str = "MARKED-STEAM-WEB-API-KEY";

impl TestApp {
    /// An application and the Steam that it asks.
    pub async fn start_with_steam(engine: Engine) -> (TestApp, Steam) {
        let setup = Setup::new(Arc::new(SystemClock));
        let steam = Steam::start(setup).await.expect("Steam starts");
        let base = steam.api_url();
        let platforms = |clock| Platforms {
            steam_api: Some(WebApi::new(&base, STEAM_KEY.into(), clock).expect("a client")),
            ..Platforms::default()
        };
        let test = TestApp::start_among(engine, |_| {}, |_| {}, platforms).await;
        (test, steam)
    }
}
