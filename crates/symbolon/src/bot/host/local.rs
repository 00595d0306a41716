//! Custom Bots as processes of this machine: they live no longer than the service that started them.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, chown};
use std::path::{Path, PathBuf};

use config::Config;
use domain::runner::Restart;
use tokio::sync::watch;

use super::super::process::{Process, Starter};
use super::users::{User, Users};
use super::{Bots, End, Host, Order, Running};
use crate::output::Failure;

/// What a bot keeps for itself, in its folder. All else in there is the service's.
pub(super) const STATE: &str = "state";
/// What the kernel gives a bot, for each byte after which it is ended: only one that asks faster than anybody looks gets
/// there. And what every bot gets.
const DATA_PER_BYTE: u64 = 4;
const LEAST_DATA: u64 = 256 * 1024 * 1024;

pub struct Local {
    starter: Starter,
    /// The folder of all bots.
    folder: PathBuf,
    service_url: String,
    most_data_bytes: u64,
    /// None where bots run as whoever runs the service.
    users: Option<Users>,
}

/// A bot's process, and the user that it runs as.
pub struct Own {
    process: Process,
    _user: Option<User>,
}

impl Local {
    pub fn new(config: &Config, service_url: String) -> std::io::Result<Self> {
        let (folder, bot) = (config.data_dir.join("bots"), &config.bot);
        Ok(Self {
            starter: Starter::new()?,
            users: Users::find(bot.first_uid, bot.capacity, &folder),
            folder,
            service_url,
            most_data_bytes: (bot.memory_mib * 1024 * 1024 * DATA_PER_BYTE).max(LEAST_DATA),
        })
    }
}

impl Host for Local {
    type Running = Own;
    const OUTLIVES: bool = false;

    fn service_url(&self) -> &str {
        &self.service_url
    }

    fn state_dir(&self, bot: &str) -> PathBuf {
        self.folder.join(bot).join(STATE)
    }

    async fn clear(&self, _: &str) -> Result<(), Failure> {
        // Nothing outlives the service.
        Ok(())
    }

    async fn prepare(&self, bot: &str, account: &str) -> Result<(), Failure> {
        let (folder, text) = (self.folder.join(bot), format!("{account}\n"));
        let written = tokio::task::spawn_blocking(move || install(&folder, &text));
        Ok(written.await??)
    }

    async fn start(&self, mut order: Order) -> Result<Own, Failure> {
        // Another node may have prepared it.
        self.prepare(&order.bot, &order.handed.settings.bot_id).await?;
        let user = self
            .users
            .as_ref()
            .map(|users| users.take(&order.bot))
            .transpose()?;
        let (state, owner) = (self.state_dir(&order.bot), user.as_ref().map(|user| user.id));
        tokio::task::spawn_blocking(move || hand_out(&state, owner)).await??;
        (order.handed.run_as, order.handed.most_data_bytes) = (owner, Some(self.most_data_bytes));
        let line = serde_json::to_string(&order.handed)?;
        Ok(Own {
            process: self.starter.start(line, order.log).await?,
            _user: user,
        })
    }

    async fn find(&self, _: &str, _: i64) -> Result<Option<(Own, String)>, Failure> {
        Ok(None)
    }

    async fn sweep(&self, bots: watch::Receiver<Bots>) -> Result<(), Failure> {
        let is_known = move |bot: &str| bots.borrow().known.contains(bot);
        if let Some(users) = &self.users {
            users.keep(&is_known);
        }
        let folder = self.folder.clone();
        // One that rests keeps what it needs to go on.
        let swept = tokio::task::spawn_blocking(move || {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                if !is_known(entry.file_name().to_string_lossy().as_ref()) {
                    drop(std::fs::remove_dir_all(entry.path()));
                }
            }
        });
        Ok(swept.await?)
    }
}

impl Running for Own {
    async fn ended(&mut self) -> Restart {
        self.process.wait().await;
        Restart::Crashed
    }

    async fn end(&mut self, how: End) -> Result<(), Failure> {
        match how {
            End::Leave => self.process.leave().await,
            End::Pause => self.process.pause().await,
            End::Kill => self.process.kill().await,
        }
        Ok(())
    }

    fn memory_bytes(&self) -> u64 {
        self.process.memory_bytes()
    }
}

/// Makes the folder of a bot's own, which is its user's and nobody else's. What another user has left there it could not
/// read: it is gone, and the bot begins a new session.
fn hand_out(state: &Path, owner: Option<u32>) -> std::io::Result<()> {
    match std::fs::symlink_metadata(state) {
        Ok(known) if owner.is_none_or(|owner| known.uid() == owner) => return Ok(()),
        Ok(_) => std::fs::remove_dir_all(state)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    std::fs::DirBuilder::new().mode(0o700).create(state)?;
    if owner.is_some() {
        chown(state, owner, owner)?;
    }
    Ok(())
}

/// What a bot needs to go on with its session is kept in its folder, and is no other account's. The token is not there.
fn install(folder: &Path, text: &str) -> std::io::Result<()> {
    let known = folder.join("bot");
    if std::fs::read_to_string(&known).is_ok_and(|known| known == text) {
        return Ok(());
    }
    if let Err(error) = std::fs::remove_dir_all(folder)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(error);
    }
    std::fs::create_dir_all(folder)?;
    let fresh = folder.join("bot.new");
    let mut file = File::create(&fresh)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(fresh, known)
}
