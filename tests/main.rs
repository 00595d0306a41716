//! The product's promises, on both databases.
#![cfg(test)]

mod admin;
mod analytics;
mod authorization;
mod billing;
mod bots;
mod cli;
mod clients;
mod docs;
mod downloads;
mod errors;
mod game;
mod identity;
mod imports;
mod jobs;
mod keys;
mod linking;
mod model;
mod players;
mod plugin;
mod privacy;
mod records;
mod roles;
mod secrecy;
mod support;
mod tenancy;
mod torture;
mod webhooks;
