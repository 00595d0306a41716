//! The links of one Guild, page by page, as operators look through them.

use domain::id::LinkId;
use domain::link::UnlinkCause;
use domain::platform_id::EitherId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    /// What changed last comes first. The index `links_changed` holds the rows in this order.
    PAGE: GuildLink = "
        SELECT {columns}
        FROM links
        WHERE org_num = $1 AND guild_num = $2
          AND COALESCE(ended_at, verified_at) <= $3 AND (COALESCE(ended_at, verified_at) < $3 OR id < $4)
          AND CAST(CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END AS BIGINT) = $5
        ORDER BY COALESCE(ended_at, verified_at) DESC, id DESC
        LIMIT $6";
    /// The same order in other words: for the few links of one account, SQLite is not to take the index for it.
    OF_DISCORD: GuildLink = "
        SELECT {columns}
        FROM links
        WHERE org_num = $1 AND guild_num = $2 AND discord_id = $7
          AND (CASE WHEN ended_at IS NULL THEN verified_at ELSE ended_at END, id) < ($3, $4)
          AND CAST(CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END AS BIGINT) = $5
        ORDER BY CASE WHEN ended_at IS NULL THEN verified_at ELSE ended_at END DESC, id DESC
        LIMIT $6";
    OF_STEAM: GuildLink = "
        SELECT {columns}
        FROM links
        WHERE org_num = $1 AND guild_num = $2 AND steam_id = $7
          AND (CASE WHEN ended_at IS NULL THEN verified_at ELSE ended_at END, id) < ($3, $4)
          AND CAST(CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END AS BIGINT) = $5
        ORDER BY CASE WHEN ended_at IS NULL THEN verified_at ELSE ended_at END DESC, id DESC
        LIMIT $6";
}

/// A link of a Guild, active or ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuildLink {
    /// What the audit log calls it.
    pub id: LinkId,
    /// A digest where that account's person was erased.
    pub discord_id: String,
    /// A digest where that account's person was erased.
    pub steam_id: String,
    /// As it was last told.
    pub discord_name: Option<String>,
    /// As it was last told.
    pub steam_name: Option<String>,
    /// Two letters.
    pub country: Option<String>,
    /// When it was made.
    pub linked_at_ms: i64,
    /// When it was last verified.
    pub verified_at_ms: i64,
    /// When and why it ended.
    pub ended: Option<(i64, UnlinkCause)>,
}

impl GuildLink {
    /// Where it stands in the list.
    pub fn place(&self) -> Place {
        Place {
            at_ms: self.ended.map_or(self.verified_at_ms, |(at_ms, _)| at_ms),
            id: self.id.as_str().to_owned(),
        }
    }
}

impl FromRow for GuildLink {
    const COLUMNS: &'static str = "\
        id, discord_id, steam_id, discord_name, steam_name, country, linked_at, verified_at, ended_at, end_cause";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let cause = row.opt_text(9)?.and_then(|text| UnlinkCause::parse(&text));
        Ok(Self {
            id: row.parse(0, LinkId::parse)?,
            discord_id: row.text(1)?,
            steam_id: row.text(2)?,
            discord_name: row.opt_text(3)?,
            steam_name: row.opt_text(4)?,
            country: row.opt_text(5)?,
            linked_at_ms: row.int(6)?,
            verified_at_ms: row.int(7)?,
            ended: row.opt_int(8)?.zip(cause),
        })
    }
}

/// A place in the list: when a link was verified or ended, and its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The time.
    pub at_ms: i64,
    /// Among those of the same time.
    pub id: String,
}

impl Place {
    /// Before everything.
    fn begin() -> Self {
        Self {
            at_ms: i64::MAX,
            id: String::new(),
        }
    }
}

/// Which links somebody looks for; what is none is not asked for.
#[derive(Debug, Clone, Default)]
pub struct LinkFilter {
    /// Of one account.
    pub whose: Option<EitherId>,
    /// Ended ones in place of active ones.
    pub ended: bool,
    /// Only links behind this place.
    pub after: Option<Place>,
}

/// Links of a Guild that fit, by when they were verified or ended, the newest first.
pub async fn list(
    db: &Db,
    scope: OrgScope,
    guild: GuildNum,
    filter: &LinkFilter,
    limit: i64,
) -> Result<Vec<GuildLink>, DbError> {
    let Place { at_ms, id } = filter.after.clone().unwrap_or_else(Place::begin);
    let (scope, ended) = (scope.num(), filter.ended);
    let Some(whose) = &filter.whose else {
        let values = params![scope, guild, at_ms, &id, ended, limit];
        return db.list_heavy(&PAGE, values).await;
    };
    let statement = match whose {
        EitherId::Discord(_) => &OF_DISCORD,
        EitherId::Steam(_) => &OF_STEAM,
    };
    let values = params![scope, guild, at_ms, &id, ended, limit, whose.as_str()];
    db.list_heavy(statement, values).await
}
