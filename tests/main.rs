//! The product's promises, on both databases.
#![cfg(test)]

mod actions;
mod authorization;
mod cli;
mod clients;
mod dashboard;
mod docs;
mod errors;
mod linking;
mod model;
mod people;
mod plugin;
mod secrecy;
mod torture;
