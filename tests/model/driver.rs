//! Runs a sequence on the real application and compares.

use app::AppError;
use app::error::TenancyError;
use app::keys::plugin_keys;
use app::linking::links;
use app::linking::links::Linked;
use app::tenancy::servers;
use domain::audit::Actor;
use domain::id::ServerId;
use domain::link::UnlinkCause;
use domain::name::DisplayName;
use domain::plan::{RateLimit, Tier};
use domain::platform_id::EitherId;
use testkit::{Engine, Tenant, TestApp, discord, steam};
use tokio::task::JoinSet;

use super::compare::same;
use super::state::{Linking, Model, Step};

/// Three below the ceiling of Free, so that a few links decide.
const BALLAST: i64 = 497;
const FIRST_BALLAST: u64 = 1_000;

pub struct Real {
    pub id: ServerId,
    pub key: String,
}

pub struct Driver {
    pub test: TestApp,
    pub tenant: Tenant,
    pub model: Model,
    pub servers: Vec<Real>,
    /// Keys that were replaced or whose Server is gone.
    pub dead: Vec<String>,
    /// Rows before this case began.
    pub history: usize,
}

pub type Outcome = Result<(), String>;

impl Driver {
    pub async fn start(engine: Engine) -> Driver {
        let most = RateLimit {
            per_minute: 1_000_000,
            burst: 1_000_000,
            bulk_ids: 1,
        };
        let test = TestApp::start_with(
            engine,
            |limits| {
                (limits.free, limits.standard, limits.pro, limits.unknown_keys) = (most, most, most, most)
            },
            |_| {},
        )
        .await;
        let tenant = test.tenant(1, Tier::Free).await;
        let mut linking = JoinSet::new();
        for player in 0..BALLAST.unsigned_abs() {
            let (app, tenant) = (test.app.clone(), tenant.clone());
            linking.spawn(async move { drop(tenant.link(&app, FIRST_BALLAST + player).await) });
            if linking.len() == 100 {
                while linking.join_next().await.is_some() {}
            }
        }
        linking.join_all().await;
        let servers = vec![Real {
            id: tenant.server.clone(),
            key: tenant.key.clone(),
        }];
        Driver {
            test,
            tenant,
            model: Model::new(BALLAST),
            servers,
            dead: Vec::new(),
            history: 0,
        }
    }

    /// One case from a clean slate.
    pub async fn run(&mut self, steps: &[Step]) -> Outcome {
        self.reset().await.map_err(|error| error.internal_detail())?;
        for (number, step) in steps.iter().enumerate() {
            let done = self.step(step).await.and(self.compare_answers().await);
            done.map_err(|difference| format!("step {number}, {step:?}: {difference}"))?;
        }
        self.compare_rows().await
    }

    async fn reset(&mut self) -> Result<(), AppError> {
        let (app, scope) = (&self.test.app, self.tenant.scope);
        for player in 0..6 {
            let either = EitherId::Discord(discord(player));
            links::unlink(
                app,
                scope,
                self.tenant.guild.clone(),
                either,
                UnlinkCause::Admin,
                Actor::System,
            )
            .await?;
        }
        for server in self.servers.drain(..) {
            servers::delete(app, scope, server.id, Actor::System).await?;
        }
        app::billing::grants::set_tier(app, scope, Tier::Free, domain::audit::Actor::System).await?;
        self.dead.clear();
        self.model = Model::new(BALLAST);
        self.history = self.rows().await.len();
        Ok(())
    }

    pub async fn rows(&self) -> Vec<storage::linking::links::LinkRecord> {
        let rows = storage::linking::links::list_newest(&self.test.db.db, self.tenant.scope, 1_000_000).await;
        rows.expect("the history")
    }

    async fn step(&mut self, step: &Step) -> Outcome {
        let (app, scope) = (self.test.app.clone(), self.tenant.scope);
        let internal = |error: AppError| error.internal_detail();
        match *step {
            Step::Link(player, account) => {
                let linked = match self.tenant.link_pair(&app, player, account).await {
                    Ok(Linked::Created { relinked, .. }) => Linking::Created {
                        relinked: relinked.len(),
                    },
                    Ok(Linked::Already { .. }) => Linking::Already,
                    Err(AppError::Tenancy(TenancyError::LimitReached { .. })) => Linking::Limit,
                    Err(error) => return Err(internal(error)),
                };
                same("link", &linked, &self.model.link(player, account))
            }
            Step::UnlinkDiscord(player) => {
                let ended = self.unlink(EitherId::Discord(discord(player))).await?;
                same("unlink", &ended, &self.model.unlink(|pair| pair.0 == player))
            }
            Step::UnlinkSteam(account) => {
                let ended = self.unlink(EitherId::Steam(steam(account))).await?;
                same("unlink", &ended, &self.model.unlink(|pair| pair.1 == account))
            }
            Step::CreateServer => self.create_server().await,
            Step::SetTier(number) => {
                self.model.tier = Tier::ALL[number];
                app::billing::grants::set_tier(&app, scope, Tier::ALL[number], Actor::System)
                    .await
                    .map_err(internal)
            }
            Step::DeleteServer(at) | Step::Regenerate(at) | Step::Revoke(at) | Step::SetActive(at, _) => {
                match at.checked_rem(self.servers.len()) {
                    Some(at) => self.change_server(step, at).await.map_err(internal),
                    None => Ok(()),
                }
            }
        }
    }

    async fn unlink(&self, either: EitherId) -> Result<bool, String> {
        let (app, guild) = (&self.test.app, self.tenant.guild.clone());
        let ended = links::unlink(
            app,
            self.tenant.scope,
            guild,
            either,
            UnlinkCause::User,
            Actor::System,
        )
        .await;
        ended
            .map(|id| id.is_some())
            .map_err(|error| error.internal_detail())
    }

    async fn create_server(&mut self) -> Outcome {
        let name = DisplayName::parse("Made").map_err(|error| error.to_string())?;
        let guild = self.tenant.guild.clone();
        let created =
            match servers::create(&self.test.app, self.tenant.scope, guild, name, Actor::System).await {
                Ok(created) => {
                    self.servers.push(Real {
                        id: created.id,
                        key: created.key.expose().to_owned(),
                    });
                    true
                }
                Err(AppError::Tenancy(TenancyError::LimitReached { .. })) => false,
                Err(error) => return Err(error.internal_detail()),
            };
        same("create server", &created, &self.model.create_server())
    }

    async fn change_server(&mut self, step: &Step, at: usize) -> Result<(), AppError> {
        let (app, scope) = (self.test.app.clone(), self.tenant.scope);
        let id = self.servers[at].id.clone();
        match *step {
            Step::DeleteServer(_) => {
                servers::delete(&app, scope, id, Actor::System).await?;
                self.dead.push(self.servers.remove(at).key);
                self.model.servers.remove(at);
            }
            Step::Regenerate(_) => {
                let key = plugin_keys::regenerate(&app, scope, id, Actor::System)
                    .await?
                    .expose()
                    .to_owned();
                self.dead.push(std::mem::replace(&mut self.servers[at].key, key));
                self.model.servers[at].revoked = false;
            }
            Step::Revoke(_) => {
                plugin_keys::revoke(&app, scope, id, Actor::System).await?;
                self.model.servers[at].revoked = true;
            }
            Step::SetActive(_, active) => {
                servers::set_active(&app, scope, id, active, Actor::System).await?;
                self.model.servers[at].active = active;
            }
            Step::Link(..)
            | Step::UnlinkDiscord(_)
            | Step::UnlinkSteam(_)
            | Step::CreateServer
            | Step::SetTier(_) => {}
        }
        Ok(())
    }

    pub async fn finish(self) {
        self.test.finish().await;
    }
}
