//! The product's promises, on both databases.

#[cfg(test)]
mod authorization;
#[cfg(test)]
mod dashboard;
mod plugin;
#[cfg(test)]
mod secrecy;
