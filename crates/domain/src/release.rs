//! What this release of the service is called.

/// As people and programs read it everywhere. Builds of the plugin have versions of their own.
pub const VERSION: &str = concat!("v", env!("CARGO_PKG_VERSION"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_named_by_three_numbers_behind_a_v() {
        let numbers: Vec<&str> = VERSION.strip_prefix('v').unwrap().split('.').collect();
        assert_eq!(numbers.len(), 3, "{VERSION}");
        for number in numbers {
            assert_eq!(number.parse::<u32>().unwrap().to_string(), number, "{VERSION}");
        }
    }
}
