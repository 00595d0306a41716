//! The store as its users see it, on both databases. One binary, because each costs a link.

#![expect(clippy::unwrap_used, clippy::panic, reason = "this is how a test fails")]

#[macro_use]
mod support;

mod audit_pages;
mod bot_rules;
mod bots;
mod catalogue;
mod child;
mod doctor;
mod doctor_people;
mod doctor_schema;
mod error_log;
mod imports;
mod jobs;
mod jobs_postgres;
mod keys;
mod links;
mod migrations;
mod operator_lists;
mod people;
mod places;
mod plans;
mod postgres_faults;
mod postgres_silence;
mod queue;
mod records;
mod schema_rules;
mod snapshots;
mod sqlite_faults;
mod statistics;
mod tenants;
mod units;
mod webhooks;
