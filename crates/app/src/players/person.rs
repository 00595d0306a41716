//! Everything that an Org knows of one person, for its staff. Who looks is written down.

use domain::audit::{Actor, AuditAction};
use domain::id::LinkId;
use domain::platform_id::EitherId;
use domain::trust::{GroupClass, GroupRules, Thresholds, TrustTier, class_of};
use serde_json::json;
use storage::players::people_rows::{self, PersonRow};
pub use storage::players::person_page::OwnLinkRow;
use storage::players::person_page::{self, PersonKey, PresenceRow};
use storage::players::trust;
pub use storage::players::trust::Point;
use storage::records::audit::{self, Act};
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use super::users::{self, tier_of};
use crate::error::{AppError, RequestError};
use crate::people;
use crate::state::App;

const HOUR_MS: i64 = 60 * 60_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Links that are shown of somebody.
const MOST_LINKS: i64 = 200;
/// One point an hour for a year.
const MOST_POINTS: i64 = 366 * 24;

/// What a Server knows of somebody.
pub struct Presence {
    /// As it is stored.
    pub row: PresenceRow,
    /// Their groups there by class, without those that our own plugin gives.
    pub groups: Vec<(String, GroupClass)>,
}

/// Somebody.
pub struct PersonPage {
    /// Their score and what it is made of.
    pub key: PersonKey,
    /// As in the list.
    pub row: PersonRow,
    /// What the score means.
    pub tier: TrustTier,
    /// Where tiers begin.
    pub thresholds: Thresholds,
    /// Active ones first, then the newest.
    pub links: Vec<OwnLinkRow>,
    /// There are more.
    pub is_cut: bool,
    /// On every Server of the Org.
    pub presence: Vec<Presence>,
    /// What the Org says about groups.
    pub rules: GroupRules,
}

/// Somebody by either id; none where nobody is, or was.
pub async fn get(app: &App, scope: OrgScope, key: &EitherId, viewer: Actor) -> Result<PersonPage, AppError> {
    let found = users::find(app, scope, key)
        .await?
        .ok_or(RequestError::NotFound)?;
    let rows = people_rows::list(&app.db, scope, &[found.num], None).await?;
    let row = rows.into_iter().next().ok_or(RequestError::NotFound)?;
    let mut links = person_page::list_links(&app.db, scope, &found.discord_id, MOST_LINKS + 1).await?;
    let is_cut = links.len() as i64 > MOST_LINKS;
    links.truncate(MOST_LINKS as usize);
    note_view(app, scope, &found, viewer).await?;
    let rules = trust::get_rules(&app.db, scope).await?.rules;
    let keywords = rules.effective();
    let presence = person_page::list_presence(&app.db, scope, found.num).await?;
    let presence = presence.into_iter().map(|row| {
        let theirs = row
            .groups
            .iter()
            .flatten()
            .filter(|group| !row.ours.contains(group));
        let classed = theirs.map(|group| (group.clone(), class_of(group, &keywords)));
        Presence {
            groups: classed.collect(),
            row,
        }
    });
    Ok(PersonPage {
        tier: tier_of(&app.thresholds, row.score),
        thresholds: app.thresholds,
        presence: presence.collect(),
        key: found,
        row,
        links,
        is_cut,
        rules,
    })
}

/// Writes down who looked at whom, once an hour, whichever part of the page it was.
pub(super) async fn note_view(
    app: &App,
    scope: OrgScope,
    person: &PersonKey,
    viewer: Actor,
) -> Result<(), AppError> {
    let person_num = person.num;
    let (Actor::Account(account) | Actor::Visitor(account)) = &viewer else {
        return Ok(());
    };
    let steady_ms = app.clock.steady_ms();
    if app.memories.views.is_noted(account, person_num, steady_ms) {
        return Ok(());
    }
    let account = account.clone();
    let standing = person_page::find_standing(&app.db, scope, person_num).await?;
    let link = standing.ok_or(RequestError::NotFound)?;
    app.db
        .write_for(app.act(scope, viewer), NoteView { link })
        .await?;
    app.memories.views.note(account, person_num, steady_ms);
    Ok(())
}

struct NoteView {
    link: LinkId,
}

impl Work for NoteView {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "note_view";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        orgs::lock(tx, act.scope).await?;
        // Another node may have written it down.
        let since_ms = act.now_ms - HOUR_MS;
        let target = self.link.as_str();
        if audit::was_noted(tx, act, AuditAction::UserViewed, target, since_ms).await? {
            return Ok(());
        }
        Ok(act
            .note(tx, AuditAction::UserViewed, Some(target), &json!({}))
            .await?)
    }
}

/// Somebody's history of scores.
pub struct TrustHistory {
    /// The oldest first; the first may be from before the time that was asked for.
    pub points: Vec<Point>,
    /// Where tiers begin.
    pub thresholds: Thresholds,
    /// When the time begins that was asked for.
    pub since_ms: i64,
}

/// The scores of the last days.
pub async fn trust_history(
    app: &App,
    scope: OrgScope,
    key: &EitherId,
    days: i64,
    viewer: Actor,
) -> Result<TrustHistory, AppError> {
    let found = users::find(app, scope, key)
        .await?
        .ok_or(RequestError::NotFound)?;
    note_view(app, scope, &found, viewer).await?;
    let since_ms = app.now_ms() - days * DAY_MS;
    Ok(TrustHistory {
        points: trust::list_points(&app.db, found.num, since_ms, MOST_POINTS).await?,
        thresholds: app.thresholds,
        since_ms,
    })
}

/// Reckons somebody's score anew, with everything that it is made of.
pub async fn reckon(app: &App, scope: OrgScope, key: &EitherId) -> Result<(), AppError> {
    let found = users::find(app, scope, key)
        .await?
        .ok_or(RequestError::NotFound)?;
    let work = Reckon {
        discord_id: found.discord_id,
        now_ms: app.now_ms(),
    };
    app.db.write_for(scope, work).await
}

struct Reckon {
    discord_id: String,
    now_ms: i64,
}

impl Work for Reckon {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "reckon_score";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        orgs::lock(tx, scope).await?;
        let id = self.discord_id.as_str();
        people::follow_joined(tx, scope, [id], id, self.now_ms).await
    }
}
