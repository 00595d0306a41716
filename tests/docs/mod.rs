//! The reference pages and the description of the API say what the service does.

mod codes;
mod examples;
mod guides;
mod openapi;
mod pages;
mod quick_start;
mod releases;
mod schema;
mod surfaces;
mod tour;
