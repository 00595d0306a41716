//! Filling the databases: the same rows for both, in bulk, around the product.

mod postgres;
mod sqlite;
mod tables;

pub use postgres::PostgresBench;
pub use sqlite::{run_sql as run_on_sqlite, seed as seed_sqlite};
