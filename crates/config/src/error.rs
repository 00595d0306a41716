use std::fmt;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Default,
    File(String),
    Environment(String),
    CommandLine,
}

/// One thing to correct. The message never holds the value of a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct Problem {
    pub place: Place,
    pub message: String,
}

/// Everything that is wrong with a configuration, one problem per line.
#[derive(Debug, thiserror::Error)]
#[error("{}", one_per_line(problems))]
pub struct ConfigError {
    problems: Vec<Problem>,
}

impl ConfigError {
    pub(crate) fn new(problems: Vec<Problem>) -> Self {
        Self { problems }
    }

    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(name) => f.write_str(name),
            Self::Environment(variable) => f.write_str(variable),
            Self::CommandLine => f.write_str("command line"),
        }
    }
}

fn one_per_line(problems: &[Problem]) -> String {
    problems
        .iter()
        .map(Problem::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}
