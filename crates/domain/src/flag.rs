//! Parts of the service that operators can switch.

use crate::words::words;

words! {
    /// Something that is on or off for the whole installation. A name that is not here is no flag.
    pub enum Flag {
        /// Taking over links from files of older systems, in the dashboard.
        Imports = "imports",
        /// Messages about links to receivers that operators set up on the command line.
        Webhooks = "webhooks",
    }
}

impl Flag {
    /// As long as nobody switched it.
    pub const fn default(self) -> bool {
        match self {
            Self::Imports => true,
            Self::Webhooks => false,
        }
    }

    /// What happens while it is off, for operators.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Imports => {
                "While this is off, nobody can upload or start an import. What is running goes on."
            }
            Self::Webhooks => {
                "While this is off, nothing is sent to the webhooks that operators added, and no change is noted for them."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_says_what_it_does() {
        for flag in Flag::ALL {
            assert!(flag.about().len() > 20, "{flag}");
        }
        assert!(Flag::Imports.default());
        assert!(!Flag::Webhooks.default());
    }
}
