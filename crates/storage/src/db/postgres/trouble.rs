//! Why PostgreSQL does not let us in, in words for the person who set it up, with the setting to change.

use std::error::Error as _;
use std::io;

use rustls::CertificateError;
use tokio_postgres::config::{Config, Host};

use crate::migrate::MigrateError;

/// What stands between us and the server.
pub(super) enum Trouble {
    /// It may pass by itself.
    Away(String),
    /// Somebody has to change something.
    Wrong(String),
}

/// An address that the driver does not understand. It is not repeated, because it may hold a password.
pub(super) fn of_address(address: &str) -> String {
    let options = address.split_once('?').map_or("", |(_, options)| options);
    let named = |wanted: &str| options.split('&').any(|option| option.starts_with(wanted));
    let text = if named("sslmode=verify-") {
        "sslmode=verify-full and verify-ca are not known here: write sslmode=require in database.url, \
         with which certificate and name are always verified"
    } else if named("sslrootcert=") {
        "sslrootcert is not known here: name the file in database.tls_roots"
    } else if named("sslcert=") || named("sslkey=") {
        "certificates of clients are not known here: use a password in database.url"
    } else {
        "expected postgres://user:password@host:port/database in database.url"
    };
    text.to_owned()
}

/// A connection that was not made in time.
pub(super) fn silence(config: &Config) -> Trouble {
    away(config, "no answer in time")
}

pub(super) fn of_connection(error: &tokio_postgres::Error, config: &Config) -> Trouble {
    if let Some(answer) = error.as_db_error() {
        return of_answer(answer.code().code(), answer.message(), config);
    }
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(failure) = inner.downcast_ref::<io::Error>() {
            let tls = failure
                .get_ref()
                .and_then(|inner| inner.downcast_ref::<rustls::Error>());
            return match tls {
                Some(tls) => Trouble::Wrong(of_tls(tls, config)),
                None => away(config, &failure.to_string()),
            };
        }
        cause = inner.source();
    }
    let text = crate::db::error::describe(error);
    if text.contains("server does not support TLS") {
        return Trouble::Wrong(
            "the PostgreSQL server offers no TLS, which sslmode=require in database.url insists on: \
             switch it on in the server, or write sslmode=disable"
                .to_owned(),
        );
    }
    if text.contains("password missing") {
        let user = user(config);
        return Trouble::Wrong(format!(
            "PostgreSQL asks for the password of {user}: put it into database.url or database.url_file"
        ));
    }
    away(config, &text)
}

fn of_answer(code: &str, message: &str, config: &Config) -> Trouble {
    let user = user(config);
    match code {
        "28P01" => Trouble::Wrong(format!(
            "PostgreSQL refuses the password of {user}: correct it in database.url or database.url_file"
        )),
        "28000" => Trouble::Wrong(format!(
            "PostgreSQL does not let {user} in ({message}): allow it in the server's pg_hba.conf, or name another \
             user in database.url"
        )),
        "3D000" => Trouble::Wrong(format!(
            "PostgreSQL has no such database ({message}): create it, or correct its name in database.url"
        )),
        "42501" => Trouble::Wrong(lacking(config, message)),
        "53300" => Trouble::Away(format!(
            "PostgreSQL has no connection left ({message}): raise max_connections there, or lower database.pool_size"
        )),
        // Starting up, shutting down, or short of something.
        code if code.starts_with("53") || code.starts_with("57") => away(config, message),
        code => Trouble::Wrong(format!("PostgreSQL refuses the connection: {message} ({code})")),
    }
}

fn of_tls(error: &rustls::Error, config: &Config) -> String {
    let rustls::Error::InvalidCertificate(cause) = error else {
        return format!("no TLS connection to PostgreSQL: {error}");
    };
    // Every cause that is not one of these is told in the library's own words.
    if is_unknown(cause) {
        "the certificate of the PostgreSQL server is signed by nobody that this machine trusts: put the certificate \
         that signed it into a file and name that in database.tls_roots"
            .to_owned()
    } else if is_misnamed(cause) {
        let host = host(config);
        format!(
            "the certificate of the PostgreSQL server is for another name than {host}: write the name that is in \
             the certificate into database.url"
        )
    } else {
        format!("the certificate of the PostgreSQL server cannot be used: {error}; renew it")
    }
}

fn is_unknown(cause: &CertificateError) -> bool {
    // A certificate that signs itself is an authority that nobody knows, used as a server.
    matches!(
        cause,
        CertificateError::UnknownIssuer | CertificateError::BadSignature
    ) || cause.to_string().contains("CaUsedAsEndEntity")
}

fn is_misnamed(cause: &CertificateError) -> bool {
    matches!(
        cause,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
    )
}

/// What to grant, when a look at the schema was refused.
pub(super) fn of_rights(error: &MigrateError, config: &Config) -> Option<String> {
    let text = error.to_string();
    text.contains("(42501)").then(|| lacking(config, &text))
}

fn lacking(config: &Config, message: &str) -> String {
    let (user, name) = (user(config), config.get_user().unwrap_or_default());
    format!(
        "{user} lacks rights in PostgreSQL ({message}): make it the owner of the schema, with GRANT CREATE, USAGE ON \
         SCHEMA public TO {name}, or name another user in database.url"
    )
}

fn away(config: &Config, why: &str) -> Trouble {
    let host = host(config);
    Trouble::Away(format!(
        "PostgreSQL does not answer at {host} ({why}): is it running, and is database.url right?"
    ))
}

fn user(config: &Config) -> String {
    format!("the user `{}`", config.get_user().unwrap_or_default())
}

fn host(config: &Config) -> String {
    let port = config.get_ports().first().copied().unwrap_or(5432);
    match config.get_hosts().first() {
        Some(Host::Tcp(name)) => format!("{name}:{port}"),
        Some(Host::Unix(path)) => path.display().to_string(),
        None => format!("localhost:{port}"),
    }
}
