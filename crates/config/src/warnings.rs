use crate::config::Config;
use crate::public_url;

impl Config {
    /// Settings that work but are probably not meant. Log them once at start.
    pub fn warnings(&self) -> Vec<String> {
        let server = &self.server;
        let local_url = public_url::is_loopback(&server.public_url);
        let metrics_open = server.metrics_listen.is_some_and(|at| !at.ip().is_loopback());
        let everyone_trusted = server.trusted_proxies.iter().any(|net| net.prefix_len() == 0);
        let discord = &self.discord;
        let checks = [
            (
                !local_url && server.public_url.starts_with("http://"),
                "server.public_url is plain http: keys and sessions can be read on the way",
            ),
            (
                local_url && !server.listen.ip().is_loopback(),
                "server.public_url names this machine only, but server.listen is open to others: \
                 links given to visitors will not work for them",
            ),
            (
                metrics_open,
                "server.metrics_listen is open to other machines and asks for no key",
            ),
            (
                everyone_trusted,
                "server.trusted_proxies trusts every address: any visitor can pose as another",
            ),
            (
                discord.client_id.is_some() != discord.client_secret.is_some(),
                "of discord.client_id and discord.client_secret only one is set: nobody can sign in",
            ),
            (
                !discord.api_url.ends_with("/api/v10"),
                "discord.api_url does not end in /api/v10: the bot's calls go there all the same",
            ),
        ];
        checks
            .into_iter()
            .filter(|(found, _)| *found)
            .map(|(_, text)| text.to_owned())
            .collect()
    }
}
