//! The blocklist, page by page, and lifting a block by its own id.

use domain::blocklist::BlockEntry;
use domain::id::BlockId;
use domain::platform_id::EitherId;
use storage::OperatorScope;
use storage::identity::blocklist;

use crate::by_operator::ByOperator;
use crate::error::{AppError, RequestError};
use crate::identity::blocklist::{Blocked, unblock};
use crate::state::App;

/// What an operator looks for among the blocks.
pub struct BlockFilter<'a> {
    /// `discord`, `steam` or `network`; empty for all.
    pub kind: &'a str,
    /// An account, a network or the id of a block; empty for all.
    pub exactly: &'a str,
    /// The entry of the last one that was shown.
    pub after: &'a str,
}

/// Blocks that fit, in the order of what they keep out.
pub async fn list(
    app: &App,
    _: OperatorScope,
    filter: &BlockFilter<'_>,
    limit: i64,
) -> Result<Vec<Blocked>, AppError> {
    if filter.exactly.is_empty() {
        let beginning = match filter.kind {
            "" => String::new(),
            kind => [kind, ":"].concat(),
        };
        return Ok(blocklist::list_beginning(&app.db, &beginning, filter.after, limit).await?);
    }
    let mut found = Vec::new();
    for entry in entries_of(app, filter.exactly).await? {
        let near = blocklist::list_beginning(&app.db, entry.as_str(), "", 1).await?;
        found.extend(near.into_iter().filter(|one| one.entry == entry.as_str()));
    }
    found.retain(|one| one.entry.starts_with(filter.kind) && *one.entry > *filter.after);
    Ok(found)
}

/// What a text may stand for; nothing for one that is neither an id nor a network.
async fn entries_of(app: &App, text: &str) -> Result<Vec<BlockEntry>, AppError> {
    if let Ok(id) = BlockId::parse(text) {
        let entry = blocklist::find_entry(&app.db, &id).await?;
        return Ok(entry.into_iter().collect());
    }
    if let Ok(id) = EitherId::parse(text) {
        return Ok(app.blocks_of(&id).to_vec());
    }
    Ok(BlockEntry::network(text).into_iter().collect())
}

/// Lifts a block by its id.
pub async fn lift(app: &App, id: &BlockId, by: ByOperator) -> Result<(), AppError> {
    let entry = blocklist::find_entry(&app.db, id).await?;
    unblock(app, entry.ok_or(RequestError::NotFound)?, by).await
}
