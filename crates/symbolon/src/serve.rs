//! `serve`: from configuration to answering requests, and back down in order.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use app::bots::register::ensure_platform;
use app::downloads::shelf;
use app::{App, background};
use config::{Config, Server};
use domain::clock::SystemClock;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use web::serve::{Limits, bind, serve};
use web::{Settings, WebState};

use crate::bot::fleet::Sailing;
use crate::bot::keeper::Keeping;
use crate::check::warnings;
use crate::cli::{Common, ServeOptions};
use crate::open::{close, load_config, open_or_make};
use crate::output::{Failure, refused, say};
use crate::sandbox::Sandbox;
use crate::{admin, backups, bot, logging, metrics, notify, plugin, version};

/// The port of `server.metrics_listen` unless it is set.
const USUAL_METRICS_PORT: u16 = 9464;
/// How long a stop waits for a database that hangs.
const LAST_WRITES: Duration = Duration::from_secs(10);

pub async fn run(common: &Common, options: &ServeOptions) -> Result<(), Failure> {
    let mut config = load_config(common, options.listen)?;
    let sandbox = if options.sandbox {
        Some(Sandbox::start(&mut config, options.large).await?)
    } else {
        None
    };
    let log_file = sandbox.as_ref().map(Sandbox::open_log).transpose()?;
    let bots_log = log_file.as_ref().map(File::try_clone).transpose()?;
    logging::start(&config.log, log_file);
    let clock = sandbox
        .as_ref()
        .map_or_else(|| Arc::new(SystemClock) as _, Sandbox::clock);
    for warning in warnings(&config, clock.now_ms()) {
        tracing::warn!("{warning}");
    }
    let hangups = signal(SignalKind::hangup())?;
    let listener = bind(config.server.listen)
        .await
        .map_err(|error| format!("cannot listen on {}: {error}", config.server.listen))?;
    let operations = bind_operations(&config, sandbox.is_some()).await?;
    config.server.metrics_listen = operations.as_ref().map(TcpListener::local_addr).transpose()?;
    let app = open_or_make(&config, clock).await?;
    ensure_platform(&app).await.map_err(|error| refused(&error))?;
    // It ends with the service.
    let control = match &sandbox {
        Some(sandbox) => Some(sandbox.prepare(&app).await?),
        None => None,
    };
    let (stopper, stop) = watch::channel(false);
    start_tasks(&app, &config, hangups, &stop);
    let state = WebState::new(app.clone(), settings(&config));
    if let Some(operations) = operations {
        serve_operations(&state, &config.data_dir, operations, stop.clone());
    }
    if let (Some(sandbox), Some(control)) = (&sandbox, &control) {
        let game_servers = (listener.local_addr()?, stop.clone());
        sandbox.publish(&app, &config, control, game_servers).await?;
    }
    let bots = start_bots(&app, &config, (listener.local_addr()?, bots_log)).await?;
    announce(&config, sandbox.as_ref(), listener.local_addr()?);
    notify::ready(&app, stop);
    let report = serve(
        listener,
        web::service(state),
        limits(&config.server),
        stop_signal(bots),
    )
    .await;
    tracing::info!(
        completed = report.completed,
        aborted = report.aborted,
        "connections closed"
    );
    shut_down(&app, &stopper).await
}

/// What goes on beside the requests until the service stops.
fn start_tasks(app: &App, config: &Config, hangups: Signal, stop: &watch::Receiver<bool>) {
    publish_plugin(app);
    bot::keeper::follow(app);
    background::start(app, stop);
    backups::start(app, config, stop.clone());
    admin::listen(app, &config.data_dir, stop.clone());
    outlive(app, hangups, stop.clone());
}

/// While requests are answered already: a file store that takes its time keeps nobody waiting.
fn publish_plugin(app: &App) {
    if let Some(carried) = plugin::carried() {
        let publishing = app.clone();
        app.tasks
            .spawn(async move { shelf::begin(&publishing, carried).await });
    }
}

/// The listener for metrics, if there is to be one. A sandbox beside another service takes any port instead of the
/// usual one: nobody has told where its metrics are to be.
async fn bind_operations(config: &Config, is_sandbox: bool) -> Result<Option<TcpListener>, Failure> {
    let Some(address) = config.server.metrics_listen else {
        return Ok(None);
    };
    let bound = match bind(address).await {
        Err(error)
            if is_sandbox && address.port() == USUAL_METRICS_PORT && error.kind() == ErrorKind::AddrInUse =>
        {
            bind(SocketAddr::new(address.ip(), 0)).await
        }
        bound => bound,
    };
    let bound = bound.map_err(|error| format!("cannot listen on {address} for metrics: {error}"))?;
    Ok(Some(bound))
}

fn serve_operations(
    state: &WebState,
    data_dir: &Path,
    listener: TcpListener,
    mut stop: watch::Receiver<bool>,
) {
    let service = web::operations_service(state.clone(), metrics::of_process(data_dir));
    state.app.tasks.spawn(async move {
        let stopped = async move {
            drop(stop.wait_for(|stopped| *stopped).await);
        };
        serve(
            listener,
            service,
            Limits {
                max_connections: 64,
                ..Limits::default()
            },
            stopped,
        )
        .await;
    });
}

/// A terminal that is closed, or a log rotation that tells everybody, does not end the service. There is nothing to
/// open again: the log is a stream, and a master key that was added is looked for in its file when it is needed.
fn outlive(app: &App, mut hangups: Signal, mut stop: watch::Receiver<bool>) {
    app.tasks.spawn(async move {
        loop {
            tokio::select! {
                hangup = hangups.recv() => match hangup {
                    Some(()) => tracing::info!("SIGHUP does nothing: restart the service to reload its settings"),
                    None => return,
                },
                _ = stop.wait_for(|stopped| *stopped) => return,
            }
        }
    });
}

fn settings(config: &Config) -> Settings {
    let server = &config.server;
    let country_header = &config.geo.country_header;
    Settings {
        country_header: (country_header != "none")
            .then(|| country_header.parse().ok())
            .flatten(),
        public_url: server.public_url.clone(),
        trusted_proxies: server.trusted_proxies.clone().into(),
        require_tls: server.require_tls,
        own_ip: Some(server.listen.ip()).filter(|ip| !ip.is_unspecified()),
        request_timeout: Duration::from_millis(server.request_timeout_ms),
    }
}

fn limits(server: &Server) -> Limits {
    let ms = Duration::from_millis;
    Limits {
        first_byte_timeout: ms(server.first_byte_timeout_ms),
        header_timeout: ms(server.header_timeout_ms),
        idle_timeout: ms(server.idle_timeout_ms),
        body_timeout: ms(server.body_timeout_ms),
        drain_timeout: ms(server.drain_timeout_ms),
        max_connections: server.max_connections,
        max_connections_per_peer: server.max_connections_per_peer,
        trusted_peers: server.trusted_proxies.clone().into(),
        ..Limits::default()
    }
}

fn announce(config: &Config, sandbox: Option<&Sandbox>, address: SocketAddr) {
    let version = version::LONG.as_str();
    tracing::info!(version, %address, "listening");
    // For people; a machine reads the log, and finds nothing else in it.
    if sandbox.is_none() && !std::io::stdout().is_terminal() {
        return;
    }
    say(format!("Symbolon is running at {}", config.server.public_url));
    if let Some(sandbox) = sandbox {
        sandbox.announce(config);
    }
    if let Some(metrics) = config.server.metrics_listen {
        say(format!("Metrics:  http://{metrics}/metrics"));
    }
    say("Stop with Ctrl-C.");
}

/// The shared bot and Custom Bots; both find the service at this address, and their log goes there.
async fn start_bots(
    app: &App,
    config: &Config,
    (address, log): (SocketAddr, Option<File>),
) -> Result<(Keeping, Sailing), Failure> {
    let fleet_log = log.as_ref().map(File::try_clone).transpose()?;
    let bots = bot::keeper::start(app, config, (address, log))?;
    let fleet = bot::fleet::start(app, config, (address, fleet_log)).await?;
    Ok((bots, fleet))
}

/// The bots go first: what they heard last has to reach us, and another node can take them.
async fn stop_signal((bots, fleet): (Keeping, Sailing)) {
    asked_to_stop().await;
    tracing::info!("stopping: finishing open requests first");
    notify::stopping();
    tokio::join!(bots.end(), fleet.end());
}

/// Returns when somebody presses Ctrl-C or sends SIGTERM.
pub async fn asked_to_stop() {
    let terminate = async {
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminate => {}
    }
}

/// Nothing that was accepted is lost: tasks end, uses and failures are written, the store closes last.
async fn shut_down(app: &App, stopper: &watch::Sender<bool>) -> Result<(), Failure> {
    let _ = stopper.send(true);
    app.tasks.finish(Duration::from_secs(5)).await;
    if tokio::time::timeout(LAST_WRITES, write_last(app)).await.is_err() {
        tracing::warn!("the last minute was not saved: the database took too long");
    }
    Ok(close(&app.db)
        .await
        .inspect_err(|error| tracing::error!("{error}"))?)
}

async fn write_last(app: &App) {
    for flushed in [
        background::flush_uses(app).await,
        background::flush_seen(app).await,
        app.memories.plugins.flush(&app.db, app.clock.steady_ms()).await,
        app.memories.refused_calls.flush(&app.db).await,
        app.memories.link_steps.flush(&app.db).await,
        background::flush_errors(app).await,
        app.memories.refusals.flush(&app.db, i64::MAX).await,
        app::players::steam_calls::share(app).await,
    ] {
        if let Err(error) = flushed {
            tracing::warn!(error = %error.internal_detail(), "part of the last minute was not saved");
        }
    }
}
