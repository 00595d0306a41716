//! Closed lists of words that are stored and sent as text.

/// An enum whose variants each have one fixed spelling: `ALL`, `as_str`, an exact `parse`, Display and serde.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The spelling that is stored and sent.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The value with exactly this spelling; case matters.
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                const ACCEPTED: &str = concat!("one of", $(" ", $word),+);
                $crate::text::deserialize_parsed(deserializer, ACCEPTED, |text| {
                    Self::parse(text).ok_or_else(|| format!("unknown value, expected {ACCEPTED}"))
                })
            }
        }
    };
}
pub(crate) use words;

#[cfg(test)]
mod tests {
    words! {
        /// Two words to try the macro on.
        pub enum Light {
            Red = "red",
            DeepGreen = "deep-green",
        }
    }

    #[test]
    fn every_word_reads_back_as_itself() {
        for light in Light::ALL {
            assert_eq!(Light::parse(light.as_str()), Some(*light));
            let json = serde_json::to_string(light).unwrap();
            assert_eq!(serde_json::from_str::<Light>(&json).unwrap(), *light);
        }
    }

    #[test]
    fn an_unknown_word_is_answered_with_the_accepted_ones() {
        assert_eq!(Light::parse("Red"), None);
        let error = serde_json::from_str::<Light>("\"blue\"").unwrap_err();
        assert!(error.to_string().contains("one of red deep-green"));
    }
}
