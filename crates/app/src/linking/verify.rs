//! The button: looks at everything the Guild asks for, now, and binds both accounts.

use domain::audit::Actor;
use domain::blocklist::BlockEntry;
use domain::flow::{Finding, FlowPurpose, FlowToken, JoinMode};
use domain::id::LinkId;
use domain::link::Country;
use domain::network::ClientAddress;
use domain::platform_id::{DiscordId, SteamId};
use domain::quota::Purpose;
use domain::steam_group::{Membership, Obstacle};
use storage::{GuildNum, OrgScope, Tx, Work, blocklist, flows, guilds};

use super::flow::{Current, abandon, current_of_page, give_token_back, open_token};
use crate::error::AppError;
use crate::links::{self, LinkRequest, Linking, Verified};
use crate::state::App;

/// What the button led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Linked,
    /// The page says what is missing.
    Open,
    /// It was pressed again at once.
    TooSoon,
}

/// Who presses a button of the page.
pub struct Verifier<'a> {
    pub token: &'a FlowToken,
    pub address: ClientAddress,
    pub country: Option<Country>,
}

/// Links both accounts of the flow if the Guild's demands are met. Pressing it again changes nothing.
pub async fn verify(app: &App, slug: &str, verifier: Verifier<'_>) -> Result<Outcome, AppError> {
    let current = current_of_page(app, verifier.token, FlowPurpose::Link, slug).await?;
    if current.flow.finished {
        return Ok(Outcome::Linked);
    }
    let (Some((discord_id, discord_name)), Some((steam_id, steam_name))) =
        (current.flow.discord.clone(), current.flow.steam.clone())
    else {
        return Err(AppError::SignInExpired);
    };
    refuse_blocked_people(app, &current, &verifier, Some(&discord_id), Some(&steam_id)).await?;
    let (member, group) = match look(app, &current, &discord_id, &steam_id).await {
        Some(findings) => findings,
        None => return Ok(Outcome::TooSoon),
    };
    let is_met = |finding: Option<Finding>| finding.is_none_or(|finding| finding == Finding::Yes);
    let work = Finish {
        flow: current.hash.clone(),
        scope: current.page.scope,
        guild: current.page.guild,
        link: LinkId::generate(app.now_ms(), &*app.random),
        request: LinkRequest {
            guild: current.page.guild_id.clone(),
            discord_id,
            steam_id,
            country: verifier.country,
            actor: Actor::Player,
        },
        verified: Verified {
            discord_name,
            steam_name,
            relink_cooldown_ms: current.page.relink_cooldown_ms,
        },
        met: is_met(member) && is_met(group),
        member,
        group,
        now_ms: app.now_ms(),
    };
    let linked = app.db.write(work).await?;
    if linked {
        give_token_back(app, &current);
    }
    Ok(if linked { Outcome::Linked } else { Outcome::Open })
}

/// Puts the person into the Guild's Discord server, or looks whether they are there by now.
pub async fn join(app: &App, slug: &str, verifier: Verifier<'_>) -> Result<(), AppError> {
    let current = current_of_page(app, verifier.token, FlowPurpose::Link, slug).await?;
    let Some((discord_id, _)) = current.flow.discord.clone() else {
        return Err(AppError::SignInExpired);
    };
    refuse_blocked_people(app, &current, &verifier, Some(&discord_id), None).await?;
    let member = ensure_member(app, &current, &discord_id).await;
    app.db
        .write(Note {
            flow: current.hash,
            member,
            now_ms: app.now_ms(),
        })
        .await
}

/// Somebody may have been blocked since they signed in.
async fn refuse_blocked_people(
    app: &App,
    current: &Current,
    verifier: &Verifier<'_>,
    discord_id: Option<&DiscordId>,
    steam_id: Option<&SteamId>,
) -> Result<(), AppError> {
    let mut entries = BlockEntry::networks_of(verifier.address);
    entries.extend(discord_id.map(BlockEntry::discord));
    entries.extend(steam_id.map(BlockEntry::steam));
    if !blocklist::is_any_blocked(&app.db, &entries, app.now_ms()).await? {
        return Ok(());
    }
    abandon(app, current).await?;
    Err(AppError::Blocked)
}

/// Both questions at once. None when this player was asked about a moment ago.
async fn look(
    app: &App,
    current: &Current,
    discord_id: &DiscordId,
    steam_id: &SteamId,
) -> Option<(Option<Finding>, Option<Finding>)> {
    let asks = current.page.join_mode != JoinMode::Off || current.page.steam_group.is_some();
    if asks && !may_ask(app, steam_id) {
        return None;
    }
    Some(tokio::join!(
        ensure_member(app, current, discord_id),
        group_membership(app, current, steam_id)
    ))
}

/// One look at a player every few seconds, however many browsers and buttons they have.
fn may_ask(app: &App, steam_id: &SteamId) -> bool {
    app.gate.take_check(steam_id.account()).allowed
}

async fn ensure_member(app: &App, current: &Current, discord_id: &DiscordId) -> Option<Finding> {
    let (page, sealed) = (&current.page, current.flow.token_sealed.as_deref());
    if page.join_mode == JoinMode::Off {
        return None;
    }
    let Some(members) = &app.platforms.discord_members else {
        return Some(Finding::Unknown);
    };
    let token = sealed.and_then(|sealed| open_token(app, &current.hash, sealed));
    let found = match (page.join_mode, token) {
        (JoinMode::Auto, Some(token)) => members
            .add(&page.discord_guild_id, discord_id, &token)
            .await
            .map(|()| true),
        (JoinMode::Auto | JoinMode::Invite | JoinMode::Off, _) => {
            members.is_member(&page.discord_guild_id, discord_id).await
        }
    };
    Some(match found {
        Ok(true) => Finding::Yes,
        Ok(false) => Finding::No,
        Err(cause) => {
            tracing::debug!(%cause, "Discord did not say whether a player is in the server");
            Finding::Unknown
        }
    })
}

/// Asks Steam directly; what other polls were told before does not count here.
async fn group_membership(app: &App, current: &Current, steam_id: &SteamId) -> Option<Finding> {
    let (_, group) = current.page.steam_group.as_ref()?;
    let Some(api) = &app.platforms.steam_api else {
        return Some(Finding::Unknown);
    };
    Some(match api.membership(steam_id, *group, Purpose::Verify).await {
        Membership::Yes => Finding::Yes,
        Membership::No => Finding::No,
        Membership::CannotTell(Obstacle::Hidden) => Finding::Hidden,
        Membership::CannotTell(Obstacle::Steam) => Finding::Unknown,
    })
}

/// The end of the flow and the link, together or not at all.
struct Finish {
    flow: String,
    scope: OrgScope,
    guild: GuildNum,
    link: LinkId,
    request: LinkRequest,
    verified: Verified,
    met: bool,
    member: Option<Finding>,
    group: Option<Finding>,
    now_ms: i64,
}

impl Work for Finish {
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "finish_link";

    fn tenant(&self) -> Option<i64> {
        Some(self.scope.num())
    }

    async fn run(&self, tx: &mut Tx<'_>) -> Result<bool, AppError> {
        if !self.met {
            flows::note_findings(tx, &self.flow, self.member, self.group, self.now_ms).await?;
            return Ok(false);
        }
        let org = guilds::lock(tx, self.scope, self.guild).await?;
        // The first of several presses finishes the flow; the others find it done.
        if !flows::finish(tx, &self.flow, self.now_ms).await? {
            return Ok(true);
        }
        let linking = Linking {
            scope: self.scope,
            id: &self.link,
            request: &self.request,
            verified: Some(&self.verified),
            now_ms: self.now_ms,
        };
        links::link_in(tx, &org, &linking).await?;
        Ok(true)
    }
}

struct Note {
    flow: String,
    member: Option<Finding>,
    now_ms: i64,
}

impl Work for Note {
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_membership";

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), AppError> {
        Ok(flows::note_findings(tx, &self.flow, self.member, None, self.now_ms).await?)
    }
}
