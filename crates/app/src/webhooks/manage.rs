//! What operators do with receivers, on the command line.

use domain::audit::{Actor, AuditAction};
use domain::id::{OrgId, SigningSecretId, WebhookId};
use domain::job::Job;
use domain::webhook::{MOST_ENDPOINTS, ROLLING_MS, SigningSecret};
use serde_json::json;
use storage::records::audit::Act;
use storage::tenancy::orgs;
pub use storage::webhooks::deliveries::Delivery;
pub use storage::webhooks::endpoints::Endpoint;
use storage::webhooks::{deliveries, endpoints, signing_secrets};
use storage::{NoOrg, OrgScope, Tx, Work, jobs};
use zeroize::Zeroizing;

use super::secret_place;
use crate::error::{AppError, RequestError};
use crate::state::App;

/// Has the changes of an Org sent to a URL. Returns the receiver and the secret by which it knows them.
pub async fn add(app: &App, org: &OrgId, url: &str) -> Result<(WebhookId, Zeroizing<String>), AppError> {
    let client = app.platforms.webhooks.as_ref();
    let client = client.ok_or_else(|| AppError::internal("there is no client for webhooks"))?;
    client
        .check(url)
        .map_err(|error| AppError::invalid("url", error))?;
    let scope = orgs::find(&app.db, org)
        .await?
        .ok_or(RequestError::NotFound)?
        .scope;
    let work = Add {
        scope,
        org: org.clone(),
        id: WebhookId::generate(app.now_ms(), &*app.random),
        url: url.to_owned(),
        new: NewSecret::make(app),
    };
    let made = (work.id.clone(), work.new.secret.text());
    app.db.write_for(act(app), work).await?;
    Ok(made)
}

/// Nobody else can do any of this.
fn act(app: &App) -> Act<NoOrg> {
    app.act(NoOrg, Actor::Operator)
}

/// A secret as it is stored, and itself.
struct NewSecret {
    id: SigningSecretId,
    secret: SigningSecret,
    sealed: String,
    kid: String,
}

impl NewSecret {
    fn make(app: &App) -> Self {
        let id = SigningSecretId::generate(app.now_ms(), &*app.random);
        let secret = SigningSecret::generate(&*app.random);
        let place = secret_place(id.as_str());
        let (sealed, kid) = app.vault.seal(&*app.random, &place, secret.expose());
        Self {
            id,
            secret,
            sealed,
            kid,
        }
    }

    async fn store(&self, tx: &mut Tx<'_>, endpoint: i64) -> Result<(), AppError> {
        Ok(signing_secrets::insert(tx, endpoint, &self.id, &self.sealed, &self.kid).await?)
    }
}

struct Add {
    scope: OrgScope,
    org: OrgId,
    id: WebhookId,
    url: String,
    new: NewSecret,
}

impl Work for Add {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "add_webhook";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        orgs::lock(tx, self.scope).await?;
        if endpoints::count(tx, self.scope).await? >= MOST_ENDPOINTS as i64 {
            return Err(RequestError::Conflict(
                "The organisation has three webhooks, which is the most. Remove one first.",
            )
            .into());
        }
        let num = endpoints::insert(tx, self.scope, &self.id, &self.url, act.now_ms).await?;
        self.new.store(tx, num).await?;
        note(tx, act, AuditAction::WebhookAdded, &self.id, &self.org).await
    }
}

/// In the operators' own log. The URL stays out of it, because it may hold a secret of the receiver's.
async fn note(
    tx: &mut Tx<'_>,
    act: &Act<NoOrg>,
    action: AuditAction,
    id: &WebhookId,
    org: &OrgId,
) -> Result<(), AppError> {
    let detail = json!({ "org": org.as_str() });
    Ok(act.note(tx, action, Some(id.as_str()), &detail).await?)
}

/// All receivers there are.
pub async fn list(app: &App) -> Result<Vec<Endpoint>, AppError> {
    let mut all = Vec::new();
    loop {
        let after = all.last().map_or(0, |last: &Endpoint| last.num);
        let slice = endpoints::list_after(&app.db, after).await?;
        if slice.is_empty() {
            return Ok(all);
        }
        all.extend(slice);
    }
}

/// The newest messages to a receiver, or the newest of those that were given up.
pub async fn list_deliveries(
    app: &App,
    id: &WebhookId,
    only_dead: bool,
    limit: u32,
) -> Result<Vec<Delivery>, AppError> {
    let found = find(app, id).await?;
    Ok(deliveries::list(&app.db, found.scope, found.num, only_dead, limit).await?)
}

async fn find(app: &App, id: &WebhookId) -> Result<Endpoint, AppError> {
    let found = endpoints::find(&app.db, id).await?;
    Ok(found.ok_or(RequestError::NotFound)?)
}

/// Gives a receiver a new secret. Messages are signed with the old one too for a while, unless that is to end now.
pub async fn rotate(app: &App, id: &WebhookId, at_once: bool) -> Result<Zeroizing<String>, AppError> {
    let work = Rotate {
        endpoint: find(app, id).await?,
        new: NewSecret::make(app),
        at_once,
    };
    let text = work.new.secret.text();
    app.db.write_for(act(app), work).await?;
    Ok(text)
}

struct Rotate {
    endpoint: Endpoint,
    new: NewSecret,
    at_once: bool,
}

impl Work for Rotate {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "rotate_webhook";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        let (num, now_ms) = (self.endpoint.num, act.now_ms);
        still_there(tx, &self.endpoint).await?;
        if self.at_once {
            signing_secrets::delete_all(tx, num).await?;
        } else if signing_secrets::is_rolling(tx, num, now_ms).await? {
            return Err(RequestError::Conflict(
                "The secret was replaced in the last 24 hours and the one before is still in use. Use --now to end it.",
            )
            .into());
        } else {
            signing_secrets::let_end(tx, num, now_ms + ROLLING_MS).await?;
        }
        self.new.store(tx, num).await?;
        let endpoint = &self.endpoint;
        note(tx, act, AuditAction::WebhookRotated, &endpoint.id, &endpoint.org).await
    }
}

/// Locks the Org; a receiver that was removed meanwhile is as good as none.
async fn still_there(tx: &mut Tx<'_>, endpoint: &Endpoint) -> Result<(), AppError> {
    orgs::lock(tx, endpoint.scope).await?;
    if endpoints::is_there(tx, endpoint.scope, endpoint.num).await? {
        Ok(())
    } else {
        Err(RequestError::NotFound.into())
    }
}

/// Has what was given up, and what waits for its next attempt, sent now: 500 messages at most, which it counts. A receiver
/// that was gone is tried again, too.
pub async fn retry(app: &App, id: &WebhookId) -> Result<u64, AppError> {
    let endpoint = find(app, id).await?;
    let retried = app.db.write_for(act(app), Retry { endpoint }).await?;
    app.bell.ring();
    Ok(retried)
}

struct Retry {
    endpoint: Endpoint,
}

impl Work for Retry {
    type For = Act<NoOrg>;
    type Output = u64;
    type Error = AppError;
    const NAME: &'static str = "retry_webhook";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<u64, AppError> {
        let (endpoint, scope, now_ms) = (&self.endpoint, self.endpoint.scope, act.now_ms);
        still_there(tx, endpoint).await?;
        let webhook = endpoint.id.clone();
        jobs::enqueue(tx, scope, &Job::SendWebhook { webhook }, now_ms).await?;
        endpoints::enable(tx, scope, endpoint.num).await?;
        let retried = deliveries::revive(tx, scope, endpoint.num, now_ms).await?;
        note(tx, act, AuditAction::WebhookRetried, &endpoint.id, &endpoint.org).await?;
        Ok(retried)
    }
}

/// Ends a receiver. Nothing is sent to it any more, and its messages are forgotten.
pub async fn remove(app: &App, id: &WebhookId) -> Result<(), AppError> {
    let endpoint = find(app, id).await?;
    app.db.write_for(act(app), Remove { endpoint }).await
}

struct Remove {
    endpoint: Endpoint,
}

impl Work for Remove {
    type For = Act<NoOrg>;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "remove_webhook";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act<NoOrg>) -> Result<(), AppError> {
        let endpoint = &self.endpoint;
        still_there(tx, endpoint).await?;
        endpoints::remove(tx, endpoint.scope, endpoint.num, act.now_ms).await?;
        signing_secrets::delete_all(tx, endpoint.num).await?;
        note(tx, act, AuditAction::WebhookRemoved, &endpoint.id, &endpoint.org).await
    }
}
