//! Custom Bots as processes of this machine: they live no longer than the service that started them.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use domain::runner::Restart;

use super::super::process::{Process, Starter};
use super::{End, Host, Order, Running};
use crate::output::Failure;

pub struct Local {
    pub starter: Starter,
    /// The folder of all bots.
    pub folder: PathBuf,
    pub service_url: String,
}

impl Host for Local {
    type Running = Process;
    const OUTLIVES: bool = false;

    fn service_url(&self) -> &str {
        &self.service_url
    }

    fn state_dir(&self, bot: &str) -> PathBuf {
        self.folder.join(bot)
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

    async fn start(&self, order: Order) -> Result<Process, Failure> {
        // Another node may have prepared it.
        self.prepare(&order.bot, &order.handed.settings.bot_id).await?;
        let line = serde_json::to_string(&order.handed)?;
        Ok(self.starter.start(line, order.log).await?)
    }

    async fn find(&self, _: &str, _: i64) -> Result<Option<(Process, String)>, Failure> {
        Ok(None)
    }

    async fn sweep(&self, kept: HashSet<String>) -> Result<(), Failure> {
        let folder = self.folder.clone();
        let swept = tokio::task::spawn_blocking(move || {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                if !kept.contains(entry.file_name().to_string_lossy().as_ref()) {
                    drop(std::fs::remove_dir_all(entry.path()));
                }
            }
        });
        Ok(swept.await?)
    }
}

impl Running for Process {
    async fn ended(&mut self) -> Restart {
        self.wait().await;
        Restart::Crashed
    }

    async fn end(&mut self, how: End) -> Result<(), Failure> {
        match how {
            End::Leave => self.leave().await,
            End::Pause => self.pause().await,
            End::Kill => self.kill().await,
        }
        Ok(())
    }

    fn memory_bytes(&self) -> u64 {
        Process::memory_bytes(self)
    }
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
