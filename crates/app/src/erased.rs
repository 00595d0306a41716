//! Accounts that may have been erased before: how they are known again. It stands below the areas: links, sign-ins and roles
//! all meet them.

use domain::blocklist::BlockEntry;
use domain::erased::Tombstones;
use domain::platform_id::{DiscordId, EitherId, SteamId};
use domain::seal::Aad;
use serde::{Deserialize, Serialize};
use storage::privacy::erased_members::{self, ErasedMember};
use storage::privacy::tombstones;
use storage::roles::members;
use storage::{GuildNum, OrgScope, Tx};

use crate::error::AppError;
use crate::state::App;

/// How long something may still be taken off after an erasure.
pub(crate) const LEFT_MS: i64 = 24 * 60 * 60_000;

impl App {
    /// Both entries of the blocklist in which an account on Discord may stand.
    pub(crate) fn discord_blocks(&self, id: &DiscordId) -> [BlockEntry; 2] {
        BlockEntry::both_of(&EitherId::Discord(id.clone()), &self.erase_key)
    }

    /// The same for an account of either platform.
    pub(crate) fn blocks_of(&self, id: &EitherId) -> [BlockEntry; 2] {
        BlockEntry::both_of(id, &self.erase_key)
    }

    /// The same for an account on Steam.
    pub(crate) fn steam_blocks(&self, id: &SteamId) -> [BlockEntry; 2] {
        BlockEntry::both_of(&EitherId::Steam(id.clone()), &self.erase_key)
    }
}

/// Two accounts that are to be linked, and what would be known of them from before an erasure.
pub(crate) struct Erased {
    app: App,
    discord: DiscordId,
    steam: SteamId,
    pub tombstones: Tombstones,
}

impl Erased {
    pub fn of(app: &App, discord: &DiscordId, steam: &SteamId) -> Self {
        Self {
            tombstones: Tombstones::of(&app.erase_key, discord, steam),
            app: app.clone(),
            discord: discord.clone(),
            steam: steam.clone(),
        }
    }

    /// Where either may stand in the blocklist.
    pub fn blocks(&self) -> Vec<BlockEntry> {
        let (discord, steam) = (
            self.app.discord_blocks(&self.discord),
            self.app.steam_blocks(&self.steam),
        );
        discord.into_iter().chain(steam).collect()
    }

    /// They are linked again in an Org: they are one with what remained of them, and what was still to be taken off is
    /// remembered as it was. Under the Org's lock.
    pub async fn come_back(&self, tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<(), AppError> {
        let Tombstones { discord, steam } = &self.tombstones;
        let steam_id = EitherId::Steam(self.steam.clone());
        tombstones::come_back(tx, scope, steam, &steam_id).await?;
        let discord_id = EitherId::Discord(self.discord.clone());
        if !tombstones::come_back(tx, scope, discord, &discord_id).await? {
            return Ok(());
        }
        for left in erased_members::take_of(tx, guild, discord).await? {
            let Some(leftover) = Leftover::open(&self.app, &left) else {
                continue;
            };
            let mut row = members::find_in(tx, guild, &self.discord)
                .await?
                .unwrap_or_default();
            row.kept.owed.extend(leftover.roles);
            if row.nick_set.is_none() {
                (row.nick_set, row.nick_before) = (leftover.nick_set, leftover.nick_before);
            }
            members::save(tx, scope, guild, &self.discord, &row).await?;
        }
        Ok(())
    }
}

/// What is still to be taken off somebody who was erased, and who that is. It is stored sealed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Leftover {
    pub discord_id: DiscordId,
    pub roles: Vec<DiscordId>,
    /// The nickname that we set.
    pub nick_set: Option<String>,
    /// The one from before.
    pub nick_before: Option<String>,
}

pub(crate) fn leftover_place(tombstone: &str) -> Aad<'_> {
    Aad {
        table: "erased_members",
        column: "sealed",
        row: tombstone,
        version: 1,
    }
}

impl Leftover {
    /// None where its master key is gone: then nobody can know any more.
    pub fn open(app: &App, left: &ErasedMember) -> Option<Self> {
        let plain = app
            .vault
            .open_sealed(&leftover_place(&left.tombstone), &left.sealed);
        serde_json::from_slice(&plain.ok()?).ok()
    }

    /// Leaves it to be done. Under the Org's lock; the caller sees to it that somebody looks.
    pub async fn leave(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        scope: OrgScope,
        guild: GuildNum,
        now_ms: i64,
    ) -> Result<(), AppError> {
        if self.roles.is_empty() && self.nick_set.is_none() {
            return Ok(());
        }
        let tombstone = app
            .erase_key
            .tombstone(&EitherId::Discord(self.discord_id.clone()));
        let plain = serde_json::to_vec(self).map_err(AppError::internal)?;
        let place = leftover_place(tombstone.as_str());
        let (sealed, kid) = app.vault.seal(&*app.random, &place, &plain);
        let ends_at_ms = now_ms + LEFT_MS;
        Ok(erased_members::insert(tx, scope, guild, &tombstone, (&sealed, &kid), ends_at_ms).await?)
    }
}
