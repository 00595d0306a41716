//! `pendingNicknames`, `confirmNicknameSync` and `listAllNicknames`.

use domain::platform_id::DiscordId;
use storage::lookups::Named;
use storage::{GuildNum, OrgScope, Tx, Work, names, orgs};

use crate::error::AppError;
use crate::plugin::{Call, Reply};

const PENDING: i64 = 50;
/// Characters that are drawn as nothing; Discord shows a nickname made of them as blank.
const ZERO_WIDTH: [char; 7] = [
    '\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{2060}', '\u{feff}',
];

pub(super) async fn pending(call: &Call<'_>) -> Result<Reply, AppError> {
    Reply::names(&names::list_pending(&call.app.db, call.key.guild, PENDING).await?)
}

pub(super) async fn all(call: &Call<'_>) -> Result<Reply, AppError> {
    let mut found: Vec<Named> = Vec::new();
    loop {
        let after = found
            .last()
            .map(|named| named.discord_id.clone())
            .unwrap_or_default();
        let page = names::list_after(&call.app.db, call.key.guild, &after).await?;
        if page.is_empty() {
            break;
        }
        found.extend(page);
    }
    for named in &mut found {
        named.name.retain(|character| !ZERO_WIDTH.contains(&character));
    }
    Reply::names(&found)
}

pub(super) async fn confirm(call: &Call<'_>) -> Result<Reply, AppError> {
    let id = call.discord_id()?;
    let nickname = call.free_text("nickname")?;
    call.app
        .db
        .write(Confirm {
            scope: call.key.scope,
            guild: call.key.guild,
            id,
            nickname,
        })
        .await?;
    Ok(Reply::text(200, "Nickname sync confirmed"))
}

struct Confirm {
    scope: OrgScope,
    guild: GuildNum,
    id: DiscordId,
    nickname: String,
}

impl Work for Confirm {
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "confirm_nickname";

    fn tenant(&self) -> Option<i64> {
        Some(self.scope.num())
    }

    async fn run(&self, tx: &mut Tx<'_>) -> Result<(), AppError> {
        orgs::lock(tx, self.scope).await?;
        names::confirm_nickname(tx, self.scope, self.guild, &self.id, &self.nickname).await?;
        Ok(())
    }
}
