//! PostgreSQL that is away, or does not let us in, from the point of view of whoever reads the log.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use storage::testing::Proxy;
use testkit::{Engine, Node, TestDb, free_port, wait_until};
use tokio::task::JoinSet;

use super::newcomer::{STEAM, set_up};
use super::shell::{BINARY, empty, installed, run_bare};

/// What the next client is answered.
#[derive(Clone)]
enum Manner {
    /// No TLS, then a refusal with this code and text.
    Refuse(&'static str, &'static str),
    /// TLS with this certificate, then a refusal that there is no such database.
    Tls(Arc<rustls::ServerConfig>),
}

/// Something on a port that begins like PostgreSQL.
fn pretend(manner: Manner) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            // A client that hangs up has seen enough.
            drop(talk(stream, &manner));
        }
    });
    address
}

fn talk(mut stream: std::net::TcpStream, manner: &Manner) -> std::io::Result<()> {
    let mut asked = [0; 8];
    stream.read_exact(&mut asked)?;
    let wants_tls = asked[4..] == 80_877_103_u32.to_be_bytes();
    match manner {
        Manner::Refuse(code, text) => {
            if wants_tls {
                stream.write_all(b"N")?;
                stream.read_exact(&mut asked)?;
            }
            refuse(&mut stream, &asked, code, text)
        }
        Manner::Tls(config) => {
            stream.write_all(b"S")?;
            let tls = rustls::ServerConnection::new(Arc::clone(config)).map_err(std::io::Error::other)?;
            let mut stream = rustls::StreamOwned::new(tls, stream);
            stream.read_exact(&mut asked)?;
            refuse(&mut stream, &asked, "3D000", "database \"shop\" does not exist")
        }
    }
}

/// Reads the rest of the first message and answers it with an error.
fn refuse(stream: &mut (impl Read + Write), begun: &[u8; 8], code: &str, text: &str) -> std::io::Result<()> {
    let length = u32::from_be_bytes([begun[0], begun[1], begun[2], begun[3]]) as usize;
    std::io::copy(&mut stream.take(length as u64 - 8), &mut std::io::sink())?;
    let fields = format!("SFATAL\0VFATAL\0C{code}\0M{text}\0\0");
    stream.write_all(b"E")?;
    stream.write_all(&(fields.len() as u32 + 4).to_be_bytes())?;
    stream.write_all(fields.as_bytes())?;
    stream.flush()
}

/// A certificate that signed itself, for this name, in PEM beside its key.
fn certificate(directory: &Path, name: &str) -> Arc<rustls::ServerConfig> {
    let file = |ending: &str| directory.join(format!("{name}.{ending}"));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
        ])
        .args([
            "-subj",
            "/CN=symbolon test",
            "-addext",
            &format!("subjectAltName={name}"),
        ])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-keyout")
        .arg(file("key"))
        .arg("-out")
        .arg(file("pem"))
        .output()
        .expect("openssl runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let chain = vec![CertificateDer::from_pem_file(file("pem")).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_file(file("key")).expect("a key");
    let config =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("protocols")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .expect("a server");
    Arc::new(config)
}

fn doctor(address: &str, environment: &[(&str, &str)]) -> super::shell::Ran {
    run_bare(
        &["doctor", "--data", "/nowhere", "--database", address],
        environment,
    )
}

#[test]
fn refusals_are_told_in_plain_words_with_the_setting_to_change() {
    let cases = [
        (
            "28P01",
            "password authentication failed",
            ["refuses the password of the user `ada`", "database.url_file"],
        ),
        (
            "28000",
            "no pg_hba.conf entry",
            ["does not let the user `ada` in", "pg_hba.conf"],
        ),
        (
            "3D000",
            "database \"shop\" does not exist",
            ["has no such database", "database.url"],
        ),
        (
            "42501",
            "permission denied for database",
            ["lacks rights", "GRANT"],
        ),
        (
            "53300",
            "too many clients already",
            ["has no connection left", "database.pool_size"],
        ),
        (
            "57P03",
            "the database system is starting up",
            ["does not answer at 127.0.0.1", "starting up"],
        ),
    ];
    for (code, text, expected) in cases {
        let at = pretend(Manner::Refuse(code, text));
        let ran = doctor(&format!("postgres://ada:pass-word@{at}/shop"), &[]);
        for words in expected {
            ran.fails_with_one_line(words);
        }
        assert!(!ran.err.contains("pass-word"), "{ran:?}");
    }
}

#[test]
fn addresses_of_other_programs_are_explained() {
    for (options, words) in [
        ("sslmode=verify-full", "write sslmode=require in database.url"),
        ("sslmode=verify-ca", "write sslmode=require in database.url"),
        (
            "sslmode=require&sslrootcert=/etc/ca.pem",
            "name the file in database.tls_roots",
        ),
        (
            "sslmode=maybe",
            "expected postgres://user:password@host:port/database in database.url",
        ),
    ] {
        let ran = doctor(
            &format!("postgres://ada:pass-word@127.0.0.1:1/shop?{options}"),
            &[],
        );
        ran.fails_with_one_line(words);
        assert!(!ran.err.contains("pass-word"), "{ran:?}");
    }
    let at = pretend(Manner::Refuse("3D000", "none"));
    doctor(&format!("postgres://ada@{at}/shop?sslmode=require"), &[])
        .fails_with_one_line("write sslmode=disable");
}

#[tokio::test]
async fn certificates_are_held_against_the_systems_roots_wherever_they_are_kept() {
    let db = TestDb::open(Engine::Sqlite).await;
    let directory = db.directory();
    let ours = certificate(directory, "IP:127.0.0.1");
    let at = pretend(Manner::Tls(ours));
    let address = format!("postgres://ada@{at}/shop?sslmode=require");
    let root = directory.join("IP:127.0.0.1.pem");
    let root = root.to_str().expect("a path");
    doctor(&address, &[]).fails_with_one_line("name that in database.tls_roots");
    // Where other systems keep them, the library is told by this variable, as everything else that uses TLS there.
    doctor(&address, &[("SSL_CERT_FILE", root)]).fails_with_one_line("has no such database");
    doctor(&address, &[("SYMBOLON_DATABASE_TLS_ROOTS", root)]).fails_with_one_line("has no such database");
    let nothing = [("SYMBOLON_DATABASE_TLS_ROOTS", "/dev/null")];
    doctor(&address, &nothing)
        .fails_with_one_line("/dev/null holds no certificate; correct database.tls_roots");
    let other = certificate(directory, "DNS:db.example.org");
    let at = pretend(Manner::Tls(other));
    let root = directory.join("DNS:db.example.org.pem");
    let roots = [("SYMBOLON_DATABASE_TLS_ROOTS", root.to_str().expect("a path"))];
    doctor(&format!("postgres://ada@{at}/shop?sslmode=require"), &roots)
        .fails_with_one_line("is for another name than 127.0.0.1");
    db.finish().await;
}

/// Leads every connection on the port to the real server.
async fn lead_to(port: u16, server: SocketAddr) {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port))
        .await
        .expect("the port");
    let mut led = JoinSet::new();
    while let Ok((mut from, _)) = listener.accept().await {
        led.spawn(async move {
            let mut to = tokio::net::TcpStream::connect(server).await?;
            tokio::io::copy_bidirectional(&mut from, &mut to).await
        });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_postgres_that_comes_later_is_waited_for_with_one_line_a_try() {
    let (db, shell) = empty(Engine::Postgres).await;
    let address = shell.database().to_owned();
    let place = address
        .split_once('@')
        .expect("a user")
        .1
        .split('/')
        .next()
        .expect("a host")
        .to_owned();
    let port = free_port();
    let late = address.replace(&place, &format!("127.0.0.1:{port}"));
    let (data, server) = (shell.data().to_owned(), place.parse().expect("an address"));
    let mut coming = JoinSet::new();
    coming.spawn(async move {
        wait_until("two tries are told", || async { tries(&logs_in(&data)) >= 2 }).await;
        lead_to(port, server).await;
    });
    let node = Node::start(BINARY, shell.data(), &late).await;
    let log = std::fs::read_to_string(&node.log).expect("a log");
    assert!(tries(&log) >= 2 && log.contains("trying again for"), "{log}");
    assert!(node.stop().await);
    drop(coming);
    db.finish().await;
}

fn tries(log: &str) -> usize {
    let tells = |line: &&str| line.contains("PostgreSQL does not answer at");
    log.lines().filter(tells).count()
}

fn logs_in(data: &Path) -> String {
    let files = std::fs::read_dir(data).into_iter().flatten().flatten();
    let logs = files.filter(|file| file.file_name().to_string_lossy().starts_with("node-"));
    logs.map(|file| std::fs::read_to_string(file.path()).unwrap_or_default())
        .collect()
}

#[test]
fn a_postgres_that_never_comes_is_given_up_when_the_time_is_over() {
    let database = format!("postgres://ada@127.0.0.1:{}/shop", free_port());
    let environment = [
        ("SYMBOLON_DATABASE_START_WAIT_MS", "1"),
        ("SYMBOLON_SERVER_METRICS_LISTEN", ""),
        ("SYMBOLON_LOG_LEVEL", "error"),
    ];
    let data = std::env::temp_dir().join(format!("symbolon-waiting-{}", std::process::id()));
    let data_text = data.to_str().expect("a path");
    let arguments = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        data_text,
        "--database",
        &database,
    ];
    run_bare(&arguments, &environment).fails_with_one_line("is it running, and is database.url right?");
    std::fs::remove_dir_all(&data).expect("the directory");
}

/// The service has deadlines of its own, shorter than what a caller may take and than what the server is told here.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_postgres_that_hangs_is_given_up_before_the_time_of_callers_is_over() {
    let (db, shell) = installed(Engine::Postgres).await;
    let (_, key) = set_up(&shell);
    let proxy = Proxy::start(shell.database()).await;
    let endless = [
        ("SYMBOLON_DATABASE_STATEMENT_TIMEOUT_MS", "600000"),
        ("SYMBOLON_DATABASE_LOCK_TIMEOUT_MS", "600000"),
    ];
    let database = proxy.address(shell.database());
    let node = Node::start_with(BINARY, shell.data(), &database, &endless).await;
    let call = async |action: &str| {
        let uri = format!("/api?action={action}&id={STEAM}");
        let (status, body) = node.request("GET", &uri, &[("x-api-key", &key)], "").await;
        assert!(
            status == 503 && body.contains("STORAGE_UNAVAILABLE"),
            "{action}: {status} {body}"
        );
    };
    let held = db.begin_beside("SELECT 1 FROM org_usage FOR UPDATE").await;
    call("remove").await;
    proxy.freeze();
    call("findBySteam").await;
    node.kill();
    held.commit().await;
    db.finish().await;
}
