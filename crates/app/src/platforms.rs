//! The clients for other people's systems, as far as this installation is set up for them.

use config::Config;
use domain::clock::SharedClock;
use domain::flow::Provider;
use domain::job::LaneKind;
use domain::platform_id::DiscordId;
pub use platform::blobs::Blobs;
use platform::blobs::Bucket;
use platform::discord::cdn::Cdn;
use platform::discord::oauth::Application;
use platform::discord::{OAuth, Outgoing, Rest};
use platform::geo::Geo;
use platform::steam::{OpenId, WebApi};
use platform::{SetupError, Standing};

use crate::error::{AppError, IdentityError, PlayersError};

/// What is missing here is answered with a code that says which setting it needs.
#[derive(Default)]
pub struct Platforms {
    /// Names and groups of players; needs `steam.api_key`.
    pub steam_api: Option<WebApi>,
    /// Needs nothing but a public address over https.
    pub steam_sign_in: Option<OpenId>,
    /// Needs `discord.client_id` and its secret.
    pub discord_sign_in: Option<OAuth>,
    /// What our shared bot can see and do; needs `discord.bot_token`.
    pub discord_bot: Option<Rest>,
    /// Pictures of Discord servers and of people.
    pub discord_cdn: Option<Cdn>,
    /// Files that are too large for the database.
    pub blobs: Option<Blobs>,
    /// The country of an address; needs `geo.database`.
    pub geo: Option<Geo>,
}

impl Platforms {
    /// Asks nobody anything yet. What is not set up stays empty; what is set up and cannot work is refused.
    pub fn from_config(config: &Config, clock: &SharedClock) -> Result<Self, SetupError> {
        let (steam, public_url) = (&config.steam, &config.server.public_url);
        let steam_api = steam.api_key.clone();
        let steam_api = steam_api.map(|key| WebApi::new(&steam.api_url, key, clock.clone()));
        Ok(Self {
            steam_api: steam_api.transpose()?,
            // Plain http on a public address is warned about at start; people cannot sign in over it.
            steam_sign_in: OpenId::new(&steam.openid_url, public_url, clock.clone()).ok(),
            discord_sign_in: application(config)
                .map(|application| OAuth::new(application, clock.clone()))
                .transpose()?,
            discord_bot: discord_bot(config, clock)?,
            discord_cdn: Some(Cdn::new(&config.discord.cdn_url, clock.clone())?),
            blobs: Some(blobs(config)?),
            geo: config.geo.database.as_deref().map(Geo::open).transpose()?,
        })
    }

    /// How the calls to each went so far.
    pub(crate) fn standings(&self) -> impl Iterator<Item = Standing> {
        [
            self.steam_api.as_ref().map(WebApi::standing),
            self.steam_sign_in.as_ref().map(OpenId::standing),
            self.discord_sign_in.as_ref().map(OAuth::standing),
            self.discord_bot.as_ref().map(Rest::standing),
            self.discord_cdn.as_ref().map(Cdn::standing),
        ]
        .into_iter()
        .flatten()
    }

    /// Whether this process works off such lanes now. What the bot does in the background is done by one node.
    pub(crate) fn work_off(&self, lanes: LaneKind) -> bool {
        match lanes {
            LaneKind::Guild | LaneKind::People | LaneKind::Org => true,
            LaneKind::Log | LaneKind::Bot | LaneKind::Roles => {
                self.discord_bot.as_ref().is_none_or(Rest::leads)
            }
        }
    }

    /// Writes down what a process after this one has to know of them.
    pub(crate) async fn keep(&self) -> Result<(), AppError> {
        match &self.discord_bot {
            Some(bot) => bot.keep().await.map_err(AppError::internal),
            None => Ok(()),
        }
    }

    /// Discord's sign-in, or the answer for whoever needs it where it is not set up.
    pub fn discord_sign_in(&self) -> Result<&OAuth, AppError> {
        let not_set_up = IdentityError::SignInNotConfigured {
            provider: Provider::Discord,
        };
        self.discord_sign_in.as_ref().ok_or(not_set_up.into())
    }

    /// The same for Steam's.
    pub fn steam_sign_in(&self) -> Result<&OpenId, AppError> {
        let not_set_up = IdentityError::SignInNotConfigured {
            provider: Provider::Steam,
        };
        self.steam_sign_in.as_ref().ok_or(not_set_up.into())
    }

    /// Steam's Web API, or the answer for whoever needs it where there is no key.
    pub fn steam_api(&self) -> Result<&WebApi, AppError> {
        self.steam_api
            .as_ref()
            .ok_or(PlayersError::SteamNotConfigured.into())
    }
}

fn discord_bot(config: &Config, clock: &SharedClock) -> Result<Option<Rest>, SetupError> {
    let (discord, public_url) = (&config.discord, &config.server.public_url);
    let Some(token) = discord.bot_token.clone() else {
        return Ok(None);
    };
    Rest::new(
        &discord.api_url,
        public_url,
        token,
        clock.clone(),
        &Outgoing::default(),
    )
    .map(|bot| Some(bot.kept_in(config.data_dir.join("discord-refusals.json"))))
}

/// Where files are kept: in a bucket, or in a folder of the data directory.
pub fn blobs(config: &Config) -> Result<Blobs, SetupError> {
    let settings = &config.blobs;
    let Some(name) = settings.bucket.clone() else {
        return Ok(Blobs::folder(config.data_dir.join("blobs")));
    };
    Blobs::bucket(&Bucket {
        name,
        endpoint: settings.endpoint.clone(),
        region: settings.region.clone(),
        access_key_id: settings.access_key_id.clone(),
        secret_access_key: settings.secret_access_key.clone().unwrap_or_default(),
    })
}

fn application(config: &Config) -> Option<Application> {
    let discord = &config.discord;
    Some(Application {
        client_id: DiscordId::parse(discord.client_id.as_deref()?).ok()?,
        client_secret: discord.client_secret.clone()?,
        api_url: discord.api_url.clone(),
        authorize_url: discord.authorize_url.clone(),
        public_url: config.server.public_url.clone(),
    })
}
