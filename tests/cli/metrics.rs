//! What a running service tells about itself in numbers.

use std::collections::{BTreeMap, BTreeSet};

use testkit::{Node, both_databases, free_port};

use super::browser::send;
use super::shell::{BINARY, Shell, empty};

const MANUAL: &str = include_str!("../../docs/operations/running.md");

/// A service that is set up for everything that can be counted.
struct Counted {
    node: Node,
    address: String,
}

impl Counted {
    async fn start(shell: &Shell) -> Counted {
        let metrics = format!("127.0.0.1:{}", free_port());
        let environment = [
            ("SYMBOLON_SERVER_METRICS_LISTEN", metrics.as_str()),
            ("SYMBOLON_STEAM_API_KEY", "0123456789ABCDEF0123456789ABCDEF"),
        ];
        let node = Node::start_with(BINARY, shell.data(), shell.database(), &environment).await;
        Counted {
            node,
            address: format!("http://{metrics}/metrics"),
        }
    }

    async fn page(&self) -> String {
        let reply = send("GET", &self.address, &[], "").await.expect("metrics");
        assert_eq!(reply.status, 200);
        reply.body
    }

    async fn number(&self, sample: &str) -> Option<f64> {
        let page = self.page().await;
        let mut samples = page.lines().filter_map(|line| line.rsplit_once(' '));
        // The last label may be left open.
        let fits = |name: &str| name == sample || (sample.ends_with("=\"") && name.starts_with(sample));
        let (_, value) = samples.find(|(name, _)| fits(name))?;
        Some(value.parse().expect("a number"))
    }
}

/// Names as they are asked for, with their kinds.
fn told(page: &str) -> BTreeMap<String, String> {
    let kinds = page.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    kinds
        .filter_map(|line| line.split_once(' '))
        .map(|(name, kind)| {
            let suffix = match kind {
                "counter" => "_total",
                "info" => "_info",
                _ => "",
            };
            (format!("{name}{suffix}"), kind.to_owned())
        })
        .collect()
}

/// The rows of the manual's table.
fn written() -> BTreeMap<String, String> {
    let (_, behind) = MANUAL.split_once("## Metrics").expect("a chapter");
    let chapter = behind.split("\n## ").next().expect("its text");
    let rows = chapter.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let (name, rest) = row.split_once("` | ").expect("a name");
        let (kind, _) = rest.split_once(" |").expect("a kind");
        (name.to_owned(), kind.to_owned())
    })
    .collect()
}

both_databases! {
    async fn every_number_has_a_meaning_and_stands_in_the_manual(engine) {
        let (db, shell) = empty(engine).await;
        let service = Counted::start(&shell).await;
        let backup = shell.data().join("copy");
        assert_eq!(shell.run(&["backup", "--to", backup.to_str().expect("a path")]).code, Some(0));
        let page = service.page().await;
        assert_eq!(told(&page), written());
        let named = |what: &str| -> BTreeSet<String> {
            let lines = page.lines().filter_map(|line| line.strip_prefix(what));
            lines.filter_map(|line| line.split_once(' ')).filter(|(_, text)| !text.is_empty())
                .map(|(name, _)| name.to_owned()).collect()
        };
        assert_eq!(named("# HELP "), named("# TYPE "));
        assert!(page.ends_with("# EOF\n"), "{page}");
        assert!(service.node.stop().await);
        db.finish().await;
    }

    async fn a_service_counts_its_commits_its_files_and_the_time_of_its_last_backup(engine) {
        let (db, shell) = empty(engine).await;
        let service = Counted::start(&shell).await;
        assert_eq!(service.number("symbolon_last_backup_timestamp_seconds").await, None);
        let before = service.number("symbolon_commit_seconds_count").await.expect("commits");
        shell.json(&["admin", "create-org", "--name", "Counted", "--owner", "100000000000000001"]);
        let after = service.number("symbolon_commit_seconds_count").await.expect("commits");
        assert!(after > before, "{before} {after}");
        assert_eq!(service.number("symbolon_write_queue_units").await, Some(0.0));
        for positive in ["process_resident_memory_bytes", "process_open_fds", "symbolon_database_connections_limit"] {
            assert!(service.number(positive).await > Some(0.0), "{positive}");
        }
        assert!(service.number("process_cpu_seconds_total").await.is_some());
        let (version, paused) = (
            concat!("symbolon_build_info{version=\"v", env!("CARGO_PKG_VERSION"), "\",commit=\""),
            "symbolon_provider_paused{provider=\"Steam Web API\"}",
        );
        assert_eq!(service.number(version).await, Some(1.0));
        assert_eq!(service.number(paused).await, Some(0.0));
        let backup = shell.data().join("copy");
        assert_eq!(shell.run(&["backup", "--to", backup.to_str().expect("a path")]).code, Some(0));
        assert!(service.number("symbolon_last_backup_timestamp_seconds").await > Some(1_700_000_000.0));
        assert!(service.node.stop().await);
        db.finish().await;
    }
}
