//! The reference pages and the description of the API say what the service does.

mod examples;
mod guides;
mod openapi;
mod pages;
mod schema;
