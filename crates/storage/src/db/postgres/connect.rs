//! Addresses, session settings and TLS.

use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use secrecy::{ExposeSecret, SecretString};
use tokio::task::AbortHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::chime::{Chime, Silent};
use super::trouble::{self, Trouble};
use crate::db::{DbError, OpenError, OpenOptions, Statement};
use crate::migrate::MigrateError;

const SILENT_PEER: Duration = Duration::from_secs(15);
/// Between two tries at start, at first and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(5));

#[derive(Clone)]
pub(super) struct Connector {
    config: tokio_postgres::Config,
    tls: Option<MakeRustlsConnect>,
    deadline: Duration,
}

/// A connection and the task that moves its bytes. The task would wait for a silent server as long as that is silent,
/// so it is ended here.
pub(crate) struct Connected {
    pub client: Box<tokio_postgres::Client>,
    moving: AbortHandle,
}

impl Connected {
    pub(super) fn of(client: tokio_postgres::Client, moving: AbortHandle) -> Self {
        let client = Box::new(client);
        Self { client, moving }
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.moving.abort();
    }
}

impl Connector {
    pub(super) fn new(url: &SecretString, options: &OpenOptions) -> Result<Self, OpenError> {
        // The driver's message may repeat the address, which may hold a password.
        let mut config = tokio_postgres::Config::from_str(url.expose_secret())
            .map_err(|_| OpenError::Address(trouble::of_address(url.expose_secret())))?;
        // Statements are many and short. One that PostgreSQL takes for long would be compiled first, which is what takes long.
        let session = format!(
            "{} -c jit=off -c statement_timeout={} -c lock_timeout={} -c idle_in_transaction_session_timeout=10000",
            config.get_options().unwrap_or_default(),
            options.statement_timeout.as_millis(),
            options.lock_timeout.as_millis(),
        );
        config.options(session.trim());
        config.application_name("symbolon");
        config.connect_timeout(options.connect_deadline);
        // A host that vanished without a word would otherwise hold its connections for a quarter of an hour.
        config
            .tcp_user_timeout(SILENT_PEER)
            .keepalives_idle(SILENT_PEER)
            .keepalives_retries(3);
        config.keepalives_interval(SILENT_PEER / 3);
        let plain = config.get_ssl_mode() == SslMode::Disable;
        let tls = if plain { None } else { Some(tls(options)?) };
        Ok(Self {
            config,
            tls,
            deadline: options.connect_deadline,
        })
    }

    /// A connection of its own. A server that accepts and then stays silent is given up too.
    pub(super) async fn connect(&self) -> Result<Connected, DbError> {
        match tokio::time::timeout(self.deadline, self.handshake()).await {
            Ok(connected) => Ok(connected?),
            Err(_) => Err(silent()),
        }
    }

    /// The first connection of all. A server that is away is waited for, with one line for each try; what waiting
    /// cannot mend is said at once.
    pub(super) async fn connect_first(&self, wait: Duration) -> Result<Connected, OpenError> {
        let begun = Instant::now();
        let (mut pause, longest) = PAUSES;
        loop {
            let tried = tokio::time::timeout(self.deadline, self.handshake()).await;
            let trouble = match tried {
                Ok(Ok(connected)) => return Ok(connected),
                Ok(Err(error)) => trouble::of_connection(&error, &self.config),
                Err(_) => trouble::silence(&self.config),
            };
            let left = wait.saturating_sub(begun.elapsed());
            match trouble {
                Trouble::Away(text) if !left.is_zero() => {
                    tracing::warn!("{text}; trying again for {} more seconds", left.as_secs());
                }
                Trouble::Away(text) | Trouble::Wrong(text) => return Err(OpenError::Postgres(text)),
            }
            tokio::time::sleep(pause.min(left)).await;
            pause = (pause * 2).min(longest);
        }
    }

    /// Missing rights show when the schema is looked at.
    pub(super) fn explain_migration(&self, error: MigrateError) -> OpenError {
        match trouble::of_rights(&error, &self.config) {
            Some(text) => OpenError::Postgres(text),
            None => error.into(),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "ends with its client")]
    async fn handshake(&self) -> Result<Connected, tokio_postgres::Error> {
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
        Ok(Connected::of(client, moving))
    }

    /// A connection that hears signs.
    pub(super) async fn chime(&self, deadline: Duration) -> Result<Chime, DbError> {
        let connect = async {
            Ok::<_, tokio_postgres::Error>(match &self.tls {
                Some(tls) => {
                    let (client, connection) = self.config.connect(tls.clone()).await?;
                    Silent::of(client, connection)
                }
                None => {
                    let (client, connection) = self.config.connect(tokio_postgres::NoTls).await?;
                    Silent::of(client, connection)
                }
            })
        };
        let connected = tokio::time::timeout(self.deadline, connect).await;
        connected.map_err(|_| silent())??.listen(deadline).await
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
            .wait_timeout(Some(self.deadline))
            .create_timeout(Some(self.deadline))
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
    match options.tls_roots.as_deref() {
        Some(path) => {
            let unreadable = |error| {
                OpenError::Postgres(format!(
                    "cannot read the certificates in {}: {error}; correct database.tls_roots",
                    path.display()
                ))
            };
            for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
                let added = roots.add(certificate.map_err(unreadable)?);
                added.map_err(|error| {
                    let path = path.display();
                    OpenError::Postgres(format!(
                        "{path} holds a certificate that is none: {error}; correct database.tls_roots"
                    ))
                })?;
            }
            if roots.is_empty() {
                let path = path.display();
                return Err(OpenError::Postgres(format!(
                    "{path} holds no certificate; correct database.tls_roots"
                )));
            }
        }
        // Wherever this system keeps them. None at all: a TLS connection will tell, a plain one still works.
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
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
