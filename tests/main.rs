//! The product's promises, on both databases.

#[cfg(test)]
mod authorization;
#[cfg(test)]
mod dashboard;
#[cfg(test)]
mod errors;
mod plugin;
#[cfg(test)]
mod secrecy;
