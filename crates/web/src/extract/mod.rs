//! Typed inputs of handlers. Each refuses with our own error.

mod authorized;
mod body;
mod cookie;
mod path;

pub use authorized::{Authorized, KnownOrg, Required, perm};
pub use body::{JsonBody, read_limited};
pub use cookie::cookie;
pub use path::{Segment, Segments};
