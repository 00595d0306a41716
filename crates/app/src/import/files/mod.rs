//! The files of older systems: MySQL dumps and CSV. Nothing in them is trusted, and none is ever held as a whole.

mod columns;
mod csv;
mod gather;
mod mysql;
mod rows;
mod source;
mod table;

pub use columns::{Chosen, Table};
pub use gather::{FileError, Gathered, Place, Reading};
pub use rows::{LeftOut, parse_offset};
pub use source::ReadError;

/// How the two tables are called, unless somebody says otherwise.
pub const TABLE_NAMES: [&str; 2] = ["users", "users_removed"];
