//! Failures, grouped by code, route, Org and minute.

use domain::id::OrgId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{OperatorScope, OrgScope};

const MINUTE_MS: i64 = 60_000;

statements! {
    FIND: Existing = "
        SELECT {columns}
        FROM error_log
        WHERE code = $1 AND route = $2 AND org_num = $3 AND minute = $4
        FOR UPDATE";
    INSERT = "
        INSERT INTO error_log (code, route, org_num, minute, status, count, request_ids, detail)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (code, route, org_num, minute) DO NOTHING";
    ADD = "
        UPDATE error_log
        SET count = count + $2, request_ids = $3, detail = CASE WHEN detail = '' THEN $4 ELSE detail END
        WHERE num = $1";
    PURGE_OLD = "
        DELETE FROM error_log
        WHERE num IN (SELECT num FROM error_log WHERE minute <= $1 ORDER BY minute LIMIT 500)";
    PURGE_SURPLUS = "
        DELETE FROM error_log
        WHERE num IN (SELECT num FROM error_log ORDER BY num DESC LIMIT 500 OFFSET $1)";
    /// Newest first, below a place in that order. An empty text leaves a filter out.
    OF_ORG: Group = "
        SELECT {columns}, e.num, o.id, o.name
        FROM error_log e
        LEFT JOIN orgs o ON o.num = e.org_num
        WHERE e.org_num = $1 AND (e.minute, e.num) < ($2, $3) AND e.minute >= $4 AND ($5 = '' OR e.code = $5)
          AND ($6 = '' OR e.route = $6) AND e.status >= $7 AND e.status < $8 AND ($9 = '' OR e.detail <> '')
        ORDER BY e.minute DESC, e.num DESC
        LIMIT $10";
    OF_ALL: Group = "
        SELECT {columns}, e.num, o.id, o.name
        FROM error_log e
        LEFT JOIN orgs o ON o.num = e.org_num
        WHERE (e.minute, e.num) < ($1, $2) AND e.minute >= $3 AND ($4 = '' OR e.code = $4)
          AND ($5 = '' OR e.route = $5) AND e.status >= $6 AND e.status < $7 AND ($8 = '' OR e.detail <> '')
        ORDER BY e.minute DESC, e.num DESC
        LIMIT $9";
    /// There is no index for it: operators look for one failure among those that are kept.
    WITH_REQUEST: Group = "
        SELECT {columns}, e.num, o.id, o.name
        FROM error_log e
        LEFT JOIN orgs o ON o.num = e.org_num
        WHERE instr(e.request_ids, $1) > 0
        ORDER BY e.minute DESC, e.num DESC
        LIMIT 20" postgres "
        SELECT {columns}, e.num, o.id, o.name
        FROM error_log e
        LEFT JOIN orgs o ON o.num = e.org_num
        WHERE strpos(e.request_ids, $1) > 0
        ORDER BY e.minute DESC, e.num DESC
        LIMIT 20";
    FAULTS: Fault = "
        SELECT {columns}
        FROM error_log e
        WHERE e.minute >= $1 AND e.detail <> ''
        GROUP BY e.code
        ORDER BY e.code";
    DETAILS = "
        SELECT DISTINCT detail
        FROM error_log
        WHERE minute >= $1 AND code = $2 AND detail <> ''
        ORDER BY detail
        LIMIT 20";
    /// Removed ones too: what failed there is still written down.
    ORG_NUM = "
        SELECT num
        FROM orgs
        WHERE id = $1";
}

/// Request ids kept per group.
pub const KEPT_REQUEST_IDS: usize = 20;

/// Failures of one code at one route for one Org within a minute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The stable code of the answer.
    pub code: String,
    /// Its template, never the path that was asked for.
    pub route: String,
    /// 0 when no Org was known.
    pub org_num: i64,
    /// Minutes since 1970.
    pub minute: i64,
    /// Of the answer.
    pub status: i64,
    /// Of all of them, also those without a request id here.
    pub count: i64,
    /// The newest few.
    pub request_ids: Vec<String>,
    /// Of the first one that has any, without secrets. Those have one that are for operators to put right; where it is
    /// empty, nothing in the group is.
    pub detail: String,
}

struct Existing {
    num: i64,
    request_ids: String,
}

impl FromRow for Existing {
    const COLUMNS: &'static str = "num, request_ids";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            request_ids: row.text(1)?,
        })
    }
}

/// Adds a group's failures to what is already written down for its minute.
pub async fn record(tx: &mut Tx<'_>, group: &Group) -> Result<(), DbError> {
    let ids = join_newest(&group.request_ids);
    let values = params![
        &group.code,
        &group.route,
        group.org_num,
        group.minute,
        group.status,
        group.count,
        &ids,
        &group.detail
    ];
    if tx.execute(&INSERT, values).await? == 1 {
        return Ok(());
    }
    let existing: Existing = tx
        .get(
            &FIND,
            params![&group.code, &group.route, group.org_num, group.minute],
        )
        .await?;
    let mut merged: Vec<String> = split(&existing.request_ids);
    merged.extend(group.request_ids.iter().cloned());
    let ids = join_newest(&merged);
    let values = params![existing.num, group.count, &ids, &group.detail];
    tx.execute_one(&ADD, values).await
}

/// Removes up to 500 groups that are too old and up to 500 beyond the number kept.
pub async fn purge(tx: &mut Tx<'_>, before_minute: i64, kept: i64) -> Result<u64, DbError> {
    Ok(tx.execute(&PURGE_OLD, params![before_minute]).await?
        + tx.execute(&PURGE_SURPLUS, params![kept]).await?)
}

impl FromRow for Group {
    const COLUMNS: &'static str =
        "e.code, e.route, e.org_num, e.minute, e.status, e.count, e.request_ids, e.detail";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            code: row.text(0)?,
            route: row.text(1)?,
            org_num: row.int(2)?,
            minute: row.int(3)?,
            status: row.int(4)?,
            count: row.int(5)?,
            request_ids: split(row.str(6)?),
            detail: row.text(7)?,
        })
    }
}

/// A place in the log, which is ordered by minute and then by when a group was first written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The minute of the group.
    pub minute: i64,
    /// Its number among all groups.
    pub num: i64,
}

/// What somebody looks for in the log; what is none is not asked for.
#[derive(Debug, Clone, Default)]
pub struct ErrorFilter {
    /// Exactly this code.
    pub code: Option<String>,
    /// Exactly this template of a route.
    pub route: Option<String>,
    /// The first digit of the status.
    pub status_class: Option<i64>,
    /// Only what is for operators to put right.
    pub faults_only: bool,
    /// Groups of the minute that this is in, and later ones.
    pub from_ms: Option<i64>,
    /// Groups of minutes that began before this.
    pub to_ms: Option<i64>,
    /// Only groups behind this one.
    pub before: Option<Place>,
}

impl ErrorFilter {
    /// Where to begin: behind the last group that was shown, and before the end of the time asked for.
    fn begin(&self) -> Place {
        let past = |to_ms: i64| Place {
            minute: to_ms.div_euclid(MINUTE_MS) + i64::from(to_ms.rem_euclid(MINUTE_MS) > 0),
            num: 0,
        };
        let places = [self.before, self.to_ms.map(past)];
        let end = Place {
            minute: i64::MAX,
            num: i64::MAX,
        };
        places.into_iter().flatten().min().unwrap_or(end)
    }

    fn first_minute(&self) -> i64 {
        self.from_ms.map_or(0, |from_ms| from_ms.div_euclid(MINUTE_MS))
    }

    fn statuses(&self) -> (i64, i64) {
        let hundreds = |class: i64| {
            (
                class.saturating_mul(100),
                class.saturating_add(1).saturating_mul(100),
            )
        };
        self.status_class.map_or((0, i64::MAX), hundreds)
    }
}

/// A group with the Org it was about, as far as there was one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// What failed.
    pub group: Group,
    /// Its number among all groups.
    pub num: i64,
    /// None when no Org was known.
    pub org_id: Option<String>,
    /// None when no Org was known.
    pub org_name: Option<String>,
}

impl Listed {
    /// Where it stands in the log.
    pub fn place(&self) -> Place {
        Place {
            minute: self.group.minute,
            num: self.num,
        }
    }
}

impl FromRow for Listed {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            group: Group::from_row(row)?,
            num: row.int(8)?,
            org_id: row.opt_text(9)?,
            org_name: row.opt_text(10)?,
        })
    }
}

/// Failures of one Org, newest first.
pub async fn list(
    db: &Db,
    scope: OrgScope,
    filter: &ErrorFilter,
    limit: i64,
) -> Result<Vec<Listed>, DbError> {
    list_of(db, scope.num(), filter, limit).await
}

/// Failures of one Org for operators, removed or not; none when there never was such an Org.
pub async fn list_of_any_org(
    db: &Db,
    _operator: OperatorScope,
    org: &OrgId,
    filter: &ErrorFilter,
    limit: i64,
) -> Result<Option<Vec<Listed>>, DbError> {
    match db.find::<i64>(&ORG_NUM, params![org.as_str()]).await? {
        Some(num) => list_of(db, num, filter, limit).await.map(Some),
        None => Ok(None),
    }
}

async fn list_of(db: &Db, org_num: i64, filter: &ErrorFilter, limit: i64) -> Result<Vec<Listed>, DbError> {
    let (begin, (least, below)) = (filter.begin(), filter.statuses());
    let values = params![
        org_num,
        begin.minute,
        begin.num,
        filter.first_minute(),
        filter.code.as_deref().unwrap_or_default(),
        filter.route.as_deref().unwrap_or_default(),
        least,
        below,
        if filter.faults_only { "only" } else { "" },
        limit,
    ];
    db.list_heavy(&OF_ORG, values).await
}

/// Failures of all Orgs and of none, newest first.
pub async fn list_all(
    db: &Db,
    _operator: OperatorScope,
    filter: &ErrorFilter,
    limit: i64,
) -> Result<Vec<Listed>, DbError> {
    let (begin, (least, below)) = (filter.begin(), filter.statuses());
    let values = params![
        begin.minute,
        begin.num,
        filter.first_minute(),
        filter.code.as_deref().unwrap_or_default(),
        filter.route.as_deref().unwrap_or_default(),
        least,
        below,
        if filter.faults_only { "only" } else { "" },
        limit,
    ];
    db.list_heavy(&OF_ALL, values).await
}

/// The failures that a request is among, of those whose ids are kept.
pub async fn list_with_request(
    db: &Db,
    _operator: OperatorScope,
    request_id: &str,
) -> Result<Vec<Listed>, DbError> {
    db.list_heavy(&WITH_REQUEST, params![request_id]).await
}

/// How often a code was answered where it was for operators to put right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The stable code of the answer.
    pub code: String,
    /// Requests, also those of the group that were somebody else's fault.
    pub count: i64,
}

impl FromRow for Fault {
    const COLUMNS: &'static str = "e.code, CAST(SUM(e.count) AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            code: row.text(0)?,
            count: row.int(1)?,
        })
    }
}

/// What was for operators to put right since the minute of this time, in all Orgs and in none.
pub async fn count_faults(db: &Db, _operator: OperatorScope, from_ms: i64) -> Result<Vec<Fault>, DbError> {
    let minute = from_ms.div_euclid(MINUTE_MS);
    db.list_heavy(&FAULTS, params![minute]).await
}

/// What was written down with one code since the minute of this time, each text once.
pub async fn list_details(
    db: &Db,
    _operator: OperatorScope,
    code: &str,
    from_ms: i64,
) -> Result<Vec<String>, DbError> {
    let minute = from_ms.div_euclid(MINUTE_MS);
    db.list_heavy(&DETAILS, params![minute, code]).await
}

fn join_newest(ids: &[String]) -> String {
    ids[ids.len().saturating_sub(KEPT_REQUEST_IDS)..].join(",")
}

fn split(text: &str) -> Vec<String> {
    text.split(',')
        .filter(|id| !id.is_empty())
        .map(str::to_owned)
        .collect()
}
