//! The reference pages and the description of the API say what the service does.

mod examples;
mod openapi;
mod pages;
mod schema;
