//! What stands around every answer: its headers, its id, the form of its address.

mod about;
mod address;
mod headers;
mod packing;
mod request_id;
mod surface;

pub use about::About;
pub(crate) use address::{usual_path, with_path};
pub(crate) use headers::SecurityHeaders;
pub use packing::HoldsSecret;
pub(crate) use packing::{Packed, WORTH_IT_BYTES, packed};
pub use request_id::{RequestId, RequestIds};
pub use surface::{Form, Surface};
