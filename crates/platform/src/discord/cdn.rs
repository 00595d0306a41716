//! Pictures of Discord servers and of people.

use domain::clock::SharedClock;
use domain::picture::{MAX_BYTES, content_type, is_discord_hash};
use domain::platform_id::DiscordId;
use reqwest::Client;
use url::Url;

use crate::guard::{Guard, Standing};
use crate::http::{self, SetupError, Unanswered};
use crate::question::Question;

const ICON_ROUTE: &str = "GET /icons/{guild}/{hash}.png";
const AVATAR_ROUTE: &str = "GET /avatars/{user}/{hash}.png";
/// Twice what the pages show, for fine screens.
const PIXELS: &str = "128";

/// Whose picture.
#[derive(Clone, Copy)]
pub enum Portrait<'a> {
    /// Of a Discord server.
    Icon(&'a DiscordId),
    /// Of a person.
    Avatar(&'a DiscordId),
}

/// A picture as it is kept.
pub struct Picture {
    pub bytes: Vec<u8>,
    pub content_type: &'static str,
}

/// Where Discord keeps pictures. Nobody's credentials go there.
pub struct Cdn {
    client: Client,
    base: Url,
    guard: Guard,
}

impl Cdn {
    /// `cdn_url` is such as `https://cdn.discordapp.com`.
    pub fn new(cdn_url: &str, clock: SharedClock) -> Result<Self, SetupError> {
        let base = Url::parse(cdn_url).ok().filter(|url| !url.cannot_be_a_base());
        Ok(Self {
            client: http::client(http::USER_AGENT)?,
            base: base.ok_or_else(|| SetupError("discord.cdn_url is not an address".to_owned()))?,
            guard: Guard::new("Discord pictures", clock),
        })
    }

    /// How the calls went so far.
    pub fn standing(&self) -> Standing {
        self.guard.standing()
    }

    /// The picture with this name, if it is one and not too large.
    pub async fn fetch(&self, whose: Portrait<'_>, hash: &str) -> Result<Picture, Unanswered> {
        if !is_discord_hash(hash) {
            return Err(Unanswered::Unreadable);
        }
        let (route, tree, id) = match whose {
            Portrait::Icon(id) => (ICON_ROUTE, "icons", id),
            Portrait::Avatar(id) => (AVATAR_ROUTE, "avatars", id),
        };
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            let file = [hash, ".png"].concat();
            path.pop_if_empty().extend([tree, id.as_str(), &file]);
        }
        url.query_pairs_mut().append_pair("size", PIXELS);
        let call = async {
            let answer = http::send(self.client.get(url), MAX_BYTES).await?;
            if !answer.is_ok() {
                return Err(answer.unanswered());
            }
            let content_type = content_type(&answer.body).ok_or(Unanswered::Unreadable)?;
            Ok(Picture {
                bytes: answer.body,
                content_type,
            })
        };
        self.guard.call(Question::on(route), call).await
    }
}
