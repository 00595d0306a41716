mod attack;
mod callers;
mod csrf;
pub mod examples;
mod matrix;
mod networks;
mod tenancy;
