//! What happens to subscriptions: they begin, change, are paid for, fail and end.

mod due;
mod invoices;
mod life;
pub mod periods;

pub use life::{Ending, Order};
