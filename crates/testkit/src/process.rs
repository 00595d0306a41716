//! The real binary as a child process, for what only a process can show: kill -9, several nodes, signals.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use domain::random::{SystemRandom, bytes};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long a node may take to come up, or to end. Far longer than one needs: many start at once on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Ports on 127.0.0.2 that hold the same ones on 127.0.0.1 for this process.
static HELD: Mutex<Vec<TcpListener>> = Mutex::new(Vec::new());

/// A free port that nobody else gets while this process runs. It is below those that the kernel hands out to
/// connections, and tests that run side by side see it taken on another address of this machine.
pub fn free_port() -> u16 {
    for _ in 0..1_000 {
        let port = 10_000 + u16::from_le_bytes(bytes(&SystemRandom)) % 10_000;
        let Ok(held) = TcpListener::bind(("127.0.0.2", port)) else {
            continue;
        };
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            HELD.lock().unwrap_or_else(PoisonError::into_inner).push(held);
            return port;
        }
    }
    panic!("there is no free port");
}

/// A running `symbolon serve`. It is killed when dropped.
pub struct Node {
    child: Child,
    pub address: SocketAddr,
    /// What it wrote to standard output and error.
    pub log: PathBuf,
}

impl Node {
    /// Starts the binary and waits until it answers.
    pub async fn start(binary: &str, data: &Path, database: &str) -> Node {
        Node::start_with(binary, data, database, &[]).await
    }

    /// The same with more environment variables.
    pub async fn start_with(binary: &str, data: &Path, database: &str, environment: &[(&str, &str)]) -> Node {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        Node::start_at(address, binary, data, database, environment).await
    }

    /// The same at the address of a node that is gone.
    pub async fn start_at(
        address: SocketAddr,
        binary: &str,
        data: &Path,
        database: &str,
        environment: &[(&str, &str)],
    ) -> Node {
        let log = data.join(format!("node-{}.log", address.port()));
        std::fs::create_dir_all(data).expect("a data directory");
        let output = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&log)
            .expect("a log file");
        let child = Command::new(binary)
            .args([
                "serve",
                "--listen",
                &address.to_string(),
                "--database",
                database,
                "--data",
            ])
            .arg(data)
            .env("SYMBOLON_SERVER_METRICS_LISTEN", "")
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(output.try_clone().expect("a second handle"))
            .stderr(output)
            .spawn()
            .expect("the binary starts");
        let mut node = Node { child, address, log };
        node.wait_until_up().await;
        node
    }

    async fn wait_until_up(&mut self) {
        let begun = Instant::now();
        loop {
            if let Ok((200, _)) = self.try_request("GET", "/readyz", &[], "").await {
                return;
            }
            let ended = self.child.try_wait().expect("a child can be asked");
            if ended.is_some() || begun.elapsed() > PATIENCE {
                panic!(
                    "the node did not come up ({ended:?}): {}",
                    std::fs::read_to_string(&self.log).unwrap_or_default()
                );
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Status and body of one request on a connection of its own.
    pub async fn request(
        &self,
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (u16, String) {
        self.try_request(method, uri, headers, body)
            .await
            .expect("the node answers")
    }

    /// The same, with the error of a connection that broke.
    pub async fn try_request(
        &self,
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> std::io::Result<(u16, String)> {
        let (status, _, body) = self.exchange(method, uri, headers, body).await?;
        Ok((status, body))
    }

    /// Status, head and body.
    pub async fn exchange(
        &self,
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> std::io::Result<(u16, String, String)> {
        let mut stream = TcpStream::connect(self.address).await?;
        let mut head = format!(
            "{method} {uri} HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        head.push_str(body);
        stream.write_all(head.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        let broken = || std::io::Error::other("half an answer");
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(broken)?;
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .ok_or_else(broken)?;
        Ok((status, head.to_owned(), body.to_owned()))
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it has ended by itself.
    pub async fn ended(mut self) {
        let begun = Instant::now();
        while self.child.try_wait().expect("a child can be asked").is_none() {
            assert!(begun.elapsed() < PATIENCE, "the node did not end");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// SIGKILL, and nothing of the process is left.
    pub fn kill(mut self) {
        self.child.kill().expect("a child can be killed");
        self.child.wait().expect("a child can be awaited");
    }

    /// SIGTERM; true when it ended with success.
    pub async fn stop(mut self) -> bool {
        let sent = Command::new("kill").arg(self.child.id().to_string()).status();
        assert!(sent.is_ok_and(|status| status.success()), "the signal was sent");
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be asked") {
                return status.success();
            }
            assert!(begun.elapsed() < PATIENCE, "the node did not stop");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // Already gone is fine.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
