//! The button: looks at everything the Guild asks for, now, and binds both accounts.

use domain::audit::Actor;
use domain::blocklist::BlockEntry;
use domain::flow::{Finding, FlowPurpose, FlowToken, LIFETIME_MS, LinkStep};
use domain::id::LinkId;
use domain::link::Country;
use domain::network::ClientAddress;
use domain::plan::Plans;
use domain::platform_id::{DiscordId, SteamId};
use storage::identity::blocklist;
use storage::linking::flows;
use storage::linking::flows::Flow;
use storage::records::audit::Act;
use storage::tenancy::guilds;
use storage::{GuildNum, NoOrg, Tx, Work};

use super::checks::{Checked, ensure_member, group_membership};
use super::flow::{Current, abandon, current_of_page, give_token_back};
use crate::erased::Erased;
use crate::error::{AppError, IdentityError};
use crate::linking::links::{self, LinkRequest, Linking, Verified};
use crate::state::App;

/// What the button led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Now, or by an earlier press.
    Linked,
    /// The page says what is missing.
    Open,
}

/// Who presses a button of the page.
pub struct Verifier<'a> {
    /// From the browser's cookie; it finds the flow.
    pub token: &'a FlowToken,
    /// Held against the blocklist once more.
    pub address: ClientAddress,
    /// Stored with the link.
    pub country: Option<Country>,
}

/// Links both accounts of the flow if the Guild's demands are met. Pressing it again changes nothing, and while the
/// first press is under way it gives the same answer.
pub async fn verify(app: &App, slug: &str, verifier: Verifier<'_>) -> Result<Outcome, AppError> {
    let current = current_of_page(app, verifier.token, FlowPurpose::Link, slug).await?;
    if current.flow.finished {
        return Ok(Outcome::Linked);
    }
    let pressed = press(app, &current, &verifier).await;
    if let Err(error) = &pressed {
        app.memories
            .link_steps
            .failed(current.page.guild, error.code(), app.now_ms());
    }
    pressed
}

async fn press(app: &App, current: &Current, verifier: &Verifier<'_>) -> Result<Outcome, AppError> {
    let (Some((discord_id, discord_name)), Some((steam_id, steam_name))) =
        (current.flow.discord.clone(), current.flow.steam.clone())
    else {
        return Err(IdentityError::SignInExpired.into());
    };
    refuse_blocked_people(app, current, verifier, Some(&discord_id), Some(&steam_id)).await?;
    // What this press asked is shared with others until its outcome is written.
    let (member, group) = tokio::join!(
        ensure_member(app, current, &discord_id),
        group_membership(app, current, &steam_id)
    );
    let finding = |checked: &Option<Checked>| checked.as_ref().map(|(finding, _)| *finding);
    let (member_now, group_now) = (finding(&member), finding(&group));
    let act = app.act(current.page.scope, Actor::Player);
    let work = Finish {
        flow: current.hash.clone(),
        guild: current.page.guild,
        link: LinkId::generate(act.now_ms, &*app.random),
        erased: Erased::of(app, &discord_id, &steam_id),
        request: LinkRequest {
            guild: current.page.guild_id.clone(),
            discord_id,
            steam_id,
            country: verifier.country.clone(),
        },
        verified: Verified {
            discord_name,
            steam_name,
            relink_cooldown_ms: current.page.relink_cooldown_ms,
        },
        plans: app.plans,
        member: member_now,
        group: group_now,
    };
    let pressed = app.db.write_for(act, work).await;
    drop((member, group));
    if matches!(pressed, Err(AppError::Identity(IdentityError::Blocked))) {
        abandon(app, current).await?;
    }
    let pressed = pressed?;
    note_press(app, current, pressed, member_now, group_now);
    Ok(match pressed {
        Pressed::First | Pressed::Again => {
            app.bell.ring();
            give_token_back(app, current);
            Outcome::Linked
        }
        Pressed::Missing | Pressed::Other => Outcome::Open,
    })
}

/// Counts how far a press got them, and what kept them from going on.
fn note_press(
    app: &App,
    current: &Current,
    pressed: Pressed,
    member: Option<Finding>,
    group: Option<Finding>,
) {
    let (steps, guild, now_ms) = (&app.memories.link_steps, current.page.guild, app.now_ms());
    match pressed {
        Pressed::First => {
            note_joined(app, current, member);
            steps.reached(guild, LinkStep::Verified, now_ms);
        }
        Pressed::Missing => {
            note_joined(app, current, member);
            let lacking = [
                why(member, ["NOT_A_MEMBER", "MEMBER_UNKNOWN", "MEMBER_UNKNOWN"]),
                why(group, ["NOT_IN_GROUP", "GROUP_HIDDEN", "GROUP_UNKNOWN"]),
            ];
            for reason in lacking.into_iter().flatten() {
                steps.failed(guild, reason, now_ms);
            }
        }
        Pressed::Again | Pressed::Other => {}
    }
}

/// They are in the Discord server now and were not known to be before.
fn note_joined(app: &App, current: &Current, member: Option<Finding>) {
    if member == Some(Finding::Yes) && current.flow.member != Some(Finding::Yes) {
        let steps = &app.memories.link_steps;
        steps.reached(current.page.guild, LinkStep::Joined, app.now_ms());
    }
}

fn why(finding: Option<Finding>, [no, hidden, unknown]: [&'static str; 3]) -> Option<&'static str> {
    match finding {
        Some(Finding::No) => Some(no),
        Some(Finding::Hidden) => Some(hidden),
        Some(Finding::Unknown) => Some(unknown),
        Some(Finding::Yes) | None => None,
    }
}

/// Puts the person into the Guild's Discord server, or looks whether they are there by now.
pub async fn join(app: &App, slug: &str, verifier: Verifier<'_>) -> Result<(), AppError> {
    let current = current_of_page(app, verifier.token, FlowPurpose::Link, slug).await?;
    let Some((discord_id, _)) = current.flow.discord.clone() else {
        return Err(IdentityError::SignInExpired.into());
    };
    refuse_blocked_people(app, &current, &verifier, Some(&discord_id), None).await?;
    let checked = ensure_member(app, &current, &discord_id).await;
    let member = checked.as_ref().map(|(finding, _)| *finding);
    note_joined(app, &current, member);
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
    entries.extend(discord_id.into_iter().flat_map(|id| app.discord_blocks(id)));
    entries.extend(steam_id.into_iter().flat_map(|id| app.steam_blocks(id)));
    if !blocklist::is_any_blocked(&app.db, &entries, app.now_ms()).await? {
        return Ok(());
    }
    abandon(app, current).await?;
    Err(IdentityError::Blocked.into())
}

/// What became of one press.
#[derive(Clone, Copy)]
enum Pressed {
    /// It made the link.
    First,
    /// The flow was done before.
    Again,
    /// The Guild asks for more.
    Missing,
    /// Somebody else signed in meanwhile.
    Other,
}

/// The end of the flow and the link, together or not at all.
struct Finish {
    flow: String,
    guild: GuildNum,
    link: LinkId,
    erased: Erased,
    request: LinkRequest,
    verified: Verified,
    plans: Plans,
    member: Option<Finding>,
    group: Option<Finding>,
}

impl Work for Finish {
    type For = Act;
    type Output = Pressed;
    type Error = AppError;
    const NAME: &'static str = "finish_link";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Pressed, AppError> {
        let is_met = |finding: Option<Finding>| finding.is_none_or(|finding| finding == Finding::Yes);
        let is_met = is_met(self.member) && is_met(self.group);
        let org = if is_met {
            Some(guilds::lock(tx, act.scope, self.guild).await?)
        } else {
            None
        };
        // The press may have been held back for a while: the flow may be done by now, or be somebody else's.
        let found = flows::find_in(tx, &self.flow, act.now_ms - LIFETIME_MS).await?;
        let flow = found.ok_or(IdentityError::SignInExpired)?;
        if flow.finished {
            return Ok(Pressed::Again);
        }
        if !self.is_about(&flow) {
            return Ok(Pressed::Other);
        }
        let Some(org) = org else {
            flows::note_findings(tx, &self.flow, self.member, self.group, act.now_ms).await?;
            return Ok(Pressed::Missing);
        };
        // They may have been blocked while the press was held back or a provider was asked.
        if blocklist::is_any_blocked_in(tx, &self.erased.blocks(), act.now_ms).await? {
            return Err(IdentityError::Blocked.into());
        }
        // The first of several presses finishes the flow; the others find it done.
        if !flows::finish(tx, &self.flow, act.now_ms).await? {
            return Ok(Pressed::Again);
        }
        let linking = Linking {
            act,
            id: &self.link,
            request: &self.request,
            verified: Some(&self.verified),
            erased: &self.erased,
            plans: &self.plans,
        };
        links::link_in(tx, &org, &linking).await?;
        Ok(Pressed::First)
    }
}

impl Finish {
    fn is_about(&self, flow: &Flow) -> bool {
        let is = |side: Option<&str>, wanted: &str| side == Some(wanted);
        let discord = flow.discord.as_ref().map(|(id, _)| id.as_str());
        let steam = flow.steam.as_ref().map(|(id, _)| id.as_str());
        is(discord, self.request.discord_id.as_str()) && is(steam, self.request.steam_id.as_str())
    }
}

struct Note {
    flow: String,
    member: Option<Finding>,
    now_ms: i64,
}

impl Work for Note {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_membership";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        Ok(flows::note_findings(tx, &self.flow, self.member, None, self.now_ms).await?)
    }
}
