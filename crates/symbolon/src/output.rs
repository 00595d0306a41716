//! The only place that prints.

use std::io::Write;
use std::process::ExitCode;

/// Why a command ended without success, in words for the person who typed it.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl<T: ToString> From<T> for Failure {
    fn from(text: T) -> Self {
        Failure(text.to_string())
    }
}

/// The failure of a use case: its public text, and the cause when it is ours.
pub fn refused(error: &app::AppError) -> Failure {
    if error.is_ours() {
        Failure(error.internal_detail())
    } else {
        Failure(error.public_message())
    }
}

pub fn say(line: impl AsRef<str>) {
    // A reader that went away, such as `head`, is no reason to fail.
    drop(writeln!(std::io::stdout(), "{}", line.as_ref()));
}

pub fn complain(failure: &Failure) -> ExitCode {
    drop(writeln!(std::io::stderr(), "symbolon: {}", failure.0));
    ExitCode::FAILURE
}
