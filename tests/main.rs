//! The product's promises, on both databases.

#[cfg(test)]
mod authorization;
mod plugin;
#[cfg(test)]
mod secrecy;
