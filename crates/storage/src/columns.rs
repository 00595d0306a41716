//! Columns whose meaning several tables share.

use domain::face::Accent;
use domain::plan::Tier;
use domain::steam_group::GroupId;

use crate::db::{DbError, Row};

pub(crate) fn tier(row: &Row<'_>, column: usize) -> Result<Tier, DbError> {
    let text = row.str(column)?;
    Tier::parse(text).ok_or_else(|| DbError::Bug(format!("unknown tier {text}")))
}

/// A colour that this version does not know is the usual one: a page in another colour is better than none.
pub(crate) fn accent(row: &Row<'_>, column: usize) -> Result<Accent, DbError> {
    Ok(Accent::parse(row.str(column)?).unwrap_or(Accent::Indigo))
}

pub(crate) fn group_id(number: i64) -> Result<GroupId, DbError> {
    let id = u32::try_from(number).ok().and_then(GroupId::new);
    id.ok_or_else(|| DbError::Bug(format!("{number} is no Steam group")))
}

/// A JSON array of ids. Ids are digits, so nothing needs escaping.
pub(crate) fn json_list<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let mut list = String::from("[");
    for id in ids {
        if list.len() > 1 {
            list.push(',');
        }
        list.push('"');
        list.push_str(id);
        list.push('"');
    }
    list.push(']');
    list
}
