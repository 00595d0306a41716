//! Buttons of an Org's link page.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::OrgScope;

statements! {
    LIST: NavigationLink = "
        SELECT {columns}
        FROM navigation_links
        WHERE org_num = $1
        ORDER BY position
        LIMIT 10";
    COUNT = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM navigation_links
        WHERE org_num = $1";
    TOUCH = "
        UPDATE orgs
        SET navigation_revision = navigation_revision + 1
        WHERE num = $1 AND navigation_revision = $2";
    CLEAR = "
        DELETE FROM navigation_links
        WHERE org_num = $1";
    INSERT = "
        INSERT INTO navigation_links (org_num, position, label, url, icon, new_tab)
        VALUES ($1, $2, $3, $4, $5, $6)";
}

/// A button of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NavigationLink {
    /// One line, checked before.
    pub label: String,
    /// A whole address of the web, checked before.
    pub url: String,
    /// A name of `Icon`.
    pub icon: String,
    /// Whether the page stays open beside it.
    pub new_tab: bool,
}

impl FromRow for NavigationLink {
    const COLUMNS: &'static str = "label, url, icon, new_tab";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            label: row.text(0)?,
            url: row.text(1)?,
            icon: row.text(2)?,
            new_tab: row.flag(3)?,
        })
    }
}

/// The buttons in their order.
pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<NavigationLink>, DbError> {
    db.list(&LIST, params![scope.num()]).await
}

/// The same inside a unit of work, under the Org's lock.
pub async fn list_in(tx: &mut Tx<'_>, scope: OrgScope) -> Result<Vec<NavigationLink>, DbError> {
    tx.list(&LIST, params![scope.num()]).await
}

/// Against the plan's ceiling, for the overview.
pub async fn count(db: &Db, scope: OrgScope) -> Result<i64, DbError> {
    Ok(db.find(&COUNT, params![scope.num()]).await?.unwrap_or(0))
}

/// Replaces all buttons, in this order, unless they were replaced since revision `seen`. Under the Org's lock.
pub async fn replace(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    seen: i64,
    links: &[NavigationLink],
) -> Result<(), DbError> {
    tx.execute_unless_stale(&TOUCH, params![scope.num(), seen])
        .await?;
    tx.execute(&CLEAR, params![scope.num()]).await?;
    for (position, link) in (0_i64..).zip(links) {
        let values = params![
            scope.num(),
            position,
            &link.label,
            &link.url,
            &link.icon,
            link.new_tab
        ];
        tx.execute_one(&INSERT, values).await?;
    }
    Ok(())
}
