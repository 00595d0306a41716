//! The country of an address, from a file on this machine. Nobody is asked, and the address goes nowhere.

use std::net::IpAddr;
use std::path::Path;

use domain::link::Country;
use maxminddb::Reader;
use serde::Deserialize;

use crate::http::SetupError;

/// A table of networks in the MaxMind format.
pub struct Geo(Reader<Vec<u8>>);

/// The two ways in which such tables write a country.
#[derive(Deserialize)]
struct Entry<'a> {
    country_code: Option<&'a str>,
    #[serde(borrow)]
    country: Option<Nested<'a>>,
}

#[derive(Deserialize)]
struct Nested<'a> {
    iso_code: Option<&'a str>,
}

impl Geo {
    pub fn open(path: &Path) -> Result<Self, SetupError> {
        Reader::open_readfile(path).map(Self).map_err(|error| {
            SetupError(format!(
                "cannot use {} as table of countries: {error}",
                path.display()
            ))
        })
    }

    /// None when the table does not say.
    pub fn country(&self, address: IpAddr) -> Option<Country> {
        let found = self.0.lookup(address.to_canonical()).ok()?;
        let entry = found.decode::<Entry<'_>>().ok()??;
        let code = entry
            .country_code
            .or(entry.country.and_then(|country| country.iso_code))?;
        Country::parse(code).ok()
    }
}
