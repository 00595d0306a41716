//! Bots as callers.

use app::bots::register;
use domain::bot::BotId;
use domain::platform_id::DiscordId;
use storage::tenancy::guilds;

use crate::app::TestApp;
use crate::http::Client;
use crate::world::Tenant;

impl TestApp {
    /// The shared bot, with its secret under its own name.
    pub async fn platform_bot(&self) -> Client {
        register::ensure_platform(&self.app)
            .await
            .expect("the shared bot");
        self.bot(&BotId::Platform).await
    }

    /// A Guild's own bot, by this account on Discord.
    pub async fn dedicated_bot(&self, tenant: &Tenant, id: &DiscordId) -> Client {
        let guild = guilds::find(&self.app.db, tenant.scope, &tenant.guild).await;
        let guild = guild.expect("a readable Guild").expect("a Guild").num;
        let id = BotId::Dedicated(id.clone());
        register::ensure(&self.app, id.clone(), Some((tenant.scope, guild)))
            .await
            .expect("a dedicated bot");
        self.bot(&id).await
    }

    async fn bot(&self, id: &BotId) -> Client {
        let secret = register::secret(&self.app, id).await.expect("its secret");
        bot_with(self.client(), id.as_str(), secret.expose())
    }
}

/// A caller that shows a bot's secret.
pub fn bot_with(client: Client, id: &str, secret: &str) -> Client {
    client
        .header("authorization", &format!("Bearer {secret}"))
        .header("x-bot-id", id)
        .header("content-type", "application/json")
}
