//! Engines that run containers, each started for a test: Docker's with a Swarm, and podman.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::cli::BINARY;

pub const IMAGE: &str = "localhost/symbolon-bot:test";

/// A running engine, with an image of this very program.
pub struct Containers {
    program: Vec<String>,
    pub socket: PathBuf,
    folder: PathBuf,
    daemon: Child,
}

impl Containers {
    /// Docker's.
    pub fn docker() -> Containers {
        let folder = folder("docker");
        let socket = folder.join("socket");
        let mut daemon = Command::new("dockerd");
        daemon.args(["--iptables=false", "--bridge=none", "--storage-driver=vfs"]);
        for (option, path) in [
            ("--data-root", "data"),
            ("--exec-root", "exec"),
            ("--pidfile", "pid"),
        ] {
            daemon.arg(option).arg(folder.join(path));
        }
        daemon.arg("--host").arg(address(&socket));
        let program = vec!["docker".to_owned(), "--host".to_owned(), address(&socket)];
        Self::start(daemon, program, folder)
    }

    /// Docker's, as the only machine of a Swarm.
    pub fn swarm() -> Containers {
        let engine = Self::docker();
        // Tests run side by side.
        let listen = format!("127.0.0.1:{}", testkit::free_port());
        engine.run(&[
            "swarm",
            "init",
            "--advertise-addr",
            "127.0.0.1",
            "--listen-addr",
            &listen,
        ]);
        engine
    }

    /// Podman, which has no daemon but answers as Docker does.
    pub fn podman() -> Containers {
        let folder = folder("podman");
        let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
        let program: Vec<String> = [
            "podman",
            "--root",
            &at("root"),
            "--runroot",
            &at("run"),
            "--storage-driver=vfs",
            "--cgroup-manager=cgroupfs",
            // Where both kinds of control groups are mounted, the other one does not work.
            "--runtime=runc",
        ]
        .map(str::to_owned)
        .to_vec();
        let mut daemon = Command::new(&program[0]);
        daemon
            .args(&program[1..])
            .args(["system", "service", "--time=0", &address(&folder.join("socket"))]);
        Self::start(daemon, program, folder)
    }

    fn start(mut daemon: Command, program: Vec<String>, folder: PathBuf) -> Containers {
        let log = std::fs::File::create(folder.join("log")).expect("a log");
        let output = log.try_clone().expect("a second handle");
        let daemon = daemon.stdin(Stdio::null()).stdout(output).stderr(log).spawn();
        let engine = Containers {
            program,
            socket: folder.join("socket"),
            folder,
            daemon: daemon.expect("the engine is installed, and tests run as root"),
        };
        let begun = Instant::now();
        while !(engine.socket.exists() && engine.try_run(&["version"]).status.success()) {
            let log = || std::fs::read_to_string(engine.folder.join("log")).unwrap_or_default();
            assert!(begun.elapsed() < Duration::from_secs(60), "no engine: {}", log());
            std::thread::sleep(Duration::from_millis(100));
        }
        engine.import();
        engine
    }

    fn import(&self) {
        let tool = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/bot-image");
        let tar = Command::new(tool).arg(BINARY).output().expect("a tar file");
        assert!(tar.status.success(), "{}", String::from_utf8_lossy(&tar.stderr));
        let file = self.folder.join("image.tar");
        std::fs::write(&file, tar.stdout).expect("a file");
        self.run(&["import", &file.to_string_lossy(), IMAGE]);
    }

    fn try_run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]).args(arguments);
        command.output().expect("the engine's program is installed")
    }

    /// What the engine's own program says.
    pub fn run(&self, arguments: &[&str]) -> String {
        let ran = self.try_run(arguments);
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{arguments:?}: {said}");
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }

    /// What a list of it has, one in a line.
    pub fn list(&self, arguments: &[&str]) -> Vec<String> {
        self.run(arguments).lines().map(str::to_owned).collect()
    }

    /// What a node is told that has its bots run here.
    pub fn settings(&self, host: &'static str) -> Vec<(&'static str, String)> {
        vec![
            ("SYMBOLON_BOT_HOST", host.to_owned()),
            (
                "SYMBOLON_BOT_DOCKER_SOCKET",
                self.socket.to_string_lossy().into_owned(),
            ),
            ("SYMBOLON_BOT_IMAGE", IMAGE.to_owned()),
            ("SYMBOLON_BOT_NETWORK", "host".to_owned()),
        ]
    }
}

impl Drop for Containers {
    fn drop(&mut self) {
        if self.program[0] == "docker" {
            drop(self.try_run(&["swarm", "leave", "--force"]));
        }
        let left = self.try_run(&["ps", "--all", "--quiet"]);
        for container in String::from_utf8_lossy(&left.stdout).lines() {
            drop(self.try_run(&["rm", "--force", container]));
        }
        let ended = Command::new("kill").arg(self.daemon.id().to_string()).status();
        if ended.is_ok() {
            drop(self.daemon.wait());
        }
        // Docker leaves the machine's own network mounted there.
        let network = self.folder.join("exec/netns/default");
        drop(Command::new("umount").arg("--quiet").arg(network).status());
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// Short, for a socket's path has to be.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("symbolon-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn address(socket: &Path) -> String {
    format!("unix://{}", socket.display())
}
