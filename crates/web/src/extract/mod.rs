//! Typed inputs of handlers. Each refuses with our own error.

mod asked;
mod authorized;
mod body;
mod cookie;
mod guard;
mod operator;
mod path;
mod person;
mod pressed;

pub use asked::{Asked, Asks, Question};
pub use authorized::{Authorized, KnownOrg, Required, perm};
pub use body::{JsonBody, has_type, read_kept, read_limited};
pub use cookie::cookie;
pub use guard::{Guard, Guarded, Stop};
pub use operator::Operator;
pub use path::{Segment, Segments, SessionName};
pub use person::{Person, session_token};
pub use pressed::{IDEMPOTENCY_KEY, Pressed};
