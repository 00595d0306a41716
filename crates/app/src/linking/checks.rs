//! What a Guild asks for besides both accounts, looked up now: being in its Discord server and in its Steam group.

use std::sync::Arc;

use domain::flow::{Finding, JoinMode};
use domain::platform_id::{DiscordId, SteamId};
use domain::quota::Purpose;
use domain::steam_group::{Groups, Membership, Obstacle};
use platform::Unanswered;
use platform::discord::Rest;
use platform::discord::oauth::AccessToken;
use storage::GuildNum;

use super::flow::{Current, open_token};
use crate::memories::pace::{Acting, Paced};
use crate::serving;
use crate::state::App;

/// What was found out, and whether this visitor is the one who asked.
pub(super) type Checked = (Finding, Option<Acting>);

/// Whether the person is in the Guild's Discord server; who agreed to it is put into it. None when it does not matter.
pub(super) async fn ensure_member(app: &App, current: &Current, person: &DiscordId) -> Option<Checked> {
    let page = &current.page;
    if page.join_mode == JoinMode::Off {
        return None;
    }
    if app.platforms.discord_bot.is_none() {
        return Some((Finding::Unknown, None));
    }
    let sealed = current.flow.token_sealed.as_deref();
    let token = sealed
        .filter(|_| page.join_mode == JoinMode::Auto)
        .and_then(|sealed| open_token(app, &current.hash, sealed));
    let (guild, person) = (page.discord_guild_id.clone(), person.clone());
    let who = (guild.clone(), person.clone());
    let place = (page.scope.num(), page.guild);
    let question = ask_discord(app.clone(), place, guild, person, token);
    let (finding, acting) = app
        .memories
        .checks
        .members
        .ask(app, who, question, Finding::Unknown)
        .await;
    Some((finding, Some(acting)))
}

async fn ask_discord(
    app: App,
    (org_num, guild_num): (i64, GuildNum),
    guild: DiscordId,
    person: DiscordId,
    token: Option<AccessToken>,
) -> Paced<Finding> {
    let bot = match serving::find(&app, guild_num).await {
        Ok(bot) => bot,
        Err(error) => {
            tracing::warn!(error = %error.internal_detail(), "nobody knows which bot serves a Guild");
            None
        }
    };
    let found = match (&bot, &app.platforms.discord_bot) {
        (Some(bot), Some(shared)) => find_member(bot, shared, org_num, &guild, &person, token.as_ref()).await,
        _ => Err(Unanswered::Unreachable),
    };
    let answer = match found {
        Ok(true) => Finding::Yes,
        Ok(false) => Finding::No,
        Err(_) => Finding::Unknown,
    };
    Paced {
        answer,
        // A refusal is remembered by the client, so that nobody is asked again for a while.
        holds: found.map_or_else(|cause| cause.was_asked() && !cause.is_refusal(), |_| true),
        stands: answer == Finding::Yes,
    }
}

/// The person allowed our application to add them, so nobody but the shared bot can.
async fn find_member(
    members: &Rest,
    shared: &Rest,
    org_num: i64,
    guild: &DiscordId,
    person: &DiscordId,
    token: Option<&AccessToken>,
) -> Result<bool, Unanswered> {
    let added = match token {
        Some(token) => shared.add(org_num, guild, person, token).await.map(|()| true),
        None => return members.is_member(org_num, guild, person).await,
    };
    match added {
        // Discord does not add this person, or nobody here, or their token is not good any more; they may be there all
        // the same.
        Err(
            Unanswered::Personal(_)
            | Unanswered::Status(403)
            | Unanswered::Remembered { .. }
            | Unanswered::OverShare { .. },
        ) => members.is_member(org_num, guild, person).await,
        answer => answer,
    }
}

/// Asks Steam directly; what other polls were told before does not count here.
pub(super) async fn group_membership(app: &App, current: &Current, player: &SteamId) -> Option<Checked> {
    let (_, group) = current.page.steam_group.as_ref()?;
    if app.platforms.steam_api.is_none() {
        return Some((Finding::Unknown, None));
    }
    let question = ask_steam(app.clone(), current.page.scope.num(), player.clone());
    let (groups, acting) = app
        .memories
        .checks
        .groups
        .ask(app, player.account(), question, None)
        .await;
    let finding = match groups.map(|groups| Membership::of(&groups, *group)) {
        Some(Membership::Yes) => Finding::Yes,
        Some(Membership::No) => Finding::No,
        Some(Membership::CannotTell(Obstacle::Hidden)) => Finding::Hidden,
        Some(Membership::CannotTell(Obstacle::Steam)) | None => Finding::Unknown,
    };
    Some((finding, Some(acting)))
}

async fn ask_steam(app: App, org_num: i64, player: SteamId) -> Paced<Option<Arc<Groups>>> {
    let found = match &app.platforms.steam_api {
        Some(api) => api.groups(&player, Purpose::Verify { org_num }).await.map(Some),
        None => Ok(None),
    };
    Paced {
        holds: found.as_ref().map_or_else(|cause| cause.was_asked(), |_| true),
        answer: found.ok().flatten().map(Arc::new),
        stands: false,
    }
}
