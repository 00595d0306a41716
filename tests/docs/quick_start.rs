//! The programs of the quick start are run as they are printed.

use std::path::Path;
use std::process::{Command, Output};

use domain::plan::Tier;
use testkit::{Engine, TestApp, discord, steam};
use tokio::task::block_in_place;

use crate::game::service::Running;

const GUIDE: &str = include_str!("../../docs/quick-start.md");
/// What the guide calls the language, and the file that it tells people to write.
const PROGRAMS: [(&str, &str); 4] = [
    ("bash", "lookup.sh"),
    ("csharp", "Lookup.cs"),
    ("js", "lookup.mjs"),
    ("python", "lookup.py"),
];

/// The one program in a language.
fn program(language: &str) -> &'static str {
    let fence = format!("```{language}\n");
    let mut after = GUIDE.split(fence.as_str()).skip(1);
    let (Some(text), None) = (after.next(), after.next()) else {
        panic!("{language}: the guide has one program");
    };
    text.split("```").next().expect("an end")
}

fn compile(directory: &Path) {
    let mut compiler = Command::new("mcs");
    compiler
        .args(["-r:System.Net.Http", "Lookup.cs"])
        .current_dir(directory);
    let compiler = block_in_place(|| compiler.output()).expect("mcs is installed");
    let said = String::from_utf8_lossy(&compiler.stderr);
    assert!(compiler.status.success() && said.is_empty(), "{said}");
}

fn run(directory: &Path, language: &str, (url, key): (&str, &str), player: &str) -> Output {
    let command: &[&str] = match language {
        "bash" => &["bash", "lookup.sh"],
        "csharp" => &["mono", "Lookup.exe"],
        "js" => &["node", "lookup.mjs"],
        "python" => &["python3", "lookup.py"],
        _ => panic!("{language}: how is it run?"),
    };
    let mut program = Command::new(command[0]);
    program
        .args(&command[1..])
        .arg(player)
        .current_dir(directory)
        .env("SYMBOLON_URL", url)
        .env("SYMBOLON_KEY", key);
    block_in_place(|| program.output()).expect("it is installed")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_programs_of_the_quick_start_do_what_they_say() {
    let test = TestApp::start(Engine::Sqlite).await;
    let tenant = test.tenant(1, Tier::Standard).await;
    tenant.link(&test.app, 1).await;
    let service = Running::start(&test, None).await;
    let (url, directory) = (service.url(), test.db.directory());
    for (language, file) in PROGRAMS {
        std::fs::write(directory.join(file), program(language)).expect("a file");
    }
    compile(directory);
    let unknown = format!("svc_live_{}", "0".repeat(48));
    let linked = format!("links: 1\n{} is linked to {}\n", steam(1), discord(1));
    let missed = format!("links: 1\n{} is not linked\n", steam(2));
    for (language, _) in PROGRAMS {
        for (number, expected) in [(1, &linked), (2, &missed)] {
            let told = run(directory, language, (&url, &tenant.key), steam(number).as_str());
            let text = String::from_utf8_lossy(&told.stdout);
            assert_eq!(
                (&*text, told.status.code()),
                (expected.as_str(), Some(0)),
                "{language}"
            );
        }
        for (key, player, code) in [
            (unknown.as_str(), steam(1).to_string(), "UNAUTHORIZED: "),
            (&tenant.key, "x y&z".to_owned(), "INVALID_PARAMETER: "),
        ] {
            let refused = run(directory, language, (&url, key), &player);
            let said = String::from_utf8_lossy(&refused.stderr);
            assert!(
                said.starts_with(code) && said.lines().count() == 1,
                "{language}: {said}"
            );
            assert_eq!(
                (refused.status.code(), refused.stdout.len()),
                (Some(1), 0),
                "{language}"
            );
        }
    }
    service.end();
    test.finish().await;
}
