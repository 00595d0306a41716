//! Commands that the documentation shows are commands that the program takes.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;

use super::Cli;

/// Something of each kind, where the documentation leaves the rest of an ID out.
const ENDINGS: &str = "01KDVDNA00H9750MFF236XZE35";

fn pages(below: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(below).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// The lines that a page tells people to type.
fn lines(page: &str) -> Vec<String> {
    let blocks = page.split("```sh\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("```").next().unwrap().replace("\\\n", " "));
    blocks
        .flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// As a shell would, as far as these pages go: quotes, and a comment at the end.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for sign in line.chars().chain([' ']) {
        match (quote, sign) {
            (None, '#') if word.is_empty() => break,
            (None, '"' | '\'') => quote = Some(sign),
            (Some(open), close) if open == close => quote = None,
            (None, ' ') if word.is_empty() => {}
            (None, ' ') => words.push(std::mem::take(&mut word)),
            (None | Some(_), sign) => word.push(sign),
        }
    }
    words
}

/// What comes after the program's name, where a line calls it; `admin` stands for it in the README.
fn arguments(line: &str) -> Option<Vec<String>> {
    let mut typed = words(&line.replace('…', ENDINGS));
    if typed.first().is_some_and(|word| word == "sudo") {
        typed.remove(0);
    }
    match typed.first()?.as_str() {
        "symbolon" | "target/debug/symbolon" => Some(typed),
        "admin" => Some([vec!["symbolon".to_owned()], typed].concat()),
        _ => None,
    }
}

#[test]
fn every_command_of_the_documentation_is_one_that_the_program_takes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = ["README.md", "SECURITY.md", "CONTRIBUTING.md"]
        .map(|name| root.join(name))
        .to_vec();
    pages(&root.join("docs"), &mut all);
    pages(&root.join("deploy"), &mut all);
    let mut tried = 0;
    for page in all {
        for line in lines(&fs::read_to_string(&page).unwrap()) {
            let Some(arguments) = arguments(&line) else {
                continue;
            };
            // `admin() { … }` and what stands in a pipe are the shell's.
            if arguments.iter().any(|word| word == "|" || word == "{") {
                continue;
            }
            if let Err(error) = Cli::try_parse_from(&arguments) {
                panic!("{}: {line}\n{error}", page.display());
            }
            tried += 1;
        }
    }
    assert!(tried > 60, "only {tried} were found");
}
