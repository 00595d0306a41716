//! What is held about a person, and its end.

pub mod erased_members;
pub mod erasures;
pub mod held;
pub mod tombstones;
