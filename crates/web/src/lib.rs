//! web

pub mod serve;
