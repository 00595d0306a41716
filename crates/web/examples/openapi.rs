//! Prints `ui/openapi.json`.

use std::io::Write;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(web::openapi::text(&web::table()).as_bytes())
}
