//! The end of what is held about somebody. In ended links a keyed digest stays in the place of an id, by which a block and the
//! penalty for many accounts still hold.

use std::collections::{BTreeMap, BTreeSet};

use domain::audit::{Actor, AuditAction};
use domain::id::OrgId;
use domain::job::Job;
use domain::link::UnlinkCause;
use domain::platform_id::{DiscordId, EitherId};
use serde_json::json;
use storage::identity::{accounts, blocklist};
use storage::linking::flows::LeftToken;
use storage::linking::links as link_rows;
use storage::privacy::erasures::{self, PlaceOfOrg, Standing};
use storage::privacy::tombstones;
use storage::records::audit::Act;
use storage::roles::members;
use storage::tenancy::{guilds, orgs};
use storage::{NoOrg, OrgScope, Tx, Work, jobs};

use super::Sides;
use super::account;
use super::held::{self, Depth, are_own, only_partner};
use crate::bots;
use crate::erased::Leftover;
use crate::error::{AppError, IdentityError, RequestError};
use crate::linking::{self, links};
use crate::people;
use crate::state::App;

/// How far an erasure goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// One community.
    Org(OrgId),
    /// All of them, and the dashboard account.
    Everywhere,
}

/// What was erased.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done {
    /// Communities in which something was.
    pub communities: usize,
    /// Whether there was a dashboard account.
    pub account: bool,
}

/// Erases what is held under somebody's accounts. What was done when it is cut short stays done, and asking again does the
/// rest.
pub async fn erase(app: &App, sides: Sides, extent: Extent, actor: Actor) -> Result<Done, AppError> {
    let (tell, told) = tokio::sync::oneshot::channel();
    let of_task = app.clone();
    // To its end, whoever stops waiting for it.
    app.tasks.spawn(async move {
        drop(tell.send(run(&of_task, sides, extent, actor).await));
    });
    told.await.map_err(AppError::internal)?
}

async fn run(app: &App, sides: Sides, extent: Extent, actor: Actor) -> Result<Done, AppError> {
    let own = sides.accounts();
    if own.is_empty() {
        return Err(IdentityError::SignInExpired.into());
    }
    let account = match (&extent, &sides.discord) {
        (Extent::Everywhere, Some(discord)) => accounts::find_by_discord(&app.db, discord).await?,
        _ => None,
    };
    if let Some(account) = &account {
        account::refuse_owner(app, account.num).await?;
    }
    let holders = held::holders(app, &sides, Depth::Whole).await?;
    let holders = holders
        .into_iter()
        .filter(|holder| extent == Extent::Everywhere || extent == Extent::Org(holder.id.clone()));
    let scopes: Vec<OrgScope> = holders.map(|holder| holder.scope).collect();
    if scopes.is_empty() && extent != Extent::Everywhere {
        return Err(RequestError::NotFound.into());
    }
    if actor != Actor::Operator {
        // Before the first of them is touched.
        held::refuse_blocked(app, &own.iter().cloned().collect()).await?;
        for scope in &scopes {
            held::refuse_blocked(app, &held::concerned(app, *scope, &sides).await?).await?;
        }
    }
    let mut done = Done::default();
    let mut erased: BTreeSet<EitherId> = own.iter().cloned().collect();
    for scope in scopes {
        let work = EraseInOrg {
            app: app.clone(),
            own: own.clone(),
        };
        let (accounts, left) = app.db.write_for(app.act(scope, actor.clone()), work).await?;
        linking::give_back_tokens(app, left);
        erased.extend(accounts);
        done.communities += 1;
    }
    app.bell.ring();
    if extent == Extent::Everywhere {
        let work = EraseRest {
            app: app.clone(),
            accounts: erased,
        };
        let left = app.db.write_for(app.act(NoOrg, actor.clone()), work).await?;
        linking::give_back_tokens(app, left);
        if let Some(account) = account {
            account::delete_found(app, &account, actor).await?;
            done.account = true;
        }
    }
    app.db.empty_log();
    Ok(done)
}

struct EraseInOrg {
    app: App,
    /// Accounts that were shown to be theirs.
    own: Vec<EitherId>,
}

impl Work for EraseInOrg {
    type For = Act;
    /// Which accounts were theirs, and tokens of sign-ins that were under way.
    type Output = (BTreeSet<EitherId>, Vec<LeftToken>);
    type Error = AppError;
    const NAME: &'static str = "erase_in_org";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<Self::Output, AppError> {
        let scope = act.scope;
        orgs::lock_even_removed(tx, scope).await?;
        erasures::lock_servers(tx, scope).await?;
        let (accounts, standing) = self.concerned(tx, scope).await?;
        self.refuse_blocked(tx, act, &accounts).await?;
        for one in &standing {
            end(tx, act, one).await?;
        }
        let places = erasures::list_guilds(tx, scope).await?;
        let (mut others, mut tokens) = (BTreeSet::new(), Vec::new());
        for account in &accounts {
            let tombstone = self.app.erase_key.tombstone(account);
            match account {
                EitherId::Discord(id) => {
                    self.leave_over(tx, act, &places, id).await?;
                    erasures::erase_discord(tx, scope, id, &tombstone).await?;
                }
                EitherId::Steam(id) => {
                    others.extend(erasures::erase_steam(tx, scope, id, &tombstone).await?);
                }
            }
            tombstones::put(tx, scope, &tombstone, act.now_ms).await?;
            tokens.extend(erasures::forget_flows(tx, Some(scope), account).await?);
        }
        people::follow(tx, scope, others.iter().map(String::as_str), act.now_ms).await?;
        for place in &places {
            bots::tell_anew(tx, scope, place.num, &place.id).await?;
        }
        let detail = json!({ "links_ended": standing.len() });
        act.note(tx, AuditAction::PersonErased, None, &detail).await?;
        Ok((accounts, tokens))
    }
}

impl EraseInOrg {
    /// Their accounts here, and the links that stand.
    async fn concerned(
        &self,
        tx: &mut Tx<'_>,
        scope: OrgScope,
    ) -> Result<(BTreeSet<EitherId>, Vec<Standing>), AppError> {
        let mut accounts: BTreeSet<EitherId> = self.own.iter().cloned().collect();
        let mut links: BTreeMap<i64, Standing> = BTreeMap::new();
        for near in &self.own {
            let standing = erasures::list_standing(tx, scope, near).await?;
            let partners: BTreeSet<String> = standing.iter().map(|one| far_side(near, one)).collect();
            let partners = Vec::from_iter(partners);
            if let Some(far) = only_partner(&self.own, &partners) {
                let far = EitherId::parse(far).map_err(AppError::internal)?;
                let back = erasures::list_standing(tx, scope, &far).await?;
                let back: Vec<String> = back.iter().map(|one| far_side(&far, one)).collect();
                if are_own(&self.own, &back) {
                    accounts.insert(far);
                }
            }
            links.extend(standing.into_iter().map(|one| (one.link.num, one)));
        }
        Ok((accounts, links.into_values().collect()))
    }

    /// An operator erases whom they like; whoever is blocked has to ask one.
    async fn refuse_blocked(
        &self,
        tx: &mut Tx<'_>,
        act: &Act,
        accounts: &BTreeSet<EitherId>,
    ) -> Result<(), AppError> {
        if *act.actor() == Actor::Operator {
            return Ok(());
        }
        let entries: Vec<_> = accounts.iter().flat_map(|one| self.app.blocks_of(one)).collect();
        if blocklist::is_any_blocked_in(tx, &entries, act.now_ms).await? {
            return Err(IdentityError::BlockedPerson.into());
        }
        Ok(())
    }

    /// What we gave on Discord is taken off afterwards.
    async fn leave_over(
        &self,
        tx: &mut Tx<'_>,
        act: &Act,
        places: &[PlaceOfOrg],
        id: &DiscordId,
    ) -> Result<(), AppError> {
        let (scope, now_ms) = (act.scope, act.now_ms);
        for place in places.iter().filter(|place| !place.is_removed) {
            let Some(row) = members::find_in(tx, place.num, id).await? else {
                continue;
            };
            let leftover = Leftover {
                discord_id: id.clone(),
                roles: row.kept.given.union(&row.kept.owed).cloned().collect(),
                nick_set: row.nick_set,
                nick_before: row.nick_before,
            };
            leftover.leave(tx, &self.app, scope, place.num, now_ms).await?;
            let guild = place.id.clone();
            jobs::enqueue(tx, scope, &Job::SyncRoles { guild }, now_ms).await?;
        }
        Ok(())
    }
}

fn far_side(near: &EitherId, standing: &Standing) -> String {
    match near {
        EitherId::Discord(_) => standing.link.steam_id.to_string(),
        EitherId::Steam(_) => standing.link.discord_id.to_string(),
    }
}

/// A link ends by the person's own wish. One of a Guild that is gone has nobody to tell.
async fn end(tx: &mut Tx<'_>, act: &Act, one: &Standing) -> Result<(), AppError> {
    let (scope, cause) = (act.scope, UnlinkCause::User);
    if let Some(guild) = guilds::find_in(tx, scope, &one.guild_id).await? {
        return links::end_in(tx, act, &guild, &one.link, cause).await;
    }
    link_rows::end(tx, scope, one.link.num, act.now_ms, cause).await?;
    orgs::drop_links(tx, scope, 1).await?;
    Ok(guilds::change_links(tx, scope, one.guild, -1).await?)
}

/// What belongs to no community.
struct EraseRest {
    app: App,
    accounts: BTreeSet<EitherId>,
}

impl Work for EraseRest {
    type For = Act<NoOrg>;
    type Output = Vec<LeftToken>;
    type Error = AppError;
    const NAME: &'static str = "erase_person";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<Vec<LeftToken>, AppError> {
        let mut tokens = Vec::new();
        for account in &self.accounts {
            tokens.extend(erasures::forget_flows(tx, None, account).await?);
            erasures::erase_block(tx, &self.app.blocks_of(account)).await?;
        }
        act.note(tx, AuditAction::PersonErased, None, &json!({})).await?;
        Ok(tokens)
    }
}
