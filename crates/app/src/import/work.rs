//! The unit of work of one slice: what is known, what is decided, what is written.

use std::collections::{HashMap, HashSet};

use domain::audit::AuditAction;
use domain::erased::{Tombstone, Tombstones};
use domain::id::LinkId;
use domain::import::{ImportDecision, ImportRefusal, Standing, Times, decide_active, decide_ended};
use domain::link::{Country, UnlinkCause};
use domain::platform_id::{DiscordId, SteamId};
use serde_json::{Map, Value, json};
use storage::linking::imports::{self, ImportedLink};
use storage::players::group_changes::ServerPlace;
use storage::players::{boosters, server_players};
use storage::privacy::tombstones;
use storage::records::audit::Act;
use storage::tenancy::guilds::Guild;
use storage::tenancy::orgs::LockedOrg;
use storage::tenancy::{guilds, orgs, servers};
use storage::{OrgScope, Tx, Work};

use super::{ImportReport, ImportRow, ImportSlice, RowOutcome};
use crate::error::{AppError, RequestError};
use crate::people;
use crate::plugin::groups;
use crate::state::App;

/// What is refused when a Guild would have too many of them.
pub(super) const BOOSTERS: &str = "boosters";

pub(super) struct Import {
    pub app: App,
    pub slice: ImportSlice,
    /// One for each row, used or not.
    pub ids: Vec<LinkId>,
}

impl Work for Import {
    type For = Act;
    type Output = ImportReport;
    type Error = AppError;
    const NAME: &'static str = "import_links";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<ImportReport, AppError> {
        let org = orgs::lock(tx, act.scope).await?;
        let guild = guilds::find_in(tx, act.scope, &self.slice.guild)
            .await?
            .ok_or(RequestError::NotFound)?;
        let place = self.find_server(tx, act.scope, &guild).await?;
        let place = match (place, &self.slice.server) {
            (None, Some(_)) => return Err(AppError::invalid("server", "this Server is not in this Guild")),
            (place, Some(_) | None) => place,
        };
        let report = self.take(tx, act, &org, &guild, place).await?;
        let (active, ended) = self.count_added(&report);
        if self.slice.write && active + ended > 0 {
            let detail = json!({ "guild": guild.id.as_str(), "active": active, "ended": ended });
            let target = Some(guild.id.as_str());
            act.note(tx, AuditAction::LinksImported, target, &detail).await?;
            people::sweep_later(tx, act.scope, act.now_ms).await?;
        }
        Ok(report)
    }
}

/// A row that becomes a link.
struct Added<'a> {
    row: &'a ImportRow,
    id: &'a LinkId,
    linked_at_ms: i64,
    ended: Option<(i64, UnlinkCause)>,
    /// The text of a JSON array.
    groups: Option<String>,
}

/// What the Guild holds about the ids of a slice.
struct ExistingLinks {
    by_discord: HashMap<DiscordId, SteamId>,
    by_steam: HashMap<SteamId, DiscordId>,
    ended: HashMap<(String, String), Vec<i64>>,
    /// What remained of those who were erased.
    erased: HashSet<String>,
}

impl ExistingLinks {
    fn standing(&self, row: &ImportRow) -> Standing {
        let pair = (
            row.discord_id.as_str().to_owned(),
            row.steam_id.as_str().to_owned(),
        );
        Standing {
            discord_linked_to: self.by_discord.get(&row.discord_id).cloned(),
            steam_linked_to: self.by_steam.get(&row.steam_id).cloned(),
            ended_at_ms: self.ended.get(&pair).cloned().unwrap_or_default(),
        }
    }
}

impl Import {
    /// The Server of the slice, if it has one and that is in the Guild.
    pub(super) async fn find_server(
        &self,
        tx: &mut Tx<'_>,
        scope: OrgScope,
        guild: &Guild,
    ) -> Result<Option<ServerPlace>, AppError> {
        let Some(id) = &self.slice.server else {
            return Ok(None);
        };
        let found = servers::find_in(tx, scope, id).await?;
        Ok(found
            .filter(|server| server.guild == guild.num)
            .map(|server| ServerPlace {
                scope,
                guild: guild.num,
                server: server.num,
            }))
    }

    /// Decides on the rows, and writes what is new unless the slice says otherwise. Under the Org's lock.
    pub(super) async fn take(
        &self,
        tx: &mut Tx<'_>,
        act: &Act,
        org: &LockedOrg,
        guild: &Guild,
        place: Option<ServerPlace>,
    ) -> Result<ImportReport, AppError> {
        let known = self.existing_links(tx, act.scope, guild).await?;
        let (rows, added) = self.decide(org, known, act.now_ms);
        let mut report = ImportReport {
            rows,
            boosters: added.iter().filter(|link| link.boosts()).count(),
            groups: added.iter().filter(|link| link.groups.is_some()).count(),
        };
        if place.is_none() {
            report.groups = 0;
        }
        if self.slice.write && !added.is_empty() {
            self.store(tx, act, org, guild, place, &added).await?;
        }
        Ok(report)
    }

    /// Links among what was added, and history.
    pub(super) fn count_added(&self, report: &ImportReport) -> (i64, i64) {
        let rows = self.slice.rows.iter().zip(&report.rows);
        let added = rows.filter(|(_, outcome)| **outcome == RowOutcome::Added);
        added.fold((0, 0), |(active, ended), (row, _)| match row.ended {
            None => (active + 1, ended),
            Some(_) => (active, ended + 1),
        })
    }

    async fn existing_links(
        &self,
        tx: &mut Tx<'_>,
        scope: OrgScope,
        guild: &Guild,
    ) -> Result<ExistingLinks, AppError> {
        let rows = &self.slice.rows;
        let asked: Vec<Tombstone> = rows.iter().flat_map(|row| self.tombstones(row)).collect();
        let erased = tombstones::list_gone(tx, scope, asked.iter().map(Tombstone::as_str)).await?;
        let discord =
            imports::active_of_discord(tx, guild.num, rows.iter().map(|row| &row.discord_id)).await?;
        let steam = imports::active_of_steam(tx, guild.num, rows.iter().map(|row| &row.steam_id)).await?;
        let mut ended: HashMap<(String, String), Vec<i64>> = HashMap::new();
        for link in imports::ended_of_discord(tx, guild.num, rows.iter().map(|row| &row.discord_id)).await? {
            let times = ended.entry((link.discord_id, link.steam_id)).or_default();
            times.push(link.ended_at_ms);
        }
        Ok(ExistingLinks {
            by_discord: discord
                .into_iter()
                .map(|pair| (pair.discord_id, pair.steam_id))
                .collect(),
            by_steam: steam
                .into_iter()
                .map(|pair| (pair.steam_id, pair.discord_id))
                .collect(),
            ended,
            erased: erased.into_iter().collect(),
        })
    }

    /// What would have remained of both sides of a row.
    fn tombstones(&self, row: &ImportRow) -> [Tombstone; 2] {
        let both = Tombstones::of(&self.app.erase_key, &row.discord_id, &row.steam_id);
        [both.discord, both.steam]
    }

    /// Rows are decided in their order; an earlier one may take the last place of the plan, or an id of a later one.
    fn decide(
        &self,
        org: &LockedOrg,
        mut existing: ExistingLinks,
        now_ms: i64,
    ) -> (Vec<RowOutcome>, Vec<Added<'_>>) {
        let ceiling = self.app.plans.ceilings(org.tier).links;
        let mut room = ceiling - org.links - self.slice.planned;
        let mut outcomes = Vec::with_capacity(self.ids.len());
        let mut added = Vec::new();
        for (row, id) in self.slice.rows.iter().zip(&self.ids) {
            let (decision, link) = match added_by(row, id, now_ms) {
                Err(refusal) => (ImportDecision::Refuse(refusal), None),
                Ok(_) if self.is_erased(&existing, row) => {
                    (ImportDecision::Refuse(ImportRefusal::Erased), None)
                }
                Ok(link) => (judge(row, &existing.standing(row), (room, ceiling)), Some(link)),
            };
            outcomes.push(match decision {
                ImportDecision::Add => RowOutcome::Added,
                ImportDecision::Known => RowOutcome::Known,
                ImportDecision::Refuse(refusal) => RowOutcome::Refused(refusal.to_string()),
            });
            if let (ImportDecision::Add, Some(link)) = (decision, link) {
                room -= i64::from(link.ended.is_none());
                existing.note(&link);
                added.push(link);
            }
        }
        (outcomes, added)
    }

    fn is_erased(&self, existing: &ExistingLinks, row: &ImportRow) -> bool {
        let gone = &existing.erased;
        !gone.is_empty() && self.tombstones(row).iter().any(|one| gone.contains(one.as_str()))
    }

    async fn store(
        &self,
        tx: &mut Tx<'_>,
        act: &Act,
        org: &LockedOrg,
        guild: &Guild,
        place: Option<ServerPlace>,
        added: &[Added<'_>],
    ) -> Result<(), AppError> {
        let links: Vec<ImportedLink<'_>> = added.iter().map(|one| one.link(act.now_ms)).collect();
        let active = links.iter().filter(|link| link.ended.is_none()).count() as i64;
        let ceiling = self.app.plans.ceilings(org.tier).links;
        if !orgs::add_links(tx, act.scope, active, ceiling.max(org.links)).await? {
            return Err(AppError::internal("the plan's room was miscounted"));
        }
        guilds::change_links(tx, act.scope, guild.num, active).await?;
        imports::insert(tx, act.scope, guild.num, &links).await?;
        store_boosters(tx, act, guild, added).await?;
        if let Some(place) = place {
            let report: Map<String, Value> = added
                .iter()
                .filter_map(|link| Some((link.row.steam_id.to_string(), link.groups.clone()?.into())))
                .collect();
            server_players::report(tx, place, &Value::from(report).to_string(), act.now_ms).await?;
        }
        // Who hangs together with whom is found afterwards, for many slices at once.
        people::follow(
            tx,
            act.scope,
            added.iter().map(|link| link.row.discord_id.as_str()),
            act.now_ms,
        )
        .await
    }
}

/// The link that a row would become; what the row leaves out is filled from what it says, else with now.
fn added_by<'a>(row: &'a ImportRow, id: &'a LinkId, now_ms: i64) -> Result<Added<'a>, ImportRefusal> {
    let times = Times {
        linked_at_ms: row.linked_at_ms,
        ended_at_ms: row.ended.as_ref().and_then(|ended| ended.at_ms),
    };
    times.check(now_ms)?;
    let ended = row
        .ended
        .as_ref()
        .map(|ended| (times.ended_or(now_ms), ended.cause));
    let listed = row.groups.as_deref().filter(|_| ended.is_none());
    Ok(Added {
        row,
        id,
        linked_at_ms: times.linked_or(now_ms),
        ended,
        groups: listed.and_then(groups::parse_list),
    })
}

async fn store_boosters(
    tx: &mut Tx<'_>,
    act: &Act,
    guild: &Guild,
    added: &[Added<'_>],
) -> Result<(), AppError> {
    let ids: Vec<DiscordId> = added
        .iter()
        .filter(|link| link.boosts())
        .map(|link| link.row.discord_id.clone())
        .collect();
    boosters::add_all(tx, act.scope, guild.num, &ids, act.now_ms).await?;
    if boosters::count(tx, guild.num).await? > boosters::MOST {
        return Err(AppError::invalid(
            BOOSTERS,
            format!("a Guild has at most {} boosters", boosters::MOST),
        ));
    }
    Ok(())
}

fn judge(row: &ImportRow, standing: &Standing, room: (i64, i64)) -> ImportDecision {
    match &row.ended {
        Some(ended) => decide_ended(ended.at_ms, standing),
        None => decide_active((&row.discord_id, &row.steam_id), row.linked_at_ms, standing, room),
    }
}

impl ExistingLinks {
    /// A link of this slice is as known to the rows after it as one from before.
    fn note(&mut self, link: &Added<'_>) {
        let row = link.row;
        match link.ended {
            Some((at_ms, _)) => {
                let pair = (row.discord_id.to_string(), row.steam_id.to_string());
                self.ended.entry(pair).or_default().push(at_ms);
            }
            None => {
                self.by_discord
                    .insert(row.discord_id.clone(), row.steam_id.clone());
                self.by_steam.insert(row.steam_id.clone(), row.discord_id.clone());
            }
        }
    }
}

impl<'a> Added<'a> {
    fn boosts(&self) -> bool {
        self.row.booster && self.ended.is_none()
    }

    fn link(&self, now_ms: i64) -> ImportedLink<'a> {
        ImportedLink {
            id: self.id,
            discord_id: &self.row.discord_id,
            steam_id: &self.row.steam_id,
            discord_name: self.row.discord_name.as_deref(),
            steam_name: self.row.steam_name.as_deref(),
            country: self.row.country.as_ref().map(Country::as_str),
            linked_at_ms: self.linked_at_ms,
            verified_at_ms: if self.ended.is_some() {
                self.linked_at_ms
            } else {
                now_ms
            },
            ended: self.ended,
        }
    }
}
