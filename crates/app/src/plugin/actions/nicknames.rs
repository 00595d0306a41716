//! `pendingNicknames`, `confirmNicknameSync` and `listAllNicknames`.

use domain::name::without_zero_width;
use domain::platform_id::DiscordId;
use futures_util::stream;
use storage::linking::lookups::Named;
use storage::players::names;
use storage::tenancy::guilds;
use storage::{Db, GuildNum, OrgScope, Tx, Work};

use crate::error::AppError;
use crate::plugin::{Call, Reply};

const PENDING: i64 = 50;

pub(super) async fn pending(call: &Call<'_>) -> Result<Reply, AppError> {
    Reply::stored_names(names::list_pending(&call.app.db, call.key.guild, PENDING).await?)
}

/// One object of all names, of which only a page is in memory at a time.
pub(super) async fn all(call: &Call<'_>) -> Result<Reply, AppError> {
    let (db, guild) = (call.app.db.clone(), call.key.guild);
    let mut start = String::from("{");
    let rest = write_page(&mut start, &db, guild, None).await?;
    let mut reply = Reply::json(start);
    if rest.is_some() {
        let pages = stream::try_unfold(rest, move |rest| {
            let db = db.clone();
            async move {
                let Some(last) = rest else { return Ok(None) };
                let mut text = String::new();
                let rest = write_page(&mut text, &db, guild, Some(&last)).await?;
                Ok(Some((text, rest)))
            }
        });
        reply.more = Some(Box::pin(pages));
    }
    Ok(reply)
}

/// Writes the page behind the one that ended with `last`. The answer is what this one ended with, if there may be more.
async fn write_page(
    text: &mut String,
    db: &Db,
    guild: GuildNum,
    last: Option<&str>,
) -> Result<Option<String>, AppError> {
    let page = names::list_after(db, guild, last.unwrap_or_default()).await?;
    for (index, named) in page.iter().enumerate() {
        if index > 0 || last.is_some() {
            text.push(',');
        }
        write_entry(text, named)?;
    }
    if page.len() < names::PAGE {
        text.push('}');
        return Ok(None);
    }
    Ok(page.into_iter().next_back().map(|named| named.discord_id))
}

fn write_entry(text: &mut String, named: &Named) -> Result<(), AppError> {
    let shown = without_zero_width(&named.name);
    let name = serde_json::to_string(&shown).map_err(AppError::internal)?;
    text.extend(["\"", &named.discord_id, "\":", &name]);
    Ok(())
}

pub(super) async fn confirm(call: &Call<'_>) -> Result<Reply, AppError> {
    let id = call.discord_id()?;
    let nickname = call.free_text("nickname")?;
    let work = Confirm {
        guild: call.key.guild,
        id,
        nickname,
    };
    call.app.db.write_for(call.key.scope, work).await?;
    Ok(Reply::text(200, "Nickname sync confirmed"))
}

struct Confirm {
    guild: GuildNum,
    id: DiscordId,
    nickname: String,
}

impl Work for Confirm {
    type For = OrgScope;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "confirm_nickname";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), AppError> {
        guilds::lock(tx, scope, self.guild).await?;
        names::confirm_nickname(tx, scope, self.guild, &self.id, &self.nickname).await?;
        Ok(())
    }
}
