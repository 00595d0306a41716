//! Linking and unlinking, each in one transaction.

use domain::audit::{Actor, AuditAction};
use domain::flow::relink_waits_until;
use domain::id::{GuildId, LinkId};
use domain::job::{Doer, Job};
use domain::link::{ActiveLink, Country, LinkDecision, UnlinkCause, decide_link};
use domain::plan::{Dimension, Plans};
use domain::platform_id::{DiscordId, EitherId, SteamId};
use domain::visit::Reason;
use domain::webhook::WebhookEvent;
use serde_json::json;
use storage::jobs;
use storage::linking::links::{self, NewLink};
use storage::players::boosters;
use storage::records::audit::Act;
use storage::tenancy::guilds::Guild;
use storage::tenancy::orgs::LockedOrg;
use storage::tenancy::{guilds, orgs};
use storage::{OrgScope, Tx, Work};

use crate::erased::Erased;
use crate::error::{AppError, LinkingError, RequestError, TenancyError};
use crate::linking::link_roles;
pub use crate::linking::unlink_one::{unlink, unlink_for_reason};
use crate::people;
use crate::state::App;
use crate::webhooks;

/// A pair that is to be linked. The caller has seen to it that both sides are who they are said to be.
pub struct LinkRequest {
    /// Links hold in one Guild.
    pub guild: GuildId,
    /// Has one active link in a Guild.
    pub discord_id: DiscordId,
    /// Has one active link in a Guild.
    pub steam_id: SteamId,
    /// Of the address they came from, where it is known.
    pub country: Option<Country>,
}

/// What a link request led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Linked {
    /// The pair was not linked.
    Created {
        /// The new link.
        id: LinkId,
        /// Links of either side that ended with the same commit: two at most.
        relinked: Vec<LinkId>,
    },
    /// The pair was linked before; its country and time of verification are new.
    Already {
        /// The link that stands.
        id: LinkId,
    },
}

/// Links a pair. A link of either side to someone else ends with cause `relink` in the same transaction.
pub async fn link(
    app: &App,
    scope: OrgScope,
    request: LinkRequest,
    actor: Actor,
) -> Result<Linked, AppError> {
    write_link(app, app.act(scope, actor), request, None).await
}

/// The same where both sides' names are known.
pub async fn link_named(
    app: &App,
    scope: OrgScope,
    request: LinkRequest,
    discord_name: String,
    steam_name: String,
    actor: Actor,
) -> Result<Linked, AppError> {
    let verified = Verified {
        discord_name,
        steam_name,
        relink_cooldown_ms: 0,
    };
    write_link(app, app.act(scope, actor), request, Some(verified)).await
}

async fn write_link(
    app: &App,
    act: Act,
    request: LinkRequest,
    verified: Option<Verified>,
) -> Result<Linked, AppError> {
    let work = Link {
        id: LinkId::generate(act.now_ms, &*app.random),
        erased: Erased::of(app, &request.discord_id, &request.steam_id),
        request,
        verified,
        plans: app.plans,
    };
    let linked = app.db.write_for(act, work).await?;
    app.bell.ring();
    Ok(linked)
}

struct Link {
    id: LinkId,
    request: LinkRequest,
    verified: Option<Verified>,
    erased: Erased,
    plans: Plans,
}

impl Work for Link {
    type For = Act;
    type Output = Linked;
    type Error = AppError;
    const NAME: &'static str = "link";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Linked, AppError> {
        let org = orgs::lock(tx, act.scope).await?;
        let linking = Linking {
            act,
            id: &self.id,
            request: &self.request,
            verified: self.verified.as_ref(),
            erased: &self.erased,
            plans: &self.plans,
        };
        link_in(tx, &org, &linking).await
    }
}

/// What the link page knows besides the pair.
pub(crate) struct Verified {
    pub discord_name: String,
    pub steam_name: String,
    pub relink_cooldown_ms: i64,
}

/// A link to be made in a transaction that holds the Org's lock.
pub(crate) struct Linking<'a> {
    pub act: &'a Act,
    pub id: &'a LinkId,
    pub request: &'a LinkRequest,
    /// None where no person proved anything just now.
    pub verified: Option<&'a Verified>,
    /// The two as they stand in links from before an erasure.
    pub erased: &'a Erased,
    pub plans: &'a Plans,
}

pub(crate) async fn link_in(
    tx: &mut Tx<'_>,
    org: &LockedOrg,
    linking: &Linking<'_>,
) -> Result<Linked, AppError> {
    let (act, request) = (linking.act, linking.request);
    let scope = act.scope;
    let guild = guilds::find_in(tx, scope, &request.guild)
        .await?
        .ok_or(RequestError::NotFound)?;
    let by_discord = links::find_by_discord(tx, guild.num, &request.discord_id).await?;
    let by_steam = links::find_by_steam(tx, guild.num, &request.steam_id).await?;
    let mut concerned = vec![request.discord_id.clone()];
    let linked = match decide_link(&request.discord_id, &request.steam_id, by_discord, by_steam) {
        LinkDecision::AlreadyLinked(link) => {
            let country = request.country.as_ref().map(Country::as_str);
            links::mark_verified(tx, scope, link.num, act.now_ms, country).await?;
            Linked::Already { id: link.id }
        }
        LinkDecision::Create { archive, net } => {
            linking
                .refuse_early_relink(tx, &guild, !archive.is_empty())
                .await?;
            concerned.extend(archive.iter().map(|old| old.discord_id.clone()));
            linking.create(tx, org, &guild, archive, net).await?
        }
    };
    if let Some(verified) = linking.verified {
        let (discord_name, steam_name) = (&verified.discord_name, &verified.steam_name);
        links::set_names(
            tx,
            scope,
            guild.num,
            &request.discord_id,
            discord_name,
            steam_name,
        )
        .await?;
    }
    let ids = concerned.iter().map(DiscordId::as_str);
    people::follow_joined(tx, scope, ids, request.discord_id.as_str(), act.now_ms).await?;
    Ok(linked)
}

impl Linking<'_> {
    /// Who ended a link a short while ago may link the same two accounts again, and another one later. Whoever has a link
    /// changes it, whatever they had before.
    async fn refuse_early_relink(
        &self,
        tx: &mut Tx<'_>,
        guild: &Guild,
        has_link: bool,
    ) -> Result<(), AppError> {
        let cooldown_ms = self.verified.map_or(0, |verified| verified.relink_cooldown_ms);
        if cooldown_ms == 0 {
            return Ok(());
        }
        let (discord_id, steam_id) = (&self.request.discord_id, &self.request.steam_id);
        let gone = &self.erased.tombstones;
        let last = links::find_last_end(tx, guild.num, discord_id, steam_id, gone).await?;
        let last = last.filter(|last| has_link || !last.is_same_pair);
        let now_ms = self.act.now_ms;
        match relink_waits_until(last.map(|last| last.at_ms), cooldown_ms, now_ms) {
            Some(until_ms) => Err(LinkingError::RelinkTooSoon {
                wait_ms: until_ms - now_ms,
            }
            .into()),
            None => Ok(()),
        }
    }

    async fn create(
        &self,
        tx: &mut Tx<'_>,
        org: &LockedOrg,
        guild: &Guild,
        archive: Vec<ActiveLink>,
        net: i64,
    ) -> Result<Linked, AppError> {
        let (act, scope, now_ms) = (self.act, self.act.scope, self.act.now_ms);
        let ending = Ending {
            act,
            guild,
            cause: UnlinkCause::Relink,
            reason: None,
        };
        for old in &archive {
            ending.end(tx, old, AuditAction::LinkRelinked).await?;
        }
        // A relink that adds nothing is allowed above the ceiling; only growth is checked.
        let ceiling = if net > 0 {
            self.plans.ceilings(org.tier).links
        } else {
            i64::MAX
        };
        if !orgs::add_one(tx, scope, Dimension::Links, ceiling).await? {
            return Err(TenancyError::LimitReached {
                dimension: Dimension::Links,
                ceiling,
            }
            .into());
        }
        guilds::change_links(tx, scope, guild.num, 1).await?;
        let new = NewLink {
            id: self.id,
            guild: guild.num,
            discord_id: &self.request.discord_id,
            steam_id: &self.request.steam_id,
            country: self.request.country.as_ref().map(Country::as_str),
            now_ms,
        };
        links::insert(tx, scope, &new).await?;
        self.erased.come_back(tx, scope, guild.num).await?;
        link_roles::grant(tx, scope, guild, &self.request.discord_id, now_ms).await?;
        let (of, link) = (guild.id.clone(), self.id.clone());
        let job = Job::LogLinked { guild: of, link };
        enqueue_log(tx, scope, guild, &job, now_ms).await?;
        let event = WebhookEvent::LinkCreated;
        webhooks::events::tell(tx, scope, guild.num, self.id, event, now_ms).await?;
        let detail = json!({ "guild": guild.id.as_str() });
        let target = Some(self.id.as_str());
        act.note(tx, AuditAction::LinkCreated, target, &detail).await?;
        Ok(Linked::Created {
            id: self.id.clone(),
            relinked: archive.into_iter().map(|old| old.id).collect(),
        })
    }
}

/// Which link ends, and why.
pub(crate) struct UnlinkRequest {
    pub guild: GuildId,
    pub either: EitherId,
    pub cause: UnlinkCause,
    /// In words, where somebody gave one.
    pub reason: Option<Reason>,
}

/// Ends the active link of either id in a Guild, in a transaction that holds the Org's lock; `None` when there was none.
pub(crate) async fn unlink_in(
    tx: &mut Tx<'_>,
    act: &Act,
    request: &UnlinkRequest,
) -> Result<Option<LinkId>, AppError> {
    let guild = guilds::find_in(tx, act.scope, &request.guild)
        .await?
        .ok_or(RequestError::NotFound)?;
    let found = match &request.either {
        EitherId::Discord(id) => links::find_by_discord(tx, guild.num, id).await?,
        EitherId::Steam(id) => links::find_by_steam(tx, guild.num, id).await?,
    };
    let Some(link) = found else { return Ok(None) };
    let ending = Ending {
        act,
        guild: &guild,
        cause: request.cause,
        reason: request.reason.as_ref(),
    };
    ending.end(tx, &link, AuditAction::LinkRemoved).await?;
    people::follow(tx, act.scope, [link.discord_id.as_str()], act.now_ms).await?;
    Ok(Some(link.id))
}

/// Ends a link that was found active, in a transaction that holds the Org's lock. Whose it was is the caller's to follow.
pub(crate) async fn end_in(
    tx: &mut Tx<'_>,
    act: &Act,
    guild: &Guild,
    link: &ActiveLink,
    cause: UnlinkCause,
) -> Result<(), AppError> {
    let ending = Ending {
        act,
        guild,
        cause,
        reason: None,
    };
    ending.end(tx, link, AuditAction::LinkRemoved).await
}

/// The end of a link: archive row, counters, roles, log message and audit entry.
struct Ending<'a> {
    act: &'a Act,
    guild: &'a Guild,
    cause: UnlinkCause,
    reason: Option<&'a Reason>,
}

impl Ending<'_> {
    async fn end(&self, tx: &mut Tx<'_>, link: &ActiveLink, action: AuditAction) -> Result<(), AppError> {
        let (scope, now_ms) = (self.act.scope, self.act.now_ms);
        links::end(tx, scope, link.num, now_ms, self.cause).await?;
        orgs::drop_links(tx, scope, 1).await?;
        guilds::change_links(tx, scope, self.guild.num, -1).await?;
        link_roles::revoke(tx, scope, self.guild, link, self.cause, now_ms).await?;
        boosters::remove(tx, scope, self.guild.num, &link.discord_id).await?;
        let job = Job::LogUnlinked {
            guild: self.guild.id.clone(),
            link: link.id.clone(),
            by: Doer::of(self.act.actor()),
        };
        enqueue_log(tx, scope, self.guild, &job, now_ms).await?;
        let event = WebhookEvent::LinkEnded;
        webhooks::events::tell(tx, scope, self.guild.num, &link.id, event, now_ms).await?;
        let mut detail = json!({ "guild": self.guild.id.as_str(), "cause": self.cause.as_str() });
        if let Some(reason) = self.reason {
            detail["reason"] = json!(reason.as_str());
        }
        let target = Some(link.id.as_str());
        Ok(self.act.note(tx, action, target, &detail).await?)
    }
}

/// Leaves a log message to be sent after the commit. A Guild without a log channel wants none.
async fn enqueue_log(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: &Guild,
    job: &Job,
    now_ms: i64,
) -> Result<(), AppError> {
    if guild.log_channel_id.is_none() {
        return Ok(());
    }
    Ok(jobs::enqueue(tx, scope, job, now_ms).await?)
}
