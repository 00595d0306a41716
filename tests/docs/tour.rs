//! The tour of the README is walked as it is printed.

use std::process::Command;

use testkit::Engine;
use tokio::task::block_in_place;

use crate::cli::sandbox::Sandbox;
use crate::cli::shell::{BINARY, empty};

const README: &str = include_str!("../../README.md");

/// The blocks for a shell between the start of the demo world and PostgreSQL.
fn tour() -> Vec<&'static str> {
    let from = README.split("## A tour of five minutes").nth(1).expect("a tour");
    let tour = from.split("PostgreSQL is one URL away").next().expect("an end");
    let blocks = tour.split("```sh\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().expect("an end of the block"));
    blocks.filter(|block| *block != "make run\n").collect()
}

/// What the README says that comes of it: comments below a command, `…` for what differs each time.
fn promised(blocks: &[&'static str]) -> Vec<Vec<&'static str>> {
    let comments = blocks
        .iter()
        .flat_map(|block| block.lines().filter_map(|line| line.strip_prefix("# ")));
    comments
        .map(|comment| {
            let text = comment.split(" with status").next().expect("a text");
            text.split('…').filter(|part| !part.is_empty()).collect()
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tour_of_the_readme_does_what_it_says() {
    let (db, shell) = empty(Engine::Sqlite).await;
    let sandbox = Sandbox::start(shell.data(), shell.database()).await;
    let data = shell.data().to_str().expect("a plain path");
    let blocks = tour();
    assert_eq!(blocks.len(), 3, "{blocks:?}");
    let script = blocks
        .concat()
        .replace("http://127.0.0.1:8080", &format!("http://{}", sandbox.address()))
        .replace("data/sandbox", data)
        .replace("target/debug/symbolon", BINARY);
    let mut bash = Command::new("bash");
    bash.args(["-euo", "pipefail", "-c", &script]);
    let ran = block_in_place(|| bash.output()).expect("bash is there");
    let (out, err) = (
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr),
    );
    assert!(ran.status.success(), "{out}\n{err}");
    let mut rest = &*out;
    let promised = promised(&blocks);
    assert!(promised.len() >= 7, "{promised:?}");
    for part in promised.concat() {
        let at = rest
            .find(part)
            .unwrap_or_else(|| panic!("{part} is not in what comes next: {rest}"));
        rest = &rest[at + part.len()..];
    }
    assert!(
        out.contains("My Community") && out.contains("My Rust server"),
        "{out}"
    );
    sandbox.stop().await;
    db.finish().await;
}
