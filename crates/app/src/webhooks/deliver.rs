//! Sends messages, one at a time to each receiver.

use domain::flag::Flag;
use domain::id::WebhookId;
use domain::job::backoff_ms;
use domain::random::bytes;
use domain::webhook::{SigningSecret, pause_ms, signatures};
use platform::webhooks::{Message, NotTaken};
use storage::jobs::{self, Grip, Held};
use storage::webhooks::deliveries::{self, Due};
use storage::webhooks::endpoints::{self, Endpoint};
use storage::webhooks::signing_secrets;
use storage::{OrgScope, Tx, Work};

use super::{MessageEnd, count, secret_place};
use crate::error::AppError;
use crate::flags;
use crate::jobs::{Claimed, Outcome};
use crate::state::App;

/// Sends the next message that is due. What is not due yet needs no job: housekeeping leaves one in its time.
pub(crate) async fn step(app: &App, claimed: &Claimed, webhook: &WebhookId) -> Result<Outcome, AppError> {
    let Some(client) = &app.platforms.webhooks else {
        return Ok(Outcome::Done);
    };
    if !flags::is_on(app, Flag::Webhooks).await? {
        return Ok(Outcome::Done);
    }
    let now_ms = app.now_ms();
    let found = endpoints::find(&app.db, webhook).await?;
    let is_ready =
        |endpoint: &Endpoint| endpoint.disabled_at_ms.is_none() && endpoint.rest_until_ms <= now_ms;
    let Some(endpoint) = found.filter(is_ready) else {
        return Ok(Outcome::Done);
    };
    let Some(due) = deliveries::find_due(&app.db, endpoint.num, now_ms).await? else {
        return Ok(Outcome::Done);
    };
    let Some(message) = signed(app, &endpoint, &due).await? else {
        return Ok(Outcome::Done);
    };
    let sent = client.send(&endpoint.url, message).await;
    let settle = Settle::of(app, claimed.held.clone(), &endpoint, &due, sent);
    let end = settle.end;
    let outcome = app.db.write_for(endpoint.scope, settle).await?;
    if outcome != Outcome::Lost {
        count(app, end, 1);
    }
    Ok(outcome)
}

/// The message as it is told now: with the accounts that the link's row names, the time, and a signature for each secret.
/// A receiver that was removed a moment ago has none any more, and nothing goes out without one.
async fn signed(app: &App, endpoint: &Endpoint, due: &Due) -> Result<Option<Message>, AppError> {
    let now_ms = app.now_ms();
    let mut secrets = Vec::new();
    for sealed in signing_secrets::list_valid(&app.db, endpoint.num, now_ms).await? {
        let place = secret_place(sealed.id.as_str());
        let plain = app.vault.open_sealed(&place, &sealed.sealed);
        let plain = plain.map_err(AppError::internal)?;
        let secret = SigningSecret::read(&plain);
        secrets.push(secret.ok_or_else(|| AppError::internal("the sealed secret of a webhook is none"))?);
    }
    if secrets.is_empty() {
        return Ok(None);
    }
    let (id, at_s) = (due.news.message_id(), now_ms.div_euclid(1_000));
    let body = due.news.body(&endpoint.org);
    Ok(Some(Message {
        signatures: signatures(&secrets, &id, at_s, &body),
        id,
        at_s,
        body,
    }))
}

/// What is written down after an attempt.
struct Settle {
    held: Held,
    endpoint: i64,
    num: i64,
    end: MessageEnd,
    result: String,
    /// Of the message, if it failed and is not given up.
    next_at_ms: i64,
    /// Of its receiver, if it failed.
    rest_until_ms: i64,
    now_ms: i64,
}

impl Settle {
    fn of(app: &App, held: Held, endpoint: &Endpoint, due: &Due, sent: Result<(), NotTaken>) -> Self {
        let [dice, other] = bytes::<2>(&*app.random);
        let (now_ms, pause) = (app.now_ms(), pause_ms(due.attempts + 1, dice));
        let end = match (sent, pause) {
            (Ok(()), _) => MessageEnd::Delivered,
            (Err(NotTaken::Gone), _) => MessageEnd::Gone,
            (Err(_), Some(_)) => MessageEnd::Failed,
            (Err(_), None) => MessageEnd::Dead,
        };
        Self {
            held,
            endpoint: endpoint.num,
            num: due.num,
            end,
            result: result(sent),
            next_at_ms: now_ms + pause.unwrap_or(0),
            rest_until_ms: now_ms + backoff_ms(endpoint.failures, other, None),
            now_ms,
        }
    }
}

/// For operators; nothing of what was answered.
fn result(sent: Result<(), NotTaken>) -> String {
    match sent {
        Ok(()) => "delivered".to_owned(),
        Err(NotTaken::Gone) => "status 410".to_owned(),
        Err(NotTaken::Status(status)) => format!("status {status}"),
        Err(NotTaken::Forbidden) => "not a public address".to_owned(),
        Err(NotTaken::Timeout) => "no answer in time".to_owned(),
        Err(NotTaken::Unreachable) => "not reachable".to_owned(),
    }
}

impl Work for Settle {
    type For = OrgScope;
    type Output = Outcome;
    type Error = AppError;
    const NAME: &'static str = "settle_webhook";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<Outcome, AppError> {
        if jobs::hold(tx, &self.held).await? == Grip::Lost {
            return Ok(Outcome::Lost);
        }
        let (num, result, now_ms) = (self.num, self.result.as_str(), self.now_ms);
        match self.end {
            MessageEnd::Delivered => {
                deliveries::end(tx, num, false, result, now_ms).await?;
                endpoints::recover(tx, scope, self.endpoint).await?;
                return Ok(Outcome::Again);
            }
            MessageEnd::Failed => {
                deliveries::try_again(tx, num, self.next_at_ms, result).await?;
                endpoints::rest(tx, scope, self.endpoint, self.rest_until_ms).await?;
            }
            MessageEnd::Dead => {
                deliveries::end(tx, num, true, result, now_ms).await?;
                endpoints::rest(tx, scope, self.endpoint, self.rest_until_ms).await?;
            }
            // The others wait, in case an operator finds that it is there after all.
            MessageEnd::Gone => {
                deliveries::end(tx, num, true, result, now_ms).await?;
                endpoints::disable(tx, scope, self.endpoint, now_ms).await?;
            }
        }
        Ok(Outcome::Done)
    }
}
