//! `admin webhook`: where changes of links are sent, and what became of the messages.

use app::webhooks::manage::{self, Delivery, Endpoint};
use app::{App, AppError, flags};
use clap::Subcommand;
use domain::flag::Flag;
use domain::id::WebhookId;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Fields;
use super::fields::{Item, Rest};
use super::words::{fields, named, parse};

#[derive(Debug, Subcommand, Serialize, Deserialize)]
pub enum WebhookCommand {
    /// Have the changes of an organisation's links sent to a URL, and print the secret that signs them.
    Add {
        /// Organisation ID (org_…).
        #[arg(long)]
        org: String,
        /// A URL that begins with https://.
        #[arg(long)]
        url: String,
    },
    /// List all webhooks: whose they are, where they lead, and whether they work.
    List,
    /// Replace the secret of a webhook and print the new one. For a day, messages are signed with both.
    Rotate {
        /// Webhook ID (whk_…).
        #[arg(long)]
        webhook: String,
        /// Stop using the old secret immediately.
        #[arg(long)]
        now: bool,
    },
    /// Remove a webhook with its messages.
    Remove {
        /// Webhook ID (whk_…).
        #[arg(long)]
        webhook: String,
    },
    /// List the newest messages of a webhook and what became of them.
    Deliveries {
        /// Webhook ID (whk_…).
        #[arg(long)]
        webhook: String,
        /// Only those that were given up.
        #[arg(long)]
        dead: bool,
        /// Maximum number of messages to list.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
    },
    /// Send what failed or was given up again now, 500 messages at a time, also to a webhook that had answered that it
    /// is gone.
    Retry {
        /// Webhook ID (whk_…).
        #[arg(long)]
        webhook: String,
    },
}

pub(super) async fn run(app: &App, command: WebhookCommand) -> Result<Fields, AppError> {
    use WebhookCommand as C;
    match command {
        C::Add { org, url } => add(app, &org, &url).await,
        C::List => list(app).await,
        C::Rotate { webhook, now } => {
            let secret = manage::rotate(app, &id(&webhook)?, now).await.map_err(unknown)?;
            Ok(fields([("webhook", &webhook), ("secret", &secret)]))
        }
        C::Remove { webhook } => {
            manage::remove(app, &id(&webhook)?).await.map_err(unknown)?;
            Ok(fields([("removed", &webhook)]))
        }
        C::Deliveries { webhook, dead, limit } => {
            let most = limit as usize;
            let found = manage::list_deliveries(app, &id(&webhook)?, dead, limit + 1).await;
            let found = found.map_err(unknown)?;
            let rest = if found.len() > most {
                Rest::Uncounted
            } else {
                Rest::Nothing
            };
            Ok(Fields::list(found.iter().take(most).map(message), rest))
        }
        C::Retry { webhook } => {
            let retried = manage::retry(app, &id(&webhook)?).await.map_err(unknown)?;
            Ok(Fields::new().with("webhook", webhook).with("retried", retried))
        }
    }
}

fn id(text: &str) -> Result<WebhookId, AppError> {
    WebhookId::parse(text).map_err(|error| AppError::invalid("webhook", error))
}

fn unknown(error: AppError) -> AppError {
    named(error, "webhook", "there is no such webhook")
}

async fn add(app: &App, org: &str, url: &str) -> Result<Fields, AppError> {
    let added = manage::add(app, &parse::org("org", org)?, url).await;
    let (id, secret) = added.map_err(|error| named(error, "org", "there is no such organisation"))?;
    let sending = if flags::is_on(app, Flag::Webhooks).await? {
        "on"
    } else {
        "off, because the flag webhooks is off"
    };
    Ok(fields([
        ("webhook", id.as_str()),
        ("secret", &secret),
        ("sending", sending),
    ]))
}

async fn list(app: &App) -> Result<Fields, AppError> {
    let (listed, now_ms) = (manage::list(app).await?, app.now_ms());
    let item = |endpoint: &Endpoint| Item {
        name: endpoint.id.to_string(),
        line: describe(endpoint, now_ms),
        object: json!({
            "id": endpoint.id, "org_id": endpoint.org, "url": endpoint.url, "failures": endpoint.failures,
            "rest_until_ms": endpoint.rest_until_ms, "left_out": endpoint.left_out, "gone": endpoint.disabled_at_ms.is_some(),
            "created_at_ms": endpoint.created_at_ms,
        }),
    };
    Ok(Fields::list(listed.iter().map(item), Rest::Nothing))
}

/// One line about a webhook, such as "org_… https://example.com/hook, failed 3 times".
fn describe(endpoint: &Endpoint, now_ms: i64) -> String {
    let mut line = format!("{} {}", endpoint.org, endpoint.url);
    if endpoint.disabled_at_ms.is_some() {
        line.push_str(", gone (410)");
    } else if endpoint.failures > 0 {
        line.push_str(&format!(", failed {} times", endpoint.failures));
        if endpoint.rest_until_ms > now_ms {
            line.push_str(", waiting");
        }
    }
    if endpoint.left_out > 0 {
        line.push_str(&format!(", {} changes left out", endpoint.left_out));
    }
    line
}

/// The number of a message, and one line about it.
fn message(delivery: &Delivery) -> Item {
    let state = match (delivery.is_dead, delivery.next_at_ms.is_some()) {
        (true, _) => "given up",
        (false, true) => "waiting",
        (false, false) => "sent",
    };
    let mut line = format!(
        "{} of {}, {state}, {} attempts",
        delivery.event, delivery.link, delivery.attempts
    );
    if let Some(result) = &delivery.result {
        line.push_str(&format!(" ({result})"));
    }
    Item {
        name: delivery.num.to_string(),
        line,
        object: json!({
            "number": delivery.num, "event": delivery.event, "link_id": delivery.link, "state": state,
            "attempts": delivery.attempts, "result": delivery.result, "created_at_ms": delivery.created_at_ms,
            "next_at_ms": delivery.next_at_ms,
        }),
    }
}
