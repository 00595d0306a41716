//! What a database can answer besides rows, sorted by what the caller may do about it.

use std::error::Error as _;

use deadpool_postgres::TimeoutType;
use thiserror::Error;

use super::value::NulInText;

/// Which kind of rule a write broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// Somebody has it already.
    Unique,
    /// What it points at is not there.
    ForeignKey,
    /// A CHECK, NOT NULL or trigger said no.
    Rule,
}

/// A failure, by what the caller may do about it.
#[derive(Debug, Clone, Error)]
pub enum DbError {
    /// The schema said no. The text is the database's and for operators only.
    #[error("a database rule refused the write ({0:?}): {1}")]
    Constraint(Broken, String),
    /// Too much is waiting already. Nothing was done; try again.
    #[error("the write queue is full")]
    Overloaded,
    /// The disk, the connection or the server failed. Nothing was changed.
    #[error("storage is unavailable: {0}")]
    Unavailable(String),
    /// The same, after the database had been told to commit: the change may have been stored, or may be yet.
    #[error("it is unknown whether the change was stored: {0}")]
    InDoubt(String),
    /// PostgreSQL asked for the whole transaction to be repeated.
    #[error("the transaction must be repeated: {0}")]
    Repeat(String),
    /// The Org, Guild or Server that was to be changed is not there any more. Nothing was done.
    #[error("what was to be changed was removed")]
    Gone,
    /// It was changed since the revision that the caller saw. Nothing was done.
    #[error("what was to be changed was changed meanwhile")]
    Stale,
    /// A defect of ours. Nothing was done.
    #[error("a unit of work panicked: {0}")]
    Panicked(&'static str),
    /// A unit of work awaited something that is not the database.
    #[error("the unit of work {0} waited for something other than the database")]
    Waited(&'static str),
    /// A text was to be bound that no database of ours can hold. Nothing was done.
    #[error("a text holds a NUL character")]
    Nul,
    /// A statement or a value the schema does not fit: a defect of ours.
    #[error("unexpected database answer: {0}")]
    Bug(String),
}

impl DbError {
    /// Somebody has it already; the caller knows what it asked for.
    pub fn is_unique(&self) -> bool {
        matches!(self, DbError::Constraint(Broken::Unique, _))
    }

    /// What a failure means when it is the answer to COMMIT, or the lack of one.
    pub(crate) fn at_commit(self) -> Self {
        match self {
            DbError::Unavailable(text) => DbError::InDoubt(text),
            other @ (DbError::Constraint(..)
            | DbError::Overloaded
            | DbError::Gone
            | DbError::Stale
            | DbError::Nul
            | DbError::InDoubt(_)
            | DbError::Repeat(_)
            | DbError::Panicked(_)
            | DbError::Waited(_)
            | DbError::Bug(_)) => other,
        }
    }

    /// True when the connection can no longer be trusted with the running transaction.
    pub(crate) fn is_fatal(&self) -> bool {
        match self {
            DbError::Unavailable(_) | DbError::InDoubt(_) => true,
            DbError::Constraint(..)
            | DbError::Overloaded
            | DbError::Repeat(_)
            | DbError::Gone
            | DbError::Stale
            | DbError::Panicked(_)
            | DbError::Waited(_)
            | DbError::Nul
            | DbError::Bug(_) => false,
        }
    }
}

impl From<rusqlite::Error> for DbError {
    fn from(error: rusqlite::Error) -> Self {
        if let rusqlite::Error::ToSqlConversionFailure(cause) = &error
            && cause.is::<NulInText>()
        {
            return DbError::Nul;
        }
        let Some(failure) = error.sqlite_error() else {
            return DbError::Bug(error.to_string());
        };
        let text = error.to_string();
        if failure.code == rusqlite::ErrorCode::ConstraintViolation {
            DbError::Constraint(broken_on_sqlite(failure.extended_code), text)
        } else if is_storage_failure(failure.code) {
            DbError::Unavailable(text)
        } else {
            DbError::Bug(text)
        }
    }
}

/// The disk, the file or its locks, as opposed to what was asked of them.
fn is_storage_failure(code: rusqlite::ErrorCode) -> bool {
    use rusqlite::ErrorCode;
    matches!(
        code,
        ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::CannotOpen
            | ErrorCode::ReadOnly
            | ErrorCode::OutOfMemory
            | ErrorCode::OperationInterrupted
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::PermissionDenied
    )
}

fn broken_on_sqlite(extended_code: i32) -> Broken {
    use rusqlite::ffi;
    match extended_code {
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
            Broken::Unique
        }
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => Broken::ForeignKey,
        _ => Broken::Rule,
    }
}

impl From<tokio_postgres::Error> for DbError {
    fn from(error: tokio_postgres::Error) -> Self {
        if error.source().is_some_and(|cause| cause.is::<NulInText>()) {
            return DbError::Nul;
        }
        let Some(answer) = error.as_db_error() else {
            let text = describe(&error);
            // Conversion errors are ours; everything else without a server answer is the connection.
            let ours = [
                "serializing",
                "invalid column",
                "parameters but got",
                "encoding message",
            ];
            return if ours.iter().any(|part| text.contains(part)) {
                DbError::Bug(text)
            } else {
                DbError::Unavailable(text)
            };
        };
        let text = format!("{} ({})", answer.message(), answer.code().code());
        match answer.code().code() {
            "23505" => DbError::Constraint(Broken::Unique, text),
            "23503" => DbError::Constraint(Broken::ForeignKey, text),
            "40001" | "40P01" => DbError::Repeat(text),
            // 08 connection, 53 resources, 55 locks, 57 cancelled or shutting down, 58 system
            // 25006 a standby after a failover, 25P03 ended by the server, 40003 unknown outcome, XX001 XX002 damage
            "25006" | "25P03" | "40003" | "XX001" | "XX002" => DbError::Unavailable(text),
            code if ["08", "53", "55", "57", "58"].contains(&&code[..2]) => DbError::Unavailable(text),
            code if code.starts_with("23") => DbError::Constraint(Broken::Rule, text),
            _ => DbError::Bug(text),
        }
    }
}

impl From<deadpool_postgres::PoolError> for DbError {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        match error {
            deadpool_postgres::PoolError::Backend(error) => DbError::from(error),
            // All connections are busy; the other timeouts mean that the server does not answer.
            deadpool_postgres::PoolError::Timeout(TimeoutType::Wait) => DbError::Overloaded,
            other @ (deadpool_postgres::PoolError::Closed
            | deadpool_postgres::PoolError::Timeout(TimeoutType::Create | TimeoutType::Recycle)
            | deadpool_postgres::PoolError::NoRuntimeSpecified
            | deadpool_postgres::PoolError::PostCreateHook(_)) => DbError::Unavailable(other.to_string()),
        }
    }
}

/// The driver's own text hides the cause one level down.
pub(crate) fn describe(error: &tokio_postgres::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
