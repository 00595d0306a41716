//! An application that sends to receivers on loopback.

use app::error::RequestError;
use app::linking::links::{self, Linked};
use app::webhooks::manage;
use app::{AppError, Platforms, background, flags};
use domain::audit::Actor;
use domain::flag::Flag;
use domain::id::{LinkId, WebhookId};
use domain::link::UnlinkCause;
use domain::plan::Tier;
use domain::platform_id::EitherId;
use platform::webhooks::Webhooks;
use testkit::{Engine, Tenant, TestApp, discord};

use super::sink::Sink;
use crate::secrecy::rows::numbers;

pub const HOUR_MS: i64 = 60 * 60_000;

/// An Org with a receiver, and the flag on.
pub struct Stage {
    pub test: TestApp,
    pub tenant: Tenant,
    pub sink: Sink,
    pub webhook: WebhookId,
    pub secret: String,
}

impl Stage {
    pub async fn set(engine: Engine) -> Stage {
        let test = TestApp::start_among(
            engine,
            |_| {},
            |_| {},
            |_| Platforms {
                webhooks: Some(Webhooks::new(true).expect("a client")),
                ..Platforms::default()
            },
        )
        .await;
        let (tenant, sink) = (test.tenant(1, Tier::Free).await, Sink::start().await);
        let (webhook, secret) = added(&test, &tenant, &sink.url("/hook")).await;
        let stage = Stage {
            test,
            tenant,
            sink,
            webhook,
            secret,
        };
        stage.switch(true).await;
        stage
    }

    pub async fn switch(&self, on: bool) {
        flags::set(&self.test.app, Flag::Webhooks, on, Actor::Operator)
            .await
            .expect("the flag is set");
    }

    /// Links a player and tells the id.
    pub async fn link(&self, number: u64) -> LinkId {
        link(&self.test, &self.tenant, number).await
    }

    /// Ends the link of a player.
    pub async fn unlink(&self, number: u64) {
        let (app, tenant) = (&self.test.app, &self.tenant);
        let either = EitherId::Discord(discord(number));
        let cause = UnlinkCause::Plugin;
        links::unlink(
            app,
            tenant.scope,
            tenant.guild.clone(),
            either,
            cause,
            Actor::System,
        )
        .await
        .expect("the link ends")
        .expect("a link");
    }

    /// What housekeeping does in its minute, and the work that follows.
    pub async fn pass(&self, ms: i64) {
        self.test.clock.advance_ms(ms);
        background::keep_house(&self.test.app)
            .await
            .expect("a sound round");
        self.test.drain_jobs().await;
    }

    pub async fn count(&self, from: &str) -> i64 {
        self.test.db.count(from).await
    }

    /// The first column of a query.
    pub async fn number(&self, sql: &str) -> i64 {
        let found = numbers(&self.test.db.db, sql).await;
        *found.first().expect("a row")
    }

    pub async fn finish(self) {
        self.test.finish().await;
    }
}

pub async fn added(test: &TestApp, tenant: &Tenant, url: &str) -> (WebhookId, String) {
    let (id, secret) = manage::add(&test.app, &tenant.org, url).await.expect("a webhook");
    (id, secret.as_str().to_owned())
}

pub async fn link(test: &TestApp, tenant: &Tenant, number: u64) -> LinkId {
    match tenant.link(&test.app, number).await {
        Linked::Created { id, .. } => id,
        Linked::Already { id } => panic!("{id} was there before"),
    }
}

/// Whether an operator was refused because of how things are.
pub fn is_conflict<T>(result: &Result<T, AppError>) -> bool {
    matches!(result, Err(AppError::Request(RequestError::Conflict(_))))
}

pub fn is_unknown<T>(result: &Result<T, AppError>) -> bool {
    matches!(result, Err(AppError::Request(RequestError::NotFound)))
}
