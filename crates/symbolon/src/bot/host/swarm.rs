//! Custom Bots as services of a Docker Swarm, which spreads them over its machines. A service outlives the node that made
//! it; the next node goes on with it. Its token is a secret of the Swarm, which a machine has in memory only.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bollard::Docker;
use bollard::models::{SecretSpec, Service as Described, ServiceSpec, Task, TaskState};
use bollard::query_parameters::{
    ListSecretsOptions, ListServicesOptions, ListTasksOptions, UpdateServiceOptions,
};
use config::abort_point;
use domain::runner::Restart;
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::engine::{self, Engine, STATE, unless_gone};
use super::{Bots, End, Host, LEAVE_AFTER_MS, Order, Running, service};
use crate::output::Failure;

const LOOK_EVERY: Duration = Duration::from_secs(2);
/// A machine that does not say that a bot has ended is cut off from the Swarm. By then its bot has left, for it cannot
/// reach this service either.
const GONE_WITHIN: Duration = Duration::from_millis(LEAVE_AFTER_MS + 5_000);
/// Killed, and not by us: it took more memory than it may.
const KILLED: i64 = 137;
const VERSION: &str = "symbolon.token-version";
const SHAPE: &str = "symbolon.shape";
const INSTANCE: &str = "symbolon.instance";

pub struct Swarm {
    engine: Arc<Engine>,
    /// What all services do, asked for once for all of them.
    tasks: Mutex<Option<(Instant, Arc<Vec<Task>>)>>,
}

/// A service, as the node sees it that drives its bot.
pub struct Service {
    swarm: Arc<Swarm>,
    bot: String,
    ended: watch::Receiver<Option<Restart>>,
    /// It watches, and ends with this.
    _watching: JoinSet<()>,
}

/// The Swarm as a host.
pub struct Services(pub Arc<Swarm>);

impl Services {
    pub fn new(engine: Engine) -> Self {
        Self(Arc::new(Swarm {
            engine: Arc::new(engine),
            tasks: Mutex::default(),
        }))
    }
}

impl Swarm {
    /// What makes one service differ from another but for its bot.
    fn shape(&self) -> String {
        let engine = &self.engine;
        let network = engine.network.as_deref().unwrap_or_default();
        let (image, memory, url) = (&engine.image, engine.memory_bytes, &engine.service_url);
        format!("{image} {memory} {url} {network}")
    }

    fn handle(self: &Arc<Self>, bot: &str, id: String) -> Service {
        let (tell, ended) = watch::channel(None);
        let (swarm, name) = (Arc::clone(self), bot.to_owned());
        let mut watching = JoinSet::new();
        watching.spawn(async move {
            let end = swarm.watch(&name, &id).await;
            tell.send_replace(Some(end));
        });
        Service {
            swarm: Arc::clone(self),
            bot: bot.to_owned(),
            ended,
            _watching: watching,
        }
    }

    /// Returns when nothing of a service is at work any more. An engine that does not answer says nothing about the bot.
    async fn watch(&self, bot: &str, id: &str) -> Restart {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            if let Ok(Some(end)) = self.look(bot, id).await {
                return end;
            }
        }
    }

    async fn look(&self, bot: &str, id: &str) -> Result<Option<Restart>, Failure> {
        let tasks = self.tasks().await?;
        let ours: Vec<&Task> = tasks
            .iter()
            .filter(|task| task.service_id.as_deref() == Some(id))
            .collect();
        if ours.iter().any(|task| is_at_work(task)) {
            return Ok(None);
        }
        let Some(last) = ours.first() else {
            // Too new to be seen, or removed by somebody.
            let is_there = self.inspect(self.engine.docker().await?, bot).await?.is_some();
            return Ok((!is_there).then_some(Restart::Crashed));
        };
        let container = last
            .status
            .as_ref()
            .and_then(|status| status.container_status.as_ref());
        let code = container.and_then(|container| container.exit_code);
        Ok(Some(if code == Some(KILLED) {
            Restart::Memory
        } else {
            Restart::Crashed
        }))
    }

    async fn inspect(&self, docker: &Docker, bot: &str) -> Result<Option<Described>, Failure> {
        unless_gone(docker.inspect_service(&engine::name(bot), None).await)
    }

    /// Scaled down first: who removes a service is not told when its last container has ended.
    async fn clear(&self, bot: &str) -> Result<(), Failure> {
        let docker = self.engine.docker().await?;
        if let Some(Described {
            id: Some(id),
            version,
            spec: Some(mut spec),
            ..
        }) = self.inspect(docker, bot).await?
        {
            spec.mode = Some(service::replicas(0));
            let index = version.and_then(|version| version.index).unwrap_or_default();
            let options = UpdateServiceOptions {
                version: i32::try_from(index)?,
                ..UpdateServiceOptions::default()
            };
            docker.update_service(&id, spec, options, None).await?;
            let asked_at = Instant::now();
            while asked_at.elapsed() < GONE_WITHIN {
                let filters = [("service".to_owned(), vec![id.clone()])].into();
                let tasks = docker
                    .list_tasks(Some(ListTasksOptions {
                        filters: Some(filters),
                    }))
                    .await?;
                if !tasks.iter().any(is_at_work) {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            unless_gone(docker.delete_service(&id).await)?;
        }
        self.clear_secrets(docker, Some(bot), |_| false).await
    }

    /// Of one bot, or of all that are not wanted.
    async fn clear_secrets(
        &self,
        docker: &Docker,
        bot: Option<&str>,
        is_wanted: impl Fn(&str) -> bool + Send + Sync,
    ) -> Result<(), Failure> {
        let filters = Some(self.engine.ours(bot));
        for secret in docker.list_secrets(Some(ListSecretsOptions { filters })).await? {
            let labels = secret.spec.as_ref().and_then(|spec| spec.labels.as_ref());
            let is_kept = engine::bot_of(labels).is_none_or(&is_wanted);
            if let Some(id) = secret.id.filter(|_| !is_kept) {
                unless_gone(docker.delete_secret(&id).await)?;
            }
        }
        Ok(())
    }

    async fn add(self: &Arc<Self>, order: &Order) -> Result<Service, Failure> {
        let docker = self.engine.docker().await?;
        let name = engine::name(&order.bot);
        let handed = serde_json::to_vec(&order.handed)?;
        let secret = docker.create_secret(SecretSpec {
            name: Some(name.clone()),
            labels: Some(self.engine.labels(&order.bot)),
            data: Some(STANDARD.encode(&handed)),
            ..SecretSpec::default()
        });
        let secret = secret.await?.id;
        abort_point("swarm.secret_made");
        let mut labels = self.engine.labels(&order.bot);
        labels.insert(VERSION.to_owned(), order.token_version.to_string());
        labels.insert(SHAPE.to_owned(), self.shape());
        let parent = order.handed.settings.parent.as_ref();
        let instance = parent.map(|parent| parent.instance.clone());
        labels.insert(INSTANCE.to_owned(), instance.unwrap_or_default());
        let spec = ServiceSpec {
            name: Some(name),
            labels: Some(labels),
            mode: Some(service::replicas(1)),
            task_template: Some(service::template(&self.engine, &order.bot, secret)),
            ..ServiceSpec::default()
        };
        let made = docker.create_service(spec, None).await?;
        Ok(self.handle(&order.bot, made.id.unwrap_or_default()))
    }

    /// What all services of this installation do, no older than the interval of looking.
    async fn tasks(&self) -> Result<Arc<Vec<Task>>, Failure> {
        let mut known = self.tasks.lock().await;
        if let Some((at, tasks)) = &*known
            && at.elapsed() < LOOK_EVERY
        {
            return Ok(Arc::clone(tasks));
        }
        let docker = self.engine.docker().await?;
        let filters = Some(self.engine.ours(None));
        let tasks = Arc::new(docker.list_tasks(Some(ListTasksOptions { filters })).await?);
        *known = Some((Instant::now(), Arc::clone(&tasks)));
        Ok(tasks)
    }
}

impl Host for Services {
    type Running = Service;
    const OUTLIVES: bool = true;

    fn service_url(&self) -> &str {
        &self.0.engine.service_url
    }

    fn state_dir(&self, _: &str) -> PathBuf {
        PathBuf::from(STATE)
    }

    async fn clear(&self, bot: &str) -> Result<(), Failure> {
        self.0.clear(bot).await
    }

    async fn prepare(&self, _: &str, _: &str) -> Result<(), Failure> {
        self.0.engine.docker().await?.inspect_swarm().await?;
        Ok(())
    }

    async fn start(&self, order: Order) -> Result<Service, Failure> {
        self.0.clear(&order.bot).await?;
        abort_point("swarm.cleared");
        self.0.add(&order).await
    }

    async fn find(&self, bot: &str, token_version: i64) -> Result<Option<(Service, String)>, Failure> {
        let swarm = &self.0;
        let Some(found) = swarm.inspect(swarm.engine.docker().await?, bot).await? else {
            return Ok(None);
        };
        let spec = found.spec.unwrap_or_default();
        let has = |key: &str, value: &str| {
            let labels = spec.labels.as_ref();
            labels
                .and_then(|labels| labels.get(key))
                .is_some_and(|label| label == value)
        };
        let fits = has(VERSION, &token_version.to_string()) && has(SHAPE, &swarm.shape());
        let is_up = spec.mode == Some(service::replicas(1));
        let Some(id) = found.id.filter(|_| fits && is_up) else {
            return Ok(None);
        };
        let instance = spec.labels.and_then(|mut labels| labels.remove(INSTANCE));
        Ok(Some((swarm.handle(bot, id), instance.unwrap_or_default())))
    }

    async fn sweep(&self, bots: watch::Receiver<Bots>) -> Result<(), Failure> {
        let is_wanted = |bot: &str| bots.borrow().running.contains(bot);
        let docker = self.0.engine.docker().await?;
        let options = ListServicesOptions {
            filters: Some(self.0.engine.ours(None)),
            ..ListServicesOptions::default()
        };
        for service in docker.list_services(Some(options)).await? {
            let labels = service.spec.as_ref().and_then(|spec| spec.labels.as_ref());
            if let Some(bot) = engine::bot_of(labels)
                && !is_wanted(bot)
            {
                self.0.clear(bot).await?;
            }
        }
        self.0.clear_secrets(docker, None, is_wanted).await
    }
}

impl Running for Service {
    async fn ended(&mut self) -> Restart {
        let told = self.ended.wait_for(Option::is_some).await;
        told.ok().and_then(|told| *told).unwrap_or(Restart::Crashed)
    }

    async fn end(&mut self, _: End) -> Result<(), Failure> {
        self.swarm.clear(&self.bot).await
    }

    fn memory_bytes(&self) -> u64 {
        0
    }
}

/// Whether a container of it runs, or is to.
fn is_at_work(task: &Task) -> bool {
    let state = task.status.as_ref().and_then(|status| status.state);
    !matches!(
        state,
        None | Some(
            TaskState::COMPLETE
                | TaskState::SHUTDOWN
                | TaskState::FAILED
                | TaskState::REJECTED
                | TaskState::REMOVE
                | TaskState::ORPHANED
        )
    )
}
