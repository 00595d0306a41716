mod attack;
mod csrf;
pub mod examples;
mod matrix;
mod tenancy;
