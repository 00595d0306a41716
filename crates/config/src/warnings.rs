use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::config::{BotHost, Config};
use crate::public_url;

impl Config {
    /// Settings that work but are probably not meant, and files that others can
    /// read. Log them once at start.
    pub fn warnings(&self) -> Vec<String> {
        let server = &self.server;
        let local_url = public_url::is_loopback(&server.public_url);
        let metrics_open = server.metrics_listen.is_some_and(|at| !at.ip().is_loopback());
        let everyone_trusted = server.trusted_proxies.iter().any(|net| net.prefix_len() == 0);
        let discord = &self.discord;
        let checks = [
            (
                !local_url && server.public_url.starts_with("http://"),
                "server.public_url is plain http: keys and sessions can be intercepted",
            ),
            (
                local_url && !server.listen.ip().is_loopback(),
                "server.public_url names this machine only, but server.listen is open to others: \
                 links for visitors will not work",
            ),
            (
                metrics_open,
                "server.metrics_listen is open to other machines without a key",
            ),
            (
                server.public_url.starts_with("https://") && server.trusted_proxies.is_empty(),
                "server.public_url is https, but server.trusted_proxies names no proxy: all visitors seem to \
                 share one address, so limits and blocks apply to all of them together",
            ),
            (
                discord.client_id.is_none() && discord.client_secret.is_none(),
                "discord.client_id and discord.client_secret are not set: nobody can sign in or link",
            ),
            (
                discord.bot_token.is_none(),
                "discord.bot_token is not set: nobody can be added to or found in a Discord server",
            ),
            (
                everyone_trusted,
                "server.trusted_proxies trusts every address: any visitor can fake theirs",
            ),
            (
                discord.client_id.is_some() != discord.client_secret.is_some(),
                "only one of discord.client_id and discord.client_secret is set: nobody can sign in",
            ),
            (
                self.bot.host == BotHost::Process
                    && usize::try_from(self.bot.capacity)
                        .is_ok_and(|most| 2 * most > server.max_connections_per_peer),
                "bot.capacity is more than half of server.max_connections_per_peer: Custom Bots of this machine \
                 could be refused",
            ),
            (
                !discord.api_url.ends_with("/api/v10"),
                "discord.api_url does not end in /api/v10; the bot still calls it",
            ),
        ];
        let settings = checks
            .into_iter()
            .filter(|(found, _)| *found)
            .map(|(_, text)| text.to_owned());
        settings.chain(self.open_files()).collect()
    }

    fn open_files(&self) -> impl Iterator<Item = String> {
        let data_dir = &self.data_dir;
        let directory = is_open(data_dir, 0o005).then(|| {
            let data_dir = data_dir.display();
            format!("every user of this machine can read data_dir ({data_dir}): run chmod 700 on it")
        });
        let files = self.secret_files.iter().filter(|(_, path)| is_open(path, 0o004));
        let files = files.map(|(setting, _)| {
            // Without the path, which may be the secret itself, put there by mistake.
            format!("every user of this machine can read the file with the secret of {setting}: run chmod 600 on it")
        });
        directory.into_iter().chain(files)
    }
}

/// Whether other users have one of these rights.
fn is_open(path: &Path, rights: u32) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & rights != 0)
}
