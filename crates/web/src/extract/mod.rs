//! Typed inputs of handlers. Each refuses with our own error.

mod authorized;
mod body;
mod path;

pub use authorized::{Authorized, KnownOrg, Required, perm};
pub use body::{JsonBody, read_limited};
pub use path::{Segment, Segments};
