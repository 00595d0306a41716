//! The product's promises, on both databases.

mod plugin;
#[cfg(test)]
mod secrecy;
