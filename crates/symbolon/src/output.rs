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

/// Name and value pairs as aligned lines, or as one JSON object.
pub fn show(fields: &[(String, String)], json: bool) {
    if json {
        let object: serde_json::Map<String, serde_json::Value> = fields
            .iter()
            .map(|(name, value)| (name.clone(), value.clone().into()))
            .collect();
        return say(serde_json::Value::from(object).to_string());
    }
    let width = fields.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in fields {
        say(format!("{name:width$}  {value}"));
    }
}
