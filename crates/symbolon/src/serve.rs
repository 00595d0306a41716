//! `serve`: from configuration to answering requests, and back down in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use app::{App, background};
use config::{Config, Server};
use storage::migrate::Migrate;
use tokio::net::TcpListener;
use tokio::sync::watch;
use web::serve::{Limits, bind, serve};
use web::{Settings, WebState};

use crate::cli::{Common, ServeOptions};
use crate::open::{load_config, open_app, open_app_at};
use crate::output::{Failure, say};
use crate::sandbox::Sandbox;
use crate::{admin, logging};

pub async fn run(common: &Common, options: &ServeOptions) -> Result<(), Failure> {
    let mut config = load_config(common, options.listen)?;
    let sandbox = if options.sandbox {
        Some(Sandbox::start(&mut config).await?)
    } else {
        None
    };
    logging::start(&config.log);
    for warning in config.warnings() {
        tracing::warn!("{warning}");
    }
    let metrics = web::metrics::install()?;
    let listener = bind(config.server.listen)
        .await
        .map_err(|error| format!("cannot listen on {}: {error}", config.server.listen))?;
    let app = match &sandbox {
        Some(sandbox) => open_app_at(&config, Migrate::Apply, sandbox.clock()).await?,
        None => open_app(&config, Migrate::Apply).await?,
    };
    // It ends with the service.
    let _control = match &sandbox {
        Some(sandbox) => Some(sandbox.prepare(&app, &config).await?),
        None => None,
    };
    let (stopper, stop) = watch::channel(false);
    background::start(&app, &stop);
    admin::listen(&app, &config.data_dir, stop.clone());
    let state = WebState {
        app: app.clone(),
        settings: Arc::new(settings(&config)),
    };
    if let Some(address) = config.server.metrics_listen {
        serve_operations(&state, metrics, address, stop).await?;
    }
    announce(&config, sandbox.as_ref(), listener.local_addr()?);
    let report = serve(
        listener,
        web::service(state),
        limits(&config.server),
        stop_signal(),
    )
    .await;
    tracing::info!(
        completed = report.completed,
        aborted = report.aborted,
        "connections closed"
    );
    shut_down(&app, &stopper).await;
    Ok(())
}

async fn serve_operations(
    state: &WebState,
    metrics: web::metrics::PrometheusHandle,
    address: SocketAddr,
    mut stop: watch::Receiver<bool>,
) -> Result<(), Failure> {
    let listener: TcpListener = bind(address)
        .await
        .map_err(|error| format!("cannot listen on {address} for metrics: {error}"))?;
    let service = web::operations_service(state.clone(), metrics);
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
    Ok(())
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
    tracing::info!(%address, "listening");
    say(format!("Symbolon is running at {}", config.server.public_url));
    if let Some(sandbox) = sandbox {
        sandbox.announce(config);
    }
    if let Some(metrics) = config.server.metrics_listen {
        say(format!("Metrics:  http://{metrics}/metrics"));
    }
    say("Stop with Ctrl-C.");
}

async fn stop_signal() {
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminate => {}
    }
    tracing::info!("stopping: open requests are finished first");
}

/// Nothing that was accepted is lost: tasks end, uses and failures are written, the store closes last.
async fn shut_down(app: &App, stopper: &watch::Sender<bool>) {
    let _ = stopper.send(true);
    app.tasks.finish(Duration::from_secs(5)).await;
    for flushed in [
        background::flush_uses(app).await,
        background::flush_seen(app).await,
        app::versions::flush(app).await,
        background::flush_errors(app).await,
        app::refusals::flush_all(app).await,
        app::steam_calls::share(app).await,
    ] {
        if let Err(error) = flushed {
            tracing::warn!(error = %error.internal_detail(), "something of the last minute was not written down");
        }
    }
    app.db.close().await;
}
