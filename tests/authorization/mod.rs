mod attack;
pub mod callers;
mod csrf;
pub mod examples;
mod matrix;
mod networks;
mod programs;
mod tenancy;
mod unproven;
