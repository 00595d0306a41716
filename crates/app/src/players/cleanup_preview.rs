//! A look at whom a run would flag, before anybody is.

use std::collections::{BTreeMap, BinaryHeap};

use domain::dormancy::{CleanupRules, Dormancy, Signs};
use domain::id::GuildId;
use storage::OrgScope;
use storage::players::dormant_links;
use storage::tenancy::guilds::{self, Guild};

use super::cleanup::{HeardGuild, PAGE, checked, list_heard};
use super::seen;
use crate::error::{AppError, PlayersError};
use crate::state::App;

/// People whom a look lists, those first who were away longest.
pub const MOST_LISTED: usize = 500;

/// Somebody whom a run would flag.
#[derive(Debug, Clone)]
pub struct DormantUser {
    /// Whose link.
    pub discord_id: String,
    /// The other half.
    pub steam_id: String,
    /// As it was last told.
    pub discord_name: Option<String>,
    /// As it was last told.
    pub steam_name: Option<String>,
    /// Where the link is.
    pub guild: GuildId,
    /// The newest sign of them.
    pub last_active_ms: i64,
    /// Where they are flagged already.
    pub flagged_at_ms: Option<i64>,
}

/// What a run by some rules would find.
pub struct Preview {
    /// Links that are dormant, flagged or not, by Guild.
    pub dormant: Vec<(HeardGuild, i64)>,
    /// The first of them, those first who were away longest.
    pub users: Vec<DormantUser>,
}

/// Looks for dormant links by these rules as if they were on, and changes nothing.
pub async fn preview(app: &App, scope: OrgScope, rules: CleanupRules) -> Result<Preview, AppError> {
    let rules = checked(CleanupRules {
        enabled: true,
        ..rules
    })?;
    let _place = app
        .memories
        .dry_runs
        .begin(scope)
        .ok_or(PlayersError::SimulationsRunning)?;
    // Whoever came back this minute is written down before anybody is counted.
    seen::settle(app).await?;
    let mut longest = Longest::default();
    let mut dormant = Vec::new();
    for guild in guilds::list(&app.db, scope).await? {
        let heard = list_heard(app, &guild, &rules).await?;
        let found = match Dormancy::of(&heard, &rules, 0).dormant_before_ms() {
            Some(bound) => find_dormant(app, scope, &guild, bound, &mut longest).await?,
            None => 0,
        };
        let heard_days = heard.len() as i64;
        dormant.push((HeardGuild { guild, heard_days }, found));
    }
    Ok(Preview {
        dormant,
        users: longest.into_users(),
    })
}

/// Those who were away longest, as many as are listed.
#[derive(Default)]
struct Longest {
    /// The one who was away shortest is on top.
    times: BinaryHeap<(i64, String, GuildId)>,
    users: BTreeMap<(i64, String, GuildId), DormantUser>,
}

impl Longest {
    fn add(&mut self, user: DormantUser) {
        let key = (user.last_active_ms, user.discord_id.clone(), user.guild.clone());
        if self.users.len() >= MOST_LISTED {
            if self.times.peek().is_some_and(|shortest| *shortest <= key) {
                return;
            }
            if let Some(shortest) = self.times.pop() {
                self.users.remove(&shortest);
            }
        }
        self.times.push(key.clone());
        self.users.insert(key, user);
    }

    fn into_users(self) -> Vec<DormantUser> {
        self.users.into_values().collect()
    }
}

async fn find_dormant(
    app: &App,
    scope: OrgScope,
    guild: &Guild,
    bound_ms: i64,
    longest: &mut Longest,
) -> Result<i64, AppError> {
    let (mut found, mut after) = (0, String::new());
    loop {
        let links = dormant_links::list(&app.db, scope, guild.num, &after, PAGE).await?;
        let Some(last) = links.last() else {
            return Ok(found);
        };
        after = last.link.discord_id.as_str().to_owned();
        for one in links {
            let Signs {
                last_ms,
                flagged_at_ms,
            } = one.signs;
            if last_ms >= bound_ms {
                continue;
            }
            found += 1;
            longest.add(DormantUser {
                discord_id: one.link.discord_id.as_str().to_owned(),
                steam_id: one.link.steam_id.as_str().to_owned(),
                discord_name: one.discord_name,
                steam_name: one.steam_name,
                guild: guild.id.clone(),
                last_active_ms: last_ms,
                flagged_at_ms,
            });
        }
    }
}
