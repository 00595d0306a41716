//! Custom Bots as containers of this machine's engine. Each gets its token on its standard input, and ends when that
//! closes: with the service that started it.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bollard::Docker;
use bollard::container::AttachContainerResults;
use bollard::errors::Error;
use bollard::models::{ContainerCreateBody, HostConfig, HostConfigLogConfig, ResourcesUlimits};
use bollard::query_parameters::{
    AttachContainerOptions, CreateContainerOptions, InspectContainerOptions, ListContainersOptions,
    RemoveContainerOptions, StartContainerOptions, WaitContainerOptions,
};
use domain::runner::Restart;
use futures_util::StreamExt;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use super::engine::{self, Engine, MOST_THREADS, STATE, USER, unless_gone};
use super::{Bots, End, Host, Order, Running};
use crate::bot::{MOST_FILES, PAUSE};
use crate::output::Failure;

/// How long a bot may take to end after it was told to.
const LAST_WORDS: Duration = Duration::from_secs(4);
/// Of all bots on a machine together, for they are the same user. What an engine gives by itself can be more than it has.
const ALL_THREADS: i64 = 4_096;
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// How long somebody else may take to remove a container.
const REMOVAL_LOOKS: u32 = 100;
const REMOVAL_LOOK_EVERY: Duration = Duration::from_millis(100);
/// Killed, and not by us: it took more memory than it may.
const KILLED: i64 = 137;

pub struct Containers {
    pub engine: Arc<Engine>,
}

/// A container that runs.
pub struct Container {
    docker: Docker,
    name: String,
    /// Its standard input closes when this is used or dropped.
    close: Option<oneshot::Sender<End>>,
    ended: watch::Receiver<Option<Restart>>,
    /// They end with this, and its standard input closes then too.
    _tasks: JoinSet<()>,
}

impl Containers {
    fn body(&self, bot: &str) -> ContainerCreateBody {
        let engine = &self.engine;
        let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
        ContainerCreateBody {
            image: Some(engine.image.clone()),
            entrypoint: words(&["symbolon"]),
            cmd: words(&["bot", "--stdin"]),
            env: words(&["MIMALLOC_ALLOW_THP=0"]),
            user: Some(USER.to_owned()),
            labels: Some(engine.labels(bot)),
            attach_stdin: Some(true),
            attach_stderr: Some(true),
            open_stdin: Some(true),
            stdin_once: Some(true),
            host_config: Some(HostConfig {
                memory: Some(engine.memory_bytes),
                memory_swap: Some(engine.memory_bytes),
                pids_limit: Some(MOST_THREADS),
                ulimits: Some(vec![at_most("nofile", MOST_FILES), at_most("nproc", ALL_THREADS)]),
                network_mode: engine.network.clone(),
                auto_remove: Some(true),
                log_config: Some(HostConfigLogConfig {
                    typ: Some(engine::LOG_DRIVER.to_owned()),
                    config: Some(engine::log_options()),
                }),
                readonly_rootfs: Some(true),
                cap_drop: words(&["ALL"]),
                security_opt: words(&["no-new-privileges"]),
                tmpfs: Some([(STATE.to_owned(), "mode=1777".to_owned())].into()),
                ..HostConfig::default()
            }),
            ..ContainerCreateBody::default()
        }
    }

    async fn begin(&self, docker: &Docker, order: Order) -> Result<Container, Failure> {
        let name = engine::name(&order.bot);
        let options = CreateContainerOptions {
            name: Some(name.clone()),
            ..CreateContainerOptions::default()
        };
        docker
            .create_container(Some(options), self.body(&order.bot))
            .await?;
        let options = AttachContainerOptions {
            stream: true,
            stdin: true,
            stderr: true,
            ..AttachContainerOptions::default()
        };
        let AttachContainerResults { output, mut input } =
            docker.attach_container(&name, Some(options)).await?;
        docker
            .start_container(&name, None::<StartContainerOptions>)
            .await?;
        input
            .write_all(serde_json::to_string(&order.handed)?.as_bytes())
            .await?;
        input.write_all(b"\n").await?;
        input.flush().await?;
        let (close, closed) = oneshot::channel();
        let (tell, ended) = watch::channel(None);
        let (waited, asked) = (name.clone(), docker.clone());
        let mut tasks = JoinSet::new();
        tasks.spawn(hold(input, closed));
        tasks.spawn(pass_on(output, order.log));
        tasks.spawn(async move {
            let end = wait(&asked, &waited).await;
            tell.send_replace(Some(end));
        });
        Ok(Container {
            docker: docker.clone(),
            name,
            close: Some(close),
            ended,
            _tasks: tasks,
        })
    }
}

impl Host for Containers {
    type Running = Container;
    const OUTLIVES: bool = false;

    fn service_url(&self) -> &str {
        &self.engine.service_url
    }

    fn state_dir(&self, _: &str) -> PathBuf {
        PathBuf::from(STATE)
    }

    async fn prepare(&self, _: &str, _: &str) -> Result<(), Failure> {
        self.engine
            .docker()
            .await?
            .inspect_image(&self.engine.image)
            .await?;
        Ok(())
    }

    async fn clear(&self, bot: &str) -> Result<(), Failure> {
        remove(self.engine.docker().await?, &engine::name(bot)).await
    }

    async fn start(&self, order: Order) -> Result<Container, Failure> {
        let bot = order.bot.clone();
        self.clear(&bot).await?;
        let docker = self.engine.docker().await?;
        match self.begin(docker, order).await {
            Ok(container) => Ok(container),
            Err(failure) => {
                remove(docker, &engine::name(&bot)).await?;
                Err(failure)
            }
        }
    }

    async fn find(&self, _: &str, _: i64) -> Result<Option<(Container, String)>, Failure> {
        Ok(None)
    }

    async fn sweep(&self, bots: watch::Receiver<Bots>) -> Result<(), Failure> {
        let docker = self.engine.docker().await?;
        let options = ListContainersOptions {
            all: true,
            filters: Some(self.engine.ours(None)),
            ..ListContainersOptions::default()
        };
        for container in docker.list_containers(Some(options)).await? {
            let Some(bot) = engine::bot_of(container.labels.as_ref()) else {
                continue;
            };
            let is_kept = bots.borrow().running.contains(bot);
            if !is_kept {
                remove(docker, &engine::name(bot)).await?;
            }
        }
        Ok(())
    }
}

impl Running for Container {
    async fn ended(&mut self) -> Restart {
        let told = self.ended.wait_for(Option::is_some).await;
        told.ok().and_then(|told| *told).unwrap_or(crashed(0))
    }

    async fn end(&mut self, how: End) -> Result<(), Failure> {
        if let Some(close) = self.close.take() {
            // One that is gone needs no word.
            let _ = close.send(how);
        }
        let is_over = how != End::Kill && tokio::time::timeout(LAST_WORDS, self.ended()).await.is_ok();
        if !is_over {
            remove(&self.docker, &self.name).await?;
        }
        Ok(())
    }

    fn memory_bytes(&self) -> u64 {
        0
    }
}

fn at_most(name: &str, most: i64) -> ResourcesUlimits {
    ResourcesUlimits {
        name: Some(name.to_owned()),
        soft: Some(most),
        hard: Some(most),
    }
}

const fn crashed(code: i64) -> Restart {
    if code == KILLED {
        Restart::Memory
    } else {
        Restart::Crashed
    }
}

async fn remove(docker: &Docker, name: &str) -> Result<(), Failure> {
    let options = RemoveContainerOptions {
        force: true,
        ..RemoveContainerOptions::default()
    };
    match docker.remove_container(name, Some(options)).await {
        // Somebody removes it already, and may not be done.
        Err(Error::DockerResponseServerError { status_code: 409, .. }) => gone(docker, name).await,
        answer => unless_gone(answer).map(drop),
    }
}

/// Returns when there is no such container.
async fn gone(docker: &Docker, name: &str) -> Result<(), Failure> {
    let is_there = || docker.inspect_container(name, None::<InspectContainerOptions>);
    for _ in 0..REMOVAL_LOOKS {
        if unless_gone(is_there().await)?.is_none() {
            return Ok(());
        }
        tokio::time::sleep(REMOVAL_LOOK_EVERY).await;
    }
    Err("the engine does not remove a container".into())
}

/// Keeps the standard input of a container open.
async fn hold(mut input: Pin<Box<dyn AsyncWrite + Send>>, closed: oneshot::Receiver<End>) {
    // One that is gone reads neither.
    if closed.await == Ok(End::Pause) {
        drop(input.write_all(PAUSE).await);
    }
    drop(input.shutdown().await);
}

/// The engine says when a container has ended, or that it has gone.
async fn wait(docker: &Docker, name: &str) -> Restart {
    loop {
        let mut answer = docker.wait_container(name, None::<WaitContainerOptions>);
        match answer.next().await {
            Some(Ok(over)) => return crashed(over.status_code),
            Some(Err(Error::DockerContainerWaitError { code, .. })) => return crashed(code),
            Some(Err(Error::DockerResponseServerError { status_code: 404, .. })) => return crashed(0),
            Some(Err(_)) | None => tokio::time::sleep(ASK_AGAIN).await,
        }
    }
}

type Output = Pin<Box<dyn futures_util::Stream<Item = Result<bollard::container::LogOutput, Error>> + Send>>;

/// Its log goes where that of a process would.
async fn pass_on(mut output: Output, log: Option<File>) {
    while let Some(Ok(said)) = output.next().await {
        let text = said.into_bytes();
        let written = match &log {
            Some(log) => (&*log).write_all(&text),
            None => std::io::stderr().write_all(&text),
        };
        if written.is_err() {
            break;
        }
    }
}
