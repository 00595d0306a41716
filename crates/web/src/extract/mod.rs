//! Typed inputs of handlers. Each refuses with our own error.

mod asked;
mod authorized;
mod bearer;
mod body;
mod bot;
mod cookie;
mod guard;
mod operator;
mod path;
mod person;
mod pressed;
mod signed;
mod signed_in;
mod upload;

pub use asked::{Asked, Asks, Question};
pub use authorized::{Authorized, FILE, Required, perm};
pub use bearer::bearer;
pub use body::{JsonBody, has_type, read_kept, read_limited};
pub use bot::{Bot, BotRegister};
pub use cookie::cookie;
pub use guard::{Guard, Guarded, Stop};
pub use operator::{FreshOperator, Operator};
pub use path::{JobNumber, Segment, Segments, SessionName};
pub use person::{Person, session_token};
pub use pressed::{IDEMPOTENCY_KEY, Pressed};
pub use signed::{Shown, Signature, Signed};
pub use signed_in::signed_in;
pub use upload::SentFile;
