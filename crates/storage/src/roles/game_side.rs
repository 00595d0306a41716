//! What is known of players on the Servers of a Guild, and what we ask for there.

use std::collections::{BTreeMap, BTreeSet};

use domain::platform_id::SteamId;
use domain::roles::{Asked, Change, ECHO_MS, Game};

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::players::group_changes::ServerPlace;
use crate::roles::ledger;
use crate::scope::{GuildNum, OrgScope, ServerNum};

statements! {
    REPORTED: Reported = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN servers s ON s.guild_num = $1 AND s.removed_at IS NULL
        CROSS JOIN server_players p ON p.server_num = s.num AND p.steam_id = asked.value" postgres "
        SELECT {columns}
        FROM servers s
        JOIN server_players p ON p.server_num = s.num
        WHERE s.guild_num = $1 AND s.removed_at IS NULL
          AND p.steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    OURS: Waiting = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN servers s ON s.guild_num = $1 AND s.removed_at IS NULL
        CROSS JOIN group_changes c ON c.server_num = s.num AND c.steam_id = asked.value
        WHERE c.rule IS NOT NULL" postgres "
        SELECT {columns}
        FROM servers s
        JOIN group_changes c ON c.server_num = s.num
        WHERE s.guild_num = $1 AND s.removed_at IS NULL AND c.rule IS NOT NULL
          AND c.steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    ASK = "
        INSERT INTO group_changes (server_num, guild_num, org_num, steam_id, group_name, action, created_at, rule, taken_at, asks)
        VALUES ($3, $2, $1, $4, $5, $6, $7, $8, NULL, $9)
        ON CONFLICT (server_num, steam_id, group_name) DO UPDATE SET
            action = excluded.action, created_at = excluded.created_at, rule = excluded.rule, taken_at = NULL, asks = excluded.asks";
    SHOWN = "
        DELETE FROM group_changes
        WHERE server_num = $1 AND steam_id = $2 AND group_name = $3 AND rule IS NOT NULL AND created_at = $4";
    SET_PUT = "
        INSERT INTO server_players (server_num, guild_num, org_num, steam_id, put_groups)
        VALUES ($3, $2, $1, $4, $5)
        ON CONFLICT (server_num, steam_id) DO UPDATE SET put_groups = excluded.put_groups";
    PUT_OF: Put = "
        SELECT {columns}
        FROM servers s
        CROSS JOIN server_players p ON p.server_num = s.num AND p.steam_id = $3
        WHERE s.guild_num = $2 AND s.org_num = $1 AND s.removed_at IS NULL AND p.put_groups <> '[]'
        ORDER BY s.num" postgres "
        SELECT {columns}
        FROM servers s
        JOIN server_players p ON p.server_num = s.num AND p.steam_id = $3
        WHERE s.guild_num = $2 AND s.org_num = $1 AND s.removed_at IS NULL AND p.put_groups <> '[]'
        ORDER BY s.num";
    ANY_END = "
        SELECT CAST(1 AS BIGINT)
        FROM group_changes
        WHERE server_num = $1 AND rule = 'end' AND taken_at IS NOT NULL
        LIMIT 1";
    /// What was to be taken back is gone.
    END_SHOWN: EndShown = "
        DELETE FROM group_changes
        WHERE server_num = $1 AND rule = 'end' AND taken_at IS NOT NULL
          AND steam_id IN (SELECT r.key FROM json_each($2) r)
          AND NOT EXISTS (SELECT 1 FROM json_each($2) r CROSS JOIN json_each(r.value) g
                          WHERE r.key = group_changes.steam_id AND g.value = group_changes.group_name)
        RETURNING {columns}" postgres "
        DELETE FROM group_changes
        WHERE server_num = $1 AND rule = 'end' AND taken_at IS NOT NULL
          AND steam_id IN (SELECT r.key COLLATE \"C\" FROM jsonb_each_text(CAST(CAST($2 AS TEXT) AS JSONB)) r)
          AND NOT EXISTS (SELECT 1 FROM jsonb_each_text(CAST(CAST($2 AS TEXT) AS JSONB)) r
                          CROSS JOIN jsonb_array_elements_text(CAST(r.value AS JSONB)) g
                          WHERE r.key COLLATE \"C\" = group_changes.steam_id
                            AND g.value COLLATE \"C\" = group_changes.group_name)
        RETURNING {columns}";
    /// It is still there, long after the plugin took it: it waits once more.
    END_AGAIN = "
        UPDATE group_changes
        SET taken_at = NULL
        WHERE server_num = $1 AND rule = 'end' AND taken_at <= $3
          AND steam_id IN (SELECT r.key FROM json_each($2) r)" postgres "
        UPDATE group_changes
        SET taken_at = NULL
        WHERE server_num = $1 AND rule = 'end' AND taken_at <= $3
          AND steam_id IN (SELECT r.key COLLATE \"C\" FROM jsonb_each_text(CAST(CAST($2 AS TEXT) AS JSONB)) r)";
    /// Whose groups are other than they were, or of whom something was waited for long enough; only where rules are.
    CHANGED = "
        SELECT l.discord_id
        FROM json_each($3) report
        CROSS JOIN links l ON l.guild_num = $2 AND l.steam_id = report.key AND l.ended_at IS NULL
        LEFT JOIN server_players p ON p.server_num = $1 AND p.steam_id = l.steam_id
        WHERE EXISTS (SELECT 1 FROM role_mappings m WHERE m.server_num = $1)
          AND (p.oxide_groups IS NULL OR p.oxide_groups <> report.value
               OR EXISTS (SELECT 1 FROM group_changes c
                          WHERE c.server_num = $1 AND c.steam_id = l.steam_id AND c.rule <> 'end'
                            AND c.taken_at + ($5 << c.asks) <= $4))" postgres "
        SELECT l.discord_id
        FROM jsonb_each_text(CAST(CAST($3 AS TEXT) AS JSONB)) report
        JOIN links l ON l.guild_num = $2 AND l.steam_id = report.key COLLATE \"C\" AND l.ended_at IS NULL
        LEFT JOIN server_players p ON p.server_num = $1 AND p.steam_id = l.steam_id
        WHERE EXISTS (SELECT 1 FROM role_mappings m WHERE m.server_num = $1)
          AND (p.oxide_groups IS NULL OR p.oxide_groups <> report.value
               OR EXISTS (SELECT 1 FROM group_changes c
                          WHERE c.server_num = $1 AND c.steam_id = l.steam_id AND c.rule <> 'end'
                            AND c.taken_at + (CAST($5 AS BIGINT) << CAST(c.asks AS INTEGER)) <= $4))";
}

struct Reported {
    steam_id: String,
    server: i64,
    groups: Option<BTreeSet<String>>,
    reported_at_ms: Option<i64>,
    put: BTreeSet<String>,
}

impl FromRow for Reported {
    const COLUMNS: &'static str = "p.steam_id, p.server_num, p.oxide_groups, p.reported_at, p.put_groups";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            steam_id: row.text(0)?,
            server: row.int(1)?,
            groups: match row.opt_text(2)? {
                Some(_) => Some(row.parse(2, |text| serde_json::from_str(text))?),
                None => None,
            },
            reported_at_ms: row.opt_int(3)?,
            put: row.parse(4, |text| serde_json::from_str(text))?,
        })
    }
}

struct Waiting {
    steam_id: String,
    server: i64,
    group: String,
    asked: Asked,
    /// Its rule is gone, and no plugin will see it.
    is_withdrawn: bool,
}

impl FromRow for Waiting {
    const COLUMNS: &'static str = "c.steam_id, c.server_num, c.group_name, c.action, c.created_at, c.taken_at, \
         CAST(CASE WHEN c.rule = 'end' THEN 1 ELSE 0 END AS BIGINT), c.asks, \
         CAST(CASE WHEN c.rule <> 'end' AND c.taken_at IS NULL \
                    AND NOT EXISTS (SELECT 1 FROM role_mappings m WHERE m.id = c.rule) THEN 1 ELSE 0 END AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            steam_id: row.text(0)?,
            server: row.int(1)?,
            group: row.text(2)?,
            asked: Asked {
                change: row.parse(3, |text| Change::parse(text).ok_or("unknown change"))?,
                at_ms: row.int(4)?,
                taken_at_ms: row.opt_int(5)?,
                ends: row.flag(6)?,
                asks: u32::try_from(row.int(7)?).unwrap_or(u32::MAX),
            },
            is_withdrawn: row.flag(8)?,
        })
    }
}

struct EndShown {
    steam_id: String,
    group: String,
}

impl FromRow for EndShown {
    const COLUMNS: &'static str = "steam_id, group_name";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            steam_id: row.text(0)?,
            group: row.text(1)?,
        })
    }
}

struct Put {
    server: ServerNum,
    groups: Vec<String>,
}

impl FromRow for Put {
    const COLUMNS: &'static str = "p.server_num, p.put_groups";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            server: ServerNum(row.int(0)?),
            groups: row.parse(1, |text| serde_json::from_str(text))?,
        })
    }
}

/// What is known of some players, by Steam id and Server.
pub type Games = BTreeMap<String, BTreeMap<i64, Game>>;

/// What is known of these players on the Servers of a Guild.
pub async fn list(db: &Db, guild: GuildNum, players: &[&str]) -> Result<Games, DbError> {
    let ids = json_list(players.iter().copied());
    let mut games = Games::new();
    for row in db.list_heavy::<Reported>(&REPORTED, params![guild, &ids]).await? {
        let game = games
            .entry(row.steam_id)
            .or_default()
            .entry(row.server)
            .or_default();
        game.reported = row.groups.zip(row.reported_at_ms);
        game.put = row.put;
    }
    for row in db.list_heavy::<Waiting>(&OURS, params![guild, &ids]).await? {
        let game = games
            .entry(row.steam_id)
            .or_default()
            .entry(row.server)
            .or_default();
        let asked = if row.is_withdrawn {
            &mut game.withdrawn
        } else {
            &mut game.asked
        };
        asked.insert(row.group, row.asked);
    }
    Ok(games)
}

/// A change that a game server is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'a> {
    /// Whom the game server changes.
    pub player: &'a SteamId,
    /// Which group.
    pub group: &'a str,
    /// Whether it is given or taken.
    pub change: Change,
    /// Whose it is: a rule, or the end of a link.
    pub rule: &'a str,
    /// How often it was asked for before in vain.
    pub asks: u32,
}

/// The word in place of a rule for what the end of a link takes back.
pub const END_OF_LINK: &str = "end";

/// Leaves a change for the plugin. What waited for the same group is replaced.
pub async fn ask(tx: &mut Tx<'_>, place: ServerPlace, wish: Wish<'_>, now_ms: i64) -> Result<(), DbError> {
    let values = params![
        place.scope.num(),
        place.guild,
        place.server,
        wish.player.as_str(),
        wish.group,
        wish.change.as_str(),
        now_ms,
        wish.rule,
        i64::from(wish.asks)
    ];
    tx.execute_one(&ASK, values).await
}

/// A change is not waited for any more, unless it was asked for anew.
pub async fn forget_shown(
    tx: &mut Tx<'_>,
    server: ServerNum,
    player: &SteamId,
    group: &str,
    asked: Asked,
) -> Result<(), DbError> {
    tx.execute(&SHOWN, params![server, player.as_str(), group, asked.at_ms])
        .await
        .map(drop)
}

/// Remembers which groups of a player are ours.
pub async fn set_put(
    tx: &mut Tx<'_>,
    place: ServerPlace,
    player: &SteamId,
    groups: &BTreeSet<String>,
) -> Result<(), DbError> {
    let text = serde_json::to_string(groups).map_err(|error| DbError::Bug(format!("groups: {error}")))?;
    let values = params![
        place.scope.num(),
        place.guild,
        place.server,
        player.as_str(),
        &text
    ];
    tx.execute_one(&SET_PUT, values).await
}

/// The end of a link takes back every group that we put there. Returns what is taken.
pub async fn end_of_link(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    player: &SteamId,
    now_ms: i64,
) -> Result<Vec<(ServerNum, String)>, DbError> {
    let put: Vec<Put> = tx
        .list(&PUT_OF, params![scope.num(), guild, player.as_str()])
        .await?;
    let mut taken = Vec::new();
    for Put { server, groups } in put {
        let place = ServerPlace { scope, guild, server };
        for group in groups {
            let wish = Wish {
                player,
                group: &group,
                change: Change::Remove,
                rule: END_OF_LINK,
                asks: 0,
            };
            ask(tx, place, wish, now_ms).await?;
            taken.push((server, group));
        }
        set_put(tx, place, player, &BTreeSet::new()).await?;
    }
    Ok(taken)
}

/// What a report says about groups that were to be taken back at the end of a link. Nobody else looks after them: the
/// player may not be linked any more.
pub async fn note_ends(
    tx: &mut Tx<'_>,
    place: ServerPlace,
    report: &str,
    now_ms: i64,
) -> Result<(), DbError> {
    let any: Option<i64> = tx.find(&ANY_END, params![place.server]).await?;
    if any.is_none() {
        return Ok(());
    }
    let shown: Vec<EndShown> = tx.list(&END_SHOWN, params![place.server, report]).await?;
    for EndShown { steam_id, group } in shown {
        ledger::note_end_shown(tx, place.guild, place.server, &steam_id, &group).await?;
    }
    let values = params![place.server, report, now_ms - ECHO_MS];
    tx.execute(&END_AGAIN, values).await.map(drop)
}

/// Whose groups this report changes, and who is to be looked at after it: Discord ids. To be asked before it is stored.
pub async fn list_changed(
    tx: &mut Tx<'_>,
    place: ServerPlace,
    report: &str,
    now_ms: i64,
) -> Result<Vec<String>, DbError> {
    let values = params![place.server, place.guild, report, now_ms, ECHO_MS];
    tx.list(&CHANGED, values).await
}
