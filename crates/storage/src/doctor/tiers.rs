//! Whether the tier of every Org follows from what it pays for and from what it was given. This is the one place where
//! the rule stands in SQL; housekeeping asks it too.

use super::{Culprit, Finding, note};
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::scope::OrgScope;

statements! {
    /// Where nothing is sold, what was given counts, or else the default; elsewhere the best of what was given and of what
    /// is paid for. Which of both it is was written down at the last start.
    WRONG_TIERS: WrongTier = "
        SELECT {columns}
        FROM orgs o
        LEFT JOIN tier_grants t ON t.org_num = o.num
        LEFT JOIN settings sold ON sold.name = 'plans.sold'
        LEFT JOIN settings standing ON standing.name = 'plans.default_tier'
        WHERE o.num > $1 AND o.removed_at IS NULL AND o.tier <> CASE
            WHEN COALESCE(sold.value, 'no') = 'no' THEN COALESCE(t.tier, standing.value, 'free')
            WHEN t.tier = 'pro' OR EXISTS (
                SELECT 1
                FROM subscriptions s
                WHERE s.org_num = o.num AND s.tier = 'pro' AND s.status IN ('trialing', 'active', 'past_due')
            ) THEN 'pro'
            WHEN t.tier = 'standard' OR EXISTS (
                SELECT 1
                FROM subscriptions s
                WHERE s.org_num = o.num AND s.tier = 'standard' AND s.status IN ('trialing', 'active', 'past_due')
            ) THEN 'standard'
            ELSE 'free'
        END
        ORDER BY o.num
        LIMIT 100";
    PAID_AND_GONE = "
        SELECT o.id, s.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM subscriptions s
        JOIN orgs o ON o.num = s.org_num
        LEFT JOIN guilds g ON g.num = s.guild_num
        WHERE (s.cancel_at IS NULL OR s.cancel_at > s.period_end)
          AND s.status IN ('trialing', 'active', 'past_due', 'unpaid', 'paused')
          AND (o.removed_at IS NOT NULL OR g.removed_at IS NOT NULL)
        ORDER BY s.id
        LIMIT 10";
    UNLISTED = "
        SELECT o.id, s.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM subscriptions s
        JOIN orgs o ON o.num = s.org_num
        WHERE s.listed = 0 AND s.status IN ('trialing', 'active', 'past_due')
        ORDER BY s.id
        LIMIT 10";
    WORTHLESS = "
        SELECT o.id, s.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM subscriptions s
        JOIN orgs o ON o.num = s.org_num
        WHERE s.tier IS NULL AND s.bot = 0 AND s.status IN ('trialing', 'active', 'past_due')
        ORDER BY s.id
        LIMIT 10";
    WITHOUT_PAYER = "
        SELECT o.id, s.id, CAST(COUNT(*) OVER () AS BIGINT)
        FROM subscriptions s
        JOIN orgs o ON o.num = s.org_num
        LEFT JOIN payers p ON p.org_num = s.org_num
        WHERE p.org_num IS NULL
        ORDER BY s.id
        LIMIT 10";
}

struct WrongTier {
    scope: OrgScope,
    id: String,
    times: i64,
}

impl FromRow for WrongTier {
    const COLUMNS: &'static str = "o.num, o.id, CAST(COUNT(*) OVER () AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            id: row.text(1)?,
            times: row.int(2)?,
        })
    }
}

/// Orgs whose tier is to be derived anew, a hundred at most, after the one with this number.
pub async fn list_wrong_tiers(db: &Db, after: i64) -> Result<Vec<OrgScope>, DbError> {
    let found: Vec<WrongTier> = db.list_heavy(&WRONG_TIERS, params![after]).await?;
    Ok(found.into_iter().map(|wrong| wrong.scope).collect())
}

pub(super) async fn examine(db: &Db) -> Result<Vec<Finding>, DbError> {
    let mut findings = Vec::new();
    let wrong: Vec<WrongTier> = db.list_heavy(&WRONG_TIERS, params![0_i64]).await?;
    let wrong = wrong.into_iter().take(10).map(|wrong| Culprit {
        org: Some(wrong.id.clone()),
        row: wrong.id,
        times: wrong.times,
    });
    let wrong: Vec<Culprit> = wrong.collect();
    note(
        &mut findings,
        "an Org's tier does not follow from its subscriptions and what it was given",
        &wrong,
    );
    let gone = db.list_heavy(&PAID_AND_GONE, params![]).await?;
    note(
        &mut findings,
        "somebody goes on paying for a removed Org or Guild: cancel it with Stripe",
        &gone,
    );
    let unlisted = db.list_heavy(&UNLISTED, params![]).await?;
    note(
        &mut findings,
        "a subscription counts that Stripe does not list: check the account and the customer, or have it forgotten with \
         symbolon admin forget-subscription",
        &unlisted,
    );
    let worthless = db.list_heavy(&WORTHLESS, params![]).await?;
    note(
        &mut findings,
        "somebody pays a price that billing.prices does not name",
        &worthless,
    );
    let unbound = db.list_heavy(&WITHOUT_PAYER, params![]).await?;
    note(&mut findings, "a subscription belongs to no customer", &unbound);
    Ok(findings)
}
