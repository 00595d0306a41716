//! Prints `docs/configuration.md`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(config::reference_markdown().as_bytes())
}
