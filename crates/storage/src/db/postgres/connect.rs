//! Addresses, session settings and TLS.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use secrecy::{ExposeSecret, SecretString};
use tokio::task::AbortHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::db::{DbError, OpenError, OpenOptions, Statement};

const SYSTEM_ROOTS: &str = "/etc/ssl/certs/ca-certificates.crt";
const WAIT_FOR_CONNECTION: Duration = Duration::from_secs(3);
const SILENT_PEER: Duration = Duration::from_secs(15);

#[derive(Clone)]
pub(super) struct Connector {
    config: tokio_postgres::Config,
    tls: Option<MakeRustlsConnect>,
}

/// A connection and the task that moves its bytes. The task would wait for a silent server as long as that is silent,
/// so it is ended here.
pub(crate) struct Connected {
    pub client: Box<tokio_postgres::Client>,
    moving: AbortHandle,
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.moving.abort();
    }
}

impl Connector {
    pub(super) fn new(url: &SecretString, options: &OpenOptions) -> Result<Self, OpenError> {
        // The driver's message may repeat the address, which may hold a password.
        let mut config = tokio_postgres::Config::from_str(url.expose_secret()).map_err(|_| {
            OpenError::Address("expected postgres://user:password@host:port/database".to_owned())
        })?;
        let session = format!(
            "{} -c statement_timeout={} -c lock_timeout={} -c idle_in_transaction_session_timeout=10000",
            config.get_options().unwrap_or_default(),
            options.statement_timeout.as_millis(),
            options.lock_timeout.as_millis(),
        );
        config.options(session.trim());
        config.application_name("symbolon");
        config.connect_timeout(WAIT_FOR_CONNECTION);
        // A host that vanished without a word would otherwise hold its connections for a quarter of an hour.
        config
            .tcp_user_timeout(SILENT_PEER)
            .keepalives_idle(SILENT_PEER)
            .keepalives_retries(3);
        config.keepalives_interval(SILENT_PEER / 3);
        let plain = config.get_ssl_mode() == SslMode::Disable;
        let tls = if plain { None } else { Some(tls(options)?) };
        Ok(Self { config, tls })
    }

    /// A connection of its own. A server that accepts and then stays silent is given up too.
    pub(super) async fn connect(&self) -> Result<Connected, DbError> {
        match tokio::time::timeout(WAIT_FOR_CONNECTION, self.handshake()).await {
            Ok(connected) => connected,
            Err(_) => Err(silent()),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "ends with its client")]
    async fn handshake(&self) -> Result<Connected, DbError> {
        let (client, moving) = match &self.tls {
            Some(tls) => {
                let (client, connection) = self.config.connect(tls.clone()).await?;
                (client, tokio::spawn(connection).abort_handle())
            }
            None => {
                let (client, connection) = self.config.connect(tokio_postgres::NoTls).await?;
                (client, tokio::spawn(connection).abort_handle())
            }
        };
        Ok(Connected {
            client: Box::new(client),
            moving,
        })
    }

    pub(super) fn pool(&self, size: usize) -> Result<Pool, OpenError> {
        let manager_config = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = match &self.tls {
            Some(tls) => Manager::from_config(self.config.clone(), tls.clone(), manager_config),
            None => Manager::from_config(self.config.clone(), tokio_postgres::NoTls, manager_config),
        };
        Pool::builder(manager)
            .max_size(size.max(1))
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(WAIT_FOR_CONNECTION))
            .create_timeout(Some(WAIT_FOR_CONNECTION))
            .build()
            .map_err(|error| OpenError::Address(error.to_string()))
    }
}

/// A deadline of ours has passed.
pub(super) fn silent() -> DbError {
    DbError::Unavailable("the server does not answer".to_owned())
}

/// TLS is always verified; `sslmode` only decides whether it is used.
fn tls(options: &OpenOptions) -> Result<MakeRustlsConnect, OpenError> {
    let mut roots = rustls::RootCertStore::empty();
    let named = options.tls_roots.as_deref();
    let path = named.unwrap_or(std::path::Path::new(SYSTEM_ROOTS));
    match CertificateDer::pem_file_iter(path) {
        Ok(certificates) => {
            roots.add_parsable_certificates(certificates.filter_map(Result::ok));
        }
        Err(error) if named.is_some() => {
            return Err(OpenError::Address(format!(
                "cannot read {}: {error}",
                path.display()
            )));
        }
        // No system store: a TLS connection will fail with the server's name, a plain one still works.
        Err(_) => {}
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| OpenError::Address(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// The plan PostgreSQL would use for a large table (sequential scans switched off, so that one shows only if forced).
pub(super) async fn explain(
    client: &tokio_postgres::Client,
    statement: &'static Statement,
) -> Result<String, DbError> {
    client
        .batch_execute("SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan")
        .await?;
    client
        .batch_execute(&["PREPARE explained AS ", statement.postgres()].concat())
        .await?;
    let parameters = client.prepare(statement.postgres()).await?.params().len();
    let nulls = vec!["NULL"; parameters].join(", ");
    let arguments = if parameters == 0 {
        String::new()
    } else {
        ["(", &nulls, ")"].concat()
    };
    let answer = client
        .simple_query(&["EXPLAIN EXECUTE explained", &arguments].concat())
        .await;
    client
        .batch_execute("DEALLOCATE explained; RESET enable_seqscan; RESET plan_cache_mode")
        .await?;
    let mut plan = String::new();
    for message in answer? {
        if let tokio_postgres::SimpleQueryMessage::Row(row) = message {
            plan.push_str(row.get(0).unwrap_or_default());
            plan.push('\n');
        }
    }
    Ok(plan)
}
