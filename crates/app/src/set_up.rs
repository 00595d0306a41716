//! Whether other people's systems know us, asked before anybody depends on it.

use domain::flow::{FlowPurpose, Provider};
use domain::oauth::{AuthorizationCode, PkceVerifier};
use domain::platform_id::DiscordId;
use domain::quota::Purpose;
use domain::random::Random;
use platform::Unanswered;
use platform::blobs::{BlobError, Blobs};
use platform::discord::oauth::NoToken;

use crate::identity::sign_in::{CLAIM_CALLBACK, LOGIN_CALLBACK};
use crate::linking;
use crate::platforms::Platforms;
use crate::privacy::visit;

/// No Discord server has this number: it is older than Discord.
const NO_GUILD: &str = "100000000000000000";
const NO_CODE: &str = "nobody-was-given-this";
/// A group that Steam itself keeps.
const GROUP: &str = "steamworks";
/// A file that nobody else has.
const FILE: &str = "check";
/// Whom these questions are counted for: no Org has this number.
const NO_ORG: i64 = 0;

/// Where Discord sends browsers back to: the redirect URLs of its application, below the public URL.
pub const DISCORD_CALLBACKS: [&str; 5] = [
    LOGIN_CALLBACK,
    CLAIM_CALLBACK,
    linking::callback(Provider::Discord, FlowPurpose::Link),
    linking::callback(Provider::Discord, FlowPurpose::Unlink),
    visit::callback(Provider::Discord),
];

/// Shows Discord a code that nobody was given. It looks at our credentials first, and refuses the code after.
pub async fn ask_discord_sign_in(platforms: &Platforms, random: &dyn Random) -> Result<String, String> {
    let Some(discord) = &platforms.discord_sign_in else {
        return Err("not set up: discord.client_id and discord.client_secret".to_owned());
    };
    let callback = linking::callback(Provider::Discord, FlowPurpose::Link);
    let verifier = PkceVerifier::generate(random);
    let code = AuthorizationCode::parse(NO_CODE).map_err(|error| error.to_string())?;
    match discord.exchange(callback, &[], &code, &verifier).await {
        Ok(_) | Err(NoToken::BadCode | NoToken::MissingScope) => {
            Ok("knows this application; its redirect URLs are set in the developer portal".to_owned())
        }
        Err(NoToken::TryAgain(Unanswered::Refused)) => {
            Err("rejected our credentials: correct discord.client_id and discord.client_secret".to_owned())
        }
        Err(NoToken::TryAgain(cause)) => Err(unanswered(cause, "discord.api_url")),
    }
}

/// Asks after a server that does not exist, as the bot.
pub async fn ask_discord_bot(platforms: &Platforms) -> Result<String, String> {
    let Some(members) = &platforms.discord_bot else {
        return Err("not set up: discord.bot_token".to_owned());
    };
    let guild = DiscordId::parse(NO_GUILD).map_err(|error| error.to_string())?;
    match members.is_in(NO_ORG, &guild).await {
        Ok(_) => Ok("knows this bot".to_owned()),
        Err(Unanswered::Refused) => Err("rejected the token: correct discord.bot_token".to_owned()),
        Err(cause) => Err(unanswered(cause, "discord.api_url")),
    }
}

/// Asks for the number of a group.
pub async fn ask_steam(platforms: &Platforms) -> Result<String, String> {
    let Some(steam) = &platforms.steam_api else {
        return Ok("not set up (steam.api_key), so no group can be checked".to_owned());
    };
    match steam.find_group(GROUP, Purpose::Verify { org_num: NO_ORG }).await {
        Ok(_) => Ok("accepts this key".to_owned()),
        Err(Unanswered::Refused) => Err("rejected the key: correct steam.api_key".to_owned()),
        Err(cause) => Err(unanswered(cause, "steam.api_url")),
    }
}

/// Puts a file into the bucket and takes it out again: all that is ever done with one.
pub async fn ask_files(platforms: &Platforms) -> Result<String, String> {
    let blobs = match &platforms.blobs {
        Some(blobs @ Blobs::Bucket(_)) => blobs,
        Some(Blobs::Folder(..)) | None => return Ok("in the directory blobs in data_dir".to_owned()),
    };
    let told = |error: BlobError| format!("{error}; check the settings under blobs");
    blobs.put(FILE, NO_CODE.into()).await.map_err(told)?;
    let found = blobs.get(FILE).await.map_err(told)?;
    blobs.delete(FILE).await.map_err(told)?;
    if found.as_deref() == Some(NO_CODE.as_bytes()) {
        Ok("the bucket stores and returns them".to_owned())
    } else {
        Err("the bucket does not return what it was given".to_owned())
    }
}

fn unanswered(cause: Unanswered, setting: &str) -> String {
    format!("did not answer ({cause}); check {setting}")
}
