//! Signing in through Discord: the authorization code flow with PKCE, and the few things asked with a person's token.

use domain::clock::SharedClock;
use domain::discord::Permissions;
use domain::oauth::{AuthorizationCode, PkceVerifier, State};
use domain::platform_id::DiscordId;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, RequestBuilder};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::answers::{self, Grant};
pub use super::answers::{OwnGuild, Person};
use crate::guard::{Guard, Standing};
use crate::http::{self, Answer, SetupError, Unanswered};
use crate::question::Question;

/// Two hundred guilds with long names are about 80 KiB.
const ANSWER_BYTES: usize = 512 * 1024;

/// What the log calls the questions.
pub const TOKEN_ROUTE: &str = "POST /oauth2/token";
pub const PERSON_ROUTE: &str = "GET /users/@me";
pub const GUILDS_ROUTE: &str = "GET /users/@me/guilds";
const REVOKE_ROUTE: &str = "POST /oauth2/token/revoke";

/// What a person is asked to allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Who they are, without an e-mail address.
    Identify,
    /// That our bot adds them to a guild.
    GuildsJoin,
    /// Which guilds they are in, to claim one.
    Guilds,
}

impl Scope {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Identify => "identify",
            Self::GuildsJoin => "guilds.join",
            Self::Guilds => "guilds",
        }
    }
}

/// How our application is known to Discord.
pub struct Application {
    pub client_id: DiscordId,
    pub client_secret: SecretString,
    /// Such as `https://discord.com/api/v10`.
    pub api_url: String,
    pub authorize_url: String,
    /// Our own origin. People come back to it and to nothing else.
    pub public_url: String,
}

/// A token that a person gave us. Use it, then [`OAuth::revoke`] it; it never goes to a browser.
pub struct AccessToken(SecretString);

impl AccessToken {
    /// For a token that was kept sealed meanwhile.
    pub fn new(token: SecretString) -> Self {
        Self(token)
    }

    /// For sealing, and for adding its owner to a guild.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

/// Why a code could not be turned into a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoToken {
    /// Used before, too old, or not begun by us: the person has to start again.
    #[error("Discord does not take this code")]
    BadCode,
    /// The person took something away from what was asked.
    #[error("not everything that was asked for was allowed")]
    MissingScope,
    #[error("Discord did not answer: {0}")]
    TryAgain(#[from] Unanswered),
}

/// Discord's sign-in for one application. It has no `Debug`: it holds the client secret.
pub struct OAuth {
    client: Client,
    application: Application,
    authorize_url: Url,
    token_url: Url,
    revoke_url: Url,
    person_url: Url,
    guilds_url: Url,
    guard: Guard,
}

impl OAuth {
    pub fn new(application: Application, clock: SharedClock) -> Result<Self, SetupError> {
        let at = |path: &str| {
            Url::parse(&[application.api_url.trim_end_matches('/'), path].concat())
                .map_err(|_| SetupError("discord.api_url is not an address".to_owned()))
        };
        let authorize_url = Url::parse(&application.authorize_url)
            .map_err(|_| SetupError("discord.authorize_url is not an address".to_owned()))?;
        // Discord wants to know who calls, in this form.
        let version = env!("CARGO_PKG_VERSION");
        let user_agent = format!("DiscordBot ({}, {version}) Symbolon", application.public_url);
        Ok(Self {
            client: http::client(&user_agent)?,
            authorize_url,
            token_url: at("/oauth2/token")?,
            revoke_url: at("/oauth2/token/revoke")?,
            person_url: at("/users/@me")?,
            guilds_url: at("/users/@me/guilds")?,
            guard: Guard::new("Discord sign-in", clock)
                .with_setting("discord.client_id and discord.client_secret")
                .that_bans(),
            application,
        })
    }

    /// How the calls went so far.
    pub fn standing(&self) -> Standing {
        self.guard.standing()
    }

    /// Where to send the browser. `callback` is a path of ours; that it is a constant keeps requests out of it.
    /// The state is stored hashed and the verifier sealed, both with the flow that the browser's cookie names.
    pub fn authorize_url(
        &self,
        callback: &'static str,
        scopes: &[Scope],
        state: &State,
        verifier: &PkceVerifier,
    ) -> String {
        let scopes: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
        let mut url = self.authorize_url.clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", self.application.client_id.as_str())
            .append_pair("redirect_uri", &self.redirect_uri(callback))
            .append_pair("scope", &scopes.join(" "))
            .append_pair("state", state.expose())
            .append_pair("code_challenge", &verifier.challenge())
            .append_pair("code_challenge_method", "S256");
        url.into()
    }

    /// Where somebody adds our bot to a Discord server of theirs, with just what it needs there.
    pub fn bot_invite_url(&self, guild: Option<&DiscordId>) -> String {
        self.bot_invite(&self.application.client_id, guild, Permissions::needed())
    }

    /// The same for one Discord server, where the bot gets exactly these permissions.
    pub fn bot_invite_with(&self, guild: &DiscordId, permissions: Permissions) -> String {
        self.bot_invite(&self.application.client_id, Some(guild), permissions)
    }

    /// The same for a bot of another application, by its account.
    pub fn bot_invite_of(&self, bot: &DiscordId, guild: &DiscordId, permissions: Permissions) -> String {
        self.bot_invite(bot, Some(guild), permissions)
    }

    fn bot_invite(&self, bot: &DiscordId, guild: Option<&DiscordId>, permissions: Permissions) -> String {
        let mut url = self.authorize_url.clone();
        url.query_pairs_mut()
            .append_pair("client_id", bot.as_str())
            .append_pair("scope", "bot applications.commands")
            .append_pair("permissions", &permissions.0.to_string());
        if let Some(guild) = guild {
            url.query_pairs_mut()
                .append_pair("guild_id", guild.as_str())
                .append_pair("disable_guild_select", "true");
        }
        url.into()
    }

    /// Turns the code that came back to `callback` into a token. The state must have been checked, and the network held
    /// against the blocklist, before. A refresh token is thrown away: nothing here outlives its flow.
    pub async fn exchange(
        &self,
        callback: &'static str,
        scopes: &[Scope],
        code: &AuthorizationCode,
        verifier: &PkceVerifier,
    ) -> Result<AccessToken, NoToken> {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code.expose()),
            ("redirect_uri", &self.redirect_uri(callback)),
            ("code_verifier", verifier.expose()),
        ];
        let call = async { answers::grant(&self.post(&self.token_url, &form).await?) };
        match self.guard.call(Question::on(TOKEN_ROUTE), call).await? {
            Grant::Given { token, scope } => {
                let token = AccessToken(token);
                let given = |wanted: &Scope| scope.split(' ').any(|word| word == wanted.as_str());
                if scopes.iter().all(given) {
                    return Ok(token);
                }
                // Of no use to us, so nobody else shall have it either. That it fails changes nothing.
                let _ = self.revoke(&token).await;
                Err(NoToken::MissingScope)
            }
            Grant::BadCode => Err(NoToken::BadCode),
        }
    }

    /// Who the token belongs to: the only source of a person's identity.
    pub async fn person(&self, token: &AccessToken) -> Result<Person, Unanswered> {
        let call = async { answers::person(&self.get(&self.person_url, token).await?) };
        self.guard.call(Question::on(PERSON_ROUTE), call).await
    }

    /// The guilds of the token's owner, with what they may do there. Needs [`Scope::Guilds`].
    pub async fn guilds(&self, token: &AccessToken) -> Result<Vec<OwnGuild>, Unanswered> {
        let call = async { answers::guilds(&self.get(&self.guilds_url, token).await?) };
        self.guard.call(Question::on(GUILDS_ROUTE), call).await
    }

    /// Ends the authorization that the token belongs to. A token that is gone already is no failure.
    pub async fn revoke(&self, token: &AccessToken) -> Result<(), Unanswered> {
        let form = [("token", token.expose()), ("token_type_hint", "access_token")];
        let call = async {
            let answer = self.post(&self.revoke_url, &form).await?;
            match answer.status.as_u16() {
                200 | 204 => Ok(()),
                _ => Err(answer.unanswered_to_us()),
            }
        };
        self.guard.call(Question::on(REVOKE_ROUTE), call).await
    }

    fn redirect_uri(&self, callback: &'static str) -> String {
        [&self.application.public_url, callback].concat()
    }

    /// As the application, whose secret goes into a header and not into the form.
    async fn post(&self, url: &Url, form: &[(&str, &str)]) -> Result<Answer, Unanswered> {
        let body = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .finish();
        let application = &self.application;
        let request = self
            .client
            .post(url.clone())
            .basic_auth(
                application.client_id.as_str(),
                Some(application.client_secret.expose_secret()),
            )
            .header(
                CONTENT_TYPE,
                HeaderValue::from_static("application/x-www-form-urlencoded"),
            )
            .body(body);
        self.guard.send(request, ANSWER_BYTES).await
    }

    async fn get(&self, url: &Url, token: &AccessToken) -> Result<Answer, Unanswered> {
        let request = bearer(self.client.get(url.clone()), token)?;
        self.guard.send(request, ANSWER_BYTES).await
    }
}

fn bearer(request: RequestBuilder, token: &AccessToken) -> Result<RequestBuilder, Unanswered> {
    let value = HeaderValue::from_str(&["Bearer ", token.expose()].concat());
    let mut value = value.map_err(|_| Unanswered::Unreadable)?;
    value.set_sensitive(true);
    Ok(request.header(AUTHORIZATION, value))
}
