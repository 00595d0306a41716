//! The countries of addresses, one on a line, as the service would tell them: `countries TABLE ADDRESS…`.

use std::error::Error;
use std::io::Write;
use std::net::IpAddr;
use std::path::Path;

use platform::geo::Geo;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let table = arguments.next().ok_or("which table?")?;
    let table = Geo::open(Path::new(&table))?;
    let mut out = std::io::stdout();
    for address in arguments {
        let country = table.country(address.parse::<IpAddr>()?);
        writeln!(
            out,
            "{}",
            country.as_ref().map_or("none", |country| country.as_str())
        )?;
    }
    Ok(())
}
