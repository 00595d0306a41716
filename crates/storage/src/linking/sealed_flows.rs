//! What is sealed by the id of its row, in five tables: sign-ins under way and people who were erased, which need their
//! master key until they are over, and what signs the messages of webhooks.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;

statements! {
    TOKENS = "
        SELECT hash, hash, token_sealed
        FROM flows
        WHERE hash > $1 AND token_sealed IS NOT NULL AND COALESCE(token_kid, '') <> $2
        ORDER BY hash
        LIMIT 200";
    TRIPS = "
        SELECT hash, hash, sealed
        FROM flow_trips
        WHERE hash > $1 AND sealed IS NOT NULL AND sealed_kid <> $2
        ORDER BY hash
        LIMIT 200";
    SIGN_INS = "
        SELECT hash, state_hash, verifier_sealed
        FROM sign_ins
        WHERE hash > $1 AND COALESCE(verifier_kid, '') <> $2
        ORDER BY hash
        LIMIT 200";
    /// Their number, at one length, so that it sorts as a text.
    MEMBERS = "
        SELECT substr(CAST(10000000000000000 + num AS TEXT), 2), tombstone, sealed
        FROM erased_members
        WHERE num > CAST('0' || CAST($1 AS TEXT) AS BIGINT) AND sealed_kid <> $2
        ORDER BY num
        LIMIT 200";
    SIGNING_SECRETS = "
        SELECT id, id, sealed
        FROM webhook_secrets
        WHERE id > $1 AND sealed_kid <> $2
        ORDER BY id
        LIMIT 200";
    RESEAL_TOKEN = "
        UPDATE flows
        SET token_sealed = $3, token_kid = $4
        WHERE hash = $1 AND token_sealed = $2";
    RESEAL_TRIP = "
        UPDATE flow_trips
        SET sealed = $3, sealed_kid = $4
        WHERE hash = $1 AND sealed = $2";
    RESEAL_SIGN_IN = "
        UPDATE sign_ins
        SET verifier_sealed = $3, verifier_kid = $4
        WHERE hash = $1 AND verifier_sealed = $2";
    RESEAL_MEMBER = "
        UPDATE erased_members
        SET sealed = $3, sealed_kid = $4
        WHERE num = CAST(CAST($1 AS TEXT) AS BIGINT) AND sealed = $2";
    RESEAL_SIGNING_SECRET = "
        UPDATE webhook_secrets
        SET sealed = $3, sealed_kid = $4
        WHERE id = $1 AND sealed = $2";
    COUNT = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM (
            SELECT hash FROM flows
            WHERE token_sealed IS NOT NULL AND COALESCE(token_kid, $1) = $1
            UNION ALL
            SELECT hash FROM flow_trips
            WHERE sealed_kid = $1 AND ends_at > $2
            UNION ALL
            SELECT hash FROM sign_ins
            WHERE COALESCE(verifier_kid, $1) = $1 AND ends_at > $2
            UNION ALL
            SELECT tombstone FROM erased_members
            WHERE sealed_kid = $1 AND ends_at > $2
        ) sealed";
}

/// What is sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A token with which a person is added to a Discord server.
    Token,
    /// The verifier of a trip of the link pages.
    Trip,
    /// The verifier of a trip of the dashboard.
    SignIn,
    /// Somebody of whom a role is still to be taken off.
    Member,
    /// What signs the messages of a webhook.
    SigningSecret,
}

impl Kind {
    /// In the order in which they are sealed anew.
    pub const ALL: [Kind; 5] = [
        Kind::Token,
        Kind::Trip,
        Kind::SignIn,
        Kind::Member,
        Kind::SigningSecret,
    ];
}

/// A sealed value of somebody on their way.
#[derive(Debug, Clone)]
pub struct SealedFlow {
    /// The place from which the next slice goes on.
    pub hash: String,
    /// The row that it is sealed for.
    pub row: String,
    /// Also what the row is compared with when it is sealed anew.
    pub sealed: String,
}

impl FromRow for SealedFlow {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            hash: row.text(0)?,
            row: row.text(1)?,
            sealed: row.text(2)?,
        })
    }
}

/// The next ones that another master key than `active` protects.
pub async fn list_sealed_otherwise(
    db: &Db,
    kind: Kind,
    after: &str,
    active: &str,
) -> Result<Vec<SealedFlow>, DbError> {
    let statement = match kind {
        Kind::Token => &TOKENS,
        Kind::Trip => &TRIPS,
        Kind::SignIn => &SIGN_INS,
        Kind::Member => &MEMBERS,
        Kind::SigningSecret => &SIGNING_SECRETS,
    };
    db.list_heavy(statement, params![after, active]).await
}

/// False when it was used up or changed meanwhile.
pub async fn reseal(
    tx: &mut Tx<'_>,
    kind: Kind,
    hash: &str,
    old: &str,
    sealed: &str,
    kid: &str,
) -> Result<bool, DbError> {
    let statement = match kind {
        Kind::Token => &RESEAL_TOKEN,
        Kind::Trip => &RESEAL_TRIP,
        Kind::SignIn => &RESEAL_SIGN_IN,
        Kind::Member => &RESEAL_MEMBER,
        Kind::SigningSecret => &RESEAL_SIGNING_SECRET,
    };
    Ok(tx.execute(statement, params![hash, old, sealed, kid]).await? == 1)
}

/// How many sign-ins under way need a master key. Rows that do not know theirs count for each.
pub async fn count_sealed_with(db: &Db, kid: &str, now_ms: i64) -> Result<i64, DbError> {
    let counted: Vec<i64> = db.list_heavy(&COUNT, params![kid, now_ms]).await?;
    Ok(counted.first().copied().unwrap_or(0))
}
