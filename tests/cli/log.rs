//! A log that cannot be written, and a signal that means the log to others, do not end the service.

use std::process::{Child, Command, Stdio};

use testkit::{Engine, Node, TestDb, free_port, wait_until};

use super::browser::send;
use super::shell::{BINARY, empty};

const DROPPED: &str = "symbolon_log_lines_dropped_total ";

/// A process that is killed when dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Already gone is fine.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A service whose log goes somewhere that takes nothing.
struct Mute {
    child: Running,
    base: String,
    metrics: String,
    db: TestDb,
}

impl Mute {
    async fn start(log: Stdio) -> Mute {
        let (db, shell) = empty(Engine::Sqlite).await;
        let [listen, metrics] = [(); 2].map(|()| format!("127.0.0.1:{}", free_port()));
        let child = Command::new(BINARY)
            .args(["serve", "--listen", &listen, "--data"])
            .arg(shell.data())
            .env("SYMBOLON_SERVER_METRICS_LISTEN", &metrics)
            .env("SYMBOLON_LOG_LEVEL", "debug")
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the binary starts");
        let (base, metrics) = (format!("http://{listen}"), format!("http://{metrics}/metrics"));
        Mute {
            child: Running(child),
            base,
            metrics,
            db,
        }
    }

    async fn is_up(&self) -> bool {
        let ready = send("GET", &format!("{}/readyz", self.base), &[], "").await;
        ready.is_some_and(|reply| reply.status == 200)
    }

    /// Has something to say with every answer.
    async fn talk(&self, times: usize) {
        for _ in 0..times {
            let reply = send("GET", &format!("{}/account", self.base), &[], "").await;
            assert_eq!(reply.expect("an answer").status, 401);
        }
    }

    async fn dropped(&self) -> u64 {
        let shown = send("GET", &self.metrics, &[], "").await.expect("metrics").body;
        let line = shown.lines().find_map(|line| line.strip_prefix(DROPPED));
        line.and_then(|count| count.parse().ok()).expect("a count")
    }

    async fn serves_on(mut self) {
        wait_until("the service is up", || self.is_up()).await;
        self.talk(20).await;
        wait_until("the lost lines are counted", || async {
            self.dropped().await > 20
        })
        .await;
        assert!(self.is_up().await);
        assert!(
            self.child.0.try_wait().expect("a child can be asked").is_none(),
            "it ended"
        );
        self.end().await;
    }

    async fn end(mut self) {
        let sent = Command::new("kill").arg(self.child.0.id().to_string()).status();
        assert!(sent.is_ok_and(|status| status.success()));
        assert!(
            self.child.0.wait().expect("a child can be awaited").success(),
            "a clean stop"
        );
        self.db.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_on_a_full_disk_does_not_end_the_service() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("/dev/full");
    Mute::start(full.into()).await.serves_on().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_whose_reader_is_gone_does_not_end_the_service() {
    let mut mute = Mute::start(Stdio::piped()).await;
    drop(mute.child.0.stderr.take());
    mute.serves_on().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_nobody_reads_does_not_hold_the_service_up() {
    let mut mute = Mute::start(Stdio::piped()).await;
    let mut unread = mute.child.0.stderr.take().expect("a pipe");
    wait_until("the service is up", || mute.is_up()).await;
    // More than the pipe and the queue hold.
    let mut said = 0;
    while mute.dropped().await == 0 {
        mute.talk(100).await;
        said += 100;
        assert!(said < 20_000, "nothing was dropped");
    }
    assert!(mute.is_up().await);
    // Whoever reads again finds whole lines, and is told how many are missing.
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut unread, &mut text).map(|_| text)
    });
    wait_until("there is room again", || async {
        let before = mute.dropped().await;
        mute.talk(1).await;
        mute.dropped().await == before
    })
    .await;
    let dropped = mute.dropped().await;
    mute.end().await;
    let text = reader.join().expect("a reader").expect("a text");
    let mut told = 0;
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect(line);
        let message = line["message"].as_str().expect("a message");
        if message.starts_with("log lines were dropped") {
            told += line["dropped"].as_u64().expect("a number");
        }
    }
    assert_eq!(told, dropped, "each missing line is told of");
}

/// Sends the signal, and again, and waits each time for the line about it.
async fn hang_up_twice(node: &Node) {
    for times in 1..=2 {
        let sent = Command::new("kill")
            .args(["-HUP", &node.pid().to_string()])
            .status();
        assert!(sent.is_ok_and(|status| status.success()));
        wait_until("it is told that nothing happens", || async {
            let log = std::fs::read_to_string(&node.log).unwrap_or_default();
            log.lines()
                .filter(|line| line.contains("SIGHUP does nothing"))
                .count()
                == times
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hangup_does_not_end_the_service() {
    let (db, shell) = empty(Engine::Sqlite).await;
    let node = Node::start(BINARY, shell.data(), shell.database()).await;
    hang_up_twice(&node).await;
    let (status, _) = node.request("GET", "/readyz", &[], "").await;
    assert_eq!(status, 200);
    assert!(node.stop().await, "SIGTERM still stops it");
    db.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hangup_does_not_read_settings_again() {
    let (db, shell) = empty(Engine::Sqlite).await;
    let file = db.directory().join("symbolon.toml");
    let set_level =
        |level: &str| std::fs::write(&file, format!("[log]\nlevel = \"{level}\"\n")).expect("a file");
    set_level("info");
    let settings = [("SYMBOLON_CONFIG", file.to_str().expect("a path"))];
    let node = Node::start_with(BINARY, shell.data(), shell.database(), &settings).await;
    // Were it read, the second line would be missing.
    set_level("error");
    hang_up_twice(&node).await;
    assert!(node.stop().await);
    db.finish().await;
}
