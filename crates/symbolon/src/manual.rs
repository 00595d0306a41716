//! What shells and `man` want to know of the commands; made from the same table that reads them.

use std::io::Write;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;
use crate::output::Failure;

/// Prints a script to standard output.
pub fn complete(shell: Shell) -> Result<(), Failure> {
    // Written at once, as a reader who goes away is no reason to panic.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "symbolon", &mut script);
    std::io::stdout()
        .write_all(&script)
        .map_err(|error| format!("cannot write: {error}").into())
}

/// One page for each command.
pub fn write(to: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(to).map_err(|error| format!("cannot create {}: {error}", to.display()))?;
    Ok(clap_mangen::generate_to(Cli::command(), to)?)
}
