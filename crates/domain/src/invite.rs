//! The address by which players join a Discord server.

use std::fmt;

const PLACES: [&str; 2] = ["https://discord.gg/", "https://discord.com/invite/"];
const CODE_MAX: usize = 32;

/// The text leads to no Discord server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an invite starts with https://discord.gg/ or https://discord.com/invite/")]
pub struct NoInvite;

/// An invite of Discord's own. Nothing else may be behind a button that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InviteUrl(String);

impl InviteUrl {
    pub fn parse(text: &str) -> Result<Self, NoInvite> {
        let code = PLACES.iter().find_map(|place| text.strip_prefix(place));
        let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let fits = |code: &str| !code.is_empty() && code.len() <= CODE_MAX && code.bytes().all(letters);
        match code {
            Some(code) if fits(code) => Ok(Self(text.to_owned())),
            Some(_) | None => Err(NoInvite),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for InviteUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_discord_are_invites() {
        for good in ["https://discord.gg/ashfall", "https://discord.com/invite/aB3-x"] {
            assert_eq!(InviteUrl::parse(good).as_ref().map(InviteUrl::as_str), Ok(good));
        }
        for bad in [
            "",
            "ashfall",
            "http://discord.gg/ashfall",
            "https://discord.gg/",
            "https://discord.gg/a/b",
            "https://discord.gg/a?b",
            "https://discord.gg/a\"b",
            "https://discord.gg.evil.example/a",
            "https://discord.com/oauth2/authorize",
            "https://discord.com/invite/../login",
            "javascript:alert(1)",
            "https://discord.gg/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ] {
            assert_eq!(InviteUrl::parse(bad), Err(NoInvite), "{bad}");
        }
    }
}
