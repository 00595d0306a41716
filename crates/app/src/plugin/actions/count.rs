//! `count`: how many active links the Guild has.

use crate::plugin::{Call, Reply};

pub(super) fn run(call: &Call<'_>) -> Reply {
    Reply::json(format!(r#"{{"Total":{}}}"#, call.guild.active_links))
}
