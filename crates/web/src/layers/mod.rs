//! What stands around the router.

mod edge;
mod headers;
mod request_id;
mod surface;

pub use edge::Edge;
pub use request_id::{RequestId, RequestIds};
pub use surface::Surface;
